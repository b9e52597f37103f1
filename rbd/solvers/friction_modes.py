"""Motions of pairs whose modes are known: equations.

Functions in the subset of intrinsics. Each of p pairs has three rows: its normal, and two directions in which it rubs
by itself, no more than with the normal force. `modes` says what holds, three numbers per pair: whether it pushes; and
for each direction -1, 0, 1: which way it slides, or that it does not. Forces are three per pair, too.

Rows come as normal and two slopes; `shapes` says how directions are made of slopes: 0, the first slope alone; 1, the
second alone; 2, half their sum and half their difference, since the diamond between them is a square.
"""

from __future__ import annotations

from typing import Final

from rbd.intrinsics.language import Floats, Ints, divide, fma
from rbd.intrinsics.workspace import Workspace, floats, ints, operand, result
from rbd.solvers.dense_factors import backward, forward, norm
from rbd.solvers.lemke import decompose, substitute

_ROUNDS: Final = 3
"""The solution, and two rounds of refinement."""


class Pairs(Workspace):
    """p pairs that rub, a motion with n unknowns, and the equations of its modes."""

    n: int
    p: int
    matrix = operand("n", "n")
    right = operand("n")
    rows = operand("3 * p", "n")
    bounds = operand("3 * p")
    point = result("n")
    forces = result("3 * p")
    factor = floats("n", "n")
    white = floats("3 * p", "n")
    """Rows in coordinates in which the matrix is one; normals are one long."""
    lengths = floats("3 * p")
    """What the rows were divided by: the same for all three of a pair."""
    gram = floats("3 * p", "3 * p")
    """What forces do to rates."""
    system = floats("3 * p", "3 * p")
    part = floats("3 * p")
    """The unknown forces."""
    steps = floats("3 * p")
    """All forces, or what they change by."""
    rest = floats("n")
    shapes = ints("p")
    modes = ints("3 * p")
    unknowns = ints("3 * p")
    order = ints("6 * p")


def turn(w: Pairs) -> None:
    """Turn slopes into directions, and what they drift by into what their rates are to be."""
    for k in range(w.p):
        first = 3 * k + 1
        second = 3 * k + 2
        if w.shapes[k] == 2:
            for i in range(w.n):
                a = w.rows[first][i]
                b = w.rows[second][i]
                w.rows[first][i] = 0.5 * (a + b)
                w.rows[second][i] = 0.5 * (a - b)
            along = w.bounds[first]
            w.bounds[first] = -(0.5 * (along + w.bounds[second]))
            w.bounds[second] = -(0.5 * (along - w.bounds[second]))
        else:
            if w.shapes[k] == 1:
                for i in range(w.n):
                    w.rows[first][i] = w.rows[second][i]
                w.bounds[first] = w.bounds[second]
            for i in range(w.n):
                w.rows[second][i] = 0.0
            w.bounds[first] = -w.bounds[first]
            w.bounds[second] = 0.0


def turn_back(w: Pairs) -> None:
    """Turn forces along directions into forces along slopes."""
    for k in range(w.p):
        first = w.forces[3 * k + 1]
        second = w.forces[3 * k + 2]
        if w.shapes[k] == 2:
            w.forces[3 * k + 1] = 0.5 * (first + second)
            w.forces[3 * k + 2] = 0.5 * (first - second)
        else:
            w.forces[3 * k + 1] = 0.0
            w.forces[3 * k + 2] = 0.0
            w.forces[3 * k + 1 + w.shapes[k]] = first


def measure(w: Pairs, counted: Ints) -> None:
    """Make normals one long, and a pair's other rows with them; find what forces do to rates.

    Pairs of which the first of their three numbers in `counted` is 0 get lengths and rows of zero.
    """
    for k in range(w.p):
        length = 0.0
        inverse = 0.0
        if counted[3 * k] == 1:
            length = norm(w.n, w.white[3 * k])
            inverse = divide(1.0, length)
        for a in range(3 * k, 3 * k + 3):
            w.lengths[a] = length
            for i in range(w.n):
                w.white[a][i] *= inverse
    for a in range(3 * w.p):
        for b in range(a + 1):
            product = 0.0
            for i in range(w.n):
                product = fma(w.white[a][i], w.white[b][i], product)
            w.gram[a][b] = product
            w.gram[b][a] = product


def _unknown(w: Pairs) -> int:
    """List the unknown forces: of pairs that push, the normal one and those of directions that stick; count them."""
    k = 0
    for pair in range(w.p):
        if w.modes[3 * pair] == 1:
            for a in range(3 * pair, 3 * pair + 3):
                if a == 3 * pair or w.modes[a] == 0:
                    w.unknowns[k] = a
                    k += 1
    return k


def _equation(w: Pairs, gram: Floats, row: Floats) -> None:
    """Write down how the unknown forces change a rate: pushes of pairs that slide bring their friction along."""
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


def equations(w: Pairs) -> int:
    """Write down how the unknown forces change the rates that are given; return how many there are."""
    k = _unknown(w)
    for i in range(k):
        _equation(w, w.gram[w.unknowns[i]], w.system[i])
    return k


def forces_of(w: Pairs) -> None:
    """Give all forces from the unknown ones."""
    k = 0
    for pair in range(w.p):
        push = 0.0
        if w.modes[3 * pair] == 1:
            push = w.part[k]
            k += 1
        w.steps[3 * pair] = push
        for a in range(3 * pair + 1, 3 * pair + 3):
            w.steps[a] = -(float(w.modes[a]) * push)
            if w.modes[3 * pair] == 1 and w.modes[a] == 0:
                w.steps[a] = w.part[k]
                k += 1


def _unbalanced(w: Pairs) -> None:
    """Compute g - M x + what the forces push."""
    for i in range(w.n):
        entry = w.right[i]
        for j in range(i + 1):
            entry = fma(-w.matrix[i][j], w.point[j], entry)
        for j in range(i + 1, w.n):
            entry = fma(-w.matrix[j][i], w.point[j], entry)
        for a in range(3 * w.p):
            entry = fma(w.forces[a], w.rows[a][i], entry)
        w.rest[i] = entry


def _ask(w: Pairs, k: int) -> None:
    """Compute by how much the unknown forces are to change their rates."""
    for i in range(k):
        a = w.unknowns[i]
        asked = w.bounds[a]
        for j in range(w.n):
            asked = fma(-w.rows[a][j], w.point[j], asked)
        asked = divide(asked, w.lengths[a])
        for j in range(w.n):
            asked = fma(-w.white[a][j], w.rest[j], asked)
        w.part[i] = asked


def settle(w: Pairs) -> None:
    """Find point and forces for the given modes, from the forces given, with refinement.

    Of forces that depend on each other, some stay as they are.
    """
    k = equations(w)
    rank = decompose(k, w.system, w.order)
    for _again in range(_ROUNDS):
        _unbalanced(w)
        forward(w.n, w.factor, w.rest)
        _ask(w, k)
        substitute(k, rank, w.system, w.part, w.order)
        forces_of(w)
        for a in range(3 * w.p):
            step = w.steps[a]
            for i in range(w.n):
                w.rest[i] = fma(step, w.white[a][i], w.rest[i])
            if w.lengths[a] > 0.0:
                w.forces[a] += divide(step, w.lengths[a])
        backward(w.n, w.factor, w.rest)
        for i in range(w.n):
            w.point[i] += w.rest[i]
