"""LU factors with complete pivoting (Golub and Van Loan 2013, section 3.4).

Functions in the language of intrinsics.
"""

from __future__ import annotations

from typing import Final

from rbd.intrinsics.language import Floats, Ints, Rows, divide, fma

_SINGULAR: Final = 1e-13
"""Pivots this small end the factorisation; entries are about one."""


def _largest_entry(k: int, done: int, matrix: Rows, order: Ints) -> float:
    """Store the position of the largest entry in rows and columns from `done` on; return its magnitude."""
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


def lu_factor(k: int, matrix: Rows, order: Ints) -> int:
    """Factor the leading k by k block of a matrix in place, exchanging rows and columns; return its rank.

    `order` gets k numbers of rows, then k of columns.
    """
    for done in range(k):
        if not _largest_entry(k, done, matrix, order) > _SINGULAR:
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


def lu_solve(k: int, rank: int, matrix: Rows, vector: Floats, order: Ints) -> None:
    """Solve the k factored equations in place; dependent ones beyond the rank are ignored."""
    for j in range(rank):
        entry = vector[j]
        vector[j] = vector[order[j]]
        vector[order[j]] = entry
    _solve_triangles(k, rank, matrix, vector)
    for again in range(rank):
        s = rank - 1 - again
        swapped = vector[s]
        vector[s] = vector[order[k + s]]
        vector[order[k + s]] = swapped


def _solve_triangles(k: int, rank: int, matrix: Rows, vector: Floats) -> None:
    """Solve with L, then with U; unknowns beyond the rank are zero."""
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
