"""What all spatial values share: immutability, comparison, conversion, pictures of numbers.

A spatial value is frames plus tuples of scalars of any type. It is immutable, so copies are itself. NumPy arrays never
take part in its operators: `__array_ufunc__` is None, so that NumPy steps back and our own message is seen.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self, TypeAlias, TypeVar, cast

import attrs
from numpy.typing import NDArray

from rbd.arguments import described as kind_of
from rbd.arguments import is_finite
from rbd.errors import ArgumentError, NotFiniteError
from rbd.scalars import Scalar, Vector, is_float, to_float
from rbd.scalars.arrays import scalars
from rbd.scalars.registry import operations_of
from rbd.spatial.frame import Frame, check_frame
from rbd.spatial.linalg import Vec3

VectorLike: TypeAlias = NDArray[Any] | Sequence[Scalar]
MatrixLike: TypeAlias = NDArray[Any] | Sequence[VectorLike]
Column: TypeAlias = tuple[Vec3, Vec3]  # angular, linear

_TOLERANCE = 1 / 10**12
_Value = TypeVar("_Value", bound="SpatialValue")


class SpatialValue(ABC):
    """Base of all spatial values; abstract."""

    __slots__ = ()
    __array_ufunc__: ClassVar[None] = None

    @abstractmethod
    def _frames(self) -> tuple[tuple[str, Frame[Any]], ...]:
        """Return the frames with the names of the attributes that hold them."""

    @abstractmethod
    def _parts(self) -> tuple[Vector, ...]:
        """Return the groups of scalars that are compared by their Euclidean norm."""

    def isclose(self, other: Self, atol: float = _TOLERANCE) -> bool:
        """Return whether every part of two values differs by at most `atol`, in Euclidean (Frobenius) norm.

        Raises FrameMismatchError when the frames differ, ScalarError when symbols remain.
        """
        require_kind(other, type(self), operation=f"{type(self).__name__}.isclose", argument="other")
        require_tolerance(atol, f"{type(self).__name__}.isclose")
        for (name, mine), (_, theirs) in zip(self._frames(), other._frames(), strict=True):
            check_frame(theirs, mine, operation=f"{type(self).__name__}.isclose", argument=f"other.{name}")
        return all(_distance(a, b) <= atol for a, b in zip(self._parts(), other._parts(), strict=True))

    @property
    def is_finite(self) -> bool:
        """Whether no component is NaN or infinite. Raises ScalarError unless all scalars are floats."""
        return all(math.isfinite(to_float(x)) for part in self._parts() for x in part)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self


def require_finite(value: _Value, argument: str) -> _Value:
    """Return `value`; raise NotFiniteError, naming `argument`, when plain numbers of it have left the range of floats.

    What is finite as it is given may overflow when it is expressed in another frame.
    """
    parts = value._parts()  # pyright: ignore[reportPrivateUsage]  # a class of this module
    if not all(is_finite(x) for part in parts for x in part if is_float(x)):
        raise NotFiniteError(f"{argument} leads out of the range of float64: {value!r}", argument=argument)
    return value


def require_tolerance(atol: object, operation: str) -> None:
    """Raise ArgumentError unless `atol` is a number that is not negative."""
    if not (is_float(atol) and cast("float", atol) >= 0):
        message = f"{operation}: atol must be a number of 0 or more, not {kind_of(atol)}"
        raise ArgumentError(message, operation=operation, argument="atol", value=atol, allowed="a number >= 0")


def _distance(a: Vector, b: Vector) -> float:
    if len(a) != len(b):
        return math.inf
    return math.hypot(*(to_float(x - y) for x, y in zip(a, b, strict=True)))


def slot_setters(kind: type[Any]) -> tuple[Callable[[object, object], None], ...]:
    """Return the setters of an attrs class's slots, in the order of its fields: how `trusted` fills a frozen value."""
    return tuple(getattr(kind, field.name).__set__ for field in attrs.fields(kind))


def require_kind(value: object, *kinds: type[Any], operation: str, argument: str) -> None:
    """Raise ArgumentError unless `value` is of one of the classes."""
    if not isinstance(value, kinds):
        raise wrong_kind(value, " or ".join(kind.__name__ for kind in kinds), operation, argument)


def wrong_kind(value: object, allowed: str, operation: str, argument: str) -> ArgumentError:
    """Return the error that says an argument is of the wrong class."""
    article = "an" if allowed[:1] in "AEIO" else "a"
    return ArgumentError(
        f"{operation}: {argument} must be {article} {allowed}, not {described(value, allowed)}",
        operation=operation,
        argument=argument,
        value=value,
        allowed=allowed,
    )


def described(value: object, allowed: str) -> str:
    """Return the type of an operand that does not fit, with advice where one is at hand."""
    kind = type(value).__name__
    wrappers = [name for name in ("Point", "FreeVector") if name in allowed]
    if kind in {"ndarray", "list", "tuple"} and wrappers:
        return f"{kind}; wrap it in {' or '.join(f'{name}(frame, xyz)' for name in wrappers)}"
    return kind


def require_scalar(value: object, operation: str) -> None:
    """Raise ArgumentError or ScalarError unless `value` may be a scalar factor, NotFiniteError for too large an int."""
    if type(value) is float:
        return
    if isinstance(value, SpatialValue) or hasattr(value, "__len__"):
        raise ArgumentError(
            f"{operation}: needs a scalar factor, not {type(value).__name__}",
            operation=operation,
            argument="factor",
            value=value,
            allowed="a scalar",
        )
    operations_of(value)
    if isinstance(value, int) and not is_finite(value):
        raise NotFiniteError(f"{operation}: the factor is no float, it is too large", argument="factor")


def require_number(value: object, argument: str) -> None:
    """Raise ShapeError, NotFiniteError or ScalarError, naming `argument`, unless `value` is a scalar of any family."""
    scalars([value], 1, argument)


def vec3(values: VectorLike, name: str) -> Vec3:
    """Return three scalars. Raises ShapeError or NotFiniteError naming `name`."""
    x, y, z = scalars(values, 3, name)
    return x, y, z


def shown_numbers(values: Vector) -> str:
    """Return numbers the way the reprs of spatial values show them."""
    return "(" + ", ".join(f"{to_float(x) + 0.0:.6g}" if is_float(x) else str(x) for x in values) + ")"
