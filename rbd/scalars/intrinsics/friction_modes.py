"""Motions of pairs whose modes are known: equations. May import: active_rows, pivoting, language.

Functions in the subset of intrinsics. Each of p pairs has three rows: its normal, and two directions in which it rubs
by itself, no more than with the normal force. `modes` says what holds, three numbers per pair: whether it pushes; and
for each direction -1, 0, 1: which way it slides, or that it does not. Forces are three per pair, too.

Rows come as normal and two slopes; `shapes` says how directions are made of slopes: 0, the first slope alone; 1, the
second alone; 2, half their sum and half their difference, since the diamond between them is a square.
"""

from __future__ import annotations

from typing import Final

from rbd.scalars.intrinsics.active_rows import backward, forward
from rbd.scalars.intrinsics.language import Floats, Ints, divide, fma, sqrt
from rbd.scalars.intrinsics.pivoting import decompose, substitute

_ROUNDS: Final = 3
"""The solution, and two rounds of refinement."""


def turn(n: int, p: int, rows: Floats, bounds: Floats, shapes: Ints) -> None:
    """Turn slopes into directions, and what they drift by into what their rates are to be."""
    for k in range(p):
        first = (3 * k + 1) * n
        second = first + n
        if shapes[k] == 2:
            for i in range(n):
                a = rows[first + i]
                b = rows[second + i]
                rows[first + i] = 0.5 * (a + b)
                rows[second + i] = 0.5 * (a - b)
            along = bounds[3 * k + 1]
            bounds[3 * k + 1] = -(0.5 * (along + bounds[3 * k + 2]))
            bounds[3 * k + 2] = -(0.5 * (along - bounds[3 * k + 2]))
        else:
            if shapes[k] == 1:
                for j in range(n):
                    rows[first + j] = rows[second + j]
                bounds[3 * k + 1] = bounds[3 * k + 2]
            for c in range(n):
                rows[second + c] = 0.0
            bounds[3 * k + 1] = -bounds[3 * k + 1]
            bounds[3 * k + 2] = 0.0


def turn_back(p: int, forces: Floats, shapes: Ints) -> None:
    """Turn forces along directions into forces along slopes."""
    for k in range(p):
        first = forces[3 * k + 1]
        second = forces[3 * k + 2]
        if shapes[k] == 2:
            forces[3 * k + 1] = 0.5 * (first + second)
            forces[3 * k + 2] = 0.5 * (first - second)
        else:
            forces[3 * k + 1] = 0.0
            forces[3 * k + 2] = 0.0
            forces[3 * k + 1 + shapes[k]] = first


def whiten(n: int, count: int, factor: Floats, rows: Floats, white: Floats) -> None:
    """Turn rows to the coordinates y = L'x, in which M = LL' is one."""
    for entry in range(count * n):
        white[entry] = rows[entry]
    for row in range(count):
        forward(n, row * n, factor, white)


def length_of(n: int, row: int, white: Floats) -> float:
    """Return the length of a row."""
    square = 0.0
    for i in range(n):
        square = fma(white[row * n + i], white[row * n + i], square)
    return sqrt(square)


def measure(n: int, p: int, white: Floats, lengths: Floats, gram: Floats, counted: Ints) -> None:
    """Make normals one long, and a pair's other rows with them; find what forces do to rates.

    Pairs of which the first of their three numbers in `counted` is 0 get lengths and rows of zero.
    """
    for k in range(p):
        lengths[k] = 0.0
        inverse = 0.0
        if counted[3 * k] == 1:
            lengths[k] = length_of(n, 3 * k, white)
            inverse = divide(1.0, lengths[k])
        for entry in range(3 * k * n, (3 * k + 3) * n):
            white[entry] = white[entry] * inverse
    size = 3 * p
    for a in range(size):
        for b in range(a + 1):
            product = 0.0
            for i in range(n):
                product = fma(white[a * n + i], white[b * n + i], product)
            gram[a * size + b] = product
            gram[b * size + a] = product


