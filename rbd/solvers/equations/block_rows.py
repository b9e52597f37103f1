"""Solutions of least norm for sparse rows: blocks of rows that share few columns, such as the constraints of loops.

A = rows, S = A Aᵀ: y = S⁻¹ b and x = Aᵀ y, with a sparse Cholesky factor of S and two steps of iterative refinement
(Björck 1987, corrected seminormal equations). S is sparse where blocks have no column in common; an order of minimum
degree keeps its factor sparse. A pivot that is not clearly independent of those before it, or a refinement that does
not converge, leaves the problem to the dense decomposition of `orthogonal_decomposition.py`.
"""

from __future__ import annotations

from typing import Final, final

from rbd.intrinsics.language import Ints, divide, fma, sqrt
from rbd.intrinsics.workspace import floats, operand, result, table
from rbd.solvers.equations.orthogonal_decomposition import (
    SMALLEST,
    LeastSquares,
    decompose,
    largest_entry,
    solve_transposed,
    solve_triangle,
    store_solution,
)

_INDEPENDENT: Final = 1e-4
"""A row is clearly independent if its part that is independent of those before is longer than this share of the
longest row, and than ten times the tolerance."""
_CONVERGED: Final = 1e-8
"""The largest correction of the last step, relative to the multipliers; the error that is left is far smaller."""


@final
class BlockRows(LeastSquares):
    """The problem, with A as dense blocks of rows over the columns they have; all rows are in the order of elimination.

    `matrix` has the entries of A, block by block and row by row.
    """

    blocks: int
    entries: int
    """Entries of all blocks of A."""
    support: int
    """Columns of all blocks of A."""
    below: int
    """Blocks of the factor below the diagonal."""
    overlaps: int
    """Columns that two blocks of A have in common, of all blocks of the factor below the diagonal."""
    updates: int
    """Products of two blocks of a column of the factor."""
    places: int
    """Entries of all blocks of the factor."""
    work: int
    """Operations of the sparse solution."""
    matrix = operand("entries")
    row_ends = table("blocks + 1")
    column_ends = table("blocks + 1")
    columns = table("support")
    """The columns that a block has."""
    entry_ends = table("blocks + 1")
    diagonal = table("blocks")
    """Indices of the diagonal blocks of the factor."""
    below_ends = table("blocks + 1")
    below_rows = table("below")
    """The blocks below the diagonal in a column of the factor."""
    below_places = table("below")
    overlap_ends = table("below + 1")
    overlap_lower = table("overlaps")
    overlap_upper = table("overlaps")
    """The columns that two blocks have in common, by their numbers in each."""
    targets = table("updates")
    """Indices of the blocks from which products of two blocks of a column of the factor are subtracted."""
    multipliers = result("m")
    """y."""
    factor = floats("places")
    inverse = floats("m")
    """One by the diagonal of the factor."""
    correction = floats("m")
    """The residual, then the correction of y."""


def _length(ends: Ints, k: int) -> int:
    """Return the number of rows, or of columns, of block k, from the ends of those of all blocks."""
    return ends[k + 1] - ends[k]


def _compute_gram(w: BlockRows) -> None:
    """Compute the lower triangle of S."""
    for p in range(w.blocks):
        count = _length(w.row_ends, p)
        width = _length(w.column_ends, p)
        for i in range(count):
            first = w.entry_ends[p] + i * width
            for j in range(i + 1):
                second = w.entry_ends[p] + j * width
                total = 0.0
                for c in range(width):
                    total = fma(w.matrix[first + c], w.matrix[second + c], total)
                w.factor[w.diagonal[p] + i * count + j] = total
        for k in range(w.below_ends[p], w.below_ends[p + 1]):
            _compute_gram_block(w, p, k)


def _compute_gram_block(w: BlockRows, p: int, k: int) -> None:
    """Compute block number k of S, which is in column p."""
    q = w.below_rows[k]
    count = _length(w.row_ends, p)
    width = _length(w.column_ends, p)
    width_lower = _length(w.column_ends, q)
    for i in range(_length(w.row_ends, q)):
        first = w.entry_ends[q] + i * width_lower
        for j in range(count):
            second = w.entry_ends[p] + j * width
            total = 0.0
            for o in range(w.overlap_ends[k], w.overlap_ends[k + 1]):
                total = fma(w.matrix[first + w.overlap_lower[o]], w.matrix[second + w.overlap_upper[o]], total)
            w.factor[w.below_places[k] + i * count + j] = total


