"""Rows with two bounds and dry friction, which polyhedra, cones and quadratic programs have besides their own rows."""

from __future__ import annotations

from typing import Final, NamedTuple, final

from rbd.scalars.protocol import Matrix, Vector


@final
class Intervals(NamedTuple):
    """Rows with two bounds and dry friction: `lower` <= `rows` x <= `upper`, at the cost `friction` |rows x| more.

    A multiplier is the sum of the forces of the bound and of friction. `begin` are values of `rows` x near those of the
    solution, which save iterations.
    """

    rows: Matrix = ()
    lower: Vector = ()
    upper: Vector = ()
    friction: Vector = ()
    begin: Vector = ()


NO_INTERVALS: Final = Intervals()
