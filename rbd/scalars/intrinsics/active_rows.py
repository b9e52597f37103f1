"""Triangles and orthonormal bases, as quadratic programs need them. May import: language.

Functions in the subset of intrinsics. Matrices are square, n by n, row by row; active rows are numbered from 0 in the
order in which they came in.
"""

from __future__ import annotations

from rbd.scalars.intrinsics.language import Floats, Ints, divide, fma, sqrt


def cholesky(n: int, factor: Floats) -> int:
    """Turn the lower triangle of H into L; return 1 for a pivot that is not positive."""
    for j in range(n):
        pivot = factor[j * n + j]
        for k in range(j):
            pivot = fma(-factor[j * n + k], factor[j * n + k], pivot)
        if not pivot > 0.0:
            return 1
        diagonal = sqrt(pivot)
        inverse = divide(1.0, diagonal)
        factor[j * n + j] = diagonal
        for i in range(j + 1, n):
            entry = factor[i * n + j]
            for k in range(j):
                entry = fma(-factor[i * n + k], factor[j * n + k], entry)
            factor[i * n + j] = entry * inverse
    return 0


def forward(n: int, at: int, factor: Floats, vector: Floats) -> None:
    """Solve L z = v in place, v being the n entries of `vector` from `at` on."""
    for i in range(n):
        entry = vector[at + i]
        for k in range(i):
            entry = fma(-factor[i * n + k], vector[at + k], entry)
        vector[at + i] = divide(entry, factor[i * n + i])


def backward(n: int, factor: Floats, vector: Floats) -> None:
    """Solve L' x = y in place."""
    for back in range(n):
        i = n - 1 - back
        entry = vector[i]
        for k in range(i + 1, n):
            entry = fma(-factor[k * n + i], vector[k], entry)
        vector[i] = divide(entry, factor[i * n + i])


def split_off(n: int, k: int, row: int, rows: Floats, basis: Floats, part: Floats, rest: Floats) -> float:
    """Split a row into its coordinates in the basis and what is left; return the length of the rest."""
    for i in range(n):
        rest[i] = rows[row * n + i]
    for j in range(k):
        part[j] = 0.0
    for _again in range(2):  # the second pass takes away what rounding left in the first
        for j in range(k):
            product = 0.0
            for i in range(n):
                product = fma(basis[j * n + i], rest[i], product)
            part[j] = part[j] + product
            for i in range(n):
                rest[i] = fma(-product, basis[j * n + i], rest[i])
    square = 0.0
    for i in range(n):
        square = fma(rest[i], rest[i], square)
    return sqrt(square)


def take_in(n: int, k: int, length: float, basis: Floats, triangle: Floats, part: Floats, rest: Floats) -> None:
    """Append a row that was split to the basis, as number k."""
    inverse = divide(1.0, length)
    for i in range(n):
        basis[k * n + i] = rest[i] * inverse
    for j in range(k):
        triangle[j * n + k] = part[j]
    triangle[k * n + k] = length


def upper(n: int, k: int, triangle: Floats, part: Floats, steps: Floats) -> None:
    """Solve R r = d for the k active rows."""
    for back in range(k):
        i = k - 1 - back
        entry = part[i]
        for j in range(i + 1, k):
            entry = fma(-triangle[i * n + j], steps[j], entry)
        steps[i] = divide(entry, triangle[i * n + i])


def let_go(
    n: int,
    k: int,
    which: int,
    rows: Floats,
    basis: Floats,
    triangle: Floats,
    dual: Floats,
    part: Floats,
    rest: Floats,
    order: Ints,
    flags: Ints,
) -> None:
    """Remove active row number `which` of k; those behind it enter the basis anew."""
    flags[order[which]] = 0
    for j in range(which, k - 1):
        order[j] = order[j + 1]
        dual[j] = dual[j + 1]
        length = split_off(n, j, order[j], rows, basis, part, rest)
        take_in(n, j, length, basis, triangle, part, rest)


def on_active(
    n: int,
    k: int,
    basis: Floats,
    triangle: Floats,
    start: Floats,
    asked: Floats,
    point: Floats,
    dual: Floats,
    units: Floats,
    order: Ints,
) -> None:
    """Move `start` the least way to where active row j has the value `asked[j]`; `dual` says along which rows."""
    for j in range(k):
        entry = asked[j]
        for i in range(n):
            entry = fma(-units[order[j] * n + i], start[i], entry)
        for i in range(j):
            entry = fma(-triangle[i * n + j], asked[i], entry)
        asked[j] = divide(entry, triangle[j * n + j])
    for i in range(n):
        value = start[i]
        for j in range(k):
            value = fma(asked[j], basis[j * n + i], value)
        point[i] = value
    upper(n, k, triangle, asked, dual)
