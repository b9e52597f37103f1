"""Constraint equations K vd = -k of a state, with the rows that are not structural zeros and the rank tolerance."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, final

import attrs

from rbd.scalars import Matrix, Scalar, Vector, const, greater, maximum, minimum, sqrt, where
from rbd.scalars.norms import square_sum
from rbd.scalars.structural_zeros import is_plain_zero

_MIN_RANK_TOLERANCE: Final = const(1, 10**9)
_MAX_RANK_TOLERANCE: Final = const(1, 10**3)
_SAFETY: Final = 10


@final
@attrs.frozen(eq=False)
class ConstraintEquations:
    """The constraint equations K vd = -k of all loops and couplings."""

    K: Matrix
    k: Vector
    blocks: tuple[tuple[int, ...], ...]
    """The rows of each loop and coupling, without structural zeros, such as those out of the plane of a planar loop."""
    tolerance: Scalar
    """Rank tolerance: a row is redundant when its part independent of the others is below this share of the largest."""

    @property
    def active(self) -> list[int]:
        """The indices of the rows that are not structural zeros."""
        return [i for block in self.blocks for i in block]


def blocks_of(K: Matrix, constraints: Iterable[slice]) -> tuple[tuple[int, ...], ...]:
    """Return, per loop and coupling, the rows that are not structural zeros."""
    return tuple(
        tuple(i for i in range(rows.start, rows.stop) if not all(map(is_plain_zero, K[i]))) for rows in constraints
    )


def rank_tolerance(K: Matrix, errors: Vector, blocks: tuple[tuple[int, ...], ...]) -> Scalar:
    """Return the rank tolerance: it grows with the loop errors.

    Overconstrained linkages that move only thanks to their proportions have redundant constraints while their loops are
    closed. Once the loops are open by rounding, these rows differ by as much; counted as independent they would jam it.
    """
    widest: Scalar = 0
    for rows in blocks:
        gap, size = square_sum(errors[i] for i in rows), square_sum(x for i in rows for x in K[i])
        moves = greater(size, 0)
        widest = maximum(widest, where(moves, gap / where(moves, size, 1), 0))
    return minimum(_MAX_RANK_TOLERANCE, _MIN_RANK_TOLERANCE + _SAFETY * sqrt(widest))
