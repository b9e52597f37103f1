"""Sparsity of rows: which of their entries are operands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import final

import attrs

from rbd.scalars.protocol import Matrix, Scalar, Vector
from rbd.scalars.structural_zeros import is_structural_zero
from rbd.solvers.operands import ends_of, parts_between


def nonzero_columns(row: Sequence[Scalar]) -> tuple[int, ...]:
    """Return the columns of a row that are not structural zeros."""
    return tuple(i for i, x in enumerate(row) if not is_structural_zero(x))


def columns_of(rows: Iterable[Vector]) -> tuple[int, ...]:
    """Return the columns in which rows are not structural zeros."""
    return tuple(sorted({i for row in rows for i in nonzero_columns(row)}))


@final
@attrs.frozen
class RowPattern:
    """Pattern of the entries of rows that are not structural zeros: the columns of each row.

    >>> pattern = RowPattern.of(((1.0, 0, 2.0), (0, 3.0, 0)))
    >>> pattern.columns, pattern.ends, pattern.entries(((4.0, 5.0, 6.0), (7.0, 8.0, 9.0)))
    (((0, 2), (1,)), (0, 2, 3), (4.0, 6.0, 8.0))
    """

    columns: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, rows: Matrix) -> RowPattern:
        """Return the pattern of rows."""
        return cls(tuple(map(nonzero_columns, rows)))

    @property
    def ends(self) -> tuple[int, ...]:
        """Ends of the columns of each row among those of all, zero first."""
        return ends_of(map(len, self.columns))

    @property
    def flat_columns(self) -> tuple[int, ...]:
        """The columns of all rows, one row after the other."""
        return tuple(chain(*self.columns))

    @property
    def products(self) -> int:
        """Entries of the lower triangles of all products of a row with itself."""
        return sum(len(own) * (len(own) + 1) // 2 for own in self.columns)

    def dense(self, entries: Vector, width: int) -> Matrix:
        """Return rows of a width from their entries."""
        found = list[Vector]()
        for own, values in zip(self.columns, parts_between(entries, self.ends), strict=True):
            row: list[Scalar] = [0] * width
            for i, x in zip(own, values, strict=True):
                row[i] = x
            found.append(tuple(row))
        return tuple(found)

    def entries(self, rows: Matrix) -> Vector:
        """Return the entries of rows that are not zero, one row after the other."""
        return tuple(row[i] for row, own in zip(rows, self.columns, strict=True) for i in own)
