"""Construction of a Mechanism from the descriptions of bodies and joints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import final

from rbd.files.inertias import unchecked_inertia
from rbd.files.names import free_name
from rbd.files.pose import ZERO, ZERO_MATRIX, Pose, float_vector
from rbd.joints import Fixed, JointType, Prismatic, QuaternionFloating, QuaternionSpherical, Revolute
from rbd.mechanism import Joint, Mechanism, RigidBody
from rbd.mechanism.mechanism import in_one_transaction
from rbd.mjcf.bodies import WORLD
from rbd.mjcf.description import MjcfBody, MjcfJoint, MjcfMass
from rbd.mjcf.joints import UNBOUNDED
from rbd.mjcf.reading import MjcfReading
from rbd.mjcf.rotations import rotation_of_axis_angle
from rbd.spatial import Frame, SpatialInertia
from rbd.spatial.linalg import neg3, scale3


@final
class Builder:
    """Attaches bodies in the order of the file, each by its joints in their order."""

    def __init__(self, reading: MjcfReading, bodies: Sequence[MjcfBody], armatures: Mapping[str, float]) -> None:
        """Begin with the world; `armatures` are added to those of joints."""
        self._reading = reading
        self.mechanism = Mechanism(WORLD, gravity=reading.settings.gravity)
        self.bodies: dict[str, RigidBody] = {WORLD: self.mechanism.root_body}
        self.joint_names = {joint.name for body in bodies for joint in body.joints}
        self._bodies = bodies
        self._body_names = {body.name for body in bodies}
        self._armatures = armatures

    def build(self) -> None:
        """Attach all bodies, then fix frames to them where the sites are."""
        in_one_transaction(self.mechanism, self._attach_all)

    def _attach_all(self) -> None:
        for body in self._bodies[1:]:
            with self._reading.errors_at(body.node):
                self._attach(body)
        taken = set(self._body_names)
        for body in self._bodies:
            for site in body.sites:
                name = site.name
                if name is not None:
                    frame = Frame(free_name(f"{name}#site" if name in taken else name, taken))
                    self.bodies[body.name].add_frame(site.pose.transform(frame, self.frame(body.name)))

    def frame(self, name: str) -> Frame:
        """Return the frame that a body has in the file."""
        body = self.bodies[name]
        return body.default_frame if name == WORLD else body.frame(name)

    def _attach(self, mjcf_body: MjcfBody) -> None:
        parent = mjcf_body.parent
        assert parent is not None  # the world is not attached
        before, pose, parent_frame = self.bodies[parent.name], mjcf_body.pose, self.frame(parent.name)
        if mjcf_body.mocap:
            self._reading.warn(mjcf_body.node, "the body stands where the file places it; mocap poses are not followed")
        for name, joint in self._bodies_and_joints(mjcf_body):
            body = RigidBody(name, _inertia(name, mjcf_body.mass if name == mjcf_body.name else None))
            weld = f"{mjcf_body.name}_to_{parent.name}"
            new_joint = Joint(free_name(weld, self.joint_names), Fixed()) if joint is None else self._joint(joint)
            body_frame, (preceding, after) = body.default_frame, _joint_poses(pose, joint)
            joint_pose = preceding.transform(new_joint.frame_before, parent_frame)
            successor_pose = after.transform(body_frame, new_joint.frame_after)
            self.mechanism.attach(before, body, new_joint, joint_pose=joint_pose, successor_pose=successor_pose)
            before, pose, parent_frame = body, Pose(), body_frame
        self.bodies[mjcf_body.name] = before

    def _bodies_and_joints(self, mjcf_body: MjcfBody) -> list[tuple[str, MjcfJoint | None]]:
        """Return the joints of a body, each with the name of the body behind it; None for a body that is fixed."""
        between = [free_name(f"{mjcf_body.name}#{joint.name}", self._body_names) for joint in mjcf_body.joints[:-1]]
        joints: list[MjcfJoint | None] = [*mjcf_body.joints] or [None]
        return list(zip([*between, mjcf_body.name], joints, strict=True))

    def _joint(self, mjcf_joint: MjcfJoint) -> Joint:
        off = self._reading.settings.off
        joint = Joint(
            mjcf_joint.name, _type(mjcf_joint), damping=0.0 if off("damper") else mjcf_joint.damping,
            friction=0.0 if off("frictionloss") else mjcf_joint.friction,
            armature=mjcf_joint.armature + self._armatures.get(mjcf_joint.name, 0.0),
        )  # fmt: skip
        if joint.nv == 1:
            joint.position_bounds = UNBOUNDED if off("limit") else mjcf_joint.bounds
            joint.effort_bounds = mjcf_joint.effort
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


def _inertia(name: str, mass: MjcfMass | None) -> SpatialInertia:
    mass = mass or MjcfMass(0.0, ZERO, ZERO_MATRIX)
    return unchecked_inertia(Frame(name), mass.mass, mass.com, mass.moment)


def _type(mjcf_joint: MjcfJoint) -> JointType:
    if mjcf_joint.kind == "hinge":
        return Revolute(mjcf_joint.axis)
    if mjcf_joint.kind == "slide":
        return Prismatic(mjcf_joint.axis)
    return QuaternionSpherical() if mjcf_joint.kind == "ball" else QuaternionFloating()
