"""From the checked pieces of a file to a Mechanism."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import final

from rbd.joints import Fixed, JointType, Prismatic, QuaternionFloating, QuaternionSpherical, Revolute
from rbd.mechanism import Joint, Mechanism, RigidBody
from rbd.mjcf.bodies import WORLD
from rbd.mjcf.description import BodyPart, JointPart, MassPart
from rbd.mjcf.pose import Pose, about, triple
from rbd.mjcf.reading import MjcfReading
from rbd.spatial import Frame, SpatialInertia, Transform
from rbd.spatial.linalg import add33, dot3, identity3, neg3, outer, scale3, scale33, sub33, zero3, zero33


@final
class Builder:
    """Attaches bodies in the order of the file, each by its joints in their order."""

    def __init__(self, reading: MjcfReading, gravity: Sequence[float]) -> None:
        """Begin with the world."""
        self._reading = reading
        self.mechanism = Mechanism(WORLD, gravity=gravity)
        self.bodies: dict[str, RigidBody] = {WORLD: self.mechanism.root_body}
        self._joints: set[str] = set()
        self._rotors: Mapping[str, float] = {}

    def build(self, bodies: Sequence[BodyPart], rotors: Mapping[str, float]) -> None:
        """Attach all bodies, then fix frames to them where the sites are; `rotors` add to the armature of joints."""
        self._rotors = rotors
        self._joints = {joint.name for body in bodies for joint in body.joints}
        for body in bodies[1:]:
            with self._reading.blaming(body.node):
                self._attach(body)
        for body in bodies:
            for site in body.sites:
                name = site.name
                if name is not None:
                    frame = Frame(name if name not in self.bodies else f"{name}#site")
                    self.bodies[body.name].add_frame(transform(frame, site.pose, self.frame(body.name)))

    def frame(self, name: str) -> Frame:
        """Return the frame that a body has in the file."""
        body = self.bodies[name]
        return body.default_frame if name == WORLD else body.frame(name)

    def _attach(self, part: BodyPart) -> None:
        assert part.parent is not None  # the world is not attached
        before, pose, standing = self.bodies[part.parent.name], part.pose, self.frame(part.parent.name)
        if part.mocap:
            self._reading.warn(part.node, "the body stands where the file places it; mocap poses are not followed")
        names = [f"{part.name}#{joint.name}" for joint in part.joints[:-1]] + [part.name]
        joints: list[JointPart | None] = [*part.joints] or [None]
        for name, joint in zip(names, joints, strict=True):
            body = RigidBody(name, _inertia(name, part.mass if name == part.name else None))
            made = (
                Joint(self._weld(part), Fixed()) if joint is None else _joint(joint, self._rotors.get(joint.name, 0.0))
            )
            own, (place, after) = body.default_frame, _places(pose, joint)
            joint_pose = transform(made.frame_before, place, standing)
            successor_pose = transform(own, after, made.frame_after)
            self.mechanism.attach(before, body, made, joint_pose=joint_pose, successor_pose=successor_pose)
            before, pose, standing = body, Pose(), own
        self.bodies[part.name] = before

    def _weld(self, part: BodyPart) -> str:
        assert part.parent is not None
        name = f"{part.name}_to_{part.parent.name}"
        while name in self._joints:
            name += "#"
        self._joints.add(name)
        return name


def transform(frame: Frame, pose: Pose, to_frame: Frame) -> Transform:
    """Return the transform from `frame`, which has that pose in `to_frame`."""
    return Transform.trusted(frame, to_frame, pose.rotation, pose.translation)


def _places(pose: Pose, joint: JointPart | None) -> tuple[Pose, Pose]:
    """Return where the frame before a joint is, and where the frame of the body is in the frame after it.

    A joint turns about its own place, and its coordinate is `reference` where the body stands as in the file.
    """
    if joint is None:
        return pose, Pose()
    if joint.kind == "free":
        return Pose(), Pose()  # its coordinates are the pose itself
    back = -joint.reference
    if joint.kind == "slide":
        return pose @ Pose(translation=triple(scale3(joint.axis, back))), Pose()
    rotation = about(joint.axis, back) if back else Pose().rotation
    away = Pose(translation=triple(neg3(joint.position)))
    return pose @ Pose(rotation, joint.position), away


def _inertia(name: str, mass: MassPart | None) -> SpatialInertia:
    frame = Frame(name)
    if mass is None:
        return SpatialInertia.trusted(frame, zero33(), zero3(), 0.0)
    squares = sub33(scale33(identity3(), dot3(mass.com, mass.com)), outer(mass.com, mass.com))
    moment = add33(mass.moment, scale33(squares, mass.mass))
    return SpatialInertia.trusted(frame, moment, scale3(mass.com, mass.mass), mass.mass)


def _joint(part: JointPart, rotor: float) -> Joint:
    joint = Joint(part.name, _type(part), damping=part.damping, friction=part.friction, armature=part.armature + rotor)
    if joint.nv == 1:
        joint.position_bounds = part.bounds
        joint.effort_bounds = part.effort
    return joint


def _type(part: JointPart) -> JointType:
    if part.kind == "hinge":
        return Revolute(part.axis)
    if part.kind == "slide":
        return Prismatic(part.axis)
    return QuaternionSpherical() if part.kind == "ball" else QuaternionFloating()
