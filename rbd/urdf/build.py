"""Construction of a Mechanism from the description of a robot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from rbd.errors import InertiaError, UrdfTopologyError, UrdfValueError, quoted
from rbd.files.inertias import unchecked_inertia
from rbd.files.pose import ZERO, ZERO_MATRIX, FloatMat3, matrix_of_array
from rbd.joints import Fixed, JointType, Planar, Prismatic, QuaternionFloating, QuaternionSpherical, Revolute
from rbd.mechanism import Joint, Mechanism, RigidBody
from rbd.mechanism.mechanism import in_one_transaction
from rbd.spatial import Frame, SpatialInertia, Transform
from rbd.urdf.description import UrdfInertial, UrdfJoint, UrdfLink, UrdfLoop, UrdfRobot
from rbd.urdf.origins import planar_axes
from rbd.urdf.reading import UrdfReading
from rbd.urdf.topology import tree_of_links

WORLD: Final = "world"


def build_mechanism(
    reading: UrdfReading, robot: UrdfRobot,
    *, floating: bool, couple_joints: bool, remove_fixed_joints: bool, gravity: Sequence[float],
) -> Mechanism:  # fmt: skip
    """Return the mechanism of a robot, fixed to or floating from the root body "world"."""
    tree = tree_of_links(reading, robot)
    mechanism = Mechanism(WORLD, gravity=gravity)

    def attach_all() -> None:
        bodies = {tree.root.name: _attach_root_link(reading, mechanism, robot, tree.root, floating)}
        for urdf_joint in tree.joints:
            with reading.errors_at(urdf_joint.node):
                body = _body(reading, robot.links[urdf_joint.child])
                _attach(mechanism, bodies[urdf_joint.parent], body, urdf_joint)
            bodies[urdf_joint.child] = body
        _close_loops(reading, mechanism, robot, bodies)
        if couple_joints:
            _couple(reading, mechanism, robot)

    in_one_transaction(mechanism, attach_all)
    if remove_fixed_joints:
        with reading.errors_at(robot.node):
            mechanism.remove_fixed_joints()
    return mechanism


def _attach(mechanism: Mechanism, parent: RigidBody, body: RigidBody, urdf_joint: UrdfJoint) -> None:
    joint = _joint(urdf_joint)
    mechanism.attach(parent, body, joint, joint_pose=_pose(urdf_joint, joint, parent))


def _close_loops(reading: UrdfReading, mechanism: Mechanism, robot: UrdfRobot, bodies: dict[str, RigidBody]) -> None:
    for loop in robot.loops:
        with reading.errors_at(loop.joint.node):
            _close(mechanism, loop, bodies)


def _couple(reading: UrdfReading, mechanism: Mechanism, robot: UrdfRobot) -> None:
    """Couple joints that mimic others."""
    for urdf_mimic in robot.mimics:
        mimic = urdf_mimic.entry
        with reading.errors_at(urdf_mimic.node):
            mechanism.couple(mimic.joint, mimic.source, ratio=mimic.multiplier, offset=mimic.offset)


def _close(mechanism: Mechanism, loop: UrdfLoop, bodies: dict[str, RigidBody]) -> None:
    """Attach a loop joint; its frame after is added to the link as it is placed: inverting the pose would round it."""
    joint, predecessor, successor = _joint(loop.joint), bodies[loop.joint.parent], bodies[loop.joint.child]
    successor.add_frame(loop.pose_after.transform(joint.frame_after, successor.default_frame))
    mechanism.attach(predecessor, successor, joint, joint_pose=_pose(loop.joint, joint, predecessor))


def _attach_root_link(
    reading: UrdfReading, mechanism: Mechanism, robot: UrdfRobot, root: UrdfLink, floating: bool
) -> RigidBody:
    """Return the body of the root link: the world if it has that name, else a body attached to it."""
    if root.name == WORLD:
        return _world_as_root(reading, mechanism, root, floating)
    name = f"{root.name}_to_{WORLD}"
    for what, element in (("link", robot.links.get(WORLD)), ("joint", robot.joints.get(name))):
        if element is not None:
            taken = WORLD if what == "link" else name
            message = f"the name {quoted(taken)} is taken: it belongs to the {what} that stands above the root link"
            raise reading.error(UrdfTopologyError, element.node, message, name=taken)
    with reading.errors_at(root.node):
        body = _body(reading, root)
        mechanism.attach(mechanism.root_body, body, Joint(name, QuaternionFloating() if floating else Fixed()))
    return body


def _world_as_root(reading: UrdfReading, mechanism: Mechanism, root: UrdfLink, floating: bool) -> RigidBody:
    if floating:
        message = f"floating=True, but the root link is {quoted(WORLD)} itself, which cannot float"
        raise reading.error(UrdfTopologyError, root.node, message, name=WORLD)
    if root.inertial is not None:
        reading.ignore(root.inertial.node, reason="the world does not move")
    return mechanism.root_body


def _body(reading: UrdfReading, link: UrdfLink) -> RigidBody:
    """Return the body of a link; its first frame is the link frame and has the link's name."""
    frame = Frame(link.name)
    if link.inertial is None:
        return RigidBody(link.name, unchecked_inertia(frame, 0.0, ZERO, ZERO_MATRIX))
    return RigidBody(link.name, _inertia(reading, frame, link.inertial))


