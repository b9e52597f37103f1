"""Rows of contact points in groups, by the bodies that touch: wrenches along the edges of cones, times their twist."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias, final

from rbd.algorithms import geometric_jacobian
from rbd.contact.model.pairs import Pair
from rbd.scalar_states.scalar_state import ScalarState
from rbd.scalars import Condition, Matrix
from rbd.solvers.projections.row_groups import RowGroup
from rbd.solvers.projections.warm_start import MOST_TWISTS
from rbd.spatial.linalg import Vec3, add3, cross3, sub3


@final
class PointCone(NamedTuple):
    """The friction cone of a point: its pair, its place and axes in the base frame, and whether it is near."""

    pair: Pair
    point: Vec3
    normal: Vec3
    tangents: Sequence[Vec3]
    """Of the length of the coefficient of friction: the edges are the normal plus and minus each."""
    near: Condition

    @property
    def edges(self) -> int:
        """The number of edges."""
        return max(1, 2 * len(self.tangents))


_FACE: Final = 3
"""Points, from which on the rows of a pair are redundant."""
_Numbered: TypeAlias = tuple[int, PointCone]
"""A point, and the number of its first row."""


def row_groups(state: ScalarState, points: Sequence[PointCone]) -> tuple[RowGroup, ...]:
    """Return the rows of points, numbered in this order, in a group for every two bodies.

    There are none unless bodies touch with several shapes, such as feet made of capsules, or with faces. There are none
    for piles of many boxes, of which Newton's method solves all in a few steps; and none where a pair is compliant or
    has torsional or rolling friction, since its rows are not of this form.
    """
    rows_of_bodies: dict[tuple[int, int], list[_Numbered]] = {}
    number = 0
    for row in points:
        rows_of_bodies.setdefault((id(row.pair.body_a), id(row.pair.body_b)), []).append((number, row))
        number += row.edges
    groups = tuple(rows_of_bodies.values())
    several = any(len({id(row.pair) for _, row in rows}) > 1 for rows in groups)
    faces = any(len(rows) >= _FACE for rows in groups) and not _is_pile(state, groups)
    if not (several or faces) or not all(_is_plain(row.pair) for row in points):
        return ()
    return tuple(_group(state, rows) for rows in groups)


def _is_pile(state: ScalarState, groups: Sequence[Sequence[_Numbered]]) -> bool:
    """Return whether the bodies that touch are free, and too many for the active-set method."""
    pairs = [rows[0][1].pair for rows in groups]
    joints = [joint for pair in pairs for joint in state.mechanism.path(pair.body_a, pair.body_b).joints]
    return 6 * len(groups) > MOST_TWISTS and all(joint.is_floating for joint in joints)


def _is_plain(pair: Pair) -> bool:
    """Return whether the edges of the friction cone are all that a pair has."""
    return pair.compliance is None and pair.torsional_friction == pair.rolling_friction == 0


def _group(state: ScalarState, rows: Sequence[tuple[int, PointCone]]) -> RowGroup:
    """Return a group, whose twist is that at its first point; of a single point only the velocity counts."""
    (_, first), several = rows[0], len(rows) > 1
    arms = [sub3(row.point, first.point) for _, row in rows]
    axes = zip(*((row.normal, *row.tangents) for _, row in rows), strict=True)
    wrenches, *tangents = (_wrenches(own, arms if several else ()) for own in axes)
    numbers = tuple(number + k for number, row in rows for k in range(row.edges))
    twist = _twist_map(state, first.pair, first.point)
    near = tuple(row.near for _, row in rows)
    return RowGroup(numbers, wrenches, twist if several else twist[:3], tuple(tangents), near)


def _wrenches(forces: Sequence[Vec3], arms: Sequence[Vec3]) -> Matrix:
    """Return forces with their moments, if there are arms."""
    if not arms:
        return tuple(forces)
    return tuple((*force, *cross3(arm, force)) for force, arm in zip(forces, arms, strict=True))


def _twist_map(state: ScalarState, pair: Pair, point: Vec3) -> Matrix:
    """Return the Jacobian of the first body's velocity at a point relative to the second, and of its rotation."""
    J = geometric_jacobian(state, state.mechanism.path(pair.body_b, pair.body_a), frame=pair.base)
    columns = [(*add3(linear, cross3(angular, point)), *angular) for angular, linear in J.columns]
    return tuple(zip(*columns, strict=True))
