"""Equations of motion under friction with given modes.

Functions in the language of intrinsics. Each of p pairs has three rows and three forces: along its normal, and along
two directions of friction, each bounded by the normal force. `modes` has three numbers per pair: 1 if the normal force
is active, else 0; and for each direction the sign of sliding, or 0 if it sticks.

The law is that of Stewart and Trinkle 1996. The rows are given as the normal and two slip rows: tangential rows times
the coefficient of friction. `direction_kinds` says how directions follow from slip rows: one of these alone, or half
the sum and half the difference of both, along which the linearised cone is a box.
"""

from __future__ import annotations

from typing import Final

from rbd.intrinsics.language import Floats, Ints, divide, fma
from rbd.intrinsics.workspace import Workspace, floats, ints, operand, result
from rbd.solvers.cholesky import norm, solve_lower, solve_lower_transposed, subtract_product
from rbd.solvers.friction.lu import lu_factor, lu_solve

# Kinds of directions.
FIRST_SLIP_ROW: Final = 0
SECOND_SLIP_ROW: Final = 1
BOTH_SLIP_ROWS: Final = 2

_ROUNDS: Final = 3
"""The solution, and two rounds of refinement."""


class Pairs(Workspace):
    """p frictional pairs, a motion with n unknowns, and the equations of its modes."""

    n: int
    p: int
    matrix = operand("n", "n")
    right = operand("n")
    rows = operand("3 * p", "n")
    bounds = operand("3 * p")
    point = result("n")
    forces = result("3 * p")
    factor = floats("n", "n")
    white_rows = floats("3 * p", "n")
    """Rows in coordinates in which the matrix is the identity; normals have length one."""
    lengths = floats("3 * p")
    """Divisors of the rows: the same for all three of a pair."""
    gram = floats("3 * p", "3 * p")
    """Gram matrix of the white rows: from forces to rates."""
    system = floats("3 * p", "3 * p")
    unknown_forces = floats("3 * p")
    """Forces that the modes leave unknown."""
    force_steps = floats("3 * p")
    """All forces, or their corrections."""
    residual = floats("n")
    direction_kinds = ints("p")
    modes = ints("3 * p")
    unknowns = ints("3 * p")
    order = ints("6 * p")


def slip_rows_to_directions(w: Pairs) -> None:
    """Replace slip rows by directions, and their tangential biases by the required rates."""
    for k in range(w.p):
        if w.direction_kinds[k] == BOTH_SLIP_ROWS:
            _to_sum_and_difference(w, 3 * k + 1, 3 * k + 2)
        else:
            _to_one_direction(w, 3 * k + 1, 3 * k + 2, w.direction_kinds[k])


def _to_sum_and_difference(w: Pairs, first: int, second: int) -> None:
    """Replace two slip rows by half their sum and half their difference."""
    for i in range(w.n):
        a = w.rows[first][i]
        b = w.rows[second][i]
        w.rows[first][i] = 0.5 * (a + b)
        w.rows[second][i] = 0.5 * (a - b)
    along = w.bounds[first]
    w.bounds[first] = -(0.5 * (along + w.bounds[second]))
    w.bounds[second] = -(0.5 * (along - w.bounds[second]))


def _to_one_direction(w: Pairs, first: int, second: int, kind: int) -> None:
    """Replace two slip rows by the first or the second, and a direction of zeros."""
    if kind == SECOND_SLIP_ROW:
        for i in range(w.n):
            w.rows[first][i] = w.rows[second][i]
        w.bounds[first] = w.bounds[second]
    for i in range(w.n):
        w.rows[second][i] = 0.0
    w.bounds[first] = -w.bounds[first]
    w.bounds[second] = 0.0


def forces_to_slip_rows(w: Pairs) -> None:
    """Replace forces along directions by forces along slip rows."""
    for k in range(w.p):
        first = w.forces[3 * k + 1]
        second = w.forces[3 * k + 2]
        if w.direction_kinds[k] == BOTH_SLIP_ROWS:
            w.forces[3 * k + 1] = 0.5 * (first + second)
            w.forces[3 * k + 2] = 0.5 * (first - second)
        else:
            w.forces[3 * k + 1] = 0.0
            w.forces[3 * k + 2] = 0.0
            w.forces[3 * k + 1 + w.direction_kinds[k]] = first


def normalise_rows(w: Pairs, counted: Ints) -> None:
    """Scale the white rows of each pair so that its normal has length one.

    Pairs whose first of three numbers in `counted` is 0 get lengths and rows of zero.
    """
    for k in range(w.p):
        length = 0.0
        inverse = 0.0
        if counted[3 * k] == 1:
            length = norm(w.n, w.white_rows[3 * k])
            inverse = divide(1.0, length)
        for a in range(3 * k, 3 * k + 3):
            w.lengths[a] = length
            for i in range(w.n):
                w.white_rows[a][i] *= inverse


