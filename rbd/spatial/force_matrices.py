"""Matrices whose columns are momenta or wrenches."""

from __future__ import annotations

from typing import Any, Generic, Never, NoReturn, Self, final

import attrs
from typing_extensions import override

from rbd.scalars import Vector
from rbd.scalars.arrays import Array, array_of
from rbd.spatial.columns import ColumnMatrix, columns_of
from rbd.spatial.force import Momentum, Wrench
from rbd.spatial.frame import F, Frame, G, require_frame
from rbd.spatial.linalg import Vec6, transform_force
from rbd.spatial.motion import Twist
from rbd.spatial.transform import Transform
from rbd.spatial.values import (
    MatrixLike,
    VectorLike,
    checked_frames,
    refuse_product,
    require_kind_in_frame,
    slot_setters,
)
from rbd.spatial.vectors import check_source

_new = object.__new__
_set = object.__setattr__


@attrs.frozen(eq=False, repr=False, init=False)
class ForceMatrix(ColumnMatrix, Generic[F]):
    """Columns that are wrenches or momenta in `frame`; abstract."""

    frame: Frame[F]

    def __init__(self, frame: Frame[F], angular: MatrixLike, linear: MatrixLike) -> None:
        _set(self, "frame", require_frame(frame, "frame"))
        _set(self, "columns", columns_of(angular, linear))

    def __mul__(self, other: Never, /) -> NoReturn:
        refuse_product(self, other)

    @override
    def with_columns(self, columns: tuple[Vec6, ...]) -> Self:
        kind: Any = type(self)
        value: Self = kind.trusted(self.frame, columns)
        return value

    def _transformed_columns(self, tf: Transform[F, Any]) -> tuple[Vec6, ...]:
        if getattr(tf, "from_frame", None) is not self.frame:
            check_source(tf, self.frame, f"{type(self).__name__}.transformed")
        return tuple(transform_force(*tf.components, column) for column in self.columns)

    @override
    def __repr__(self) -> str:
        return f"{type(self).__name__} {self._shape()} in {self.frame.name!r}"


@final
@attrs.frozen(eq=False, repr=False, init=False)
class MomentumMatrix(ForceMatrix[F]):
    """Maps velocities to a momentum in `frame`.

    `angular` and `linear` are 3xn. Raises ShapeError, NotFiniteError, or ArgumentError when `frame` is not a Frame.

    >>> world = Frame("world")
    >>> MomentumMatrix(world, angular=[[0], [0], [1]], linear=[[2], [0], [0]]) @ [3.0]
    Momentum in 'world': angular (0, 0, 3), linear (6, 0, 0)
    """

    @staticmethod
    def trusted(frame: Frame[G], columns: tuple[Vec6, ...]) -> MomentumMatrix[G]:
        """Make a momentum matrix of scalars, unchecked."""
        self: MomentumMatrix[G] = _new(MomentumMatrix)
        _momentum_columns(self, columns)
        _momentum_frame(self, frame)
        return self

    def expect(self, frame: Frame[G]) -> MomentumMatrix[G]:
        """Return this matrix, known to type checkers by the frame given; raise FrameMismatchError for others."""
        matrix: MomentumMatrix[G] = checked_frames(self, frame=frame)
        return matrix

    def transformed(self, tf: Transform[F, G]) -> MomentumMatrix[G]:
        """Return the matrix of the same momentum in `tf.to_frame`.

        Raises FrameMismatchError unless `tf` starts in the matrix's frame.
        """
        columns = self._transformed_columns(tf)  # checks the transform first
        return MomentumMatrix.trusted(tf.to_frame, columns)

    def __matmul__(self, v: VectorLike) -> Momentum[F]:
        return Momentum.trusted(self.frame, *self.checked_combination(v, "v"))

    def rate(self, vd: VectorLike) -> Wrench[F]:
        """Return the part of the momentum's derivative that is linear in `vd`, the derivative of the velocities."""
        return Wrench.trusted(self.frame, *self.checked_combination(vd, "vd"))


@final
@attrs.frozen(eq=False, repr=False, init=False)
class WrenchMatrix(ForceMatrix[F]):
    """Wrenches in `frame`, one per column, such as a basis of a joint's constraint wrenches or U = I^A S.

    `angular` and `linear` are 3xn. Raises ShapeError, NotFiniteError, or ArgumentError when `frame` is not a Frame.

    >>> world = Frame("world")
    >>> WrenchMatrix(world, angular=[[0], [0], [0]], linear=[[1], [0], [0]]) @ [5.0]
    Wrench in 'world': angular (0, 0, 0), linear (5, 0, 0)
    """

    @staticmethod
    def trusted(frame: Frame[G], columns: tuple[Vec6, ...]) -> WrenchMatrix[G]:
        """Make a wrench matrix of scalars, unchecked."""
        self: WrenchMatrix[G] = _new(WrenchMatrix)
        _wrench_columns(self, columns)
        _wrench_frame(self, frame)
        return self

    def expect(self, frame: Frame[G]) -> WrenchMatrix[G]:
        """Return this matrix, known to type checkers by the frame given; raise FrameMismatchError for others."""
        matrix: WrenchMatrix[G] = checked_frames(self, frame=frame)
        return matrix

    def transformed(self, tf: Transform[F, G]) -> WrenchMatrix[G]:
        """Return the same wrenches in `tf.to_frame`.

        Raises FrameMismatchError unless `tf` starts in the matrix's frame.
        """
        columns = self._transformed_columns(tf)  # checks the transform first
        return WrenchMatrix.trusted(tf.to_frame, columns)

    def __matmul__(self, multipliers: VectorLike) -> Wrench[F]:
        return Wrench.trusted(self.frame, *self.checked_combination(multipliers, "multipliers"))

    def power_components(self, twist: Twist[Any, Any, F]) -> Vector:
        """Return the power of each column on a twist, as scalars.

        Raises FrameMismatchError unless both are expressed in one frame.
        """
        require_kind_in_frame(twist, Twist, self.frame, "WrenchMatrix.power", "twist")
        return self.products(twist.angular_components, twist.linear_components)

    def power(self, twist: Twist[Any, Any, F]) -> Array:
        """Return the power of each column on a twist as a float64 array.

        Raises FrameMismatchError unless both are expressed in one frame.
        """
        return array_of(self.power_components(twist))


_momentum_columns, _momentum_frame = slot_setters(MomentumMatrix)
_wrench_columns, _wrench_frame = slot_setters(WrenchMatrix)
