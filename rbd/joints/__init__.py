"""Joint types: how one frame may move with respect to another.

`JointType` is the interface, and says how to write a type of one's own; `rbd.testing.check_joint_type` checks one.
"""

from __future__ import annotations

from rbd.joints.base import JointType
from rbd.joints.fixed import Fixed
from rbd.joints.mrp_floating import MRPFloating
from rbd.joints.planar import Planar
from rbd.joints.prismatic import Prismatic
from rbd.joints.quaternion_floating import QuaternionFloating
from rbd.joints.quaternion_spherical import QuaternionSpherical
from rbd.joints.reversed import Reversed
from rbd.joints.revolute import Revolute
from rbd.joints.rotation_vector_floating import RotationVectorFloating
from rbd.joints.rotation_vector_spherical import RotationVectorSpherical
from rbd.joints.screw import Screw
from rbd.joints.sincos import SinCosRevolute
from rbd.joints.universal import Universal

__all__ = [
    "Fixed",
    "JointType",
    "MRPFloating",
    "Planar",
    "Prismatic",
    "QuaternionFloating",
    "QuaternionSpherical",
    "Reversed",
    "Revolute",
    "RotationVectorFloating",
    "RotationVectorSpherical",
    "Screw",
    "SinCosRevolute",
    "Universal",
]