def _largest_square(w: BlockRows) -> float:
    """Return the square of the longest row."""
    largest = 0.0
    for p in range(w.blocks):
        count = _length(w.row_ends, p)
        for i in range(count):
            square = w.factor[w.diagonal[p] + i * count + i]
            if square > largest:
                largest = square
    return largest


def _factor(w: BlockRows) -> int:
    """Factor S = L Lᵀ in place; return 0 for a pivot that is not clearly independent."""
    share = 10.0 * w.tolerance[0]
    if not share > _INDEPENDENT:
        share = _INDEPENDENT
    least = share * share * _largest_square(w)
    target = 0
    for p in range(w.blocks):
        if _factor_diagonal(w, p, least) == 0:
            return 0
        count = _length(w.row_ends, p)
        for k in range(w.below_ends[p], w.below_ends[p + 1]):
            for i in range(_length(w.row_ends, w.below_rows[k])):
                _solve_row(w, p, w.below_places[k] + i * count)
        for k in range(w.below_ends[p], w.below_ends[p + 1]):
            for other in range(w.below_ends[p], k + 1):
                _update(w, count, k, other, w.targets[target])
                target += 1
    return 1


def _factor_diagonal(w: BlockRows, p: int, least: float) -> int:
    count = _length(w.row_ends, p)
    start = w.diagonal[p]
    for j in range(count):
        pivot = w.factor[start + j * count + j]
        for t in range(j):
            pivot = fma(-w.factor[start + j * count + t], w.factor[start + j * count + t], pivot)
        if not pivot > least:
            return 0
        root = sqrt(pivot)
        inverse = divide(1.0, root)
        w.factor[start + j * count + j] = root
        w.inverse[w.row_ends[p] + j] = inverse
        for i in range(j + 1, count):
            entry = w.factor[start + i * count + j]
            for t in range(j):
                entry = fma(-w.factor[start + i * count + t], w.factor[start + j * count + t], entry)
            w.factor[start + i * count + j] = entry * inverse
    return 1


def _solve_row(w: BlockRows, p: int, place: int) -> None:
    """Divide a row below diagonal block p by that block, transposed."""
    count = _length(w.row_ends, p)
    start = w.diagonal[p]
    for j in range(count):
        entry = w.factor[place + j]
        for t in range(j):
            entry = fma(-w.factor[place + t], w.factor[start + j * count + t], entry)
        w.factor[place + j] = entry * w.inverse[w.row_ends[p] + j]


def _update(w: BlockRows, count: int, k: int, other: int, target: int) -> None:
    """Subtract the product of two blocks of a column of the factor."""
    width = _length(w.row_ends, w.below_rows[other])
    for i in range(_length(w.row_ends, w.below_rows[k])):
        first = w.below_places[k] + i * count
        for j in range(width):
            second = w.below_places[other] + j * count
            entry = w.factor[target + i * width + j]
            for t in range(count):
                entry = fma(-w.factor[first + t], w.factor[second + t], entry)
            w.factor[target + i * width + j] = entry


def _solve_in_place(w: BlockRows) -> None:
    """Solve L Lᵀ z = `correction` in place."""
    for p in range(w.blocks):
        start = w.row_ends[p]
        count = _length(w.row_ends, p)
        for i in range(count):
            entry = w.correction[start + i]
            for t in range(i):
                entry = fma(-w.factor[w.diagonal[p] + i * count + t], w.correction[start + t], entry)
            w.correction[start + i] = entry * w.inverse[start + i]
        for k in range(w.below_ends[p], w.below_ends[p + 1]):
            first = w.row_ends[w.below_rows[k]]
            for i in range(_length(w.row_ends, w.below_rows[k])):
                entry = w.correction[first + i]
                for t in range(count):
                    entry = fma(-w.factor[w.below_places[k] + i * count + t], w.correction[start + t], entry)
                w.correction[first + i] = entry
    for back in range(w.blocks):
        _solve_transposed_in_place(w, w.blocks - 1 - back)


