"""The interface of a scalar family.

A family is one or several types with their arithmetic. To add a family, derive from `ScalarFamily`, define the abstract
methods, and register an instance:

>>> import math
>>> from rbd.scalars import ScalarFamily, less, register_scalar, sin
>>> class Metres:                                    # a float with a unit
...     def __init__(self, value: float) -> None:
...         self.value = value
>>> class MetresFamily(ScalarFamily[Metres]):
...     name = "metres"
...     def lift(self, x, like): return x if isinstance(x, Metres) else Metres(float(x))
...     def to_float(self, x): return x.value
...     def less(self, a, b): return a.value < b.value
...     def less_equal(self, a, b): return a.value <= b.value
...     def sin(self, x): return Metres(math.sin(x.value))
>>> register_scalar(Metres, MetresFamily())
>>> sin(Metres(0.0)).value, less(Metres(1.0), 2.0)
(0.0, True)

Undefined functions (here: `cos`) raise a `ScalarError` that names the function and the family. A family for
differentiation defines every function with its derivative; it compares its parts with `less`, and its `where` selects
each part. A family whose comparisons are neither bools nor conditions of another family defines `where`, `both`,
`either` and `invert`, and registers the type of its conditions:
`register_scalar(kind, family, condition=kind_of_condition)`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Generic, NoReturn, Protocol, TypeVar

from rbd.errors import NotFiniteError, RbdError, ScalarError, SingularError, quoted
from rbd.scalars.protocol import Condition, Scalar, ScalarArray, Vector

T = TypeVar("T")
F = TypeVar("F", bound="ScalarFamily[Any]")


class IntrinsicLike(Protocol):
    """Interface of an intrinsic, which `rbd.intrinsics.Intrinsic` implements."""

    def run_on_family(
        self,
        family: ScalarFamily[Any],
        sizes: tuple[int, ...],
        operands: Vector,
        labels: tuple[str, ...],
        member: Scalar,
    ) -> Vector:
        """Return the outputs for scalars of a family with decided comparisons."""
        ...


class ScalarFamily(ABC, Generic[T]):
    """A scalar family: conversions, comparisons and functions. All operands are already converted to the family."""

    name: ClassVar[str]
    """Name of the family in messages."""

    priority: ClassVar[int] = 70
    """In operations of two families, the one of higher priority computes, and converts the other operand."""

    spoiled_by_floats: ClassVar[bool] = False
    """Whether arithmetic with a float returns a float (`Fraction * float`)."""

    records: ClassVar[bool] = False
    """Whether operations are recorded instead of computed."""

    @abstractmethod
    def lift(self, x: Scalar, like: T) -> T:
        """Convert `x`, of another family, exactly to this one; raise ScalarError if it cannot be converted."""

    @abstractmethod
    def to_float(self, x: T) -> float:
        """Return the value as a float; raise ScalarError if it has none."""

    @abstractmethod
    def less(self, a: T, b: T) -> Condition:
        """Return the condition a < b."""

    @abstractmethod
    def less_equal(self, a: T, b: T) -> Condition:
        """Return the condition a <= b."""

    def is_finite(self, x: T) -> bool:
        """Return whether `x` is finite: False for NaN and infinities that the family can recognise."""
        return True

    def has_range(self, x: T) -> bool:
        """Return whether squares of numbers such as `x` overflow and underflow as those of floats do."""
        return False

    def array(self, entries: ScalarArray) -> ScalarArray:
        """Return an array of this family's scalars as its type of arrays."""
        return entries

    def sin(self, x: T) -> T:
        """Return the sine."""
        self.refuse("sin", x)

    def cos(self, x: T) -> T:
        """Return the cosine."""
        self.refuse("cos", x)

    def tan(self, x: T) -> T:
        """Return the tangent."""
        self.refuse("tan", x)

    def asin(self, x: T) -> T:
        """Return the arc sine."""
        self.refuse("asin", x)

    def acos(self, x: T) -> T:
        """Return the arc cosine."""
        self.refuse("acos", x)

    def atan2(self, y: T, x: T) -> T:
        """Return the angle of the point (x, y)."""
        self.refuse("atan2", y, x)

    def sqrt(self, x: T) -> T:
        """Return the square root."""
        self.refuse("sqrt", x)

    def exp(self, x: T) -> T:
        """Return the exponential."""
        self.refuse("exp", x)

    def log(self, x: T) -> T:
        """Return the natural logarithm."""
        self.refuse("log", x)

    def tanh(self, x: T) -> T:
        """Return the hyperbolic tangent."""
        self.refuse("tanh", x)

    def power(self, x: T, n: T) -> T:
        """Return x to the power n."""
        self.refuse("power", x, n)

    def divide(self, a: T, b: T) -> T:
        """Return a / b; division by zero as close to IEEE 754 as the family allows."""
        self.refuse("divide", a, b)

    def absolute(self, x: T) -> T:
        """Return the absolute value."""
        self.refuse("absolute", x)

    def minimum(self, a: T, b: T) -> T:
        """Return the smaller."""
        return self.where(self.less(b, a), b, a)

    def maximum(self, a: T, b: T) -> T:
        """Return the larger."""
        return self.where(self.less(a, b), b, a)

    def where(self, condition: Condition, a: T, b: T) -> T:
        """Return `a` where the condition holds, else `b`; they may be of families of lower priority."""
        if isinstance(condition, bool):
            return a if condition else b
        raise self.foreign_condition(condition)

    def both(self, c: Condition, d: Condition) -> Condition:
        """Return the conjunction of two undecided conditions."""
        raise self.foreign_condition(c)

    def either(self, c: Condition, d: Condition) -> Condition:
        """Return the disjunction of two undecided conditions."""
        raise self.foreign_condition(c)

    def invert(self, c: Condition) -> Condition:
        """Return the negation of an undecided condition."""
        raise self.foreign_condition(c)

    def positive(self, x: T, what: str) -> T:
        """Return `x`; raise SingularError naming `what` if it is certainly not positive."""
        if self.less(self.lift(0, x), x) is False:
            raise not_positive(x, what)
        return x

    def decided(self, condition: Condition) -> bool | None:
        """Return the truth of a condition if it is decided, else None."""
        return condition if isinstance(condition, bool) else None

    def intrinsic(
        self,
        intrinsic: IntrinsicLike,
        sizes: tuple[int, ...],
        operands: Vector,
        labels: tuple[str, ...],
        member: Scalar,
    ) -> Vector:
        """Return the outputs of an intrinsic; `member` is an operand of this family."""
        return intrinsic.run_on_family(self, sizes, operands, labels, member)

    def refuse(self, function: str, *operands: object) -> NoReturn:
        """Raise the ScalarError for a function without a value in this family."""
        shown = ", ".join(str(x) for x in operands)
        raise ScalarError(
            f"{function}({quoted(shown)[1:-1]}) has no value among scalars of the family {self.name!r}",
            function=function,
            scalar=operands[0] if len(operands) == 1 else operands,
        )

    def foreign_condition(self, condition: object) -> ScalarError:
        """Return the error for a condition of another family."""
        return ScalarError(
            f"{quoted(condition)} is no condition scalars of the family {self.name!r} can select by",
            function="where",
            scalar=condition,
        )


def with_methods(methods: Mapping[str, Callable[..., Any]]) -> Callable[[type[F]], type[F]]:
    """Return a decorator that gives a family functions by name, where many are made alike."""

    def decorate(family: type[F]) -> type[F]:
        for name, method in methods.items():
            setattr(family, name, method)
        return family

    return decorate


def not_positive(x: object, what: str, verdict: str = "must be positive") -> RbdError:
    """Return the error of `positive`; for floats that are not finite, the error is about overflow."""
    if isinstance(x, float) and not math.isfinite(x):
        return NotFiniteError(f"{what} left the range of float64: it is {x}", argument=what, value=x)
    return SingularError(f"{what} {verdict}, got {quoted(x)[1:-1]}", what=what, value=x)
