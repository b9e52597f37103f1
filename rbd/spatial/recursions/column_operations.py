"""Operations on matrices of columns: sums, cross products, products of transposes (internal).

S is a motion subspace, V a twist, f a wrench, A a matrix of wrench columns, I a matrix of momentum columns.
"""

from __future__ import annotations

from typing import TypeVar

from rbd.scalars import Matrix, Scalar, Vector
from rbd.spatial.force import Wrench
from rbd.spatial.force_matrices import MomentumMatrix, WrenchMatrix
from rbd.spatial.frame import check_frame
from rbd.spatial.jacobians import GeometricJacobian
from rbd.spatial.linalg import Vec6, add3, add6, cross3, dot3, motion_cross, scale6
from rbd.spatial.motion import Twist
from rbd.spatial.recursions.classical import ClassicalAcceleration

_Columns = TypeVar("_Columns", GeometricJacobian, WrenchMatrix)


def add_columns(a: _Columns, b: _Columns) -> _Columns:
    """Return a + b, both in one frame."""
    check_frame(b.frame, a.frame, operation="sum of columns", argument="right operand")
    return a.with_columns(tuple(map(add6, a.columns, b.columns)))


def scale_columns(subspace: GeometricJacobian, factor: Scalar) -> GeometricJacobian:
    """Return all columns times `factor`."""
    return subspace.with_columns(tuple(scale6(column, factor) for column in subspace.columns))


def motion_cross_columns(twist: Twist, subspace: GeometricJacobian) -> GeometricJacobian:
    """Return V x S, the rate of motion columns due to the motion of their frame."""
    check_frame(twist.frame, subspace.frame, operation="rate of a subspace", argument="twist (frame)")
    motion = twist.angular_components, twist.linear_components
    return subspace.with_columns(tuple(motion_cross(motion, column) for column in subspace.columns))


def force_cross_columns(subspace: GeometricJacobian, wrench: Wrench) -> WrenchMatrix:
    """Return S x* f, the change of a wrench fixed to a body as the body moves along each column of S."""
    check_frame(wrench.frame, subspace.frame, operation="subspace x* wrench", argument="wrench")
    torque, force = wrench.angular_components, wrench.linear_components
    columns = tuple((add3(cross3(a, torque), cross3(b, force)), cross3(a, force)) for a, b in subspace.columns)
    return WrenchMatrix.trusted(subspace.frame, columns)


def momentum_rate_columns(momenta: MomentumMatrix) -> WrenchMatrix:
    """Return momentum columns as wrench columns: momentum per velocity is wrench per acceleration."""
    return WrenchMatrix.trusted(momenta.frame, momenta.columns)


def transpose_product(motions: GeometricJacobian, forces: MomentumMatrix | WrenchMatrix) -> Matrix:
    """Return S^T A or S^T I; both must be expressed in one frame."""
    check_frame(forces.frame, motions.frame, operation="product of motions with forces", argument="forces")
    return tuple(tuple(_dot(motion, force) for force in forces.columns) for motion in motions.columns)


def transpose_times_acceleration(wrenches: WrenchMatrix, acceleration: ClassicalAcceleration) -> Vector:
    """Return A^T a for an acceleration of the frame of A."""
    check_frame(wrenches.frame, acceleration.body, operation="product with an acceleration", argument="wrenches")
    motion = (acceleration.angular_components, acceleration.linear_components)
    return tuple(_dot(motion, force) for force in wrenches.columns)


def _dot(motion: Vec6, force: Vec6) -> Scalar:
    return dot3(motion[0], force[0]) + dot3(motion[1], force[1])
