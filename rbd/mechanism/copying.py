"""Copies of mechanisms, whole or in part, and of bodies: all are new, and no frame belongs to two mechanisms."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import final

import attrs

from rbd.arguments import require_kind
from rbd.errors import ArgumentError, TopologyError, quoted
from rbd.joints.base import JointType, joint_type_from
from rbd.mechanism.body import BodyData, ContactPoint, RigidBody
from rbd.mechanism.coupling import with_joints
from rbd.mechanism.edits.attach import checked_attachment
from rbd.mechanism.edits.reports import FrameMap
from rbd.mechanism.joint import Joint, copy_joint
from rbd.mechanism.members import data_of, registry_of, set_data
from rbd.mechanism.names import free_name
from rbd.mechanism.structure import Structure
from rbd.mechanism.tree import Edge
from rbd.spatial import Frame, Point, SpatialInertia, Transform
from rbd.spatial.half_space import HalfSpace
from rbd.spatial.transform import with_frames
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
    copies = _Copies.of([body for body in structure.bodies if spanning_tree.is_in_subtree(body, top)])
    new = Structure(copies.bodies[top])
    if top is structure.root:
        new.half_spaces = _copied_half_spaces(structure, new)
    return new, copies.append(structure, new)


def attach_copy(
    structure: Structure, body: RigidBody, child: Structure, pose: Transform | None, prefix: str
) -> FrameMap:
    """Attach copies of all bodies of a child mechanism; `body` takes the place of the child's root."""
    to_body = _root_pose(body, child.root, pose)
    _check_names(structure, child, prefix)
    require_copyable(child.root, to_body, "child_root_pose")
    copies = _Copies.of(child.bodies, prefix)
    copy_contents(child.root, body, copies.frames, to_body)
    copies.bodies[child.root] = body
    merged = _copied_merged(child, body, prefix)
    structure.registry.merged |= {name: to for name, to in merged.items() if name not in structure.registry.bodies}
    return copies.append(child, structure)


def _copied_merged(child: Structure, body: RigidBody, prefix: str) -> dict[str, str]:
    """Return the names of merged bodies of the child, with those of the copies of the bodies they went to."""
    root = child.root.name
    return {prefix + name: body.name if to == root else prefix + to for name, to in child.registry.merged.items()}


def _root_pose(body: RigidBody, root: RigidBody, pose: Transform | None) -> Transform:
    """Return the transform from the child root's default frame to the body's default frame."""
    if pose is None:
        return Transform.identity(root.default_frame, body.default_frame)
    require_kind(pose, Transform, operation="attach_mechanism", argument="child_root_pose")
    from_root = data_of(root).to_default(pose.from_frame, "attach_mechanism", "child_root_pose.from_frame")
    to_body = data_of(body).to_default(pose.to_frame, "attach_mechanism", "child_root_pose.to_frame")
    result: Transform = to_body @ pose @ from_root.inverse()
    return result


def _check_names(structure: Structure, child: Structure, prefix: str) -> None:
    require_kind(prefix, str, operation="attach_mechanism", argument="prefix")
    advice = "; prefix='...' gives other names to the copies"
    for member in child.bodies[1:]:
        structure.registry.require_new_name(prefix + member.name, structure.registry.bodies, "body", advice)
    for joint in child.edges:
        structure.registry.require_new_name(prefix + joint.name, structure.registry.joints, "joint", advice)
    for name in child.couplings:
        structure.registry.require_new_name(prefix + name, structure.couplings, "coupling", advice)


def copy_in_maximal_coordinates(
    structure: Structure, floating: JointType | Callable[[], JointType]
) -> tuple[Structure, FrameMap]:
    """Return a copy in which every body floats from the root, and every joint closes a loop."""
    joint_type = _floating_type(floating)
    for coupling in structure.couplings.values():
        message = f"coupling {quoted(coupling.name)} needs coordinates of joints, which loop joints do not have"
        raise TopologyError(f"{message}; uncouple it first", joint=coupling.joint.name)
    copies = _Copies.of(structure.bodies)
    new = Structure(copies.bodies[structure.root])
    new.half_spaces = _copied_half_spaces(structure, new)
    taken = set(structure.registry.joints)
    for body in structure.bodies[1:]:
        joint = Joint(free_name(f"{body.name}_floating", taken), joint_type)
        taken.add(joint.name)
        checked_attachment(new, Edge(joint, new.root, copies.bodies[body])).commit(new)
    return new, copies.append(structure, new)


