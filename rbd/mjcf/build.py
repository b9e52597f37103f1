"""Construction of a Mechanism from the descriptions of bodies and joints."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final, final

from rbd.files.inertias import unchecked_inertia
from rbd.files.names import free_name
from rbd.files.pose import ZERO, ZERO_MATRIX, Pose, float_vector
from rbd.joints import Fixed, JointType, Prismatic, QuaternionFloating, QuaternionSpherical, Revolute
from rbd.mechanism import Joint, Mechanism, RigidBody
from rbd.mechanism.mechanism import in_one_transaction
from rbd.mjcf.bodies import WORLD
from rbd.mjcf.description import MjcfBody, MjcfJoint, MjcfMass
from rbd.mjcf.reading import MjcfReading
from rbd.mjcf.rotations import rotation_of_axis_angle
from rbd.spatial import Frame, SpatialInertia
from rbd.spatial.linalg import neg3, scale3

_UNBOUNDED: Final = (-math.inf, math.inf)


@final
class Builder:
    """Attaches bodies in the order of the file, each by its joints in their order."""

    def __init__(self, reading: MjcfReading) -> None:
        """Begin with the world."""
        self._reading = reading
        self.mechanism = Mechanism(WORLD, gravity=reading.settings.gravity)
        self.bodies: dict[str, RigidBody] = {WORLD: self.mechanism.root_body}
        self.joint_names: set[str] = set()
        self._body_names: set[str] = set()
        self._armatures: Mapping[str, float] = {}

    def build(self, bodies: Sequence[MjcfBody], rotors: Mapping[str, float]) -> None:
        """Attach all bodies, then fix frames to them where the sites are; `rotors` add to the armature of joints."""
        self._armatures = rotors
        self.joint_names = {joint.name for body in bodies for joint in body.joints}
        self._body_names = {body.name for body in bodies}
        in_one_transaction(self.mechanism, lambda: self._attach_all(bodies))

    def _attach_all(self, bodies: Sequence[MjcfBody]) -> None:
        for body in bodies[1:]:
            with self._reading.errors_at(body.node):
                self._attach(body)
        taken = set(self._body_names)
        for body in bodies:
            for site in body.sites:
                name = site.name
                if name is not None:
                    frame = Frame(free_name(f"{name}#site" if name in taken else name, taken))
                    self.bodies[body.name].add_frame(site.pose.transform(frame, self.frame(body.name)))

    def frame(self, name: str) -> Frame:
        """Return the frame that a body has in the file."""
        body = self.bodies[name]
        return body.default_frame if name == WORLD else body.frame(name)

    def _attach(self, part: MjcfBody) -> None:
        assert part.parent is not None  # the world is not attached
        before, pose, parent_frame = self.bodies[part.parent.name], part.pose, self.frame(part.parent.name)
        if part.mocap:
            self._reading.warn(part.node, "the body stands where the file places it; mocap poses are not followed")
        for name, joint in self._bodies_and_joints(part):
            body = RigidBody(name, _inertia(name, part.mass if name == part.name else None))
            new_joint = Joint(self._weld(part), Fixed()) if joint is None else self._joint(joint)
            body_frame, (preceding, after) = body.default_frame, _joint_poses(pose, joint)
            joint_pose = preceding.transform(new_joint.frame_before, parent_frame)
            successor_pose = after.transform(body_frame, new_joint.frame_after)
            self.mechanism.attach(before, body, new_joint, joint_pose=joint_pose, successor_pose=successor_pose)
            before, pose, parent_frame = body, Pose(), body_frame
        self.bodies[part.name] = before

    def _bodies_and_joints(self, part: MjcfBody) -> list[tuple[str, MjcfJoint | None]]:
        """Return the joints of a body, each with the name of the body behind it; None for a body that is fixed."""
        between = [free_name(f"{part.name}#{joint.name}", self._body_names) for joint in part.joints[:-1]]
        joints: list[MjcfJoint | None] = [*part.joints] or [None]
        return list(zip([*between, part.name], joints, strict=True))

    def _weld(self, part: MjcfBody) -> str:
        assert part.parent is not None
        return free_name(f"{part.name}_to_{part.parent.name}", self.joint_names)

    def _joint(self, part: MjcfJoint) -> Joint:
        off = self._reading.settings.off
        joint = Joint(
            part.name, _type(part), damping=0.0 if off("damper") else part.damping,
            friction=0.0 if off("frictionloss") else part.friction,
            armature=part.armature + self._armatures.get(part.name, 0.0),
        )  # fmt: skip
        if joint.nv == 1:
            joint.position_bounds = _UNBOUNDED if off("limit") else part.bounds
            joint.effort_bounds = part.effort
        return joint


def _joint_poses(pose: Pose, joint: MjcfJoint | None) -> tuple[Pose, Pose]:
    """Return the pose of the frame before a joint, and that of the body's frame in the frame after it.

    A joint turns about its own place, and its coordinate is `reference` where the body stands as in the file.
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
    part = mass or MjcfMass(0.0, ZERO, ZERO_MATRIX)
    return unchecked_inertia(Frame(name), part.mass, part.com, part.moment)


def _type(part: MjcfJoint) -> JointType:
    if part.kind == "hinge":
        return Revolute(part.axis)
    if part.kind == "slide":
        return Prismatic(part.axis)
    return QuaternionSpherical() if part.kind == "ball" else QuaternionFloating()
