"""Projections onto polyhedra whose rows come in groups, in terms of the groups' twists.

With rows U = W T, the point z of W T z >= c nearest to zero is T'f for the wrenches f = W'lam of multipliers lam, and
the twists are T z = T T'f. With C C' = T T', y = C'f is the point of W C y >= c nearest to zero. These are as many
unknowns as T has rows, and no row of W has more entries than the twist of its own group. Twists are scaled so that the
rows of T are orthonormal within a group. What two groups share may make T T' singular, as the straight legs of a robot
on two feet do; then its pivots are at least `_LEAST`, and the point is near the solution.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, final

from rbd.scalars.constants import const
from rbd.scalars.functions import less, maximum, sqrt, where
from rbd.scalars.linear_algebra import dot
from rbd.scalars.protocol import Matrix, Scalar, Vector

_LEAST: Final = const(1, 10**9)
"""Least pivots of T T', relative to its diagonal."""


@final
class TwistSpace(NamedTuple):
    """The wrenches W and the rows of T of each group; those of one group are orthonormal."""

    wrenches: tuple[Matrix, ...]
    maps: tuple[Matrix, ...]

    @classmethod
    def of(cls, wrenches: Sequence[Matrix], maps: Sequence[Matrix]) -> TwistSpace:
        """Scale the twists of groups."""
        factors = [_lower_factor(_gram(map_)) for map_ in maps]
        scaled = (
            tuple(_times_lower(row, factor) for row in own) for own, factor in zip(wrenches, factors, strict=True)
        )
        return cls(tuple(scaled), tuple(_divided(map_, factor) for map_, factor in zip(maps, factors, strict=True)))

    @property
    def factor_entries(self) -> Vector:
        """C with C C' = T T', row by row."""
        factor = _lower_factor(self.gram)
        return tuple(x for row in factor for x in (*row, *(0 for _ in range(len(factor) - len(row)))))

    def point(self, wrenches: Vector) -> Vector:
        """Return the point z = T'f of the wrenches of all groups."""
        rows = (row for map_ in self.maps for row in map_)
        return tuple(dot(column, wrenches) for column in zip(*rows, strict=True))

    @property
    def gram(self) -> Matrix:
        """The lower triangle of T T'; the rows of a group are orthonormal."""
        rows = [(k, row) for k, map_ in enumerate(self.maps) for row in map_]
        return tuple(
            (*(0 if owner == other else dot(row, column) for other, column in rows[:i]), 1)
            for i, (owner, row) in enumerate(rows)
        )


def _gram(rows: Matrix) -> Matrix:
    """Return the lower triangle of the products of rows."""
    return tuple(tuple(dot(row, other) for other in rows[: i + 1]) for i, row in enumerate(rows))


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


def _times_lower(row: Vector, factor: Matrix) -> Vector:
    """Return the product of a row with C."""
    return tuple(dot(row[j:], [factor[i][j] for i in range(j, len(row))]) for j in range(len(row)))


def _divided(rows: Sequence[Sequence[Scalar]], factor: Matrix) -> Matrix:
    """Return C⁻¹ times the matrix of the rows."""
    found = list[Vector]()
    for row, own in zip(rows, factor, strict=True):
        left: Sequence[Scalar] = row
        for x, other in zip(own, found, strict=False):
            left = [a - x * b for a, b in zip(left, other, strict=True)]
        inverse = 1 / own[-1]
        found.append(tuple(a * inverse for a in left))
    return tuple(found)
