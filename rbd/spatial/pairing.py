"""Products of whole columns: motion subspaces and accelerations with wrenches (internal).

Nothing here is exported.
"""

from __future__ import annotations

from rbd.scalars import Matrix, Scalar, Vector
from rbd.spatial.classical import ClassicalAcceleration
from rbd.spatial.frame import check_frame
from rbd.spatial.jacobians import GeometricJacobian, MomentumMatrix, WrenchMatrix
from rbd.spatial.linalg import Vec3, dot3

Column = tuple[Vec3, Vec3]


def pair(motions: GeometricJacobian, forces: MomentumMatrix | WrenchMatrix) -> Matrix:
    """Return the products of every motion column with every force column; both must be expressed in one frame."""
    check_frame(forces.frame, motions.frame, operation="pairing of motions with forces", argument="forces")
    return tuple(tuple(_dot(motion, force) for force in forces.columns) for motion in motions.columns)


def resistance(wrenches: WrenchMatrix, acceleration: ClassicalAcceleration) -> Vector:
    """Return the product of every wrench column with an acceleration of their frame."""
    check_frame(wrenches.frame, acceleration.body, operation="pairing with an acceleration", argument="wrenches")
    motion = (acceleration.angular, acceleration.linear)
    return tuple(_dot(motion, force) for force in wrenches.columns)


def combined(wrenches: WrenchMatrix, weights: Matrix) -> WrenchMatrix:
    """Return the columns of `wrenches` times the matrix `weights`."""
    size = range(len(weights))
    return WrenchMatrix.trusted(
        wrenches.frame, tuple(wrenches.combination(tuple(weights[j][k] for j in size)) for k in size)
    )


def _dot(motion: Column, force: Column) -> Scalar:
    return dot3(motion[0], force[0]) + dot3(motion[1], force[1])