def _solve_transposed_in_place(w: BlockRows, p: int) -> None:
    start = w.row_ends[p]
    count = _length(w.row_ends, p)
    for k in range(w.below_ends[p], w.below_ends[p + 1]):
        first = w.row_ends[w.below_rows[k]]
        for i in range(_length(w.row_ends, w.below_rows[k])):
            for t in range(count):
                w.correction[start + t] = fma(
                    -w.factor[w.below_places[k] + i * count + t], w.correction[first + i], w.correction[start + t]
                )
    for back in range(count):
        i = count - 1 - back
        entry = w.correction[start + i]
        for t in range(i + 1, count):
            entry = fma(-w.factor[w.diagonal[p] + t * count + i], w.correction[start + t], entry)
        w.correction[start + i] = entry * w.inverse[start + i]


def _add_correction(w: BlockRows) -> None:
    """Add `correction` to y and Aᵀ `correction` to x."""
    for p in range(w.blocks):
        width = _length(w.column_ends, p)
        for i in range(_length(w.row_ends, p)):
            weight = w.correction[w.row_ends[p] + i]
            w.multipliers[w.row_ends[p] + i] += weight
            for c in range(width):
                column = w.columns[w.column_ends[p] + c]
                w.solution[column] = fma(weight, w.matrix[w.entry_ends[p] + i * width + c], w.solution[column])


def _residual(w: BlockRows) -> None:
    """Compute `correction` = b - A x."""
    for p in range(w.blocks):
        width = _length(w.column_ends, p)
        for i in range(_length(w.row_ends, p)):
            total = w.right[w.row_ends[p] + i]
            for c in range(width):
                entry = w.matrix[w.entry_ends[p] + i * width + c]
                total = fma(-entry, w.solution[w.columns[w.column_ends[p] + c]], total)
            w.correction[w.row_ends[p] + i] = total


def _solve_sparse(w: BlockRows) -> int:
    """Solve with the factor of S; return 0 where the dense decomposition must do it."""
    _compute_gram(w)
    if _factor(w) == 0:
        return 0
    for _step in range(3):
        _residual(w)
        _solve_in_place(w)
        _add_correction(w)
    if largest_entry(w.m, w.correction) <= _CONVERGED * largest_entry(w.m, w.multipliers):
        w.rank[0] = float(w.m)
        return 1
    return 0


def _solve_dense(w: BlockRows) -> None:
    """Solve with the decomposition A P = Q R Z of all rows, as `minimum_norm_solve`; then y = S⁺ b."""
    largest = largest_entry(w.entries, w.matrix)
    zero_or_nan = largest_entry(w.m, w.right) * 0.0
    if not largest > SMALLEST:
        _fill(w, largest * 0.0 + zero_or_nan)
        return
    scale = divide(1.0, largest)
    _load(w, scale)
    rank = decompose(w)
    solve_triangle(w, rank, zero_or_nan)
    solve_transposed(w, rank, scale, w.correction, w.multipliers)
    store_solution(w, rank)


def _fill(w: BlockRows, value: float) -> None:
    for j in range(w.n):
        w.solution[j] = value
    for i in range(w.m):
        w.multipliers[i] = value


def _load(w: BlockRows, scale: float) -> None:
    """Fill the array and measure its columns."""
    for p in range(w.blocks):
        width = _length(w.column_ends, p)
        for i in range(_length(w.row_ends, p)):
            row = w.row_ends[p] + i
            w.qr[row][w.n] = w.right[row] * scale
            for c in range(width):
                column = w.columns[w.column_ends[p] + c]
                x = w.matrix[w.entry_ends[p] + i * width + c] * scale
                w.qr[row][column] = x
                w.norms[column] = fma(x, x, w.norms[column])
    for j in range(w.n):
        w.order[j] = j


def solve_block_rows(w: BlockRows) -> int:
    """Solve with the sparse factor, or where rows depend on each other with the dense decomposition."""
    if _solve_sparse(w) == 0:
        _solve_dense(w)
    return 0
