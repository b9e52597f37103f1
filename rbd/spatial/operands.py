"""Checks of the operands of spatial values: classes, frames, scalar factors."""

from __future__ import annotations

from typing import Any, NoReturn, TypeVar

from rbd.arguments import described, is_finite, require_kind
from rbd.errors import ArgumentError, NotFiniteError
from rbd.scalars import is_float
from rbd.scalars.arrays import scalars
from rbd.scalars.registry import operations_of
from rbd.spatial.frame import Frame, check_frame, require_frame
from rbd.spatial.values import SpatialValue

_Value = TypeVar("_Value", bound=SpatialValue)


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
    parts = value._parts()  # pyright: ignore[reportPrivateUsage]  # a class of this package
    if not all(is_finite(x) for part in parts for x in part if is_float(x)):
        raise NotFiniteError(f"{argument} leads out of the range of float64: {value!r}", argument=argument)
    return value


def checked_frames(value: SpatialValue, **frames: Frame[Any]) -> Any:
    """Return a value whose frames are these, for type checkers; raise FrameMismatchError when they are not."""
    operation = f"{type(value).__name__}.expect"
    for name, mine in value._frames():  # pyright: ignore[reportPrivateUsage]  # a class of this package
        expected = require_frame(frames[name], name)
        check_frame(mine, expected, operation=operation, argument=f"self.{name}")
    return value


def require_scalar(value: object, operation: str) -> None:
    """Raise ArgumentError or ScalarError unless `value` may be a scalar factor, NotFiniteError for too large an int."""
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
    operations_of(value)
    if isinstance(value, int) and not is_finite(value):
        raise NotFiniteError(f"{operation}: the factor is too large for a 64-bit float", argument="factor")


def require_divisor(value: object, operation: str) -> None:
    """Raise as `require_scalar` does, and ArgumentError for zero."""
    require_scalar(value, operation)
    if is_float(value) and not value:
        raise ArgumentError(f"{operation}: the divisor is zero", operation=operation, argument="divisor", value=value)


def refuse_product(left: object, right: object) -> NoReturn:
    """Raise ArgumentError for `*` where `@` is meant."""
    kind = type(left).__name__
    message = f"{kind} * ...: a {kind} is applied with @, not *"
    raise ArgumentError(message, operation=f"{kind} * ...", argument="the right operand", value=right)


def require_number(value: object, argument: str) -> None:
    """Raise ShapeError, NotFiniteError or ScalarError, naming `argument`, unless `value` is a scalar of any family."""
    scalars([value], 1, argument)
