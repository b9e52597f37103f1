"""Switches of contact states: pairs at which a step is not differentiable."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import Final, NamedTuple

from rbd.contact.dynamics.point_jacobian import contact_point_jacobian
from rbd.contact.model.contact_kinematics import contact_points_in_base
from rbd.contact.model.pairs import Pair
from rbd.scalar_states.scalar_state import ScalarState
from rbd.scalars import (
    Condition,
    Matrix,
    Scalar,
    Vector,
    absolute,
    both,
    const,
    either,
    invert,
    less,
    less_equal,
    maximum,
    where,
)
from rbd.scalars.linear_algebra import dot

_TOLERANCE: Final = const(1, 10**9)
"""A multiplier or slack below this share of the largest one counts as zero."""
_TOUCHING: Final = const(1, 10**12)
"""A gap below this counts as zero (m): overlaps are closed more slowly than gaps."""


class SolvedRows(NamedTuple):
    """The rows of a solved step: slacks, multipliers, 1 for active rows, distances of their points; their pairs."""

    slack: Vector
    lam: Vector
    active: Vector
    gaps: Vector
    pair_indices: tuple[int, ...]


def pairs_at_switch(
    pairs: Sequence[Pair], state: ScalarState, settings: Vector, rows: SolvedRows, slopes: Matrix
) -> Vector:
    """Return 1 for pairs at a switch, 0 for others; `slopes` are the derivatives of the slacks, then of `lam`."""
    flags: list[Scalar] = [0] * len(pairs)
    for pair_index, condition in (*_rows_at_switch(rows, slopes), *_beginning_to_rebound(pairs, state, settings)):
        flags[pair_index] = where(condition, 1, flags[pair_index])
    return tuple(flags)


def _rows_at_switch(rows: SolvedRows, slopes: Matrix) -> Iterator[tuple[int, Condition]]:
    """Yield for each row its pair, and whether its bound is neither clearly held nor clearly free, or its gap zero.

    Those that do not change do not switch: the fourth edge of a cone, for one, follows from the others.
    """
    count = len(rows.pair_indices)
    changes = [less(_TOLERANCE, _largest(row, 0)) for row in slopes]
    least_slack, least_force = _TOLERANCE * _largest(rows.slack, 1), _TOLERANCE * _largest(rows.lam, 1)
    for k, pair_index in enumerate(rows.pair_indices):
        active = less(0, rows.active[k])
        free_without_slack = both(both(invert(active), changes[k]), less_equal(rows.slack[k], least_slack))
        active_without_force = both(both(active, changes[count + k]), less_equal(rows.lam[k], least_force))
        at_switch = either(free_without_slack, active_without_force)
        yield pair_index, either(at_switch, less_equal(absolute(rows.gaps[k]), _TOUCHING))


def _largest(values: Vector, least: Scalar) -> Scalar:
    """Return the largest absolute value, or `least` if all are smaller."""
    return reduce(maximum, [absolute(x) for x in values], least)


def _beginning_to_rebound(
    pairs: Sequence[Pair], state: ScalarState, settings: Vector
) -> Iterator[tuple[int, Condition]]:
    """Yield for each point of pairs with restitution its pair, and whether its rate is that at which it rebounds.

    A point rebounds if its rate is below that which closes its gap: its bound jumps there, or has a kink for overlaps.
    """
    dt, *_ = settings
    for pair_index, pair in enumerate(pairs):
        for point in contact_points_in_base(state, pair) if pair.restitution else ():
            rate = dot(contact_point_jacobian(state, pair, point.p_a).row(point.n), state.velocity_scalars())
            closing = -maximum(point.phi, 0) / dt
            least = _TOLERANCE * maximum(absolute(closing), 1)
            yield pair_index, less_equal(absolute(rate - closing), least)
