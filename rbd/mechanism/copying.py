"""Copies of mechanisms, whole or in part, and of bodies: all are new, and no frame belongs to two mechanisms."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rbd.arguments import require_kind
from rbd.errors import ArgumentError, TopologyError, quoted
from rbd.joints.base import JointType, made_joint_type
from rbd.mechanism import attach as attach_
from rbd.mechanism.body import RigidBody
from rbd.mechanism.body_data import BodyData, ContactPoint
from rbd.mechanism.coupling import with_joints
from rbd.mechanism.edit_reports import FrameMap
from rbd.mechanism.joint import Joint, copy_joint
from rbd.mechanism.registry import body_data_of, register_body, set_body_data
from rbd.mechanism.structure import Structure
from rbd.mechanism.tree import Edge
from rbd.spatial import Frame, Point, SpatialInertia, Transform
from rbd.spatial.half_space import HalfSpace
from rbd.spatial.values import require_finite


def copy_structure(structure: Structure) -> tuple[Structure, FrameMap]:
    """Return a copy of a whole structure, tags and names of merged bodies included."""
    new, copies = copy_subtree(structure, structure.root)
    new.registry.tags = {copies[frame]: tag for frame, tag in structure.registry.tags.items()}
    new.registry.merged = dict(structure.registry.merged)
    new.registry.orphaned_frames = {copies[frame] for frame in structure.registry.orphaned_frames}
    return new, copies


def copy_subtree(structure: Structure, top: RigidBody) -> tuple[Structure, FrameMap]:
    """Return a copy of a body, as a root without inertia, of its subtree, and of the joints in it."""
    spanning_tree = structure.spanning_tree()
    members = [body for body in structure.bodies if spanning_tree.is_in_subtree(body, top)]
    frames = _new_frames(members, "")
    copies = {body: copy_body(body, body.name, frames) for body in members}
    tree = [edge for edge in structure.tree if edge.predecessor in copies]
    loops = [edge for edge in structure.loops if edge.predecessor in copies and edge.successor in copies]
    new = Structure(copies[top])
    if top is structure.root:
        new.half_spaces = _copied_half_spaces(structure, new)
    return new, _register_copies(new, structure, tree, loops, frames, copies, "")


def attach_copy(
    structure: Structure, body: RigidBody, child: Structure, pose: Transform | None, prefix: str
) -> FrameMap:
    """Attach copies of all bodies of a child mechanism; `body` takes the place of the child's root."""
    to_body = _root_pose(body, child.root, pose)
    _check_names(structure, child, prefix)
    root, members = child.root, child.bodies[1:]
    tree, loops = list(child.tree), list(child.loops)
    require_copyable(root, to_body, "child_root_pose")
    frames = _new_frames((root, *members), prefix)
    copies = {member: copy_body(member, prefix + member.name, frames) for member in members}
    copy_contents(root, body, frames, to_body)
    copies[root] = body
    merged = {prefix + name: prefix + target for name, target in child.registry.merged.items() if target != root.name}
    merged |= {prefix + name: body.name for name, target in child.registry.merged.items() if target == root.name}
    structure.registry.merged |= {
        name: target for name, target in merged.items() if name not in structure.registry.bodies
    }
    return _register_copies(structure, child, tree, loops, frames, copies, prefix)


def _root_pose(body: RigidBody, root: RigidBody, pose: Transform | None) -> Transform:
    """Return the transform from the child root's default frame to the body's default frame."""
    if pose is None:
        return Transform.identity(root.default_frame, body.default_frame)
    require_kind(pose, Transform, operation="attach_mechanism", argument="child_root_pose")
    from_root = body_data_of(root).definition(pose.from_frame, "attach_mechanism", "child_root_pose.from_frame")
    to_body = body_data_of(body).definition(pose.to_frame, "attach_mechanism", "child_root_pose.to_frame")
    result: Transform = to_body @ pose @ from_root.inverse()
    return result


def _check_names(structure: Structure, child: Structure, prefix: str) -> None:
    require_kind(prefix, str, operation="attach_mechanism", argument="prefix")
    for member in child.bodies[1:]:
        structure.registry.require_new_name(prefix + member.name, structure.registry.bodies, "body")
    for joint in child.edges:
        structure.registry.require_new_name(prefix + joint.name, structure.registry.joints, "joint")
    for name in child.couplings:
        structure.registry.require_new_name(prefix + name, structure.couplings, "coupling")


def copy_in_maximal_coordinates(
    structure: Structure, floating: JointType | Callable[[], JointType]
) -> tuple[Structure, FrameMap]:
    """Return a copy in which every body floats from the root, and every joint closes a loop."""
    joint_type = _floating_type(floating)
    for coupling in structure.couplings.values():
        message = f"coupling {quoted(coupling.name)} needs coordinates of joints, which loop joints do not have"
        raise TopologyError(f"{message}; uncouple it first", joint=coupling.joint.name)
    frames = _new_frames(structure.bodies, "")
    copies = {body: copy_body(body, body.name, frames) for body in structure.bodies}
    new = Structure(copies[structure.root])
    new.half_spaces = _copied_half_spaces(structure, new)
    taken = set(structure.registry.joints)
    for body in structure.bodies[1:]:
        joint = Joint(_free_name(f"{body.name}_floating", taken), joint_type)
        attach_.attach(new, new.root, copies[body], joint, None, None)
    return new, _register_copies(new, structure, [], [*structure.tree, *structure.loops], frames, copies, "")


