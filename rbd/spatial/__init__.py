"""Spatial values with frames: points, transforms, twists, wrenches, inertias; independent of bodies.

In order of dependence:

    linalg.py congruence.py         three-vectors and matrices as tuples of scalars
    frame.py                        Tag, Frame, the check
    stumpff.py quaternion.py so3.py rotations, including singular cases
    checks.py values.py             validation; the base of all values
    vectors.py spatial_vector.py    Point, FreeVector; angular and linear parts
    motion_vector.py                base of twists and spatial accelerations
    motion.py transform.py          Twist, SpatialAcceleration; Transform
    half_space.py                   HalfSpace
    force.py columns.py             Wrench, Momentum; matrices of columns
    force_matrices.py jacobians.py  MomentumMatrix, WrenchMatrix; GeometricJacobian, PointJacobian
    inertia.py mobility.py          SpatialInertia; ArticulatedMobility

The package `recursions` has the quantities of the recursive algorithms, built on these.
"""

from rbd.spatial.force import Momentum, Wrench
from rbd.spatial.force_matrices import MomentumMatrix, WrenchMatrix
from rbd.spatial.frame import Frame, Tag, check_frame, same_frame
from rbd.spatial.inertia import SpatialInertia
from rbd.spatial.jacobians import GeometricJacobian, PointJacobian
from rbd.spatial.motion import SpatialAcceleration, Twist
from rbd.spatial.transform import Transform
from rbd.spatial.vectors import FreeVector, Point

__all__ = [
    "Frame",
    "FreeVector",
    "GeometricJacobian",
    "Momentum",
    "MomentumMatrix",
    "Point",
    "PointJacobian",
    "SpatialAcceleration",
    "SpatialInertia",
    "Tag",
    "Transform",
    "Twist",
    "Wrench",
    "WrenchMatrix",
    "check_frame",
    "same_frame",
]
