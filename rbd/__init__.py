"""Rigid-body dynamics with checked frames.

This module is the public list and nothing else: what `__all__` names is public, and so are the modules on the
documentation's API pages. Importing it changes nothing, and needs the core dependencies only.
"""

from __future__ import annotations

from rbd import errors as errors
from rbd import robots as robots
from rbd import scalars as scalars
from rbd.joints import (
    Fixed,
    JointType,
    MRPFloating,
    Planar,
    Prismatic,
    QuaternionFloating,
    QuaternionSpherical,
    Revolute,
    RotationVectorFloating,
    RotationVectorSpherical,
    Screw,
    SinCosRevolute,
    Universal,
)
from rbd.mechanism import FrameMap, Joint, Mechanism, RigidBody
from rbd.spatial import (
    Frame,
    FreeVector,
    GeometricJacobian,
    Momentum,
    MomentumMatrix,
    Point,
    PointJacobian,
    SpatialAcceleration,
    SpatialInertia,
    Tag,
    Transform,
    Twist,
    Wrench,
    WrenchMatrix,
)
from rbd.urdf import load_urdf, parse_urdf, write_urdf

__version__ = "0.1.0"

__all__ = [
    "Fixed",
    "Frame",
    "FrameMap",
    "FreeVector",
    "GeometricJacobian",
    "Joint",
    "JointType",
    "MRPFloating",
    "Mechanism",
    "Momentum",
    "MomentumMatrix",
    "Planar",
    "Point",
    "PointJacobian",
    "Prismatic",
    "QuaternionFloating",
    "QuaternionSpherical",
    "Revolute",
    "RigidBody",
    "RotationVectorFloating",
    "RotationVectorSpherical",
    "Screw",
    "SinCosRevolute",
    "SpatialAcceleration",
    "SpatialInertia",
    "Tag",
    "Transform",
    "Twist",
    "Universal",
    "Wrench",
    "WrenchMatrix",
    "__version__",
    "load_urdf",
    "parse_urdf",
    "write_urdf",
]
