"""Projections onto polyhedra whose rows come in groups, in terms of the groups' twists.

With rows U = W T, the point z of W T z >= c nearest to zero is T'f for the wrenches f = W'lam of multipliers lam, and
the twists are T z = T T'f. With C C' = T T', y = C'f is the point of W C y >= c nearest to zero. These are as many
unknowns as T has rows, and no row of W has more entries than the twist of its own group. What two groups share may make
T T' singular, as the straight legs of a robot on two feet do; then its pivots are at least `_LEAST`, and the point is
near the solution.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Final, NamedTuple, final

from rbd.scalars import less, maximum, sqrt, where
from rbd.scalars.constants import const
from rbd.scalars.linear_algebra import dot
from rbd.scalars.protocol import Matrix, Scalar, Vector

_LEAST: Final = const(1, 10**9)
"""Least pivots of T T', relative to its diagonal."""


@final
class TwistSpace(NamedTuple):
    """The rows of T of each group."""

    maps: tuple[Matrix, ...]

    @property
    def factor_entries(self) -> Vector:
        """C with C C' = T T', row by row."""
        factor = _lower_factor(self.gram)
        return tuple(x for row in factor for x in (*row, *(0 for _ in range(len(factor) - len(row)))))

    def point(self, wrenches: Vector) -> Vector:
        """Return the point z = T'f of the wrenches of all groups."""
        return tuple(dot(column, wrenches) for column in zip(*self._rows, strict=True))

    @property
    def gram(self) -> Matrix:
        """The lower triangle of T T'."""
        rows = self._rows
        return tuple(tuple(dot(row, other) for other in rows[: i + 1]) for i, row in enumerate(rows))

    @property
    def _rows(self) -> Matrix:
        return tuple(chain(*self.maps))


def _lower_factor(gram: Sequence[Sequence[Scalar]]) -> Matrix:
    """Return C with C C' = `gram`, which is semidefinite: pivots have a least size."""
    found = list[list[Scalar]]()
    for i, row in enumerate(gram):
        own = list[Scalar]()
        for j in range(i):
            own.append((row[j] - dot(own, found[j][:j])) / found[j][j])
        least = row[i] * _LEAST
        pivot = maximum(row[i] - dot(own, own), least)
        own.append(sqrt(where(less(0, pivot), pivot, 1)))
        found.append(own)
    return tuple(map(tuple, found))
