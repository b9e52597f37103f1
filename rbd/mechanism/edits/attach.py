"""Attaching bodies and closing loops: all checks come before the first change."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

import attrs

from rbd.arguments import require_kind
from rbd.errors import ArgumentError, TopologyError, quoted
from rbd.joints.base import JointType
from rbd.mechanism.body import RigidBody
from rbd.mechanism.joint import Joint
from rbd.mechanism.members import Member, data_of, registry_of, set_data
from rbd.mechanism.tree import Edge
from rbd.spatial import Transform
from rbd.spatial.frame import check_frame
from rbd.spatial.values import require_finite

if TYPE_CHECKING:
    from rbd.mechanism.structure import Structure
    from rbd.spatial import Frame


@final
@attrs.frozen(eq=False)
class Attachment:
    """A checked edit: an edge to add, with its successor if that is new, and the poses of the frames of its joint."""

    edge: Edge
    pose_before: Transform | None
    """Of the frame before the joint on the predecessor; None if that body has the frame already."""
    pose_after: Transform | None
    """Of the frame after the joint on the successor; None likewise."""
    members: tuple[Member, ...]
    """Bodies and joints that the edit changes."""

    def commit(self, structure: Structure) -> None:
        """Add the edge, and its successor if it is new; fix the frames of the joint to the bodies."""
        edge = self.edge
        if registry_of(edge.successor) is None:
            _add_body(structure, edge.successor, edge.joint.frame_after, self.pose_after)
        elif self.pose_after is not None:
            structure.fix_joint_frame(edge.successor, self.pose_after)
        if self.pose_before is not None:
            structure.fix_joint_frame(edge.predecessor, self.pose_before)
        structure.append(edge)


def checked_attachment(
    structure: Structure, edge: Edge, joint_pose: Transform | None = None, successor_pose: Transform | None = None
) -> Attachment:
    """Return the edit that attaches the successor of an edge, or closes a loop; see `Mechanism.attach`."""
    joint, predecessor, successor = edge.joint, edge.predecessor, edge.successor
    require_kind(successor, RigidBody, operation="attach", argument="successor")
    _require_poses(joint_pose=joint_pose, successor_pose=successor_pose)
    _check_joint(structure, edge)
    if registry_of(successor) is not structure.registry:
        _check_new_body(structure, edge)
    before = _joint_frame_pose(structure, predecessor, joint.frame_before, joint_pose, to_joint=False)
    after = _joint_frame_pose(structure, successor, joint.frame_after, successor_pose, to_joint=True)

    holders = structure.registry.bodies_with_orphaned_frames((*successor.frames, joint.frame_before, joint.frame_after))
    return Attachment(edge, before, after, (predecessor, successor, joint, *holders))


def _require_poses(**poses: Transform | None) -> None:
    """Raise ArgumentError unless each of the arguments is a Transform or None."""
    for argument, pose in poses.items():
        if pose is not None:
            require_kind(pose, Transform, operation="attach", argument=argument)


def _add_body(structure: Structure, body: RigidBody, frame_after: Frame, pose: Transform | None) -> None:
    """Add a body, its data in the frame after its joint; `pose`, if given, fixes that frame to the body."""
    set_data(body, data_of(body).expressed_in(frame_after, pose, "successor_pose"))
    structure.add_body(body)
    if pose is not None:
        structure.joint_frames.add(frame_after)


def require_unattached(structure: Structure, joint: Joint, operation: str = "attach") -> None:
    """Raise ArgumentError unless `joint` is a Joint, TopologyError if it is attached."""
    if isinstance(joint, JointType):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may be untyped
        kind = type(joint).__name__
        message = f"{operation}: joint must be a Joint, not a joint type; Joint(name, {kind}(...)) makes one"
        raise ArgumentError(message, argument="joint", value=joint, allowed="a Joint")
    require_kind(joint, Joint, operation=operation, argument="joint")
    registry = registry_of(joint)
    if registry is not None:
        where = "this mechanism" if registry is structure.registry else "another mechanism"
        raise TopologyError(f"joint {quoted(joint.name)} is already attached in {where}", joint=joint.name)


def _check_joint(structure: Structure, edge: Edge) -> None:
    """Raise TopologyError unless this joint is new, and connects two bodies."""
    require_unattached(structure, edge.joint)
    structure.registry.require_new_name(edge.joint.name, structure.registry.joints, "joint")
    if edge.successor is edge.predecessor:
        name = edge.successor.name
        raise TopologyError(f"body {quoted(name)} cannot be attached to itself", body=name, joint=edge.joint.name)


def _check_new_body(structure: Structure, edge: Edge) -> None:
    """Raise TopologyError unless the successor belongs to no mechanism, and its names and frames are new."""
    successor = edge.successor
    if registry_of(successor) is not None:
        raise TopologyError(f"body {quoted(successor.name)} belongs to another mechanism", body=successor.name)
    structure.registry.require_new_name(successor.name, structure.registry.bodies, "body")
    for frame in successor.frames:
        structure.registry.require_new_frame(frame, "successor")
    # The frame before the joint belongs to the predecessor.
    data_of(successor).require_new_frame(edge.joint.frame_before, "joint.frame_before")


def _joint_frame_pose(
    structure: Structure, body: RigidBody, frame: Frame, pose: Transform | None, *, to_joint: bool
) -> Transform | None:
    """Return the pose of a frame of a joint on its body; None if the body has the frame already.

    `pose` is `joint_pose`, which starts in the frame, or `successor_pose`, which leads `to_joint`.
    """
    name = "after" if to_joint else "before"
    argument = "successor_pose" if to_joint else "joint_pose"
    if body.has_frame(frame) and (pose is None or frame not in structure.registry.orphaned_frames):
        _refuse_pose(pose, frame, body, argument)
        return None
    structure.registry.require_new_frame(frame, f"joint.frame_{name}")
    if pose is None:
        return Transform.identity(frame, body.default_frame)
    ends = {"from_frame": pose.from_frame, "to_frame": pose.to_frame}
    own, other = ("to_frame", "from_frame") if to_joint else ("from_frame", "to_frame")
    check_frame(ends[own], frame, operation="attach", argument=f"{argument}.{own}")
    on_body = data_of(body).to_default(ends[other], "attach", f"{argument}.{other}")
    return require_finite(on_body @ (pose.inverse() if to_joint else pose), argument)


def _refuse_pose(pose: Transform | None, frame: Frame, body: RigidBody, argument: str) -> None:
    """Raise ArgumentError if a pose is given for a frame that is already fixed to the body."""
    if pose is not None:
        raise ArgumentError(
            f"{argument}: {frame!r} is already fixed to body {quoted(body.name)}; give no pose for it",
            argument=argument,
            value=pose,
        )