def compute_gram(w: Pairs) -> None:
    """Compute the Gram matrix of the white rows."""
    for a in range(3 * w.p):
        for b in range(a + 1):
            product = 0.0
            for i in range(w.n):
                product = fma(w.white_rows[a][i], w.white_rows[b][i], product)
            w.gram[a][b] = product
            w.gram[b][a] = product


def _list_unknown_forces(w: Pairs) -> int:
    """List the unknown forces of active pairs, the normal ones and those of sticking directions; count them."""
    k = 0
    for pair in range(w.p):
        if w.modes[3 * pair] == 1:
            for a in range(3 * pair, 3 * pair + 3):
                if a == 3 * pair or w.modes[a] == 0:
                    w.unknowns[k] = a
                    k += 1
    return k


def _equation_row(w: Pairs, gram: Floats, row: Floats) -> None:
    """Write the row of a rate over the unknown forces; the friction of a sliding direction follows its normal force."""
    column = 0
    for pair in range(w.p):
        if w.modes[3 * pair] == 1:
            entry = gram[3 * pair]
            for a in range(3 * pair + 1, 3 * pair + 3):
                entry = fma(-float(w.modes[a]), gram[a], entry)
            row[column] = entry
            column += 1
            for b in range(3 * pair + 1, 3 * pair + 3):
                if w.modes[b] == 0:
                    row[column] = gram[b]
                    column += 1


def assemble_equations(w: Pairs) -> int:
    """Write the equations of the given rates; return their number."""
    k = _list_unknown_forces(w)
    for i in range(k):
        _equation_row(w, w.gram[w.unknowns[i]], w.system[i])
    return k


def expand_forces(w: Pairs) -> None:
    """Compute all forces from the unknown ones."""
    k = 0
    for pair in range(w.p):
        normal_force = 0.0
        if w.modes[3 * pair] == 1:
            normal_force = w.unknown_forces[k]
            k += 1
        w.force_steps[3 * pair] = normal_force
        for a in range(3 * pair + 1, 3 * pair + 3):
            w.force_steps[a] = -(float(w.modes[a]) * normal_force)
            if w.modes[3 * pair] == 1 and w.modes[a] == 0:
                w.force_steps[a] = w.unknown_forces[k]
                k += 1


def _residual(w: Pairs) -> None:
    """Compute g - M x plus the generalised forces of the pairs."""
    for i in range(w.n):
        w.residual[i] = w.right[i]
    subtract_product(w.n, w.matrix, w.point, w.residual)
    for a in range(3 * w.p):
        for i in range(w.n):
            w.residual[i] = fma(w.forces[a], w.rows[a][i], w.residual[i])


def _rate_residual(w: Pairs, k: int) -> None:
    """Compute the residual of the required rates."""
    for i in range(k):
        a = w.unknowns[i]
        wanted = w.bounds[a]
        for j in range(w.n):
            wanted = fma(-w.rows[a][j], w.point[j], wanted)
        wanted = divide(wanted, w.lengths[a])
        for j in range(w.n):
            wanted = fma(-w.white_rows[a][j], w.residual[j], wanted)
        w.unknown_forces[i] = wanted


def solve_for_modes(w: Pairs) -> None:
    """Solve for point and forces with the given modes, with iterative refinement from the given forces.

    Of linearly dependent forces, some keep their values.
    """
    k = assemble_equations(w)
    rank = lu_factor(k, w.system, w.order)
    for _round in range(_ROUNDS):
        _residual(w)
        solve_lower(w.n, w.factor, w.residual)
        _rate_residual(w, k)
        lu_solve(k, rank, w.system, w.unknown_forces, w.order)
        expand_forces(w)
        for a in range(3 * w.p):
            step = w.force_steps[a]
            for i in range(w.n):
                w.residual[i] = fma(step, w.white_rows[a][i], w.residual[i])
            if w.lengths[a] > 0.0:
                w.forces[a] += divide(step, w.lengths[a])
        solve_lower_transposed(w.n, w.factor, w.residual)
        for i in range(w.n):
            w.point[i] += w.residual[i]


def operations_for_modes(n: int, p: int) -> int:
    """Bound the operations of `solve_for_modes` by those with all forces unknown."""
    size = 3 * p
    refinement = 4 * n * n + 8 * n * size + 2 * size * size + 6 * size
    return 6 * size * size + 2 * size**3 + _ROUNDS * refinement
