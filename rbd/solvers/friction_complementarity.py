"""Which modes pairs under friction are in, as a linear complementarity problem.

Functions in the subset of intrinsics; modes as in `friction_modes.py`, kinds as in `friction_problem.py`.
"""

from __future__ import annotations

from typing import Final

from rbd.solvers.friction_problem import Friction
from rbd.solvers.lemke import lemke

_AHEAD: Final = 16.0
_BEHIND: Final = 0.0625
"""How fast the bound of one pair is raised on other ways than the first, on which all are raised alike."""


def _variables(w: Friction) -> int:
    """Give the variables numbers: a pair's push, and of each direction its force and its speed backwards."""
    m = 0
    for k in range(w.p):
        if w.kinds[3 * k] == 1:
            w.spots[5 * k] = m
            w.first[m] = 1
            m += 1
            for r in range(1, 3):
                if w.kinds[3 * k + r] == 1:
                    w.spots[5 * k + 2 * r - 1] = m
                    w.spots[5 * k + 2 * r] = m + 1
                    w.first[m] = 0
                    w.first[m + 1] = 0
                    m += 2
    return m


def _rate_row(w: Friction, m: int, row: int, rate: int, sign: float) -> None:
    """Write the row of a rate: how pushes and forces change it, and what it is without them."""
    for column in range(m + 2):
        w.table[row][column] = 0.0
    for k in range(w.p):
        if w.kinds[3 * k] == 1:
            push = w.gram[rate][3 * k]
            for r in range(1, 3):
                rubbed = w.signs[3 * k + r] * w.gram[rate][3 * k + r]
                push -= rubbed
                if w.kinds[3 * k + r] == 1:
                    w.table[row][w.spots[5 * k + 2 * r - 1]] = sign * rubbed
            w.table[row][w.spots[5 * k]] = sign * push
    w.table[row][m + 1] = sign * w.free[rate]


def _write(w: Friction, m: int, way: int) -> None:
    """Write the table: forces of directions are measured from what they are while the pair slides as it would freely.

    The speed of a direction is split in a part along that way, the partner of the force, and one backwards, the
    partner of what the force may still grow by.
    """
    for k in range(w.p):
        if w.kinds[3 * k] == 1:
            push = w.spots[5 * k]
            _rate_row(w, m, push, 3 * k, 1.0)
            w.table[push][m] = 1.0
            if way == k + 1:
                w.table[push][m] = _AHEAD
            if way == k + w.p + 1:
                w.table[push][m] = _BEHIND
            for r in range(1, 3):
                if w.kinds[3 * k + r] == 1:
                    force = w.spots[5 * k + 2 * r - 1]
                    _rate_row(w, m, force, 3 * k + r, w.signs[3 * k + r])
                    w.table[force][force + 1] = 1.0
                    for column in range(m + 2):
                        w.table[force + 1][column] = 0.0
                    w.table[force + 1][push] = 2.0
                    w.table[force + 1][force] = -1.0


def _read(w: Friction, m: int) -> None:  # noqa: C901 - plain loops over arrays
    """Read the modes off a table that is solved."""
    for j in range(m):
        w.inside[j] = 0
    for i in range(m):
        if w.names[i] >= m and w.names[i] < 2 * m:
            w.inside[w.names[i] - m] = 1
    for k in range(w.p):
        w.modes[3 * k] = 0
        if w.kinds[3 * k] == 1:
            w.modes[3 * k] = w.inside[w.spots[5 * k]]
            for r in range(1, 3):
                if w.kinds[3 * k + r] == 1:
                    mode = 1
                    if w.signs[3 * k + r] < 0.0:
                        mode = -1
                    if w.inside[w.spots[5 * k + 2 * r - 1]] == 1:
                        mode = -mode * w.inside[w.spots[5 * k + 2 * r]]
                    w.modes[3 * k + r] = mode


def pivoted(w: Friction, way: int) -> int:
    """Find modes by Lemke's pivots; return how many there were, or -1 if they ended without a solution.

    On the way numbered 0 the bounds of all pairs are raised alike; there are two more ways for each pair.
    """
    m = _variables(w)
    for k in range(w.p):
        for a in range(3 * k + 1, 3 * k + 3):
            w.signs[a] = 1.0
            if w.kinds[a] == 1 and w.free[a] < 0.0:
                w.signs[a] = -1.0
    _write(w, m, way)
    pivots = lemke(m, 50 + 20 * m, w.table, w.names, w.first)
    _read(w, m)
    return pivots
