"""Description of a robot: its validated links and joints, before construction of the mechanism."""

from __future__ import annotations

from typing import Literal, TypeAlias, final

import attrs

from rbd.files.pose import Matrix3, Pose, Triple
from rbd.files.xml import XmlElement
from rbd.urdf.report import Mimic

Kind: TypeAlias = Literal["revolute", "continuous", "prismatic", "fixed", "floating", "planar", "spherical"]


@final
@attrs.frozen(eq=False)
class UrdfInertial:
    """Mass, centre of mass and moment about it, both in the link frame."""

    node: XmlElement
    moment_node: XmlElement
    mass: float
    com: Triple
    moment: Matrix3


@final
@attrs.frozen(eq=False)
class UrdfLink:
    """One `<link>`."""

    node: XmlElement
    name: str
    inertial: UrdfInertial | None


@final
@attrs.frozen(eq=False)
class JointLimits:
    """The bounds in `<limit>`; missing bounds are infinite."""

    lower: float = -float("inf")
    upper: float = float("inf")
    velocity: float = float("inf")
    effort: float = float("inf")


@final
@attrs.frozen(eq=False)
class UrdfJoint:
    """One `<joint>`; `pose` places its frame in the parent link, `axis` is in that frame."""

    node: XmlElement
    name: str
    kind: Kind
    parent: str
    child: str
    pose: Pose
    axis: Triple
    bounds: JointLimits
    damping: float
    friction: float
    mimic: Mimic | None = None


@final
@attrs.frozen(eq=False)
class UrdfLoop:
    """One `<loop_joint>`: a joint whose frames before and after are placed in two links."""

    joint: UrdfJoint
    after: Pose


@final
@attrs.frozen(eq=False)
class UrdfRobot:
    """A robot: links and joints by name, in file order; the mimics that can be followed."""

    node: XmlElement
    name: str
    links: dict[str, UrdfLink]
    joints: dict[str, UrdfJoint]
    loops: list[UrdfLoop]
    mimics: list[tuple[XmlElement, Mimic]]
