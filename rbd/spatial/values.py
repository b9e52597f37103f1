"""Spatial values: immutability, comparison, validation, printing.

A spatial value is frames plus tuples of scalars of any type. It is immutable: copying returns the value itself. NumPy
arrays are not operands of its operators: `__array_ufunc__` is None, so that rbd's own error is raised.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Final, NoReturn, Self, TypeAlias, TypeVar, cast

import attrs
import numpy as np
from numpy.typing import NDArray

from rbd.arguments import described, is_finite, require_kind
from rbd.errors import ArgumentError, NotFiniteError
from rbd.scalars import Scalar, Vector, is_float, to_float
from rbd.scalars.arrays import scalars
from rbd.scalars.registry import ARRAYS, family_of
from rbd.spatial.frame import Frame, check_frame, require_frame
from rbd.spatial.linalg import Vec3

VectorLike: TypeAlias = NDArray[Any] | Sequence[Scalar]
MatrixLike: TypeAlias = NDArray[Any] | Sequence[VectorLike]

_TOLERANCE = 1 / 10**12
_FLOAT64: Final = np.dtype(np.float64)
_SEQUENCES: Final = frozenset({list, tuple})
_Value = TypeVar("_Value", bound="SpatialValue")


class SpatialValue(ABC):
    """Base of all spatial values; abstract."""

    __slots__ = ()
    __array_ufunc__: ClassVar[None] = None
    _frame_names: ClassVar[tuple[str, ...]] = ("frame",)

    def _frames(self) -> tuple[tuple[str, Frame[Any]], ...]:
        """Return the frames with the names of the attributes that hold them."""
        return tuple((name, getattr(self, name)) for name in self._frame_names)

    @abstractmethod
    def _parts(self) -> tuple[Vector, ...]:
        """Return the groups of scalars whose Euclidean norms `isclose` compares."""

    def isclose(self, other: Self, atol: float = _TOLERANCE) -> bool:
        """Return whether every part of two values differs by at most `atol`, in Euclidean (Frobenius) norm.

        Raises FrameMismatchError when the frames differ, ScalarError when symbols remain.
        """
        require_kind(other, type(self), operation=f"{type(self).__name__}.isclose", argument="other")
        require_tolerance(atol, f"{type(self).__name__}.isclose")
        for (name, mine), (_, theirs) in zip(self._frames(), other._frames(), strict=True):
            check_frame(theirs, mine, operation=f"{type(self).__name__}.isclose", argument=f"other.{name}")
        return all(_distance(a, b) <= atol for a, b in zip(self._parts(), other._parts(), strict=True))

    if not TYPE_CHECKING:  # to type checkers a value is no array, so that they refuse it where arrays are wanted

        def __array__(self, dtype: object = None, copy: object = None) -> NoReturn:
            """Refuse to become an array: the frame would be lost."""
            kind = type(self).__name__
            name = next((name for name in ("xyz", "vector", "matrix") if hasattr(type(self), name)), "components")
            raise ArgumentError(
                f"a {kind} is not an array: it has frames; its numbers are .{name}", argument="object", value=self
            )

    @property
    def is_finite(self) -> bool:
        """Whether no component is NaN or infinite. Raises ScalarError unless all scalars are floats."""
        return all(math.isfinite(to_float(x)) for part in self._parts() for x in part)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self


def parts_of(value: SpatialValue) -> tuple[Vector, ...]:
    """Return the scalars of a value in groups, such as its angular and its linear part."""
    return value._parts()  # pyright: ignore[reportPrivateUsage]  # a class of this module


def require_tolerance(atol: object, operation: str) -> None:
    """Raise ArgumentError unless `atol` is a number that is not negative."""
    if not (is_float(atol) and cast("float", atol) >= 0):
        message = f"{operation}: atol must be a number of 0 or more, not {described(atol)}"
        raise ArgumentError(message, operation=operation, argument="atol", value=atol, allowed="a number >= 0")


def _distance(a: Vector, b: Vector) -> float:
    if len(a) != len(b):
        return math.inf
    return math.hypot(*(to_float(x - y) for x, y in zip(a, b, strict=True)))


def slot_setters(kind: type[Any]) -> tuple[Callable[[object, object], None], ...]:
    """Return the setters of an attrs class's slots, in the order of its fields: for `trusted`."""
    return tuple(getattr(kind, field.name).__set__ for field in attrs.fields(kind))


