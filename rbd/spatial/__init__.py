"""Values that know their frames: points, transforms, twists, wrenches, inertias. They know no bodies.

In the order of their dependence:

    linalg.py                       three-vectors and matrices as tuples of scalars
    frame.py                        Tag, Frame, the check
    stumpff.py quaternion.py so3.py rotations, with every singularity
    checks.py values.py             validation; what all values share
    vectors.py sixvector.py         Point, FreeVector; angular and linear parts
    motion_base.py acceleration.py  SpatialAcceleration
    motion.py transform.py          Twist; Transform
    force.py columns.py             Wrench, Momentum; what matrices of columns share
    force_matrices.py jacobians.py  MomentumMatrix, WrenchMatrix; GeometricJacobian, PointJacobian
    inertia.py                      SpatialInertia
    classical.py articulated.py coriolis.py    what the recursions compute in (internal)
"""

from rbd.spatial.force import Momentum, Wrench
from rbd.spatial.frame import Frame, Tag, check_frame, same_frame
from rbd.spatial.inertia import SpatialInertia
from rbd.spatial.jacobians import GeometricJacobian, MomentumMatrix, PointJacobian, WrenchMatrix
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