def _inertia(reading: UrdfReading, frame: Frame, inertial: UrdfInertial) -> SpatialInertia:
    try:
        return SpatialInertia(frame, mass=inertial.mass, com=inertial.com, moment_about_com=inertial.moment)
    except InertiaError as error:
        remedy = "the nearest possible one is taken" if reading.project_inertias else "it is taken as it is"
        if reading.strict:
            fields = {"reason": str(error), **error.fields}
            message = f"{error} (strict=False: {remedy})"
            raise reading.error(UrdfValueError, inertial.moment_node, message, **fields) from error
        reading.warn(inertial.moment_node, f"{error}; {remedy}", refused=True)
        moment = _nearest_possible(inertial.moment) if reading.project_inertias else inertial.moment
        return unchecked_inertia(frame, inertial.mass, inertial.com, moment)


def _nearest_possible(moment: FloatMat3) -> FloatMat3:
    """Return the nearest moment with a nonnegative second moment of mass, tr(J) / 2 - J."""
    matrix = np.array(moment)
    values, axes = np.linalg.eigh(np.trace(matrix) / 2 * np.eye(3) - matrix)
    second_moment = (axes * np.maximum(values, 0.0)) @ axes.T
    return matrix_of_array(np.trace(second_moment) * np.eye(3) - second_moment)


def _joint(urdf_joint: UrdfJoint) -> Joint:
    joint = Joint(urdf_joint.name, _joint_type(urdf_joint), damping=urdf_joint.damping, friction=urdf_joint.friction)
    if joint.nv == 1:
        bounds = urdf_joint.bounds
        joint.position_bounds = (bounds.lower, bounds.upper)
        joint.velocity_bounds = (-bounds.velocity, bounds.velocity)
        joint.effort_bounds = (-bounds.effort, bounds.effort)
    return joint


def _joint_type(urdf_joint: UrdfJoint) -> JointType:
    if urdf_joint.kind in ("revolute", "continuous"):
        return Revolute(urdf_joint.axis)
    if urdf_joint.kind == "prismatic":
        return Prismatic(urdf_joint.axis)
    if urdf_joint.kind == "planar":
        return Planar(*planar_axes(urdf_joint.axis))
    if urdf_joint.kind == "spherical":
        return QuaternionSpherical()
    return QuaternionFloating() if urdf_joint.kind == "floating" else Fixed()


def _pose(urdf_joint: UrdfJoint, joint: Joint, parent: RigidBody) -> Transform:
    # the parent's default frame is the frame after its joint, or the root's own: in both cases the link frame
    return urdf_joint.pose.transform(joint.frame_before, parent.default_frame)
