"""Which modes pairs under friction are in, by Lemke's pivots. May import: language, pivoting.

Functions in the subset of intrinsics; modes as in `friction_modes.py`. `kinds` says what is to be decided, three
numbers per pair: 1 for a pair that may push, 0 for one that cannot; 1 for a direction that may stick, 0 for one in
which the mode is given.
"""

from __future__ import annotations

from typing import Final

from rbd.scalars.intrinsics.language import Floats, Ints
from rbd.scalars.intrinsics.pivoting import lemke

_AHEAD: Final = 16.0
_BEHIND: Final = 0.0625
"""How fast the bound of one pair is raised on other ways than the first, on which all are raised alike."""


def _variables(p: int, kinds: Ints, spots: Ints, first: Ints) -> int:
    """Give the variables numbers: a pair's push, and of each direction its force and its speed backwards."""
    m = 0
    for k in range(p):
        if kinds[3 * k] == 1:
            spots[5 * k] = m
            first[m] = 1
            m = m + 1
            for r in range(1, 3):
                if kinds[3 * k + r] == 1:
                    spots[5 * k + 2 * r - 1] = m
                    spots[5 * k + 2 * r] = m + 1
                    first[m] = 0
                    first[m + 1] = 0
                    m = m + 2
    return m


def _rate_row(
    p: int,
    m: int,
    row: int,
    rate: int,
    sign: float,
    gram: Floats,
    free: Floats,
    signs: Floats,
    table: Floats,
    kinds: Ints,
    spots: Ints,
) -> None:
    """Write the row of a rate: how pushes and forces change it, and what it is without them."""
    at = row * (m + 2)
    for entry in range(m + 2):
        table[at + entry] = 0.0
    for k in range(p):
        if kinds[3 * k] == 1:
            start = rate * 3 * p + 3 * k
            push = gram[start]
            for r in range(1, 3):
                rubbed = signs[3 * k + r] * gram[start + r]
                push = push - rubbed
                if kinds[3 * k + r] == 1:
                    table[at + spots[5 * k + 2 * r - 1]] = sign * rubbed
            table[at + spots[5 * k]] = sign * push
    table[at + m + 1] = sign * free[rate]


def _write(
    p: int, m: int, way: int, gram: Floats, free: Floats, signs: Floats, table: Floats, kinds: Ints, spots: Ints
) -> None:
    """Write the table: forces of directions are measured from what they are while the pair slides as it would freely.

    The speed of a direction is split in a part along that way, the partner of the force, and one backwards, the
    partner of what the force may still grow by.
    """
    width = m + 2
    for k in range(p):
        if kinds[3 * k] == 1:
            push = spots[5 * k]
            _rate_row(p, m, push, 3 * k, 1.0, gram, free, signs, table, kinds, spots)
            table[push * width + m] = 1.0
            if way == k + 1:
                table[push * width + m] = _AHEAD
            if way == k + p + 1:
                table[push * width + m] = _BEHIND
            for r in range(1, 3):
                if kinds[3 * k + r] == 1:
                    force = spots[5 * k + 2 * r - 1]
                    _rate_row(p, m, force, 3 * k + r, signs[3 * k + r], gram, free, signs, table, kinds, spots)
                    table[force * width + force + 1] = 1.0
                    for entry in range((force + 1) * width, (force + 2) * width):
                        table[entry] = 0.0
                    table[(force + 1) * width + push] = 2.0
                    table[(force + 1) * width + force] = -1.0


def _read(  # noqa: C901 - plain loops over arrays
    p: int, m: int, signs: Floats, modes: Ints, names: Ints, kinds: Ints, spots: Ints, inside: Ints
) -> None:
    """Read the modes off a table that is solved."""
    for j in range(m):
        inside[j] = 0
    for i in range(m):
        if names[i] >= m and names[i] < 2 * m:
            inside[names[i] - m] = 1
    for k in range(p):
        modes[3 * k] = 0
        if kinds[3 * k] == 1:
            modes[3 * k] = inside[spots[5 * k]]
            for r in range(1, 3):
                if kinds[3 * k + r] == 1:
                    mode = 1
                    if signs[3 * k + r] < 0.0:
                        mode = -1
                    if inside[spots[5 * k + 2 * r - 1]] == 1:
                        mode = -mode * inside[spots[5 * k + 2 * r]]
                    modes[3 * k + r] = mode


def pivoted(
    p: int,
    way: int,
    gram: Floats,
    free: Floats,
    signs: Floats,
    table: Floats,
    modes: Ints,
    kinds: Ints,
    spots: Ints,
    names: Ints,
    first: Ints,
    inside: Ints,
) -> int:
    """Find modes by Lemke's pivots; return how many there were, or -1 if they ended without a solution.

    On the way numbered 0 the bounds of all pairs are raised alike; there are two more ways for each pair.
    """
    m = _variables(p, kinds, spots, first)
    for k in range(p):
        for r in range(1, 3):
            signs[3 * k + r] = 1.0
            if kinds[3 * k + r] == 1 and free[3 * k + r] < 0.0:
                signs[3 * k + r] = -1.0
    _write(p, m, way, gram, free, signs, table, kinds, spots)
    pivots = lemke(m, 50 + 20 * m, table, names, first)
    _read(p, m, signs, modes, names, kinds, spots, inside)
    return pivots
