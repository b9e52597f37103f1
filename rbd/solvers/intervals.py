"""Rows with two bounds and dry friction, which polyhedra, cones and quadratic programs have besides their own rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, final

from rbd.scalars import absolute, maximum, minimum
from rbd.scalars.protocol import Matrix, Scalar, Vector
from rbd.scalars.structural_zeros import is_plain_zero


@final
class Intervals(NamedTuple):
    """Rows with two bounds and dry friction: `lower` <= `rows` x <= `upper`, at the cost `friction` |rows x| more.

    A multiplier is the sum of the forces of the bound and of friction. Rows of zeros have no friction. `start_rates`
    are values of `rows` x near those of the solution, which save iterations.
    """

    rows: Matrix = ()
    lower: Vector = ()
    upper: Vector = ()
    friction: Vector = ()
    start_rates: Vector = ()

    def scaled(self, rows: Matrix, scales: Sequence[Scalar]) -> Intervals:
        """Return the same for `rows`, which are those of this program times `scales`, in other coordinates.

        >>> Intervals(((2.0,),), (-1.0,), (1.0,), (3.0,), (0.0,)).scaled(((1.0,),), (0.5,))
        Intervals(rows=((1.0,),), lower=(-0.5,), upper=(0.5,), friction=(6.0,), start_rates=(0.0,))
        """
        friction = tuple(0 if is_plain_zero(f) else f / x for f, x in zip(self.friction, scales, strict=True))
        lower, upper, start_rates = (
            tuple(u * x for u, x in zip(each, scales, strict=True))
            for each in (self.lower, self.upper, self.start_rates)
        )
        return Intervals(rows, lower, upper, friction, start_rates)

    def in_units(self, convert: Callable[[Scalar], Scalar]) -> Intervals:
        """Return the same in other units of bounds and friction, to which a function converts."""
        return Intervals(self.rows, *(tuple(map(convert, each)) for each in self[1:]))

    def corrections(self, interval_sides: Sequence[Scalar]) -> list[Scalar]:
        """Return the changes by friction of rates of minus `interval_sides`, then their distances beyond the bounds."""
        by_friction = [minimum(absolute(u), f) for u, f in zip(interval_sides, self.friction, strict=True)]
        beyond = [maximum(u + a, -u - b) for u, a, b in zip(interval_sides, self.lower, self.upper, strict=True)]
        return [*by_friction, *beyond]


NO_INTERVALS: Final = Intervals()
