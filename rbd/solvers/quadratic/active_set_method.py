"""Dual active-set method of Goldfarb and Idnani (1983) for one quadratic program, in the language of intrinsics.

Minimise 1/2 x'Hx - g'x subject to A x >= b: begin at the unconstrained minimum, add the most violated constraint, drop
those whose multipliers would turn negative. In the coordinates y = L'x of H = LL' the objective is the distance from a
point, rows are vectors of length one, and the active ones are kept as an orthonormal basis and a triangle,
orthogonalised twice. Names are the paper's: z and r are the directions of the point and of the multipliers u, t is the
length of a step.
"""

from __future__ import annotations

from typing import Final

from rbd.intrinsics.language import Floats, divide, fma
from rbd.intrinsics.workspace import floats, ints, operand, result
from rbd.solvers.cholesky import cholesky, norm, solve_lower, solve_lower_transposed, subtract_product, whiten
from rbd.solvers.quadratic.active_set import (
    DEPENDENT,
    ActiveSet,
    append_active,
    drop_active,
    orthogonalise,
    project_onto_active,
    solve_upper,
)

_ZERO_ROW: Final = 1e-14
"""A row this much shorter than the longest counts as zero."""
_VIOLATED: Final = 1e-13
"""Violations below this, relative to the size of the problem, are rounding."""

# Statuses: 0, or the number of the label that says why there is no minimum.
SOLVED: Final = 0
IS_INDEFINITE: Final = 1
IS_INFEASIBLE: Final = 2
IS_STUCK: Final = 3


class QuadraticProgram(ActiveSet):
    """A quadratic program, its solution, and the state of the method."""

    hessian = operand("n", "n")
    linear = operand("n")
    rows = operand("m", "n")
    bounds = operand("m")
    point = result("n")
    multipliers = result("m")
    active = result("m")
    iterations = result("1")
    factor = floats("n", "n")
    sides = floats("m")
    """Bounds of the rows of length one."""
    y = floats("n")
    r = floats("n")
    gained = floats("1")
    """Multiplier of the constraint that is being added."""
    flags = ints("m")
    """1 for active rows."""


def _normalise(w: QuadraticProgram) -> int:
    """Normalise rows and bounds in the coordinates y; return `IS_INFEASIBLE` for a zero row with a positive bound."""
    whiten(w.n, w.m, w.factor, w.rows, w.unit_rows)
    longest = 0.0
    for j in range(w.m):
        w.lengths[j] = norm(w.n, w.unit_rows[j])
        if w.lengths[j] > longest:
            longest = w.lengths[j]
    for j in range(w.m):
        if w.lengths[j] > _ZERO_ROW * longest:
            inverse = divide(1.0, w.lengths[j])
            for i in range(w.n):
                w.unit_rows[j][i] *= inverse
            w.sides[j] = w.bounds[j] * inverse
        else:
            w.lengths[j] = 0.0
            if w.bounds[j] > 0.0:
                return IS_INFEASIBLE
    return SOLVED


def _slack(n: int, row: Floats, bound: float, x: Floats) -> float:
    value = -bound
    for i in range(n):
        value = fma(row[i], x[i], value)
    return value


def _size(w: QuadraticProgram) -> float:
    """Return the magnitude of the problem, to which violations are compared."""
    size = norm(w.n, w.y)
    for j in range(w.m):
        if w.lengths[j] > 0.0:
            size += abs(w.sides[j])
    return size


def _most_violated(w: QuadraticProgram, size: float) -> int:
    """Return the inactive constraint that is violated most, -1 when none is."""
    worst = -(_VIOLATED * size)
    found = -1
    for j in range(w.m):
        if w.flags[j] == 0 and w.lengths[j] > 0.0:
            slack = _slack(w.n, w.unit_rows[j], w.sides[j], w.y)
            if slack < worst:
                worst = slack
                found = j
    return found


def _blocking(w: QuadraticProgram, q: int) -> int:
    """Return the active constraint whose multiplier vanishes first, -1 when none does."""
    found = -1
    best = 0.0
    for j in range(q):
        if w.r[j] > 0.0:
            ratio = divide(w.u[j], w.r[j])
            if found < 0 or ratio < best:
                found = j
                best = ratio
    return found


def _is_dependent(w: QuadraticProgram, q: int, length: float) -> int:
    """Return 1 if a row depends on the q active ones; `length` is that of its part orthogonal to them."""
    dependent = 0
    if not length > DEPENDENT or q == w.n:
        dependent = 1
    return dependent


def _partial_step(w: QuadraticProgram, k: int) -> float:
    """Return the step at whose end the multiplier of active constraint k vanishes."""
    t = 0.0
    if k >= 0:
        t = divide(w.u[k], w.r[k])
    return t


def _full_step(w: QuadraticProgram, p: int, length: float) -> float:
    """Return the step at whose end constraint p is active."""
    return divide(-_slack(w.n, w.unit_rows[p], w.sides[p], w.y), length * length)


def _take_step(w: QuadraticProgram, q: int, t: float, dependent: int) -> None:
    """Step 2 (c): take the step, in the space of multipliers only if p depends on the active constraints."""
    if dependent == 0:
        for i in range(w.n):
            w.y[i] = fma(t, w.z[i], w.y[i])
    for j in range(q):
        w.u[j] = fma(-t, w.r[j], w.u[j])


