"""Factor of I + A'DA with a sparsity that is known, for many problems side by side.

The factor runs from the last column to the first, as in `ltdl_factor.py`: rows along one branch of a tree cause no
fill-in (Featherstone 2008, section 6.5). Its pivots are at least one, whatever the weights D >= 0 are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import final

import attrs

from rbd.intrinsics.intrinsic import NamedSizes
from rbd.intrinsics.language import divide, fma, select
from rbd.intrinsics.workspace import Workspace, floats, scratch, table
from rbd.solvers.operands import ends_of


class WeightedFactor(Workspace):
    """The matrix, its factor L'DL, and a right-hand side."""

    n: int
    fill: int
    factor_ends = table("n + 1")
    factor_columns = table("fill")
    places = table("n * n")
    """Positions of the entries below the diagonal of the matrix; those on the diagonal are the last n."""
    matrix = scratch("fill + n")
    lower_factor = scratch("fill")
    inverse = scratch("n")
    direction = floats("n")
    """The right-hand side, then the solution."""


def reset_to_identity(w: WeightedFactor) -> None:
    """Set the matrix to the identity."""
    for k in range(w.fill):
        w.matrix[k] = 0.0
    for i in range(w.n):
        w.matrix[w.fill + i] = 1.0


def factor_rows(w: WeightedFactor, first: int, last: int) -> None:
    """Factor rows of the matrix, L'DL, from the last one to the first; those behind them are done."""
    for row in range(last - 1, first - 1, -1):
        pivot = w.matrix[w.fill + row]
        inverse = divide(1.0, select(pivot < 1.0, 1.0, pivot))
        w.inverse[row] = inverse
        for k in range(w.factor_ends[row], w.factor_ends[row + 1]):
            scaled = w.matrix[k] * inverse
            w.lower_factor[k] = scaled
            for other in range(w.factor_ends[row], k + 1):
                place = w.places[w.factor_columns[k] * w.n + w.factor_columns[other]]
                w.matrix[place] = fma(-scaled, w.matrix[other], w.matrix[place])


def eliminate(w: WeightedFactor, first: int, last: int) -> None:
    """Do the first half of a solution for some rows, from the last one to the first."""
    for row in range(last - 1, first - 1, -1):
        x = w.direction[row]
        for k in range(w.factor_ends[row], w.factor_ends[row + 1]):
            column = w.factor_columns[k]
            w.direction[column] = fma(-w.lower_factor[k], x, w.direction[column])


def substitute(w: WeightedFactor, first: int, last: int) -> None:
    """Do the second half of a solution for some rows, from the first one to the last."""
    for i in range(first, last):
        x = w.direction[i] * w.inverse[i]
        for k in range(w.factor_ends[i], w.factor_ends[i + 1]):
            x = fma(-w.lower_factor[k], w.direction[w.factor_columns[k]], x)
        w.direction[i] = x


@final
@attrs.frozen
class FactorPattern:
    """Pattern of the nonzero entries of the factor, for any weights: per row, left of the diagonal."""

    rows: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, n: int, columns: Iterable[Sequence[int]]) -> FactorPattern:
        """Return the pattern from the columns of each row of A: eliminate from the last column to the first."""
        pattern: list[set[int]] = [set() for _ in range(n)]
        for row in set(map(tuple, columns)):
            for k in row:
                pattern[k] |= {i for i in row if i < k}
        for k in reversed(range(n)):
            for i in pattern[k]:
                pattern[i] |= {j for j in pattern[k] if j < i}
        return cls(tuple(tuple(sorted(each)) for each in pattern))

    @property
    def fill(self) -> int:
        """The number of entries."""
        return sum(map(len, self.rows))

    @property
    def eliminations(self) -> int:
        """The multiply-adds of the factor."""
        return sum(len(row) * (len(row) + 1) // 2 for row in self.rows)

    @property
    def named_sizes(self) -> NamedSizes:
        """The sizes and tables of `WeightedFactor`."""
        n, ends = len(self.rows), ends_of(map(len, self.rows))
        places = [0] * (n * n)
        for k, columns in enumerate(self.rows):
            places[k * n + k] = self.fill + k
            for place, i in enumerate(columns, ends[k]):
                places[k * n + i] = place
        columns = tuple(chain(*self.rows))
        return {"n": n, "fill": self.fill, "factor_ends": ends, "factor_columns": columns, "places": tuple(places)}
