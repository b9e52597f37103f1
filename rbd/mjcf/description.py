"""Descriptions of the checked elements of an MJCF file, before construction. Poses are in the frame of the body."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias, final

import attrs

from rbd.files.bounds import UNBOUNDED
from rbd.files.pose import ZERO, ZERO_MATRIX, FloatMat3, FloatVec3, Pose
from rbd.files.xml import XmlElement
from rbd.mjcf.contact_friction import ContactFriction

JointKind: TypeAlias = Literal["hinge", "slide", "ball", "free"]
LoopKind: TypeAlias = Literal["connect", "weld"]
ShapeKind: TypeAlias = Literal["plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf"]


class SpringDamper(NamedTuple):
    """A spring and damper by their time constant and damping ratio, both positive."""

    time_constant: float
    damping_ratio: float


@final
@attrs.frozen(eq=False)
class MjcfJoint:
    """One joint: `position` and `axis` in the frame of its body, at the reference configuration."""

    node: XmlElement
    name: str
    kind: JointKind
    position: FloatVec3
    axis: FloatVec3
    reference: float = 0.0
    spring_reference: float = 0.0
    stiffness: float = 0.0
    spring_damper: SpringDamper | None = None
    damping: float = 0.0
    friction: float = 0.0
    armature: float = 0.0
    position_bounds: tuple[float, float] = UNBOUNDED
    effort_bounds: tuple[float, float] = UNBOUNDED
    compensated_by_actuator: bool = False


@final
@attrs.frozen(eq=False)
class MjcfGeom:
    """One geom. `size` as in the format: half lengths, after meshes were fitted and `fromto` was resolved."""

    node: XmlElement
    name: str | None
    shape: ShapeKind
    pose: Pose
    size: FloatVec3
    group: int
    contype: int
    conaffinity: int
    friction: ContactFriction
    mass: float = 0.0
    moment: FloatMat3 = ZERO_MATRIX
    """About the centre of mass, which is the origin of `pose`, in its axes."""
    color: tuple[float, float, float, float] | None = None
    mesh: str | None = None
    mesh_origin: FloatVec3 = ZERO
    """Position of the origin of `pose` in the coordinates of the mesh."""
    height_field: str | None = None


@final
@attrs.frozen(eq=False)
class MjcfSite:
    """One site."""

    node: XmlElement
    name: str | None
    pose: Pose


@final
@attrs.frozen(eq=False)
class MjcfInertial:
    """Mass, centre of mass and moment about it, in the frame of the body."""

    mass: float
    com: FloatVec3
    moment: FloatMat3


@final
@attrs.frozen(eq=False)
class MjcfBody:
    """One body, with its `<inertial>` if it has one; `parent` is None for the world."""

    node: XmlElement
    name: str
    parent: MjcfBody | None
    pose: Pose
    mocap: bool
    gravity_compensation: float
    inertial: MjcfInertial | None
    joints: tuple[MjcfJoint, ...]
    geoms: tuple[MjcfGeom, ...]
    sites: tuple[MjcfSite, ...]


class MjcfEnd(NamedTuple):
    """An end of a connection or weld: a frame with a pose in a body."""

    body: MjcfBody
    pose: Pose


@final
@attrs.frozen(eq=False)
class MjcfLoop:
    """One connection or weld: the frame `before` and the frame `after` a loop joint coincide."""

    node: XmlElement
    name: str
    kind: LoopKind
    before: MjcfEnd
    after: MjcfEnd


@final
@attrs.frozen(eq=False)
class MjcfCoupling:
    """One equality of joints: `joint` is the polynomial of `source`, both by name, or a constant without a source."""

    node: XmlElement
    name: str | None
    joint: str
    source: str | None
    polynomial: tuple[float, ...]


MjcfConstraint: TypeAlias = MjcfLoop | MjcfCoupling
