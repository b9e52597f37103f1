"""Fewer inertial parameters for the same torques: what a joint cannot feel moves to the body before it.

A body that turns about an axis pulls at its joint in the same way when its mass sits on the axis, and the part of its
moment that is the same in all directions across the axis, belong to the body before: such parts have the same momentum
on either side of the joint (base parameters, Khalil and Gautier). Torques, mass matrix and accelerations of the joints
stay the same; wrenches, momenta and energies of single bodies do not, so this is only for recordings that ask for none
of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rbd.joints.turning import TurningJoint
from rbd.scalars import Scalar, is_float
from rbd.spatial import SpatialInertia
from rbd.spatial.linalg import Mat3, Vec3, dot3, identity3, outer, scale3, scale33, sub3, sub33

if TYPE_CHECKING:
    from rbd.state.base import StateView
    from rbd.state.layout import Link


def regrouped(state: StateView, inertias: Sequence[SpatialInertia]) -> tuple[SpatialInertia, ...]:
    """Return, per body, inertias (body frames) with which every joint feels what it feels with `inertias`."""
    result = list(inertias)
    for link in reversed(state.links):
        joint_type = link.joint.type
        if isinstance(joint_type, TurningJoint) and _is_plain(result[link.index]):
            _move_inwards(state, link, joint_type.axis, result)
    return tuple(result)


def _is_plain(inertia: SpatialInertia) -> bool:
    """Return whether an inertia is numbers: moving symbols about would cost more than it saves."""
    return all(is_float(x) for x in inertia.components)


def _move_inwards(state: StateView, link: Link, axis: Vec3, inertias: list[SpatialInertia]) -> None:
    inertia = inertias[link.index]
    along = scale3(axis, dot3(axis, inertia.cross_part_components))
    across = scale33(sub33(identity3(), outer(axis, axis)), _common_moment(axis, inertia.moment_components))
    inertias[link.index] = SpatialInertia.trusted(
        inertia.frame, sub33(inertia.moment_components, across), sub3(inertia.cross_part_components, along), 0
    )
    if link.parent:
        felt = SpatialInertia.trusted(link.joint.frame_before, across, along, inertia.mass)
        inertias[link.parent] = inertias[link.parent] + felt.transformed(state.placement(link.joint))


def _common_moment(axis: Vec3, moment: Mat3) -> Scalar:
    """Return the moment to move: one of the diagonal, so that it vanishes; none for an oblique axis."""
    for k in range(3):
        if axis[k] == 1 or axis[k] == -1:
            other = (k + 1) % 3
            return moment[other][other]
    return 0
