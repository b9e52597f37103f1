"""Attaching: checks first, then one step that cannot fail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rbd.errors import ArgumentError, TopologyError, quoted
from rbd.mechanism import body as bodies_
from rbd.mechanism import joint as joints_
from rbd.mechanism.body import RigidBody
from rbd.mechanism.joint import Joint
from rbd.mechanism.tree import Link
from rbd.spatial import Transform
from rbd.spatial.frame import check_frame
from rbd.spatial.values import require_finite, require_kind

if TYPE_CHECKING:
    from rbd.mechanism.structure import Structure
    from rbd.spatial import Frame


def attach(
    structure: Structure,
    predecessor: RigidBody,
    successor: RigidBody,
    joint: Joint,
    joint_pose: Transform | None,
    successor_pose: Transform | None,
) -> None:
    """Attach a body, or close a loop if it is already there; see `Mechanism.attach`."""
    require_kind(successor, RigidBody, operation="attach", argument="successor")
    for pose, argument in ((joint_pose, "joint_pose"), (successor_pose, "successor_pose")):
        if pose is not None:
            require_kind(pose, Transform, operation="attach", argument=argument)
    loop = bodies_.books_of(successor) is structure.books
    _check_members(structure, predecessor, successor, joint, loop=loop)
    before = _frame_before(structure, predecessor, joint, joint_pose)
    after = _frame_after(structure, successor, joint, successor_pose)
    if loop:
        _mint(structure, successor, after)
    else:
        view = bodies_.data_of(successor).seen_from(joint.frame_after, after, "successor_pose")
        bodies_.data_of(successor).take(view)
        bodies_.enter(successor, structure.books)
        structure.books.merged.pop(successor.name, None)
        structure.minted |= set() if after is None else {joint.frame_after}
    _mint(structure, predecessor, before)
    structure.append(Link(joint, predecessor, successor), loop=loop)


def _mint(structure: Structure, body: RigidBody, placement: Transform | None) -> None:
    """Fix a joint's frame to a body that does not have it already."""
    if placement is not None:
        structure.mint(body, placement)


def require_loose(structure: Structure, joint: Joint, operation: str = "attach") -> None:
    """Raise ArgumentError if that is no joint, TopologyError if it is attached somewhere."""
    require_kind(joint, Joint, operation=operation, argument="joint")
    books = joints_.books_of(joint)
    if books is not None:
        where = "this mechanism" if books is structure.books else "another mechanism"
        raise TopologyError(f"joint {quoted(joint.name)} is already attached in {where}", joint=joint.name)


def _check_members(
    structure: Structure, predecessor: RigidBody, successor: RigidBody, joint: Joint, *, loop: bool
) -> None:
    """Raise TopologyError unless these two bodies may be connected by this joint."""
    require_loose(structure, joint)
    structure.books.require_new_name(joint.name, structure.books.joints, "joint")
    if successor is predecessor:
        raise TopologyError(
            f"body {quoted(successor.name)} cannot be attached to itself", body=successor.name, joint=joint.name
        )
    if loop:
        return
    if bodies_.books_of(successor) is not None:
        raise TopologyError(f"body {quoted(successor.name)} belongs to another mechanism", body=successor.name)
    structure.books.require_new_name(successor.name, structure.books.bodies, "body")
    for frame in successor.frames:
        structure.books.require_new_frame(frame, "successor")
    bodies_.data_of(successor).require_new_frame(joint.frame_before, "joint.frame_before")  # it is on the predecessor


def _frame_before(structure: Structure, body: RigidBody, joint: Joint, pose: Transform | None) -> Transform | None:
    """Return the frame before the joint with respect to its body; None if the body has it already."""
    frame = joint.frame_before
    if body.has_frame(frame):
        _refuse_pose(pose, frame, body, "joint_pose")
        return None
    structure.books.require_new_frame(frame, "joint.frame_before")
    if pose is None:
        return Transform.identity(frame, body.default_frame)
    check_frame(pose.from_frame, frame, operation="attach", argument="joint_pose.from_frame")
    on_body = bodies_.data_of(body).definition(pose.to_frame, "attach", "joint_pose.to_frame")
    return require_finite(on_body @ pose, "joint_pose")


def _frame_after(structure: Structure, body: RigidBody, joint: Joint, pose: Transform | None) -> Transform | None:
    """Return the frame after the joint with respect to its body; None if the body has it already."""
    frame = joint.frame_after
    if body.has_frame(frame):
        _refuse_pose(pose, frame, body, "successor_pose")
        return None
    structure.books.require_new_frame(frame, "joint.frame_after")
    if pose is None:
        return Transform.identity(frame, body.default_frame)
    check_frame(pose.to_frame, frame, operation="attach", argument="successor_pose.to_frame")
    on_body = bodies_.data_of(body).definition(pose.from_frame, "attach", "successor_pose.from_frame")
    return require_finite(on_body @ pose.inverse(), "successor_pose")


def _refuse_pose(pose: Transform | None, frame: Frame, body: RigidBody, argument: str) -> None:
    """Raise ArgumentError if a pose is given for a frame that has its place already."""
    if pose is not None:
        raise ArgumentError(
            f"{argument}: {frame!r} is already fixed to body {quoted(body.name)}; give no pose for it",
            argument=argument,
            value=pose,
        )
