"""Linear complementarity problems by Lemke's method (Lemke 1965; Cottle, Pang and Stone 1992, section 4.4).

Functions in the language of intrinsics. The m rows of a tableau express basic variables; its m + 2 columns belong to
m nonbasic variables, to the covering variable z0, and to 1. Variables are numbers: j < m is w_j, m + j its complement
z_j, 2m is z0; of two complements one is always nonbasic. `basis` has the variables of the rows, then of the columns.
"""

from __future__ import annotations

from typing import Final

from rbd.intrinsics.language import Ints, Rows, divide, fma

_SMALL_PIVOT: Final = 1e-11
"""A coefficient this much smaller than the largest of its column does not block."""
RAY: Final = -1
"""Outcome: no variable stops the entering one, so that pivoting ends in a ray."""
PIVOT_LIMIT: Final = -2
"""Outcome: pivoting did not end."""
_TIE: Final = 1e-12
"""Steps that differ by this much, relative to the values of the tableau, end at the same point."""


def _exchange(m: int, row: int, column: int, tableau: Rows, basis: Ints) -> None:
    """Swap a basic and a nonbasic variable."""
    inverse = divide(1.0, tableau[row][column])
    for j in range(m + 2):
        tableau[row][j] = -(tableau[row][j] * inverse)
    tableau[row][column] = inverse
    for i in range(m):
        if i != row:
            entry = tableau[i][column]
            tableau[i][column] = 0.0
            if entry != 0.0:
                for j in range(m + 2):
                    tableau[i][j] = fma(entry, tableau[row][j], tableau[i][j])
    variable = basis[row]
    basis[row] = basis[m + column]
    basis[m + column] = variable


def _column_of(m: int, variable: int, basis: Ints) -> int:
    """Return the column of a variable, which must be nonbasic."""
    found = 0
    for j in range(m + 1):
        if basis[m + j] == variable:
            found = j
    return found


def _largest_magnitude(m: int, column: int, tableau: Rows) -> float:
    largest = 0.0
    for i in range(m):
        entry = abs(tableau[i][column])
        if entry > largest:
            largest = entry
    return largest


def _least_ratio(m: int, column: int, tableau: Rows, least: float) -> int:
    """Return a row whose variable vanishes first as that of `column` grows, -1 when none does."""
    best = 0.0
    found = -1
    for i in range(m):
        entry = tableau[i][column]
        if entry < least:
            ratio = divide(tableau[i][m + 1], -entry)
            if found < 0 or ratio < best:
                best = ratio
                found = i
    return found


def _priority(m: int, variable: int, leaves_first: Ints) -> int:
    """Return 2 for z0, 1 for variables that leave before others, else 0."""
    priority = 2
    if variable < m:
        priority = leaves_first[variable]
    elif variable < 2 * m:
        priority = leaves_first[variable - m]
    return priority


def _leaving_row(m: int, column: int, tableau: Rows, basis: Ints, leaves_first: Ints) -> int:
    """Return the row whose variable leaves the basis as that of `column` enters it, -1 when none does.

    Of those that vanish together, z0 leaves first, then those marked in `leaves_first`, then the largest coefficient.
    """
    least = -(_SMALL_PIVOT * _largest_magnitude(m, column, tableau))
    found = _least_ratio(m, column, tableau, least)
    if found < 0:
        return -1
    best = divide(tableau[found][m + 1], -tableau[found][column])
    tie = _TIE * _largest_magnitude(m, m + 1, tableau)
    highest = -1.0
    for i in range(m):
        entry = tableau[i][column]
        if entry < least and tableau[i][m + 1] + entry * best <= tie * -entry:
            weight = divide(entry, least)
            weight = divide(weight, weight + 1.0) + float(_priority(m, basis[i], leaves_first))
            if weight > highest:
                highest = weight
                found = i
    return found


def _begin(m: int, basis: Ints) -> None:
    """Make all w basic."""
    for j in range(m):
        basis[j] = j
        basis[m + j] = m + j
    basis[2 * m] = 2 * m


def _first_row(m: int, tableau: Rows) -> int:
    """Return the row that z0 enters at, -1 if w = q is a solution."""
    found = -1
    worst = 0.0
    for i in range(m):
        if tableau[i][m] > 0.0:
            ratio = divide(tableau[i][m + 1], tableau[i][m])
            if ratio < worst:
                worst = ratio
                found = i
    return found


def _complement(m: int, variable: int) -> int:
    complement = variable + m
    if variable >= m:
        complement = variable - m
    return complement


def lemke(m: int, limit: int, tableau: Rows, basis: Ints, leaves_first: Ints) -> int:
    """Pivot until z0 is nonbasic; return the number of pivots, RAY, or PIVOT_LIMIT after `limit` pivots.

    At the beginning rows are w = A z + d z0 + q; `leaves_first` has 1 for variables that leave before others.
    """
    _begin(m, basis)
    row = _first_row(m, tableau)
    if row < 0:
        return 0
    leaving = basis[row]
    _exchange(m, row, m, tableau, basis)
    for pivot in range(1, limit):
        column = _column_of(m, _complement(m, leaving), basis)
        row = _leaving_row(m, column, tableau, basis, leaves_first)
        if row < 0:
            return RAY
        leaving = basis[row]
        _exchange(m, row, column, tableau, basis)
        if leaving == 2 * m:
            return pivot
    return PIVOT_LIMIT
