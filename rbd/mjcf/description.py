"""Descriptions of the checked elements of an MJCF file, before construction. Poses are in the frame of the body."""

from __future__ import annotations

import math
from typing import Literal, TypeAlias, final

import attrs

from rbd.files.pose import ZERO, ZERO_MATRIX, Matrix3, Pose, Triple
from rbd.files.xml import XmlElement
from rbd.mjcf.pair_friction import PairFriction

JointKind: TypeAlias = Literal["hinge", "slide", "ball", "free"]
Shape: TypeAlias = Literal["plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf"]


@final
@attrs.frozen(eq=False)
class MjcfJoint:
    """One joint: `position` and `axis` in the frame of its body, at the reference configuration."""

    node: XmlElement
    name: str
    kind: JointKind
    position: Triple
    axis: Triple
    reference: float = 0.0
    spring_reference: float = 0.0
    stiffness: float = 0.0
    spring_damper: tuple[float, float] = (0.0, 0.0)
    damping: float = 0.0
    friction: float = 0.0
    armature: float = 0.0
    bounds: tuple[float, float] = (-math.inf, math.inf)
    effort: tuple[float, float] = (-math.inf, math.inf)
    compensated_by_actuator: bool = False


@final
@attrs.frozen(eq=False)
class MjcfGeom:
    """One geom. `size` as in the format: half lengths, after meshes were fitted and `fromto` was resolved."""

    node: XmlElement
    name: str | None
    shape: Shape
    pose: Pose
    size: Triple
    group: int
    contype: int
    conaffinity: int
    friction: PairFriction
    mass: float = 0.0
    moment: Matrix3 = ZERO_MATRIX
    """About the centre of mass, which is the origin of `pose`, in its axes."""
    color: tuple[float, ...] | None = None
    mesh: str | None = None
    mesh_origin: Triple = ZERO
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
class MjcfMass:
    """Mass, centre of mass and moment about it, in the frame of the body."""

    mass: float
    com: Triple
    moment: Matrix3


@final
@attrs.define(eq=False)
class MjcfBody:
    """One body; `parent` is None for the world. Filled while its children are read."""

    node: XmlElement
    name: str
    parent: MjcfBody | None
    pose: Pose
    mocap: bool = False
    gravity_compensation: float = 0.0
    inertial: MjcfMass | None = None
    joints: list[MjcfJoint] = attrs.field(factory=list[MjcfJoint])
    geoms: list[MjcfGeom] = attrs.field(factory=list[MjcfGeom])
    sites: list[MjcfSite] = attrs.field(factory=list[MjcfSite])
    mass: MjcfMass | None = None
