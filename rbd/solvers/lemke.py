"""Linear complementarity problems by Lemke's pivots, and small systems of equations.

Functions in the subset of intrinsics. The first m rows of a table say what m basic variables are: m + 2 columns belong
to m nonbasic ones, to the covering variable z0, and to 1. Variables are numbers: j < m is w_j, m + j its partner z_j,
2m is z0; one of each two partners is always nonbasic. `names` has the variables of the rows, then of the columns.
"""

from __future__ import annotations

from typing import Final

from rbd.intrinsics.language import Floats, Ints, Rows, divide, fma

_SMALL: Final = 1e-11
"""A coefficient this much smaller than the largest of its column does not stop a variable."""
_TIE: Final = 1e-12
"""Steps that differ by this much, relative to the values of the table, end at the same point."""
_SINGULAR: Final = 1e-13
"""Pivots this small say that equations with entries about one depend on each other."""


def exchange(m: int, row: int, column: int, table: Rows, names: Ints) -> None:
    """Swap a basic and a nonbasic variable."""
    inverse = divide(1.0, table[row][column])
    for j in range(m + 2):
        table[row][j] = -(table[row][j] * inverse)
    table[row][column] = inverse
    for i in range(m):
        if i != row:
            entry = table[i][column]
            table[i][column] = 0.0
            if entry != 0.0:
                for j in range(m + 2):
                    table[i][j] = fma(entry, table[row][j], table[i][j])
    name = names[row]
    names[row] = names[m + column]
    names[m + column] = name


def _column_of(m: int, name: int, names: Ints) -> int:
    """Return the column of a nonbasic variable."""
    found = 0
    for j in range(m + 1):
        if names[m + j] == name:
            found = j
    return found


def _scale(m: int, column: int, table: Rows) -> float:
    largest = 0.0
    for i in range(m):
        entry = abs(table[i][column])
        if entry > largest:
            largest = entry
    return largest


def _blocking(  # noqa: C901 - the least ratio, then the choice among equal ones
    m: int, column: int, table: Rows, names: Ints, first: Ints
) -> int:
    """Return the row whose variable vanishes first as that of `column` grows, -1 when none does.

    Of those that vanish together, z0 goes first, then those that are marked in `first`, then the largest coefficient.
    """
    least = -(_SMALL * _scale(m, column, table))
    best = 0.0
    found = -1
    for i in range(m):
        entry = table[i][column]
        if entry < least:
            ratio = divide(table[i][m + 1], -entry)
            if found < 0 or ratio < best:
                best = ratio
                found = i
    if found < 0:
        return -1
    value = _TIE * _scale(m, m + 1, table)
    rank = -1.0
    for i in range(m):
        entry = table[i][column]
        if entry < least and table[i][m + 1] + entry * best <= value * -entry:
            weight = divide(entry, least)
            marked = 0
            if names[i] == 2 * m:
                marked = 2
            elif names[i] < m:
                marked = first[names[i]]
            else:
                marked = first[names[i] - m]
            weight = divide(weight, weight + 1.0) + float(marked)
            if weight > rank:
                rank = weight
                found = i
    return found


def lemke(  # noqa: C901 - the first pivot, then the others
    m: int, limit: int, table: Rows, names: Ints, first: Ints
) -> int:
    """Pivot until z0 is nonbasic; return the number of pivots, or -1 when no variable stops the entering one.

    At the beginning rows are w = A z + d z0 + q; `first` has 1 for variables that are to leave before others.
    """
    for j in range(m):
        names[j] = j
        names[m + j] = m + j
    names[2 * m] = 2 * m
    row = -1
    worst = 0.0
    for i in range(m):
        if table[i][m] > 0.0:
            ratio = divide(table[i][m + 1], table[i][m])
            if ratio < worst:
                worst = ratio
                row = i
    if row < 0:
        return 0
    left = names[row]
    exchange(m, row, m, table, names)
    for pivot in range(1, limit):
        entering = left + m
        if left >= m:
            entering = left - m
        column = _column_of(m, entering, names)
        row = _blocking(m, column, table, names, first)
        if row < 0:
            return -1
        left = names[row]
        exchange(m, row, column, table, names)
        if left == 2 * m:
            return pivot
    return -1


def _pivot(k: int, done: int, matrix: Rows, order: Ints) -> float:
    """Note where the largest entry is of those in rows and columns from `done` on; return its size."""
    row = done
    column = done
    for i in range(done, k):
        for j in range(done, k):
            if abs(matrix[i][j]) > abs(matrix[row][column]):
                row = i
                column = j
    order[done] = row
    order[k + done] = column
    return abs(matrix[row][column])


def decompose(k: int, matrix: Rows, order: Ints) -> int:
    """Turn the leading k by k block of a matrix into its triangles, exchanging rows and columns; return its rank.

    `order` gets k numbers of rows, then k of columns.
    """
    for done in range(k):
        if not _pivot(k, done, matrix, order) > _SINGULAR:
            return done
        row = order[done]
        column = order[k + done]
        for c in range(k):
            entry = matrix[done][c]
            matrix[done][c] = matrix[row][c]
            matrix[row][c] = entry
        for r in range(k):
            value = matrix[r][done]
            matrix[r][done] = matrix[r][column]
            matrix[r][column] = value
        inverse = divide(1.0, matrix[done][done])
        for i in range(done + 1, k):
            factor = matrix[i][done] * inverse
            matrix[i][done] = factor
            for j in range(done + 1, k):
                matrix[i][j] = fma(-factor, matrix[done][j], matrix[i][j])
    return k


def substitute(k: int, rank: int, matrix: Rows, vector: Floats, order: Ints) -> None:
    """Solve the k equations whose matrix was decomposed, in place; of dependent ones, as many as are independent."""
    for j in range(rank):
        entry = vector[j]
        vector[j] = vector[order[j]]
        vector[order[j]] = entry
    for i in range(k):
        value = 0.0
        if i < rank:
            value = vector[i]
            for c in range(i):
                value = fma(-matrix[i][c], vector[c], value)
        vector[i] = value
    for back in range(rank):
        r = rank - 1 - back
        rest = vector[r]
        for t in range(r + 1, rank):
            rest = fma(-matrix[r][t], vector[t], rest)
        vector[r] = divide(rest, matrix[r][r])
    for again in range(rank):
        s = rank - 1 - again
        swapped = vector[s]
        vector[s] = vector[order[k + s]]
        vector[order[k + s]] = swapped