def equations(  # noqa: C901 - rows, then columns
    p: int, gram: Floats, modes: Ints, system: Floats, unknowns: Ints
) -> int:
    """Write down how the unknown forces change the rates that are given; return how many there are."""
    size = 3 * p
    k = 0
    for pair in range(p):
        if modes[3 * pair] == 1:
            unknowns[k] = 3 * pair
            k = k + 1
            for r in range(1, 3):
                if modes[3 * pair + r] == 0:
                    unknowns[k] = 3 * pair + r
                    k = k + 1
    for i in range(k):
        column = 0
        at = unknowns[i] * size
        for other in range(p):
            if modes[3 * other] == 1:
                entry = gram[at + 3 * other]
                for s in range(1, 3):
                    entry = fma(-float(modes[3 * other + s]), gram[at + 3 * other + s], entry)
                system[i * size + column] = entry
                column = column + 1
                for t in range(1, 3):
                    if modes[3 * other + t] == 0:
                        system[i * size + column] = gram[at + 3 * other + t]
                        column = column + 1
    return k


def forces_of(p: int, solution: Floats, modes: Ints, forces: Floats) -> None:
    """Give all forces from the unknown ones."""
    k = 0
    for pair in range(p):
        push = 0.0
        if modes[3 * pair] == 1:
            push = solution[k]
            k = k + 1
        forces[3 * pair] = push
        for r in range(1, 3):
            forces[3 * pair + r] = -(float(modes[3 * pair + r]) * push)
            if modes[3 * pair] == 1 and modes[3 * pair + r] == 0:
                forces[3 * pair + r] = solution[k]
                k = k + 1


def _unbalanced(
    n: int, p: int, matrix: Floats, right: Floats, rows: Floats, point: Floats, forces: Floats, rest: Floats
) -> None:
    """Compute g - M x + what the forces push."""
    for i in range(n):
        entry = right[i]
        for j in range(i + 1):
            entry = fma(-matrix[i * n + j], point[j], entry)
        for c in range(i + 1, n):
            entry = fma(-matrix[c * n + i], point[c], entry)
        for a in range(3 * p):
            entry = fma(forces[a], rows[a * n + i], entry)
        rest[i] = entry


def settle(  # noqa: C901 - plain loops over arrays
    n: int,
    p: int,
    matrix: Floats,
    right: Floats,
    rows: Floats,
    bounds: Floats,
    point: Floats,
    forces: Floats,
    factor: Floats,
    white: Floats,
    lengths: Floats,
    gram: Floats,
    system: Floats,
    part: Floats,
    steps: Floats,
    rest: Floats,
    modes: Ints,
    owners: Ints,
    unknowns: Ints,
    order: Ints,
) -> None:
    """Find point and forces for the given modes, from the forces given, with refinement.

    Of forces that depend on each other, some stay as they are.
    """
    k = equations(p, gram, modes, system, unknowns)
    for pair in range(p):
        for r in range(3):
            owners[3 * pair + r] = pair
    rank = decompose(k, 3 * p, system, order)
    for _again in range(_ROUNDS):
        _unbalanced(n, p, matrix, right, rows, point, forces, rest)
        forward(n, 0, factor, rest)
        for i in range(k):
            a = unknowns[i]
            asked = bounds[a]
            for j in range(n):
                asked = fma(-rows[a * n + j], point[j], asked)
            asked = divide(asked, lengths[owners[a]])
            for c in range(n):
                asked = fma(-white[a * n + c], rest[c], asked)
            part[i] = asked
        substitute(k, rank, 3 * p, system, part, order)
        forces_of(p, part, modes, steps)
        for b in range(3 * p):
            for t in range(n):
                rest[t] = fma(steps[b], white[b * n + t], rest[t])
            if lengths[owners[b]] > 0.0:
                forces[b] = forces[b] + divide(steps[b], lengths[owners[b]])
        backward(n, factor, rest)
        for s in range(n):
            point[s] = point[s] + rest[s]
