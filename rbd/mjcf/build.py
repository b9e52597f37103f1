"""Construction of a Mechanism from the descriptions of bodies and joints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import final

from rbd.files.bounds import UNBOUNDED
from rbd.files.inertias import unchecked_inertia
from rbd.files.names import claim_name
from rbd.files.pose import ZERO, ZERO_MATRIX, Pose, float_vector
from rbd.joints import Fixed, JointType, Prismatic, QuaternionFloating, QuaternionSpherical, Revolute
from rbd.mechanism import Joint, Mechanism, RigidBody
from rbd.mechanism.mechanism import in_one_transaction
from rbd.mjcf.bodies import WORLD
from rbd.mjcf.description import MjcfBody, MjcfConstraint, MjcfInertial, MjcfJoint, MjcfLoop
from rbd.mjcf.reading import MjcfReading
from rbd.mjcf.rotations import rotation_of_axis_angle
from rbd.spatial import Frame, SpatialInertia
from rbd.spatial.linalg import neg3, scale3


def build_mechanism(
    reading: MjcfReading,
    bodies: Sequence[MjcfBody],
    inertials: Mapping[str, MjcfInertial],
    armatures: Mapping[str, float],
    constraints: Sequence[MjcfConstraint],
) -> Mechanism:
    """Return the mechanism of bodies with these inertials; `armatures` are added to those of joints.

    Errors of constraints are collected.
    """
    mechanism = Mechanism(WORLD, gravity=reading.settings.gravity)
    builder = _MechanismBuilder(reading, mechanism, bodies, inertials, armatures)
    attached = in_one_transaction(mechanism, builder.attach_all)
    for constraint in constraints:  # each a transaction of its own: after an error, the errors of others are found, too
        with reading.collecting_errors(), reading.errors_at(constraint.node):
            if isinstance(constraint, MjcfLoop):
                builder.close_loop(constraint, attached)
            else:
                mechanism.couple(
                    constraint.joint, constraint.source, polynomial=constraint.polynomial, name=constraint.name
                )
    return mechanism


def _frame_in_file(bodies: Mapping[str, RigidBody], name: str) -> Frame:
    """Return the frame that a body has in the file."""
    return bodies[name].default_frame if name == WORLD else bodies[name].frame(name)


@final
class _MechanismBuilder:
    """Attaches bodies in the order of the file, each by its joints in their order, then adds the sites as frames."""

    def __init__(
        self,
        reading: MjcfReading,
        mechanism: Mechanism,
        bodies: Sequence[MjcfBody],
        inertials: Mapping[str, MjcfInertial],
        armatures: Mapping[str, float],
    ) -> None:
        self._reading = reading
        self._mechanism = mechanism
        self._mjcf_bodies = bodies
        self._inertials = inertials
        self._armatures = armatures
        self._body_names = {body.name for body in bodies}
        self._joint_names = {joint.name for body in bodies for joint in body.joints}

    def attach_all(self) -> dict[str, RigidBody]:
        """Return the bodies by their names in the file; of a body with several joints, the one with the mass."""
        bodies = {WORLD: self._mechanism.root_body}
        for body in self._mjcf_bodies[1:]:
            with self._reading.errors_at(body.node):
                bodies[body.name] = self._attach(body, bodies)
        self._add_sites(bodies)
        return bodies

    def _add_sites(self, bodies: Mapping[str, RigidBody]) -> None:
        taken = set(self._body_names)
        for body in self._mjcf_bodies:
            for site in body.sites:
                name = site.name
                if name is not None:
                    frame = Frame(claim_name(f"{name}#site" if name in taken else name, taken))
                    bodies[body.name].add_frame(site.pose.transform(frame, _frame_in_file(bodies, body.name)))

    def _attach(self, mjcf_body: MjcfBody, bodies: Mapping[str, RigidBody]) -> RigidBody:
        """Attach a body, and a massless one before it for each but its last joint; return it."""
        parent = mjcf_body.parent
        assert parent is not None  # the world is not attached
        predecessor, pose, parent_frame = bodies[parent.name], mjcf_body.pose, _frame_in_file(bodies, parent.name)
        for name, mjcf_joint in self._body_names_and_joints(mjcf_body):
            predecessor = self._attach_by_joint(predecessor, name, mjcf_joint, pose, parent_frame)
            pose, parent_frame = Pose(), predecessor.frame(name)
        return predecessor

    def _attach_by_joint(
        self, parent: RigidBody, name: str, mjcf_joint: MjcfJoint | None, pose: Pose, parent_frame: Frame
    ) -> RigidBody:
        """Attach the body of a name to another one, by a joint or fixed; `pose` is its own in a frame of the other."""
        body = RigidBody(name, _inertia(name, self._inertials.get(name)))  # none between joints
        joint = self._fixed_joint(f"{name}_to_{parent.name}") if mjcf_joint is None else self._joint(mjcf_joint)
        pose_before, pose_in_frame_after = _joint_poses(pose, mjcf_joint)
        self._mechanism.attach(
            parent, body, joint, joint_pose=pose_before.transform(joint.frame_before, parent_frame),
            successor_pose=pose_in_frame_after.transform(body.default_frame, joint.frame_after),
        )  # fmt: skip
        return body

    def close_loop(self, loop: MjcfLoop, bodies: Mapping[str, RigidBody]) -> None:
        """Attach the loop joint of a connection or weld."""
        name = claim_name(loop.name, self._joint_names)
        joint = Joint(name, Fixed() if loop.kind == "weld" else QuaternionSpherical())
        predecessor, successor = loop.before.body.name, loop.after.body.name
        joint_pose = loop.before.pose.transform(joint.frame_before, _frame_in_file(bodies, predecessor))
        successor_pose = loop.after.pose.transform(joint.frame_after, _frame_in_file(bodies, successor)).inverse()
        self._mechanism.attach(
            bodies[predecessor], bodies[successor], joint, joint_pose=joint_pose, successor_pose=successor_pose
        )

    def _body_names_and_joints(self, mjcf_body: MjcfBody) -> list[tuple[str, MjcfJoint | None]]:
        """Return the joints of a body, each with the name of the body behind it; None for a body that is fixed."""
        between = [claim_name(f"{mjcf_body.name}#{joint.name}", self._body_names) for joint in mjcf_body.joints[:-1]]
        joints: list[MjcfJoint | None] = [*mjcf_body.joints] or [None]
        return list(zip([*between, mjcf_body.name], joints, strict=True))

    def _fixed_joint(self, name: str) -> Joint:
        return Joint(claim_name(name, self._joint_names), Fixed())

    def _joint(self, mjcf_joint: MjcfJoint) -> Joint:
        is_disabled = self._reading.settings.is_disabled
        joint = Joint(
            mjcf_joint.name, _joint_type(mjcf_joint), damping=0.0 if is_disabled("damper") else mjcf_joint.damping,
            friction=0.0 if is_disabled("frictionloss") else mjcf_joint.friction,
            armature=mjcf_joint.armature + self._armatures.get(mjcf_joint.name, 0.0),
        )  # fmt: skip
        if joint.nv == 1:
            joint.position_bounds = UNBOUNDED if is_disabled("limit") else mjcf_joint.position_bounds
            joint.effort_bounds = mjcf_joint.effort_bounds
        return joint


def _joint_poses(pose: Pose, joint: MjcfJoint | None) -> tuple[Pose, Pose]:
    """Return the pose of the frame before a joint, and that of the body's frame in the frame after it.

    A joint turns about its own place, and its coordinate is `reference` where the body is as in the file.
    """
    if joint is None:
        return pose, Pose()
    if joint.kind == "free":
        return Pose(), Pose()  # its coordinates are the pose itself
    back = -joint.reference
    if joint.kind == "slide":
        return pose @ Pose(translation=float_vector(scale3(joint.axis, back))), Pose()
    rotation = rotation_of_axis_angle(joint.axis, back) if back else Pose().rotation
    away = Pose(translation=float_vector(neg3(joint.position)))
    return pose @ Pose(rotation, joint.position), away


def _inertia(name: str, inertial: MjcfInertial | None) -> SpatialInertia:
    if inertial is None:
        return unchecked_inertia(Frame(name), 0.0, ZERO, ZERO_MATRIX)
    return unchecked_inertia(Frame(name), inertial.mass, inertial.com, inertial.moment)


def _joint_type(mjcf_joint: MjcfJoint) -> JointType:
    if mjcf_joint.kind == "hinge":
        return Revolute(mjcf_joint.axis)
    if mjcf_joint.kind == "slide":
        return Prismatic(mjcf_joint.axis)
    return QuaternionSpherical() if mjcf_joint.kind == "ball" else QuaternionFloating()
