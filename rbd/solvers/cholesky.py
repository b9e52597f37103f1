"""Cholesky's factor of a dense matrix (Golub and Van Loan 2013, section 4.2), in the language of intrinsics."""

from __future__ import annotations

from rbd.intrinsics.language import Floats, Rows, divide, fma, sqrt


def cholesky(n: int, matrix: Rows, factor: Rows) -> int:
    """Factor H = LL', of which the lower triangle is read; return 1 for a pivot that is not positive."""
    for row in range(n):
        for column in range(row + 1):
            factor[row][column] = matrix[row][column]
    for j in range(n):
        pivot = factor[j][j]
        for k in range(j):
            pivot = fma(-factor[j][k], factor[j][k], pivot)
        if not pivot > 0.0:
            return 1
        diagonal = sqrt(pivot)
        inverse = divide(1.0, diagonal)
        factor[j][j] = diagonal
        for i in range(j + 1, n):
            entry = factor[i][j]
            for k in range(j):
                entry = fma(-factor[i][k], factor[j][k], entry)
            factor[i][j] = entry * inverse
    return 0


def solve_lower(n: int, factor: Rows, vector: Floats) -> None:
    """Solve L z = v in place."""
    for i in range(n):
        entry = vector[i]
        for k in range(i):
            entry = fma(-factor[i][k], vector[k], entry)
        vector[i] = divide(entry, factor[i][i])


def solve_lower_transposed(n: int, factor: Rows, vector: Floats) -> None:
    """Solve L' x = y in place."""
    for back in range(n):
        i = n - 1 - back
        entry = vector[i]
        for k in range(i + 1, n):
            entry = fma(-factor[k][i], vector[k], entry)
        vector[i] = divide(entry, factor[i][i])


def subtract_product(n: int, matrix: Rows, x: Floats, rest: Floats) -> None:
    """Subtract H x from a vector, where the lower triangle of H is read."""
    for i in range(n):
        entry = rest[i]
        for j in range(i + 1):
            entry = fma(-matrix[i][j], x[j], entry)
        for j in range(i + 1, n):
            entry = fma(-matrix[j][i], x[j], entry)
        rest[i] = entry


def whiten(n: int, count: int, factor: Rows, rows: Rows, white: Rows) -> None:
    """Transform rows to the coordinates y = L'x, in which H = LL' is the identity."""
    for j in range(count):
        for i in range(n):
            white[j][i] = rows[j][i]
        solve_lower(n, factor, white[j])


def norm(n: int, vector: Floats) -> float:
    """Return the length of a vector."""
    square = 0.0
    for i in range(n):
        square = fma(vector[i], vector[i], square)
    return sqrt(square)