def _floating_type(floating: object) -> JointType:
    floating_type = joint_type_from(floating, "floating")
    if floating_type.nv == 6:
        return floating_type
    raise ArgumentError(
        f"floating must be a joint type with 6 velocities, not {floating_type!r}", argument="floating", value=floating
    )


# -------------------------------------------------------------------- pieces


@final
@attrs.frozen(eq=False)
class _Copies:
    """Copies of bodies and their frames, under names with a prefix."""

    prefix: str
    frames: dict[Frame, Frame]
    bodies: dict[RigidBody, RigidBody]

    @classmethod
    def of(cls, bodies: Sequence[RigidBody], prefix: str = "") -> _Copies:
        """Return copies that belong to no mechanism."""
        frames = {frame: Frame(prefix + frame.name) for body in bodies for frame in body.frames}
        return cls(prefix, frames, {body: copy_body(body, prefix + body.name, frames) for body in bodies})

    def append(self, source: Structure, target: Structure) -> FrameMap:
        """Append copies of the source's joints and couplings among these bodies to the target, which may be the same.

        Bodies that are new in the target are registered there; return the map.
        """
        edges = [e for e in (*source.tree, *source.loops) if {e.predecessor, e.successor} <= self.bodies.keys()]
        couplings, fixed = list(source.couplings.values()), source.joint_frames.copy()
        joints: dict[Joint, Joint] = {}
        for edge in edges:
            joints[edge.joint] = self._append_joint(edge, target, fixed)
        for coupling in couplings:
            if all(joint in joints for joint in coupling.joints):
                target.add_coupling(with_joints(coupling, joints, self.prefix + coupling.name))
        return FrameMap(self.frames, self.bodies, joints)

    def _append_joint(self, edge: Edge, target: Structure, fixed: Collection[Frame]) -> Joint:
        """Append a copy of an edge; of its frames those in `fixed` stay when the joint is removed. Return the joint."""
        joint, ends = edge.joint, (edge.joint.frame_before, edge.joint.frame_after)
        before, after = (self.frames[frame] for frame in ends)
        new = copy_joint(joint, name=self.prefix + joint.name, before=before, after=after)
        successor = self.bodies[edge.successor]
        if registry_of(successor) is None:
            target.add_body(successor)
        target.joint_frames |= {self.frames[frame] for frame in ends if frame in fixed}
        target.append(Edge(new, self.bodies[edge.predecessor], successor))
        return new


def _copied_half_spaces(structure: Structure, new: Structure) -> tuple[HalfSpace, ...]:
    """Return the half-spaces with the copy's root frame in place of the original's."""
    change = Transform.identity(structure.root.default_frame, new.root.default_frame)
    return tuple(half_space.transformed(change) for half_space in structure.half_spaces)


# -------------------------------------------------------------------- copies of bodies


def copy_body(body: RigidBody, name: str, frames: Mapping[Frame, Frame]) -> RigidBody:
    """Return a copy that belongs to no mechanism; `frames` maps the body's frames to those of the copy."""
    data = data_of(body)
    default = frames[data.default_frame]
    points = [
        ContactPoint(Point.trusted(default, point.location.xyz_components), point.model)
        for point in data.contact_points
    ]
    fixed = {frames[frame]: with_frames(tf, frames[frame], default) for frame, tf in data.frames.items()}
    inertia = None if data.inertia is None else _inertia_in(default, data.inertia)
    new = RigidBody.__new__(RigidBody)
    set_data(new, BodyData(name, frames[data.original_frame], default, inertia, fixed, points))
    return new


def _inertia_in(frame: Frame, inertia: SpatialInertia) -> SpatialInertia:
    return SpatialInertia.trusted(frame, inertia.moment_components, inertia.first_moment_components, inertia.mass)


def require_copyable(source: RigidBody, pose: Transform, argument: str) -> None:
    """Raise NotFiniteError, naming `argument`, when frames or contact points of a body overflow where `pose` leads."""
    data = data_of(source)
    for tf in data.frames.values():
        require_finite(pose @ tf, argument)
    for point in data.contact_points:
        require_finite(pose @ point.location, argument)


def copy_contents(source: RigidBody, target: RigidBody, frames: Mapping[Frame, Frame], pose: Transform) -> None:
    """Give a body frames and contact points of another; `frames` maps the source's frames to the target's.

    `pose` maps the source's default frame to the target's default frame.
    """
    data, default = data_of(source), target.default_frame
    for frame, tf in tuple(data.frames.items()):  # source and target may be one
        data_of(target).fix_frame(with_frames(pose @ tf, frames[frame], default))
    for point in tuple(data.contact_points):
        target.add_contact_point(pose @ point.location, point.model)