def vec3(values: VectorLike, name: str) -> Vec3:
    """Return three scalars. Raises ShapeError or NotFiniteError naming `name`."""
    array: Any = values
    entries = array.tolist() if type(array) in ARRAYS and array.dtype is _FLOAT64 and array.ndim == 1 else array
    if type(entries) in _SEQUENCES and len(entries) == 3:
        x, y, z = entries
        if type(x) is type(y) is type(z) is float and math.isfinite(x + y + z):
            return x, y, z
    x, y, z = scalars(values, 3, name)
    return x, y, z


def format_numbers(values: Vector) -> str:
    """Return numbers as text for the reprs of spatial values."""
    return "(" + ", ".join(f"{to_float(x) + 0.0:.6g}" if is_float(x) else str(x) for x in values) + ")"


def require_kind_in_frame(value: Any, kind: type[Any], frame: Frame[Any], operation: str, argument: str) -> None:
    """Raise ArgumentError unless `value` is of the class `kind`, FrameMismatchError unless it is in `frame`."""
    if type(value) is not kind:
        require_kind(value, kind, operation=operation, argument=argument)
    if value.frame is not frame:
        check_frame(value.frame, frame, operation=operation, argument=f"{argument}.frame")


def require_finite(value: _Value, argument: str) -> _Value:
    """Return `value`; raise NotFiniteError, naming `argument`, when one of its floats is not finite.

    Finite numbers may overflow when they are expressed in another frame.
    """
    if not all(is_finite(x) for part in parts_of(value) for x in part if is_float(x)):
        raise NotFiniteError(f"{argument} leads out of the range of float64: {value!r}", argument=argument)
    return value


def checked_frames(value: SpatialValue, **frames: Frame[Any]) -> Any:
    """Return a value whose frames are these, for type checkers; raise FrameMismatchError when they are not."""
    operation = f"{type(value).__name__}.expect"
    for name, mine in value._frames():  # pyright: ignore[reportPrivateUsage]  # a class of this module
        expected = require_frame(frames[name], name)
        check_frame(mine, expected, operation=operation, argument=f"self.{name}")
    return value


def require_scalar(value: object, operation: str) -> None:
    """Raise ArgumentError or ScalarError unless `value` may be a scalar factor, NotFiniteError if it is too large."""
    if type(value) is float:
        return
    if isinstance(value, SpatialValue) or hasattr(value, "__len__"):
        advice = "; transforms, inertias and Jacobians are applied with @" if hasattr(value, "__matmul__") else ""
        raise ArgumentError(
            f"{operation}: needs a scalar factor, not {described(value)}{advice}",
            operation=operation,
            argument="factor",
            value=value,
            allowed="a scalar",
        )
    family_of(value)
    if isinstance(value, (int, Fraction)) and not is_finite(value):
        raise NotFiniteError(f"{operation}: the factor is too large for a 64-bit float", argument="factor")


def require_divisor(value: object, operation: str) -> None:
    """Raise as `require_scalar` does, and ArgumentError for zero."""
    from rbd.scalars.opaque import OpaqueValue  # here: only recordings need it otherwise

    require_scalar(value, operation)
    if not (isinstance(value, OpaqueValue) or value):
        raise ArgumentError(f"{operation}: the divisor is zero", operation=operation, argument="divisor", value=value)


def refuse_product(left: object, right: object) -> NoReturn:
    """Raise ArgumentError for `*` where `@` is meant."""
    kind = type(left).__name__
    message = f"{kind} * ...: a {kind} is applied with @, not *"
    raise ArgumentError(message, operation=f"{kind} * ...", argument="the right operand", value=right)
