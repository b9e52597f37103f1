"""Copies, whole or in part: new bodies and joints on new frames, so that no frame fits two mechanisms."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rbd.errors import ArgumentError
from rbd.joints.base import JointType
from rbd.mechanism import attach as attach_
from rbd.mechanism import body as bodies_
from rbd.mechanism.body import RigidBody
from rbd.mechanism.joint import Joint, remade
from rbd.mechanism.reports import FrameMap
from rbd.mechanism.structure import Structure
from rbd.mechanism.tree import Link
from rbd.spatial import Frame, Transform
from rbd.spatial.half_space import HalfSpace
from rbd.spatial.values import require_kind


def copied(structure: Structure) -> tuple[Structure, FrameMap]:
    """Return a copy of a whole structure, tags and names of merged bodies included."""
    new, copies = part(structure, structure.root)
    new.books.tags = {copies[frame]: tag for frame, tag in structure.books.tags.items()}
    new.books.merged = dict(structure.books.merged)
    return new, copies


def part(structure: Structure, top: RigidBody) -> tuple[Structure, FrameMap]:
    """Return a copy of a body, as a root without inertia, of all that hang on it, and of the joints among them."""
    snapshot = structure.snapshot()
    members = [body for body in structure.bodies if snapshot.is_below(body, top)]
    frames = _new_frames(members, "")
    copies = {body: bodies_.copied(body, body.name, frames) for body in members}
    tree = [link for link in structure.tree if link.predecessor in copies]
    loops = [link for link in structure.loops if link.predecessor in copies and link.successor in copies]
    new = Structure(copies[top])
    if top is structure.root:
        new.half_spaces = _in_copy(structure, new)
    return new, _adopt(new, structure, tree, loops, frames, copies, "")


def graft(structure: Structure, body: RigidBody, child: Structure, pose: Transform | None, prefix: str) -> FrameMap:
    """Attach copies of all of a child's bodies; `body` plays the part of the child's root."""
    to_body = _root_pose(body, child.root, pose)
    _check_names(structure, child, prefix)
    root, members = child.root, child.bodies[1:]
    tree, loops = list(child.tree), list(child.loops)
    bodies_.require_shareable(root, to_body, "child_root_pose")
    frames = _new_frames((root, *members), prefix)
    copies = {member: bodies_.copied(member, prefix + member.name, frames) for member in members}
    bodies_.share(root, body, frames, to_body)
    copies[root] = body
    merged = {prefix + name: prefix + kept for name, kept in child.books.merged.items() if kept != root.name}
    merged |= {prefix + name: body.name for name, kept in child.books.merged.items() if kept == root.name}
    structure.books.merged |= {name: kept for name, kept in merged.items() if name not in structure.books.bodies}
    return _adopt(structure, child, tree, loops, frames, copies, prefix)


def _root_pose(body: RigidBody, root: RigidBody, pose: Transform | None) -> Transform:
    """Return the transform from the child root's default frame to the body's default frame."""
    if pose is None:
        return Transform.identity(root.default_frame, body.default_frame)
    require_kind(pose, Transform, operation="attach_mechanism", argument="child_root_pose")
    from_root = bodies_.data_of(root).definition(pose.from_frame, "attach_mechanism", "child_root_pose.from_frame")
    to_body = bodies_.data_of(body).definition(pose.to_frame, "attach_mechanism", "child_root_pose.to_frame")
    result: Transform = to_body @ pose @ from_root.inverse()
    return result


def _check_names(structure: Structure, child: Structure, prefix: str) -> None:
    require_kind(prefix, str, operation="attach_mechanism", argument="prefix")
    for member in child.bodies[1:]:
        structure.books.require_new_name(prefix + member.name, structure.books.bodies, "body")
    for joint in child.links:
        structure.books.require_new_name(prefix + joint.name, structure.books.joints, "joint")


def maximal(structure: Structure, floating: JointType | Callable[[], JointType]) -> tuple[Structure, FrameMap]:
    """Return a copy in which every body floats from the root, and every joint closes a loop."""
    joint_type = _floating_type(floating)
    frames = _new_frames(structure.bodies, "")
    copies = {body: bodies_.copied(body, body.name, frames) for body in structure.bodies}
    new = Structure(copies[structure.root])
    new.half_spaces = _in_copy(structure, new)
    taken = set(structure.books.joints)
    for body in structure.bodies[1:]:
        joint = Joint(_free_name(f"{body.name}_floating", taken), joint_type)
        attach_.attach(new, new.root, copies[body], joint, None, None)
    return new, _adopt(new, structure, [], [*structure.tree, *structure.loops], frames, copies, "")


def _floating_type(floating: object) -> JointType:
    made = floating if isinstance(floating, JointType) or not callable(floating) else floating()
    if isinstance(made, JointType) and made.nv == 6:
        return made
    raise ArgumentError(
        f"floating must be a joint type with 6 velocities, not {made!r}", argument="floating", value=floating
    )


def _free_name(name: str, taken: set[str]) -> str:
    """Return the name, made longer until it is free, and note it as taken."""
    while name in taken:
        name += "_"
    taken.add(name)
    return name


# -------------------------------------------------------------------- pieces


def _new_frames(bodies: Sequence[RigidBody], prefix: str) -> dict[Frame, Frame]:
    return {frame: Frame(prefix + frame.name) for body in bodies for frame in body.frames}


def _in_copy(structure: Structure, new: Structure) -> tuple[HalfSpace, ...]:
    """Return the half-spaces with the copy's root frame in place of the original's."""
    change = Transform.identity(structure.root.default_frame, new.root.default_frame)
    return tuple(half_space.transformed(change) for half_space in structure.half_spaces)


def _adopt(
    target: Structure,
    source: Structure,
    tree: Sequence[Link],
    loops: Sequence[Link],
    frames: dict[Frame, Frame],
    copies: dict[RigidBody, RigidBody],
    prefix: str,
) -> FrameMap:
    """Enter the copies of bodies and joints in the target, whose root is there; return the map."""
    joints: dict[Joint, Joint] = {}
    minted = source.minted.copy()
    for links, loop in ((tree, False), (loops, True)):
        for link in links:
            old = link.joint
            new = remade(old, name=prefix + old.name, before=frames[old.frame_before], after=frames[old.frame_after])
            if not loop:
                bodies_.enter(copies[link.successor], target.books)
                target.books.merged.pop(copies[link.successor].name, None)
            target.minted |= {frames[frame] for frame in (old.frame_before, old.frame_after) if frame in minted}
            target.append(Link(new, copies[link.predecessor], copies[link.successor]), loop=loop)
            joints[old] = new
    return FrameMap(dict(frames), dict(copies), joints)
