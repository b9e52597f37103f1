"""Jacobians: maps from joint velocities to twists and to velocities of points."""

from __future__ import annotations

from typing import ClassVar, Generic, Never, NoReturn, final

import attrs
from typing_extensions import override

from rbd.scalars import Matrix, Vector
from rbd.scalars.arrays import Array, array_of, in_row_order, scalars
from rbd.spatial.columns import ColumnMatrix, LazyColumns, columns_of, rows_of, set_numbers, vec3_columns
from rbd.spatial.force import Wrench
from rbd.spatial.frame import A, B, C, D, E, F, Frame, G, require_frame
from rbd.spatial.linalg import Vec3, Vec6, add3, dot3, matvec, neg6, scale3, transform_motion, zero3
from rbd.spatial.motion import SpatialAcceleration, Twist
from rbd.spatial.transform import Transform
from rbd.spatial.values import (
    MatrixLike,
    VectorLike,
    checked_frames,
    refuse_product,
    require_kind_in_frame,
    slot_setters,
)
from rbd.spatial.vectors import FreeVector, check_source

_new = object.__new__
_set = object.__setattr__


@final
@attrs.frozen(eq=False, repr=False, init=False)
class GeometricJacobian(ColumnMatrix, Generic[B, A, E]):
    """Maps velocities to the twist of `body` with respect to `base`, expressed in `frame`.

    `angular` and `linear` are 3xn. Raises ShapeError, NotFiniteError, or ArgumentError when a frame is not a Frame.

    >>> hand, world = Frame("hand"), Frame("world")
    >>> jacobian = GeometricJacobian(hand, world, world, angular=[[0], [0], [1]], linear=[[0], [0], [0]])
    >>> jacobian @ [2.0]
    Twist of 'hand' with respect to 'world' in 'world': angular (0, 0, 2), linear (0, 0, 0)
    """

    body: Frame[B]
    base: Frame[A]
    frame: Frame[E]
    _frame_names: ClassVar[tuple[str, ...]] = ("body", "base", "frame")

    def __init__(
        self, body: Frame[B], base: Frame[A], frame: Frame[E], angular: MatrixLike, linear: MatrixLike
    ) -> None:
        _set(self, "body", require_frame(body, "body"))
        _set(self, "base", require_frame(base, "base"))
        _set(self, "frame", require_frame(frame, "frame"))
        _set(self, "columns", columns_of(angular, linear))

    @staticmethod
    def trusted(
        body: Frame[C], base: Frame[D], frame: Frame[F], columns: tuple[Vec6, ...]
    ) -> GeometricJacobian[C, D, F]:
        """Make a Jacobian of scalars, unchecked."""
        self: GeometricJacobian[C, D, F] = _new(GeometricJacobian)
        _geometric_columns(self, columns)
        _geometric_body(self, body)
        _geometric_base(self, base)
        _geometric_frame(self, frame)
        return self

    @staticmethod
    def of_array(body: Frame[C], base: Frame[D], frame: Frame[F], numbers: Array) -> GeometricJacobian[C, D, F]:
        """Make a Jacobian of finite floats, (columns, 2, 3), in an array that nobody changes."""
        self: GeometricJacobian[C, D, F] = _new(GeometricJacobian)
        set_numbers(self, numbers.reshape(len(numbers), 6).T)
        _geometric_body(self, body)
        _geometric_base(self, base)
        _geometric_frame(self, frame)
        return self

    def expect(self, body: Frame[C], base: Frame[D], frame: Frame[F]) -> GeometricJacobian[C, D, F]:
        """Return this Jacobian, known to type checkers by the frames given; raise FrameMismatchError for others."""
        jacobian: GeometricJacobian[C, D, F] = checked_frames(self, body=body, base=base, frame=frame)
        return jacobian

    def transformed(self, tf: Transform[E, F]) -> GeometricJacobian[B, A, F]:
        """Return the same Jacobian expressed in `tf.to_frame`.

        Raises FrameMismatchError unless `tf` starts in the frame the Jacobian is expressed in.
        """
        if getattr(tf, "from_frame", None) is not self.frame:
            check_source(tf, self.frame, "GeometricJacobian.transformed")
        rotation, translation = tf.components
        columns = tuple([transform_motion(rotation, translation, column) for column in self.columns])
        return GeometricJacobian.trusted(self.body, self.base, tf.to_frame, columns)

    @override
    def with_columns(self, columns: tuple[Vec6, ...]) -> GeometricJacobian[B, A, E]:
        return GeometricJacobian.trusted(self.body, self.base, self.frame, columns)

    def __neg__(self) -> GeometricJacobian[A, B, E]:
        return GeometricJacobian.trusted(self.base, self.body, self.frame, tuple(map(neg6, self.columns)))

    def __mul__(self, other: Never, /) -> NoReturn:
        refuse_product(self, other)

    def __matmul__(self, v: VectorLike) -> Twist[B, A, E]:
        return Twist.trusted(self.body, self.base, self.frame, *self.checked_combination(v, "v"))

    def acceleration(self, vd: VectorLike) -> SpatialAcceleration[B, A, E]:
        """Return the part of the acceleration that is linear in `vd`, the derivative of the velocities."""
        return SpatialAcceleration.trusted(self.body, self.base, self.frame, *self.checked_combination(vd, "vd"))

    def torque_components(self, wrench: Wrench[E]) -> Vector:
        """Return the generalized torques of a wrench on the body, as scalars: the transpose times the wrench.

        Raises FrameMismatchError unless the wrench is in the frame the Jacobian is expressed in.
        """
        require_kind_in_frame(wrench, Wrench, self.frame, "GeometricJacobian.torque", "wrench")
        return self.products(wrench.angular_components, wrench.linear_components)

    def torque(self, wrench: Wrench[E]) -> Array:
        """Return the generalized torques of a wrench on the body as a float64 array.

        Raises FrameMismatchError unless the wrench is in the frame the Jacobian is expressed in.
        """
        return array_of(self.torque_components(wrench))

    @override
    def __repr__(self) -> str:
        return (
            f"GeometricJacobian {self._shape()} of {self.body.name!r} with respect to {self.base.name!r} "
            f"in {self.frame.name!r}"
        )


