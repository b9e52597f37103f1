"""Solve with a sparse factor for many right-hand sides.

The factor of Featherstone 2008, section 6.5. A = Lᵀ D L with unit lower triangular L. Both halves of the solution are
written as sums along rows, and along columns, of L: only finished entries of a column of the solution are read, so that
many columns are vectorised. Which entries of L and of the right-hand sides are not zero is known when the call is
recorded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final, TypeAlias, final

import attrs

from rbd.intrinsics.intrinsic import Intrinsic
from rbd.intrinsics.language import columns, fma
from rbd.intrinsics.workspace import Workspace, operand, result, table
from rbd.scalars.linear_algebra import add
from rbd.scalars.protocol import Scalar, Vector
from rbd.scalars.structural_zeros import is_structural_zero
from rbd.solvers.operands import ends_of, parts_between

SparseRows: TypeAlias = Sequence[Sequence[tuple[int, Scalar]]]
"""Per row the columns left of the diagonal that are not zero, with their entries."""

_STRIP: Final = 8
"""Columns are padded to a multiple of this: the lanes of the widest registers."""
_BLOCK: Final = 64
"""Columns of a block, at most: as many as machine code takes at a time."""


@final
class SparseFactor(Workspace):
    """The entries of L, 1 / D and of the right-hand sides that are not zero, and `blocks` of m columns of solutions."""

    n: int
    """Unknowns."""
    m: int
    """Columns of a block of solutions."""
    stride: int
    """Entries from one row of a block of solutions to the next."""
    blocks: int
    entries: int
    """Entries of L left of the diagonal."""
    count: int
    """Entries of the right-hand sides."""
    row_ends = table("n + 1")
    row_columns = table("entries")
    column_ends = table("n + 1")
    column_rows = table("entries")
    column_entries = table("entries")
    places = table("count")
    lower = operand("entries")
    inverse = operand("n")
    right = operand("count")
    solution = result("blocks * n * stride")


def _solve(w: SparseFactor) -> int:
    stride = w.stride
    for k in range(w.count):
        w.solution[w.places[k]] = w.right[k]
    for block in range(w.blocks):
        first = block * w.n
        for j in columns(w.m, stride):
            for back in range(w.n):
                row = w.n - 1 - back
                x = w.solution[(first + row) * stride + j]
                for below in range(w.column_ends[row], w.column_ends[row + 1]):
                    entry = -w.lower[w.column_entries[below]]
                    x = fma(entry, w.solution[(first + w.column_rows[below]) * stride + j], x)
                w.solution[(first + row) * stride + j] = x + 0.0
            for i in range(w.n):
                x = fma(w.solution[(first + i) * stride + j], w.inverse[i], 0.0)
                for left in range(w.row_ends[i], w.row_ends[i + 1]):
                    x = fma(-w.lower[left], w.solution[(first + w.row_columns[left]) * stride + j], x)
                w.solution[(first + i) * stride + j] = x + 0.0
    return 0


def _operations(n: int, m: int, stride: int, blocks: int, entries: int, count: int) -> int:
    return blocks * m * (4 * entries + 4 * n)


@final
@attrs.frozen
class _Layout:
    """Layout of the columns of solutions: blocks of `m` columns, in each one row after the other."""

    n: int
    m: int
    stride: int
    blocks: int

    @classmethod
    def of(cls, n: int, count: int) -> _Layout:
        """Lay out `count` columns; an odd number of strips from row to row spreads columns over a cache."""
        blocks = max(-(-count // _BLOCK), 1)
        strips = -(-count // (blocks * _STRIP))
        strips = 8 if strips == 7 else strips  # two panels at most
        return cls(n, _STRIP * strips, _STRIP * (strips if strips % 2 else strips + 1), blocks)

    @classmethod
    def of_call(cls, sizes: tuple[int, ...]) -> _Layout:
        """Return the layout of a call, from its sizes and tables."""
        of = SparseFactor.layout.sizes_by_name(sizes)
        return cls(of["n"], of["m"], of["stride"], of["blocks"])

    @property
    def starts(self) -> list[int]:
        """Indices of the first entries of all columns."""
        return [block * self.n * self.stride + j for block in range(self.blocks) for j in range(self.m)]

    def column(self, flat: Sequence[Scalar], start: int) -> Vector:
        """Return the column that begins at a place."""
        return tuple(flat[start : start + self.n * self.stride : self.stride])


def solve_factored(rows: SparseRows, inverse: Sequence[Scalar], right: Sequence[Sequence[Scalar]]) -> list[Vector]:
    """Return x of Lᵀ D L x = b for every b of `right`; the integer 0 is a structural zero in it.

    >>> solve_factored(((), ((0, 0.5),)), (0.5, 0.5), [(4.0, 2.0), (0, 2.0)])
    [(1.5, 0.25), (-0.5, 1.25)]
    """
    layout = _Layout.of(len(inverse), len(right))
    flat = _solved(layout, rows, inverse, right)
    return [layout.column(flat, start) for start, _ in zip(layout.starts, right, strict=False)]


def _solved(layout: _Layout, rows: SparseRows, inverse: Sequence[Scalar], right: Sequence[Sequence[Scalar]]) -> Vector:
    """Return the entries of all solutions."""
    lower = [entry for row in rows for _, entry in row]
    given = [
        (start + i * layout.stride, x)
        for start, b in zip(layout.starts, right, strict=False)
        for i, x in enumerate(b)
        if not is_structural_zero(x)
    ]
    places = tuple(place for place, _ in given)
    sizes = {
        "entries": len(lower),
        "count": len(given),
        "places": places,
        **attrs.asdict(layout),
        **_named_tables(rows),
    }
    return SOLVE_FACTORED(SOLVE_FACTORED.sizes_of(sizes), (*lower, *inverse, *(x for _, x in given)))


def _named_tables(rows: SparseRows) -> dict[str, tuple[int, ...]]:
    """Return the indices of the entries of L, along its rows and along its columns, by name."""
    places = [(i, j) for i, row in enumerate(rows) for j, _ in row]
    column_order = sorted(range(len(places)), key=lambda k: (places[k][1], places[k][0]))
    heights = [0] * len(rows)
    for _, j in places:
        heights[j] += 1
    return {
        "row_ends": ends_of(map(len, rows)),
        "row_columns": tuple(j for _, j in places),
        "column_ends": ends_of(heights),
        "column_rows": tuple(places[k][0] for k in column_order),
        "column_entries": tuple(column_order),
    }


def factored_jvp(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, results: Vector, tangents: Vector
) -> Vector:
    """Return the tangent of X in A X = B for tangents of L, 1 / D and B: A dX = dB - dA X."""
    layout, tables = _Layout.of_call(sizes), SparseFactor.layout.tables(sizes)
    given, change = (SparseFactor.layout.split("operand", sizes, flat) for flat in (operands, tangents))
    rows, rows_tangent = _sparse(tables, given["lower"]), _sparse(tables, change["lower"])
    right = dict(zip(tables["places"], change["right"], strict=True))
    columns: list[list[Scalar]] = []
    for start in layout.starts:
        x = layout.column(results, start)
        product_tangent = _product_tangent(rows, given["inverse"], rows_tangent, change["inverse"], x)
        columns.append([right.get(start + i * layout.stride, 0) - y for i, y in enumerate(product_tangent)])
    return _solved(layout, rows, given["inverse"], columns)


def factored_vjp(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, results: Vector, cotangents: Vector
) -> Vector:
    """Return the cotangents of L, 1 / D and B.

    With A Y = cotangents, that of B is Y; those of the others are -y' dA x, summed over columns.
    """
    layout, tables = _Layout.of_call(sizes), SparseFactor.layout.tables(sizes)
    given = SparseFactor.layout.split("operand", sizes, operands)
    rows, inverse = _sparse(tables, given["lower"]), given["inverse"]
    columns = [layout.column(cotangents, start) for start in layout.starts]
    answers = _solved(layout, rows, inverse, columns)
    of_lower: list[Scalar] = [0] * len(given["lower"])
    of_inverse: list[Scalar] = [0] * layout.n
    for start, column in zip(layout.starts, columns, strict=True):
        if all(map(is_structural_zero, column)):
            continue
        x, y = layout.column(results, start), layout.column(answers, start)
        z, other = ([v / scale for v, scale in zip(_lower_times(rows, w, w), inverse, strict=True)] for w in (x, y))
        of_inverse = [total + a * b for total, a, b in zip(of_inverse, z, other, strict=True)]
        for i, (first, stop) in enumerate(pairwise(tables["row_ends"])):
            for k in range(first, stop):
                j = tables["row_columns"][k]
                of_lower[k] = of_lower[k] - (y[j] * z[i] + other[i] * x[j])
    return (*of_lower, *of_inverse, *(answers[place] for place in tables["places"]))


def _sparse(tables: Mapping[str, tuple[int, ...]], values: Vector) -> SparseRows:
    """Return the rows of L from its entries."""
    return parts_between(tuple(zip(tables["row_columns"], values, strict=True)), tables["row_ends"])


def _product_tangent(
    rows: SparseRows, inverse: Vector, rows_tangent: SparseRows, inverse_tangent: Vector, x: Vector
) -> Vector:
    """Return dA x = dLᵀ D L x + Lᵀ (dD L x + D dL x), where dD = -D d(1 / D) D."""
    z = [y / scale for y, scale in zip(_lower_times(rows, x, x), inverse, strict=True)]
    inner_tangent = [
        (y - change * w) / scale
        for y, change, w, scale in zip(
            _lower_times(rows_tangent, x, (0,) * len(x)), inverse_tangent, z, inverse, strict=True
        )
    ]
    return add(_upper_times(rows_tangent, z, [0] * len(x)), _upper_times(rows, inner_tangent, inner_tangent))


def _lower_times(rows: SparseRows, x: Vector, own: Vector) -> list[Scalar]:
    """Return `own` + L x."""
    return [sum((entry * x[j] for j, entry in row), y) for row, y in zip(rows, own, strict=True)]


def _upper_times(rows: SparseRows, x: Sequence[Scalar], own: Sequence[Scalar]) -> Vector:
    """Return `own` + Lᵀ x."""
    found = list(own)
    for row, factor in zip(rows, x, strict=True):
        for j, entry in row:
            found[j] = found[j] + entry * factor
    return tuple(found)


SOLVE_FACTORED: Final = Intrinsic(
    name="solve_factored",
    workspace=SparseFactor,
    function=_solve,
    operations=_operations,
    inlined=True,
    derivative=factored_jvp,
    adjoint=factored_vjp,
)
"""From L, 1 / D and what is not zero of the right-hand sides to the solutions: blocks of `m` columns, row by row."""
