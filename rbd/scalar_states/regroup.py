"""Regrouping of inertial parameters (base parameters): fewer parameters with the same joint torques.

For a body on a revolute joint, its mass on the axis and an isotropic part of its moment of inertia across the axis
have the same momentum on both sides of the joint, so they can be moved to the parent (Gautier and Khalil, 1990). Joint
torques, mass matrix and joint accelerations do not change; wrenches, momenta and energies of single bodies do. Only
recordings without these may regroup.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rbd.joints.one_axis import AxisRotationJoint
from rbd.scalars import Scalar, is_float
from rbd.spatial import SpatialInertia
from rbd.spatial.linalg import Mat3, Vec3, dot3, identity3, outer, scale3, scale33, sub3, sub33

if TYPE_CHECKING:
    from rbd.indexing.layout import TreeNode
    from rbd.kernels.state_view import StateView


def regrouped(state: StateView, inertias: Sequence[SpatialInertia]) -> tuple[SpatialInertia, ...]:
    """Return, per body, regrouped inertias (body frames) with the same joint torques as `inertias`."""
    result = list(inertias)
    for node in reversed(state.nodes):
        joint_type = node.joint.type
        if isinstance(joint_type, AxisRotationJoint) and _is_plain(result[node.index]):
            _move_to_parent(state, node, joint_type.axis, result)
    return tuple(result)


def _is_plain(inertia: SpatialInertia) -> bool:
    """Return whether an inertia is numbers: regrouping symbols would cost operations."""
    return all(is_float(x) for x in inertia.components)


def _move_to_parent(state: StateView, node: TreeNode, axis: Vec3, inertias: list[SpatialInertia]) -> None:
    inertia = inertias[node.index]
    along = scale3(axis, dot3(axis, inertia.first_moment_components))
    across = scale33(sub33(identity3(), outer(axis, axis)), _common_moment(axis, inertia.moment_components))
    inertias[node.index] = SpatialInertia.trusted(
        inertia.frame, sub33(inertia.moment_components, across), sub3(inertia.first_moment_components, along), 0
    )
    if node.parent:
        transferred = SpatialInertia.trusted(node.joint.frame_before, across, along, inertia.mass)
        inertias[node.parent] = inertias[node.parent] + transferred.transformed(state.placement(node.joint))


def _common_moment(axis: Vec3, moment: Mat3) -> Scalar:
    """Return the moment to move: one diagonal entry, which becomes zero; 0 for an oblique axis."""
    for k in range(3):
        if axis[k] == 1 or axis[k] == -1:
            other = (k + 1) % 3
            return moment[other][other]
    return 0
