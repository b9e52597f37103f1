"""The solution of least norm for blocks of sparse rows, its multipliers and its rank; the algorithm is `block_rows.py`.

The corrected seminormal equations (Björck 1987), or a complete orthogonal decomposition where these do not suffice.

Which entries of the rows are zero is known when a call is recorded: the integer 0 is a structural zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, pairwise
from typing import Final, final

import attrs

from rbd.intrinsics.intrinsic import Intrinsic, NamedSizes
from rbd.scalars.linear_algebra import add, dot, subtract
from rbd.scalars.protocol import Matrix, Scalar, Vector
from rbd.scalars.structural_zeros import is_structural_zero
from rbd.solvers.equations.block_rows import BlockRows, solve_block_rows
from rbd.solvers.equations.minimum_norm import MINIMUM_NORM_SOLVE
from rbd.solvers.operands import ends_of, parts_between
from rbd.solvers.row_pattern import columns_of

LEAST_SAVED: Final = 200_000
"""Operations that the dense decomposition does more, at least, where the sparse solution is worth its overhead."""


@final
@attrs.frozen
class BlockStructure:
    """The structure of blocks of sparse rows: the sizes and tables of `BlockRows`."""

    order: tuple[int, ...]
    """The rows in the order of elimination."""
    columns_of_rows: tuple[tuple[int, ...], ...]
    """Per row in this order, the columns its block has."""
    sizes: tuple[int, ...]

    @classmethod
    def of(cls, rows: Matrix, blocks: Sequence[Sequence[int]], columns: int) -> BlockStructure:
        """Return the structure of rows, of which `blocks` are the numbers; every row is in one block."""
        support = [columns_of([rows[i] for i in block]) for block in blocks]
        places, below = _minimum_degree_order([set(each) for each in support])
        blocks, support = [tuple(blocks[p]) for p in places], [support[p] for p in places]
        order = tuple(i for block in blocks for i in block)
        of_rows = tuple(tuple(support[p]) for p, block in enumerate(blocks) for _ in block)
        named = {"m": len(order), "n": columns, **_named_sizes([len(block) for block in blocks], support, below)}
        return cls(order, of_rows, SPARSE_MINIMUM_NORM.sizes_of(named))

    @property
    def saved(self) -> int:
        """The operations that the dense decomposition does more."""
        return MINIMUM_NORM_SOLVE.operation_count(self.sizes) - BlockRows.layout.sizes_by_name(self.sizes)["work"]


def _minimum_degree_order(support: Sequence[set[int]]) -> tuple[list[int], list[list[int]]]:
    """Return an order of minimum degree of blocks, and per block those below it in the factor, by this order."""
    of_column: dict[int, list[int]] = {}
    for p, columns in enumerate(support):
        for j in columns:
            of_column.setdefault(j, []).append(p)
    neighbours = [{q for j in columns for q in of_column[j]} - {p} for p, columns in enumerate(support)]
    order, below, remaining = list[int](), list[set[int]](), set(range(len(support)))
    while remaining:
        p = min(remaining, key=lambda k: (len(neighbours[k]), k))
        remaining.remove(p)
        order.append(p)
        below.append(neighbours[p])
        for q in neighbours[p]:
            neighbours[q] = (neighbours[q] | neighbours[p]) - {p, q}
    number = {p: k for k, p in enumerate(order)}
    return order, [sorted(number[q] for q in each) for each in below]


def _named_sizes(counts: Sequence[int], support: Sequence[Sequence[int]], below: Sequence[Sequence[int]]) -> NamedSizes:
    """Return the sizes and tables of `BlockRows` but m and n."""
    pairs = [(q, p) for p, lower in enumerate(below) for q in lower]
    areas = [counts[p] * counts[p] for p in range(len(counts))] + [counts[q] * counts[p] for q, p in pairs]
    starts = ends_of(areas)
    place = {(p, p): starts[p] for p in range(len(counts))}
    place |= dict(zip(pairs, starts[len(counts) :], strict=False))
    common = [_common(support[q], support[p]) for q, p in pairs]
    targets = [place[q, r] for lower in below for k, q in enumerate(lower) for r in lower[: k + 1]]
    entries = [count * len(columns) for count, columns in zip(counts, support, strict=True)]
    return {
        "blocks": len(counts),
        "entries": sum(entries),
        "support": sum(map(len, support)),
        "below": len(pairs),
        "overlaps": sum(map(len, common)),
        "updates": len(targets),
        "places": starts[-1],
        "work": _sparse_operations(counts, support, below, [len(each) for each in common]),
        "row_ends": ends_of(counts),
        "column_ends": ends_of(map(len, support)),
        "columns": tuple(chain(*support)),
        "entry_ends": ends_of(entries),
        "diagonal": tuple(place[p, p] for p in range(len(counts))),
        "below_ends": ends_of(map(len, below)),
        "below_rows": tuple(q for q, _ in pairs),
        "below_places": tuple(place[pair] for pair in pairs),
        "overlap_ends": ends_of(map(len, common)),
        "overlap_lower": tuple(a for each in common for a, _ in each),
        "overlap_upper": tuple(b for each in common for _, b in each),
        "targets": tuple(targets),
    }


def _common(lower: Sequence[int], upper: Sequence[int]) -> list[tuple[int, int]]:
    """Return the places of common columns in both supports."""
    at = {j: k for k, j in enumerate(upper)}
    return [(k, at[j]) for k, j in enumerate(lower) if j in at]


def _sparse_operations(
    counts: Sequence[int], support: Sequence[Sequence[int]], below: Sequence[Sequence[int]], common: Sequence[int]
) -> int:
    """Return the operations of the sparse solution, roughly: products, factor, three solutions with it."""
    widths = [len(columns) for columns in support]
    factor = sum(_elimination(count, [counts[q] for q in lower]) for count, lower in zip(counts, below, strict=True))
    return _products(counts, widths, below, common) + factor + 3 * _solution(counts, widths, below)


def _products(
    counts: Sequence[int], widths: Sequence[int], below: Sequence[Sequence[int]], common: Sequence[int]
) -> int:
    """Return the operations of the products of all rows with columns in common, and of each with itself."""
    pairs = [(p, q) for p, lower in enumerate(below) for q in lower]
    apart = sum(2 * counts[p] * counts[q] * columns for (p, q), columns in zip(pairs, common, strict=True))
    return apart + sum(count * (count + 1) * width for count, width in zip(counts, widths, strict=True))


def _elimination(count: int, heights: Sequence[int]) -> int:
    """Return the operations of a block of the factor, with what it subtracts from the blocks after it."""
    own = count**3 + 2 * count * count * sum(heights)
    return own + count * (sum(heights) ** 2 + sum(height * height for height in heights))


def _solution(counts: Sequence[int], widths: Sequence[int], below: Sequence[Sequence[int]]) -> int:
    """Return the operations of a solution with the factor, with its residual and the addition of its result."""
    blocks = zip(counts, widths, below, strict=True)
    return sum(4 * n * width + 2 * n * n + 4 * n * sum(counts[q] for q in lower) for n, width, lower in blocks)


def _operations(*sizes: int) -> int:
    """Bound the operations by those of both decompositions."""
    of = BlockRows.layout.sizes_by_name(sizes)
    return of["work"] + MINIMUM_NORM_SOLVE.operation_count((of["m"], of["n"])) + 9 * of["m"] * of["m"]


def _ordered_entries(structure: BlockStructure, rows: Matrix) -> list[Scalar]:
    """Return the entries of rows in the order of elimination."""
    return [rows[i][j] for i, columns in zip(structure.order, structure.columns_of_rows, strict=True) for j in columns]


def sparse_minimum_norm(
    structure: BlockStructure, rows: Matrix, right: Vector, tolerance: Scalar
) -> tuple[Vector, Vector, Scalar]:
    """Return x of least norm among those that make |rows x - right| least, y with x = rowsᵀ y, and the rank.

    Of all y the one with the least norm is returned. Raises ScalarError for scalars that cannot be compared.

    >>> rows = ((1.0, 1.0, 0), (0, 1.0, 1.0))
    >>> x, y, rank = sparse_minimum_norm(BlockStructure.of(rows, [(0,), (1,)], 3), rows, (3.0, 3.0), 1e-10)
    >>> [round(z, 12) for z in x], [round(z, 12) for z in y], rank
    ([1.0, 2.0, 1.0], [1.0, 1.0], 2.0)
    """
    given = (*_ordered_entries(structure, rows), *(right[i] for i in structure.order), tolerance)
    flat = SPARSE_MINIMUM_NORM(structure.sizes, given)
    n = structure.sizes[1]
    y: list[Scalar] = [0] * len(right)
    for i, multiplier in zip(structure.order, flat[n + 1 :], strict=True):
        y[i] = multiplier
    return flat[:n], tuple(y), flat[n]


# ---------------------------------------------------------------- derivatives


@final
class _SparseCall:
    """A call taken apart: A as rows with their columns, b, and calls of the same intrinsic with other right sides."""

    def __init__(self, sizes: tuple[int, ...], operands: Vector) -> None:
        own, tables = BlockRows.layout.sizes_by_name(sizes), BlockRows.layout.tables(sizes)
        self.sizes, self.m, self.n, self.entries = sizes, own["m"], own["n"], own["entries"]
        columns = parts_between(tables["columns"], tables["column_ends"])
        blocks = zip(columns, pairwise(tables["row_ends"]), strict=True)
        self.columns = [own for own, (first, stop) in blocks for _ in range(first, stop)]
        self.given, self.right, self.tolerance = operands[: self.entries], operands[self.entries : -1], operands[-1]
        self.rows = self.split(operands)

    def split(self, values: Vector) -> list[Vector]:
        """Return the entries of every row."""
        return parts_between(values, ends_of(map(len, self.columns)))

    def times(self, rows: Sequence[Vector], x: Vector) -> Vector:
        """Return rows times x."""
        return tuple(dot(row, [x[j] for j in columns]) for row, columns in zip(rows, self.columns, strict=True))

    def transposed_times(self, rows: Sequence[Vector], y: Vector) -> Vector:
        """Return the transposed rows times y."""
        found: list[Scalar] = [0] * self.n
        for row, columns, weight in zip(rows, self.columns, y, strict=True):
            for j, entry in zip(columns, row, strict=True):
                found[j] = found[j] + entry * weight
        return tuple(found)

    def solve(self, right: Sequence[Scalar]) -> tuple[Vector, Vector]:
        """Return A⁺ b and (A Aᵀ)⁺ b."""
        if all(map(is_structural_zero, right)):
            return (0,) * self.n, (0,) * self.m
        flat = SPARSE_MINIMUM_NORM(self.sizes, (*self.given, *right, self.tolerance))
        return flat[: self.n], flat[self.n + 1 :]

    def contradiction(self, right: Vector) -> Vector:
        """Return (1 - A A⁺) b, the part of b outside the range of A; zero where the rows are independent."""
        return subtract(right, self.times(self.rows, self.solve(right)[0]))


def sparse_minimum_norm_jvp(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, results: Vector, tangents: Vector
) -> Vector:
    """Return the tangents of x, of the rank (0), and of y, for tangents of A and b; see `minimum_norm_jvp`.

    With S = A Aᵀ, dy = S⁺ (db - dS y + S⁺ dS r) + (1 - S S⁺) dS S⁺ y. The last term is (1 - A A⁺) dA A⁺ y.
    """
    problem = _SparseCall(sizes, operands)
    x, y = results[: problem.n], results[problem.n + 1 :]
    dA, db = problem.split(tangents), tangents[problem.entries : -1]
    turned = problem.transposed_times(dA, y)
    residual = subtract(problem.right, problem.times(problem.rows, x))
    _, spread = problem.solve(problem.times(problem.rows, problem.transposed_times(dA, residual)))
    parts = zip(db, problem.times(dA, x), spread, problem.times(problem.rows, turned), strict=True)
    found, weights = problem.solve([a - b + c - d for a, b, c, d in parts])
    outside = problem.contradiction(problem.times(dA, problem.solve(y)[0]))
    return *add(found, turned), 0, *add(weights, outside)


def sparse_minimum_norm_vjp(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, results: Vector, cotangents: Vector
) -> Vector:
    """Return the cotangents of A and b, given w of x and u of y; see `minimum_norm_vjp`.

    With s = u + A w, p = S⁺ s and r = b - A x, that of b is p and that of A is

        r (A⁺ p)ᵀ + y (w - A⁺ s)ᵀ - p xᵀ + e (A⁺ y)ᵀ   where e = (1 - A A⁺) u
    """
    problem = _SparseCall(sizes, operands)
    x, y = results[: problem.n], results[problem.n + 1 :]
    w, u = cotangents[: problem.n], cotangents[problem.n + 1 :]
    inverse_s, p = problem.solve(add(u, problem.times(problem.rows, w)))
    r, e = subtract(problem.right, problem.times(problem.rows, x)), problem.contradiction(u)
    inverse_p, inverse_y, w_left = problem.solve(p)[0], problem.solve(y)[0], subtract(w, inverse_s)
    of_rows = [
        r_i * inverse_p[j] + y_i * w_left[j] - p_i * x[j] + e_i * inverse_y[j]
        for r_i, y_i, p_i, e_i, columns in zip(r, y, p, e, problem.columns, strict=True)
        for j in columns
    ]
    return (*of_rows, *p, 0)


SPARSE_MINIMUM_NORM: Final = Intrinsic(
    name="sparse_minimum_norm",
    workspace=BlockRows,
    function=solve_block_rows,
    operations=_operations,
    derivative=sparse_minimum_norm_jvp,
    adjoint=sparse_minimum_norm_vjp,
)
