"""Description of a robot: its validated links and joints, before construction of the mechanism."""

from __future__ import annotations

import math
from typing import Literal, TypeAlias, final

import attrs

from rbd.files.pose import FloatMat3, FloatVec3, Pose
from rbd.files.xml import XmlElement
from rbd.urdf.report import Geometry, Mimic

JointKind: TypeAlias = Literal["revolute", "continuous", "prismatic", "fixed", "floating", "planar", "spherical"]


@final
@attrs.frozen(eq=False)
class UrdfInertial:
    """Mass, centre of mass and moment about it, both in the link frame."""

    node: XmlElement
    moment_node: XmlElement
    mass: float
    com: FloatVec3
    moment: FloatMat3


@final
@attrs.frozen(eq=False)
class UrdfLink:
    """One `<link>`; `geometries` are its visual and collision shapes."""

    node: XmlElement
    name: str
    inertial: UrdfInertial | None
    geometries: list[Geometry]


@final
@attrs.frozen(eq=False)
class UrdfJointBounds:
    """Bounds of position, speed and effort in `<limit>`; missing ones are infinite."""

    lower: float = -math.inf
    upper: float = math.inf
    velocity: float = math.inf
    effort: float = math.inf


@final
@attrs.frozen(eq=False)
class UrdfMimic:
    """One `<mimic>`, and its entry in the report."""

    node: XmlElement
    entry: Mimic


@final
@attrs.frozen(eq=False)
class UrdfJoint:
    """One `<joint>`; `pose` places its frame in the parent link, `axis` is in that frame."""

    node: XmlElement
    name: str
    kind: JointKind
    parent: str
    child: str
    pose: Pose
    axis: FloatVec3
    bounds: UrdfJointBounds
    damping: float
    friction: float
    mimic: UrdfMimic | None = None


@final
@attrs.frozen(eq=False)
class UrdfLoop:
    """One `<loop_joint>`: the pose of the joint is in link1, that of its frame after in link2."""

    joint: UrdfJoint
    pose_after: Pose


@final
@attrs.frozen(eq=False)
class UrdfRobot:
    """A robot: links and joints by name, in file order; `mimics` are those that can be followed."""

    node: XmlElement
    name: str
    links: dict[str, UrdfLink]
    joints: dict[str, UrdfJoint]
    loops: list[UrdfLoop]
    mimics: list[UrdfMimic]
