"""Matrices whose columns are spatial vectors: Jacobians, momentum matrices, wrench subspaces.

Room: spatial; may import everything above it here. Columns are (angular, linear) pairs of three scalars each.
"""

from __future__ import annotations

from typing import Any, Generic, final

import attrs
import numpy as np
from typing_extensions import override

from rbd.scalars import Matrix, Vector
from rbd.scalars.arrays import Array, matrix_scalars, to_float_array
from rbd.spatial.force import Momentum, Wrench, transformed_force
from rbd.spatial.frame import A, B, C, D, E, F, Frame, G, check_frame, require_frame
from rbd.spatial.linalg import Vec3, add3, cross3, dot3, matvec, neg3, scale3
from rbd.spatial.motion import SpatialAcceleration, Twist
from rbd.spatial.transform import Transform
from rbd.spatial.values import (
    Column,
    MatrixLike,
    SpatialValue,
    VectorLike,
    require_kind,
    slot_setters,
    vector,
)
from rbd.spatial.vectors import FreeVector, check_source

_new = object.__new__
_set = object.__setattr__
_ZERO: Vec3 = (0, 0, 0)


@attrs.frozen(eq=False, repr=False)
class ColumnMatrix(SpatialValue):
    """Six rows, angular first, and any number of columns; abstract."""

    columns: tuple[Column, ...]

    @property
    def angular(self) -> Array:
        """The upper three rows as a fresh float64 array. Raises ScalarError when there are symbols inside."""
        return _rows(tuple(a for a, _ in self.columns))

    @property
    def linear(self) -> Array:
        """The lower three rows as a fresh float64 array. Raises ScalarError when there are symbols inside."""
        return _rows(tuple(b for _, b in self.columns))

    @property
    def matrix(self) -> Array:
        """All six rows as a fresh float64 array. Raises ScalarError when there are symbols inside."""
        return _rows(tuple(a + b for a, b in self.columns), 6)

    @property
    def components(self) -> Matrix:
        """The six rows, whatever scalars they hold."""
        return tuple(tuple(column[i // 3][i % 3] for column in self.columns) for i in range(6))

    def _combination(self, weights: VectorLike, name: str) -> Column:
        """Return the sum of the columns times `weights`."""
        factors = vector(weights, len(self.columns), name)
        angular, linear, first = _ZERO, _ZERO, True
        for (a, b), factor in zip(self.columns, factors, strict=True):
            if first:
                angular, linear, first = scale3(a, factor), scale3(b, factor), False
            else:
                angular, linear = add3(angular, scale3(a, factor)), add3(linear, scale3(b, factor))
        return angular, linear

    def _products(self, angular: Vec3, linear: Vec3) -> Vector:
        """Return the inner products of the columns with a six-vector."""
        return tuple(dot3(a, angular) + dot3(b, linear) for a, b in self.columns)

    @override
    def _parts(self) -> tuple[Vector, ...]:
        return (
            tuple(x for a, _ in self.columns for x in a),
            tuple(x for _, b in self.columns for x in b),
        )

    def _shape(self) -> str:
        return f"6x{len(self.columns)}"


@final
@attrs.frozen(eq=False, repr=False, init=False)
class GeometricJacobian(ColumnMatrix, Generic[B, A, E]):
    """Maps velocities to the twist of `body` with respect to `base`, expressed in `frame`.

    `angular` and `linear` are 3xn. Raises ShapeError, NotFiniteError, or ArgumentError when a frame is no frame.

    >>> hand, world = Frame("hand"), Frame("world")
    >>> jacobian = GeometricJacobian(hand, world, world, angular=[[0], [0], [1]], linear=[[0], [0], [0]])
    >>> jacobian @ [2.0]
    Twist of 'hand' with respect to 'world' in 'world': angular (0, 0, 2), linear (0, 0, 0)
    """

    body: Frame[B]
    base: Frame[A]
    frame: Frame[E]

    def __init__(
        self, body: Frame[B], base: Frame[A], frame: Frame[E], angular: MatrixLike, linear: MatrixLike
    ) -> None:
        _set(self, "body", require_frame(body, "body"))
        _set(self, "base", require_frame(base, "base"))
        _set(self, "frame", require_frame(frame, "frame"))
        _set(self, "columns", columns_of(angular, linear))

    @staticmethod
    def trusted(
        body: Frame[C], base: Frame[D], frame: Frame[F], columns: tuple[Column, ...]
    ) -> GeometricJacobian[C, D, F]:
        """Make a Jacobian of scalars that need no check."""
        self: GeometricJacobian[C, D, F] = _new(GeometricJacobian)
        _geometric_columns(self, columns)
        _geometric_body(self, body)
        _geometric_base(self, base)
        _geometric_frame(self, frame)
        return self

    def transformed(self, tf: Transform[E, F]) -> GeometricJacobian[B, A, F]:
        """Return the same Jacobian expressed in `tf.to_frame`.

        Raises FrameMismatchError unless `tf` starts in the frame the Jacobian is expressed in.
        """
        if tf.from_frame is not self.frame:
            check_source(tf, self.frame, "GeometricJacobian.transformed")
        columns = tuple(_transformed_motion(tf, a, b) for a, b in self.columns)
        return GeometricJacobian.trusted(self.body, self.base, tf.to_frame, columns)

    def __neg__(self) -> GeometricJacobian[A, B, E]:
        columns = tuple((neg3(a), neg3(b)) for a, b in self.columns)
        return GeometricJacobian.trusted(self.base, self.body, self.frame, columns)

    def __matmul__(self, v: VectorLike) -> Twist[B, A, E]:
        return Twist.trusted(self.body, self.base, self.frame, *self._combination(v, "v"))

    def acceleration(self, vd: VectorLike) -> SpatialAcceleration[B, A, E]:
        """Return the part of the acceleration that is linear in `vd`, the derivative of the velocities."""
        return SpatialAcceleration.trusted(self.body, self.base, self.frame, *self._combination(vd, "vd"))

    def torque_components(self, wrench: Wrench[E]) -> Vector:
        """Return the generalized torques of a wrench on the body, as scalars: the transpose times the wrench.

        Raises FrameMismatchError unless the wrench is in the frame the Jacobian is expressed in.
        """
        require_kind(wrench, Wrench, operation="GeometricJacobian.torque", argument="wrench")
        if wrench.frame is not self.frame:
            check_frame(wrench.frame, self.frame, operation="GeometricJacobian.torque", argument="wrench.frame")
        return self._products(wrench.angular_components, wrench.linear_components)

    def torque(self, wrench: Wrench[E]) -> Array:
        """Return the generalized torques of a wrench on the body as a float64 array.

        Raises FrameMismatchError unless the wrench is in the frame the Jacobian is expressed in.
        """
        return to_float_array(self.torque_components(wrench))

    @override
    def _frames(self) -> tuple[tuple[str, Frame[Any]], ...]:
        return ("body", self.body), ("base", self.base), ("frame", self.frame)

    @override
    def __repr__(self) -> str:
        return (
            f"GeometricJacobian {self._shape()} of {self.body.name!r} with respect to {self.base.name!r} "
            f"in {self.frame.name!r}"
        )


@final
@attrs.frozen(eq=False, repr=False, init=False)
class PointJacobian(SpatialValue, Generic[F]):
    """Maps velocities to the velocity of a point, expressed in `frame`; three rows.

    Raises ShapeError, NotFiniteError, or ArgumentError when `frame` is no frame.

    >>> world = Frame("world")
    >>> PointJacobian(world, [[1, 0], [0, 2], [0, 0]]) @ [3.0, 1.0]
    FreeVector in 'world': (3, 2, 0)
    """

    frame: Frame[F]
    columns: tuple[Vec3, ...]

    def __init__(self, frame: Frame[F], matrix: MatrixLike) -> None:
        _set(self, "frame", require_frame(frame, "frame"))
        _set(self, "columns", _vec3_columns(matrix, None, "matrix"))

    @staticmethod
    def trusted(frame: Frame[G], columns: tuple[Vec3, ...]) -> PointJacobian[G]:
        """Make a Jacobian of scalars that need no check."""
        self: PointJacobian[G] = _new(PointJacobian)
        _point_frame(self, frame)
        _point_columns(self, columns)
        return self

    @property
    def matrix(self) -> Array:
        """The three rows as a fresh float64 array. Raises ScalarError when there are symbols inside."""
        return _rows(self.columns)

    @property
    def components(self) -> Matrix:
        """The three rows, whatever scalars they hold."""
        return tuple(tuple(column[i] for column in self.columns) for i in range(3))

    def transformed(self, tf: Transform[F, G]) -> PointJacobian[G]:
        """Return the same Jacobian expressed in `tf.to_frame`; velocities turn, whatever the two origins.

        Raises FrameMismatchError unless `tf` starts in the Jacobian's frame.
        """
        if tf.from_frame is not self.frame:
            check_source(tf, self.frame, "PointJacobian.transformed")
        return PointJacobian.trusted(tf.to_frame, tuple(matvec(tf.rotation_components, c) for c in self.columns))

    def __matmul__(self, v: VectorLike) -> FreeVector[F]:
        total: Vec3 = _ZERO
        for k, (column, factor) in enumerate(zip(self.columns, vector(v, len(self.columns), "v"), strict=True)):
            total = scale3(column, factor) if k == 0 else add3(total, scale3(column, factor))
        return FreeVector.trusted(self.frame, total)

    def torque_components(self, force: FreeVector[F]) -> Vector:
        """Return the generalized torques of a force at the point, as scalars.

        Raises FrameMismatchError unless the force is in the Jacobian's frame.
        """
        require_kind(force, FreeVector, operation="PointJacobian.torque", argument="force")
        if force.frame is not self.frame:
            check_frame(force.frame, self.frame, operation="PointJacobian.torque", argument="force.frame")
        return tuple(dot3(column, force.xyz_components) for column in self.columns)

    def torque(self, force: FreeVector[F]) -> Array:
        """Return the generalized torques of a force at the point as a float64 array.

        Raises FrameMismatchError unless the force is in the Jacobian's frame.
        """
        return to_float_array(self.torque_components(force))

    @override
    def _frames(self) -> tuple[tuple[str, Frame[Any]], ...]:
        return (("frame", self.frame),)

    @override
    def _parts(self) -> tuple[Vector, ...]:
        return (tuple(x for column in self.columns for x in column),)

    @override
    def __repr__(self) -> str:
        return f"PointJacobian 3x{len(self.columns)} in {self.frame.name!r}"


@attrs.frozen(eq=False, repr=False)
class ForceMatrix(ColumnMatrix, Generic[F]):
    """Columns that are wrenches or momenta in `frame`; abstract."""

    frame: Frame[F]

    def _products_with(self, twist: Twist[Any, Any, F], operation: str) -> Vector:
        require_kind(twist, Twist, operation=operation, argument="twist")
        if twist.frame is not self.frame:
            check_frame(twist.frame, self.frame, operation=operation, argument="twist.frame")
        return self._products(twist.angular_components, twist.linear_components)

    @override
    def _frames(self) -> tuple[tuple[str, Frame[Any]], ...]:
        return (("frame", self.frame),)

    @override
    def __repr__(self) -> str:
        return f"{type(self).__name__} {self._shape()} in {self.frame.name!r}"


@final
@attrs.frozen(eq=False, repr=False, init=False)
class MomentumMatrix(ForceMatrix[F]):
    """Maps velocities to a momentum in `frame`.

    `angular` and `linear` are 3xn. Raises ShapeError, NotFiniteError, or ArgumentError when `frame` is no frame.

    >>> world = Frame("world")
    >>> MomentumMatrix(world, angular=[[0], [0], [1]], linear=[[2], [0], [0]]) @ [3.0]
    Momentum in 'world': angular (0, 0, 3), linear (6, 0, 0)
    """

    def __init__(self, frame: Frame[F], angular: MatrixLike, linear: MatrixLike) -> None:
        _set(self, "frame", require_frame(frame, "frame"))
        _set(self, "columns", columns_of(angular, linear))

    @staticmethod
    def trusted(frame: Frame[G], columns: tuple[Column, ...]) -> MomentumMatrix[G]:
        """Make a momentum matrix of scalars that need no check."""
        self: MomentumMatrix[G] = _new(MomentumMatrix)
        _momentum_columns(self, columns)
        _momentum_frame(self, frame)
        return self

    def transformed(self, tf: Transform[F, G]) -> MomentumMatrix[G]:
        """Return the matrix of the same momentum in `tf.to_frame`.

        Raises FrameMismatchError unless `tf` starts in the matrix's frame.
        """
        if tf.from_frame is not self.frame:
            check_source(tf, self.frame, "MomentumMatrix.transformed")
        columns = tuple(transformed_force(tf, a, b) for a, b in self.columns)
        return MomentumMatrix.trusted(tf.to_frame, columns)

    def __matmul__(self, v: VectorLike) -> Momentum[F]:
        return Momentum.trusted(self.frame, *self._combination(v, "v"))

    def rate(self, vd: VectorLike) -> Wrench[F]:
        """Return the part of the momentum's derivative that is linear in `vd`, the derivative of the velocities."""
        return Wrench.trusted(self.frame, *self._combination(vd, "vd"))


@final
@attrs.frozen(eq=False, repr=False, init=False)
class WrenchMatrix(ForceMatrix[F]):
    """Columns that are wrenches in `frame`: a basis of what a joint can bear.

    `angular` and `linear` are 3xn. Raises ShapeError, NotFiniteError, or ArgumentError when `frame` is no frame.

    >>> world = Frame("world")
    >>> WrenchMatrix(world, angular=[[0], [0], [0]], linear=[[1], [0], [0]]) @ [5.0]
    Wrench in 'world': angular (0, 0, 0), linear (5, 0, 0)
    """

    def __init__(self, frame: Frame[F], angular: MatrixLike, linear: MatrixLike) -> None:
        _set(self, "frame", require_frame(frame, "frame"))
        _set(self, "columns", columns_of(angular, linear))

    @staticmethod
    def trusted(frame: Frame[G], columns: tuple[Column, ...]) -> WrenchMatrix[G]:
        """Make a wrench matrix of scalars that need no check."""
        self: WrenchMatrix[G] = _new(WrenchMatrix)
        _wrench_columns(self, columns)
        _wrench_frame(self, frame)
        return self

    def transformed(self, tf: Transform[F, G]) -> WrenchMatrix[G]:
        """Return the same wrenches in `tf.to_frame`.

        Raises FrameMismatchError unless `tf` starts in the matrix's frame.
        """
        if tf.from_frame is not self.frame:
            check_source(tf, self.frame, "WrenchMatrix.transformed")
        columns = tuple(transformed_force(tf, a, b) for a, b in self.columns)
        return WrenchMatrix.trusted(tf.to_frame, columns)

    def __matmul__(self, multipliers: VectorLike) -> Wrench[F]:
        return Wrench.trusted(self.frame, *self._combination(multipliers, "multipliers"))

    def power_components(self, twist: Twist[Any, Any, F]) -> Vector:
        """Return the power of each column on a twist, as scalars.

        Raises FrameMismatchError unless both are expressed in one frame.
        """
        return self._products_with(twist, "WrenchMatrix.power")

    def power(self, twist: Twist[Any, Any, F]) -> Array:
        """Return the power of each column on a twist as a float64 array.

        Raises FrameMismatchError unless both are expressed in one frame.
        """
        return to_float_array(self.power_components(twist))


_geometric_columns, _geometric_body, _geometric_base, _geometric_frame = slot_setters(GeometricJacobian)
_point_frame, _point_columns = slot_setters(PointJacobian)
_momentum_columns, _momentum_frame = slot_setters(MomentumMatrix)
_wrench_columns, _wrench_frame = slot_setters(WrenchMatrix)


def columns_of(angular: MatrixLike, linear: MatrixLike) -> tuple[Column, ...]:
    """Return the columns of two 3xn parts. Raises ShapeError when they do not have three rows and equal lengths."""
    upper = _vec3_columns(angular, None, "angular")
    lower = _vec3_columns(linear, len(upper), "linear")
    return tuple(zip(upper, lower, strict=True))


def _vec3_columns(matrix: MatrixLike, width: int | None, name: str) -> tuple[Vec3, ...]:
    a, b, c = matrix_scalars(matrix, 3, width, name)
    return tuple(zip(a, b, c, strict=True))


def _rows(columns: tuple[Vector, ...], height: int = 3) -> Array:
    """Return columns as an array of `height` rows."""
    if not columns:
        return np.zeros((height, 0))
    return to_float_array(tuple(zip(*columns, strict=True)))


def _transformed_motion(tf: Transform[Any, Any], angular: Vec3, linear: Vec3) -> Column:
    rotation = tf.rotation_components
    turned = matvec(rotation, angular)
    return turned, add3(matvec(rotation, linear), cross3(tf.translation_components, turned))