@final
@attrs.frozen(eq=False, repr=False, init=False)
class PointJacobian(LazyColumns, Generic[F]):
    """Maps velocities to the velocity of a point, expressed in `frame`; three rows.

    Raises ShapeError, NotFiniteError, or ArgumentError when `frame` is not a Frame.

    >>> world = Frame("world")
    >>> PointJacobian(world, [[1, 0], [0, 2], [0, 0]]) @ [3.0, 1.0]
    FreeVector in 'world': (3, 2, 0)
    """

    frame: Frame[F]
    columns: tuple[Vec3, ...]

    def __init__(self, frame: Frame[F], matrix: MatrixLike) -> None:
        _set(self, "frame", require_frame(frame, "frame"))
        _set(self, "columns", vec3_columns(matrix, None, "matrix"))

    @staticmethod
    def trusted(frame: Frame[G], columns: tuple[Vec3, ...]) -> PointJacobian[G]:
        """Make a Jacobian of scalars, unchecked."""
        self: PointJacobian[G] = _new(PointJacobian)
        _point_frame(self, frame)
        _point_columns(self, columns)
        return self

    @staticmethod
    def of_array(frame: Frame[G], numbers: Array) -> PointJacobian[G]:
        """Make a Jacobian of finite floats, (columns, 3), in an array that nobody changes."""
        self: PointJacobian[G] = _new(PointJacobian)
        set_numbers(self, numbers.T)
        _point_frame(self, frame)
        return self

    @property
    def matrix(self) -> Array:
        """The three rows as a fresh array."""
        numbers = self._numbers
        return rows_of(self.columns) if numbers is None else in_row_order(numbers)

    @staticmethod
    @override
    def _columns(numbers: Array) -> tuple[Vec3, ...]:
        return tuple([(x, y, z) for x, y, z in numbers.T.tolist()])

    @property
    def components(self) -> Matrix:
        """The three rows, as scalars."""
        return tuple(tuple(column[i] for column in self.columns) for i in range(3))

    def expect(self, frame: Frame[G]) -> PointJacobian[G]:
        """Return this Jacobian, known to type checkers by the frame given; raise FrameMismatchError for others."""
        jacobian: PointJacobian[G] = checked_frames(self, frame=frame)
        return jacobian

    def transformed(self, tf: Transform[F, G]) -> PointJacobian[G]:
        """Return the same Jacobian expressed in `tf.to_frame`; velocities are rotated; the origins have no effect.

        Raises FrameMismatchError unless `tf` starts in the Jacobian's frame.
        """
        if getattr(tf, "from_frame", None) is not self.frame:
            check_source(tf, self.frame, "PointJacobian.transformed")
        return PointJacobian.trusted(tf.to_frame, tuple(matvec(tf.rotation_components, c) for c in self.columns))

    def __mul__(self, other: Never, /) -> NoReturn:
        refuse_product(self, other)

    def __matmul__(self, v: VectorLike) -> FreeVector[F]:
        total: Vec3 = zero3()
        for k, (column, factor) in enumerate(zip(self.columns, scalars(v, len(self.columns), "v"), strict=True)):
            total = scale3(column, factor) if k == 0 else add3(total, scale3(column, factor))
        return FreeVector.trusted(self.frame, total)

    def torque_components(self, force: FreeVector[F]) -> Vector:
        """Return the generalized torques of a force at the point, as scalars.

        Raises FrameMismatchError unless the force is in the Jacobian's frame.
        """
        require_kind_in_frame(force, FreeVector, self.frame, "PointJacobian.torque", "force")
        return tuple(dot3(column, force.xyz_components) for column in self.columns)

    def torque(self, force: FreeVector[F]) -> Array:
        """Return the generalized torques of a force at the point as a float64 array.

        Raises FrameMismatchError unless the force is in the Jacobian's frame.
        """
        return array_of(self.torque_components(force))

    @override
    def _parts(self) -> tuple[Vector, ...]:
        return (tuple(x for column in self.columns for x in column),)

    @override
    def __repr__(self) -> str:
        return f"PointJacobian 3x{len(self.columns)} in {self.frame.name!r}"


_geometric_columns, _geometric_body, _geometric_base, _geometric_frame = slot_setters(GeometricJacobian)
_point_frame, _point_columns = slot_setters(PointJacobian)
