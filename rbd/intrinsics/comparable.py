"""Wrappers of scalars of other families inside an intrinsic, which needs decided comparisons.

An intrinsic chooses pivots by comparing. Complex numbers compare their real parts, exact and arbitrarily precise ones
their values; a symbol, or an interval that overlaps another, cannot be compared and is refused by name.
"""

from __future__ import annotations

from typing import Any, Final, final

from typing_extensions import override

from rbd import scalars
from rbd.errors import RbdError, ScalarError
from rbd.scalars.binary_operators import BinaryOperators, Operator, divided
from rbd.scalars.family import ScalarFamily
from rbd.scalars.protocol import Scalar

_OPERATIONS: Final[dict[Operator, Operator]] = {divided: scalars.divide}
"""Functions of scalars for operators of Python."""


@final
class Comparable(BinaryOperators):
    """A number whose comparisons are bools."""

    __slots__ = ("context", "value")

    def __init__(self, value: Scalar, context: ComparisonContext) -> None:
        """Wrap a member of the family of the context."""
        self.value, self.context = value, context

    def _wrapped(self, value: Scalar) -> Comparable:
        return Comparable(value, self.context)

    @override
    def _forward(self, operation: Operator, other: object) -> Comparable:
        return self._wrapped(_OPERATIONS.get(operation, operation)(self.value, self.context.value(other)))

    @override
    def _backward(self, operation: Operator, other: object) -> Comparable:
        return self._wrapped(_OPERATIONS.get(operation, operation)(self.context.value(other), self.value))

    def __neg__(self) -> Comparable:
        return self._wrapped(-self.value)

    def __abs__(self) -> Comparable:
        return self._wrapped(scalars.absolute(self.value))

    def sqrt(self) -> Comparable:
        """Return the square root."""
        return self._wrapped(scalars.sqrt(self.value))

    def __lt__(self, other: Any) -> bool:
        return self.context.less(self.value, self.context.value(other))

    def __le__(self, other: Any) -> bool:
        return self.context.less_equal(self.value, self.context.value(other))

    def __gt__(self, other: Any) -> bool:
        return self.context.less(self.context.value(other), self.value)

    def __ge__(self, other: Any) -> bool:
        return self.context.less_equal(self.context.value(other), self.value)

    @override
    def __eq__(self, other: object) -> bool:
        x = self.context.value(other)
        return self.context.less_equal(self.value, x) and self.context.less_equal(x, self.value)

    __hash__ = None  # type: ignore[assignment]  # equal by value, and mutable families exist


@final
class ComparisonContext:
    """The family an intrinsic runs on, and the intrinsic's name for messages."""

    def __init__(self, family: ScalarFamily[Any], member: Scalar, intrinsic: str) -> None:
        """Run `intrinsic` on the family of `member`."""
        self._family, self._member, self._intrinsic = family, member, intrinsic

    def wrap(self, x: object) -> Comparable:
        """Return a scalar for use inside the intrinsic."""
        return Comparable(self.value(x), self)

    def value(self, x: object) -> Any:
        """Return a scalar, a wrapped one or a literal as a member of the family."""
        if isinstance(x, Comparable):
            return x.value
        return scalars.lift(x, self._member)  # type: ignore[arg-type]  # a literal of the intrinsic, or a scalar

    def less(self, a: Scalar, b: Scalar) -> bool:
        """Decide a < b."""
        return self._decided(self._compared("less", a, b))

    def less_equal(self, a: Scalar, b: Scalar) -> bool:
        """Decide a <= b."""
        return self._decided(self._compared("less_equal", a, b))

    def _compared(self, name: str, a: Scalar, b: Scalar) -> object:
        try:
            return getattr(scalars, name)(a, b)
        except RbdError as error:
            raise self._refusal() from error

    def _decided(self, condition: Any) -> bool:
        truth = self._family.decided(condition)
        if truth is None:
            raise self._refusal()
        return truth

    def _refusal(self) -> ScalarError:
        kind = type(self._member)
        name = f"{kind.__module__}.{kind.__qualname__}"
        message = f"{self._intrinsic} must compare numbers, and {name} leaves a comparison undecided"
        return ScalarError(message, scalar=self._member, function=self._intrinsic)