def _activate(w: QuadraticProgram, q: int, p: int, length: float) -> None:
    append_active(w, q, p, length)
    w.u[q] = w.gained[0]
    w.flags[p] = 1


def _deactivate(w: QuadraticProgram, q: int, k: int) -> None:
    w.flags[w.order[k]] = 0
    drop_active(w, q, k)


def _add(w: QuadraticProgram, active: int, p: int, max_iterations: float) -> int:
    """Add constraint p, dropping others if need be; return the number of active ones, or minus a status."""
    q = active
    before = active
    w.gained[0] = 0.0
    while q <= before:
        w.iterations[0] += 1.0
        if w.iterations[0] > max_iterations:
            return -IS_STUCK
        before = q
        q = _add_or_drop(w, q, p)
        if q < 0:
            return q
    return q


def _add_or_drop(w: QuadraticProgram, q: int, p: int) -> int:
    """Add constraint p to q active ones, or drop one of these; return their new number, or minus a status."""
    # Step 2 (a), directions: z of the point, r of the multipliers.
    length = orthogonalise(w, q, w.unit_rows[p])
    solve_upper(w, q, w.r)
    # Step 2 (b), lengths: a full step makes p active, a partial one ends where the multiplier of k vanishes.
    k = _blocking(w, q)
    dependent = _is_dependent(w, q, length)
    if k < 0 and dependent == 1:
        return -IS_INFEASIBLE
    t = _partial_step(w, k)
    added = 0
    if dependent == 0:
        full = _full_step(w, p, length)
        if k < 0 or not t < full:
            t = full
            added = 1
    _take_step(w, q, t, dependent)
    w.gained[0] += t
    if added == 1:
        _activate(w, q, p, length)
        return q + 1
    _deactivate(w, q, k)
    return q - 1


def _search(w: QuadraticProgram) -> int:
    """Run the method from the unconstrained minimum; return the number of active constraints, or minus a status."""
    size = _size(w)
    max_iterations = float(100 + 20 * (w.n + w.m))
    q = 0
    p = _most_violated(w, size)
    while p >= 0:
        q = _add(w, q, p, max_iterations)
        if q < 0:
            return q
        p = _most_violated(w, size)
    return q


def _residual(w: QuadraticProgram, q: int) -> None:
    """Compute g - H x + A' multipliers."""
    for i in range(w.n):
        w.z[i] = w.linear[i]
    subtract_product(w.n, w.hessian, w.point, w.z)
    for j in range(q):
        for i in range(w.n):
            w.z[i] = fma(w.multipliers[w.order[j]], w.rows[w.order[j]][i], w.z[i])


def _refine(w: QuadraticProgram, q: int) -> None:
    """Do one step of iterative refinement of point and multipliers."""
    _residual(w, q)
    for j in range(q):
        row = w.order[j]
        w.d[j] = divide(-_slack(w.n, w.rows[row], w.bounds[row], w.point), w.lengths[row])
    solve_lower(w.n, w.factor, w.z)
    project_onto_active(w, q, w.r)
    solve_lower_transposed(w.n, w.factor, w.r)
    for i in range(w.n):
        w.point[i] += w.r[i]
    for j in range(q):
        w.multipliers[w.order[j]] += divide(w.u[j], w.lengths[w.order[j]])


def solve_by_active_set(w: QuadraticProgram) -> int:
    """Find the minimum, its multipliers and the active rows; return the status."""
    if cholesky(w.n, w.hessian, w.factor) > 0:
        return IS_INDEFINITE
    if _normalise(w) > 0:
        return IS_INFEASIBLE
    for i in range(w.n):
        w.y[i] = w.linear[i]
    solve_lower(w.n, w.factor, w.y)
    q = _search(w)
    if q < 0:
        return -q
    # Point and multipliers start again from zero, without the rounding errors of the search.
    for _step in range(3):
        _refine(w, q)
    for j in range(q):
        w.active[w.order[j]] = 1.0
        if not w.multipliers[w.order[j]] > 0.0:
            w.multipliers[w.order[j]] = 0.0
    return SOLVED


def operations(n: int, m: int) -> int:
    """Bound the operations by the largest number of iterations, each with all rows active; calls need far fewer."""
    start = n**3 + 2 * n * n * (m + 2) + 6 * n * m
    return start + (100 + 20 * (n + m)) * _iteration_operations(n, m) + 3 * _refinement_operations(n, m)


def _refinement_operations(n: int, m: int) -> int:
    """Count the operations of a step of refinement with as many active rows as there can be."""
    q = min(n, m)
    return 6 * n * n + 8 * n * q + 3 * q * q + 4 * q + q * (q + 1) // 2


def _iteration_operations(n: int, m: int) -> int:
    """Count the operations of an iteration with as many active rows as there can be, the first of which is dropped."""
    q = min(n, m)
    slack = 2 * n + 1
    search = 2 + m * (slack + 2)
    directions = _orthogonalisation_operations(n, q) + q * (3 * q - 1) // 2
    lengths = 3 * q + slack + 4
    step = 2 * n + 3 * q
    dropping = sum(_orthogonalisation_operations(n, k) + n + 1 for k in range(q - 1))
    return search + directions + lengths + step + dropping + 4


def _orthogonalisation_operations(n: int, k: int) -> int:
    """Count the operations of `orthogonalise` with k active rows."""
    return 2 * k * (5 * n + 1) + 2 * n + 1