def _floating_type(floating: object) -> JointType:
    floating_type = made_joint_type(floating, "floating")
    if floating_type.nv == 6:
        return floating_type
    raise ArgumentError(
        f"floating must be a joint type with 6 velocities, not {floating_type!r}", argument="floating", value=floating
    )


def _free_name(name: str, taken: set[str]) -> str:
    """Return a free name that begins with the given one, and reserve it."""
    while name in taken:
        name += "_"
    taken.add(name)
    return name


# -------------------------------------------------------------------- pieces


def _new_frames(bodies: Sequence[RigidBody], prefix: str) -> dict[Frame, Frame]:
    return {frame: Frame(prefix + frame.name) for body in bodies for frame in body.frames}


def _copied_half_spaces(structure: Structure, new: Structure) -> tuple[HalfSpace, ...]:
    """Return the half-spaces with the copy's root frame in place of the original's."""
    change = Transform.identity(structure.root.default_frame, new.root.default_frame)
    return tuple(half_space.transformed(change) for half_space in structure.half_spaces)


def _register_copies(
    target: Structure,
    source: Structure,
    tree: Sequence[Edge],
    loops: Sequence[Edge],
    frames: dict[Frame, Frame],
    copies: dict[RigidBody, RigidBody],
    prefix: str,
) -> FrameMap:
    """Register the copies of bodies and joints in the target, which has its root; return the map."""
    joints: dict[Joint, Joint] = {}
    defined_by_joints = source.joint_frames.copy()
    for edges, loop in ((tree, False), (loops, True)):
        for edge in edges:
            old = edge.joint
            new = copy_joint(
                old, name=prefix + old.name, before=frames[old.frame_before], after=frames[old.frame_after]
            )
            if not loop:
                register_body(copies[edge.successor], target.registry)
                target.registry.merged.pop(copies[edge.successor].name, None)
            target.joint_frames |= {
                frames[frame] for frame in (old.frame_before, old.frame_after) if frame in defined_by_joints
            }
            target.append(Edge(new, copies[edge.predecessor], copies[edge.successor]), loop=loop)
            joints[old] = new
    for coupling in source.couplings.values():
        if all(joint in joints for joint in coupling.joints):
            target.add_coupling(with_joints(coupling, joints, prefix + coupling.name))
    return FrameMap(dict(frames), dict(copies), joints)


# -------------------------------------------------------------------- copies of bodies


def copy_body(body: RigidBody, name: str, frames: Mapping[Frame, Frame]) -> RigidBody:
    """Return a copy that belongs to no mechanism; `frames` maps the body's frames to those of the copy."""
    data = body_data_of(body)
    default = frames[data.default_frame]
    points = [
        ContactPoint(Point.trusted(default, point.location.xyz_components), point.model)
        for point in data.contact_points
    ]
    fixed = {frames[frame]: relabelled(tf, frames[frame], default) for frame, tf in data.frames.items()}
    inertia = None if data.inertia is None else _inertia_in(default, data.inertia)
    new = RigidBody.__new__(RigidBody)
    set_body_data(new, BodyData(name, frames[data.own_frame], default, inertia, fixed, points))
    return new


def require_copyable(source: RigidBody, pose: Transform, argument: str) -> None:
    """Raise NotFiniteError, naming `argument`, when frames or contact points of a body overflow where `pose` leads."""
    data = body_data_of(source)
    for tf in data.frames.values():
        require_finite(pose @ tf, argument)
    for point in data.contact_points:
        require_finite(pose @ point.location, argument)


def copy_contents(source: RigidBody, target: RigidBody, frames: Mapping[Frame, Frame], pose: Transform) -> None:
    """Give a body frames and contact points of another; `frames` maps the source's frames to the target's.

    `pose` maps the source's default frame to the target's default frame.
    """
    data, default = body_data_of(source), target.default_frame
    for frame, tf in tuple(data.frames.items()):  # source and target may be one
        body_data_of(target).fix_frame(relabelled(pose @ tf, frames[frame], default))
    for point in tuple(data.contact_points):
        target.add_contact_point(pose @ point.location, point.model)


def relabelled(tf: Transform, from_frame: Frame, to_frame: Frame) -> Transform:
    """Return a transform of the same components between other frames."""
    return Transform.trusted(from_frame, to_frame, tf.rotation_components, tf.translation_components)


def _inertia_in(frame: Frame, inertia: SpatialInertia) -> SpatialInertia:
    return SpatialInertia.trusted(frame, inertia.moment_components, inertia.cross_part_components, inertia.mass)
