"""Exact rational constants that combine with every scalar family.

`const(1, 2)` stands where a formula has a half. Beside floats it is a float, beside fractions a fraction, beside
symbols a rational symbol, beside intervals a tight enclosure; among themselves constants stay exact.
"""

from __future__ import annotations

import math
import numbers
import operator
import sys
from abc import abstractmethod
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final, SupportsIndex, TypeAlias, final

import numpy as np
from typing_extensions import override

from rbd.errors import ArgumentError

Operator: TypeAlias = Callable[[Any, Any], Any]

_INEXACT: Final[tuple[type[object], ...]] = (float, complex, np.inexact)

_GUARD_BITS: Final = 20


def const(n: SupportsIndex, d: SupportsIndex = 1) -> Whole | Rational:
    """Return the exact constant n/d: an int when d divides n.

    Raises ArgumentError unless both are integers and d is not zero.

    >>> const(1, 2), const(4, 2), const(1, 3) + const(1, 6), const(1) / const(3)
    (const(1, 2), 2, const(1, 2), const(1, 3))
    >>> 3.0 * const(1, 2)
    1.5
    """
    try:
        top, bottom = operator.index(n), operator.index(d)
    except TypeError:
        raise ArgumentError(f"const takes integers, got {n!r} and {d!r}", argument="n", value=(n, d)) from None
    if bottom == 0:
        raise ArgumentError(f"const({top}, 0) is no number", argument="d", value=0)
    return exact(top, bottom)


def exact(n: int, d: int) -> Whole | Rational:
    """Return n/d in lowest terms; d is not zero."""
    common = math.gcd(n, d) if d > 0 else -math.gcd(n, d)
    return Whole(n // common) if d == common else Rational(n // common, d // common)


def _truediv(a: Any, b: Any) -> Any:
    return a / b


def _quotient(a: int, b: int, c: int, d: int) -> Whole | Rational:
    if c == 0:
        raise ZeroDivisionError("a constant divided by zero")
    return exact(a * d, b * c)


_EXACT_RESULT: Final[dict[Operator, Callable[[int, int, int, int], Whole | Rational]]] = {
    operator.add: lambda a, b, c, d: exact(a * d + c * b, b * d),
    operator.sub: lambda a, b, c, d: exact(a * d - c * b, b * d),
    operator.mul: lambda a, b, c, d: exact(a * c, b * d),
    _truediv: _quotient,
}


def _combined(operation: Operator, a: Any, b: Any) -> Any:
    """Return the exact result for two constants or integers."""
    return _EXACT_RESULT[operation](int(a.numerator), int(a.denominator), int(b.numerator), int(b.denominator))


class _Arithmetic:
    """The operators, by two methods."""

    __slots__ = ()

    @abstractmethod
    def _forward(self, operation: Operator, other: object) -> Any:
        """Return self operation other."""

    @abstractmethod
    def _backward(self, operation: Operator, other: object) -> Any:
        """Return other operation self."""

    def __add__(self, other: Any, /) -> Any:
        return self._forward(operator.add, other)

    def __radd__(self, other: Any, /) -> Any:
        return self._backward(operator.add, other)

    def __sub__(self, other: Any, /) -> Any:
        return self._forward(operator.sub, other)

    def __rsub__(self, other: Any, /) -> Any:
        return self._backward(operator.sub, other)

    def __mul__(self, other: Any, /) -> Any:
        return self._forward(operator.mul, other)

    def __rmul__(self, other: Any, /) -> Any:
        return self._backward(operator.mul, other)

    def __truediv__(self, other: Any, /) -> Any:
        return self._forward(_truediv, other)

    def __rtruediv__(self, other: Any, /) -> Any:
        return self._backward(_truediv, other)


class Whole(_Arithmetic, int):
    """An integer constant: an `int` whose quotient by another integer is exact. Others see an `int`."""

    __slots__ = ()

    @override
    def _forward(self, operation: Operator, other: object) -> Any:
        return _combined(operation, self, other) if isinstance(other, int) else NotImplemented

    @override
    def _backward(self, operation: Operator, other: object) -> Any:
        return _combined(operation, other, self) if isinstance(other, int) else NotImplemented

    @override
    def __neg__(self) -> Whole:
        return Whole(-int(self))

    @override
    def __pos__(self) -> Whole:
        return self


@final
class Rational(_Arithmetic):
    """A constant that is no integer; made by `const`. Equal to, and hashed as, the `Fraction` of the same value."""

    __slots__ = ("_value", "denominator", "numerator")

    # NumPy's scalars must leave the operation to us: they would make an object array of it.
    __array_ufunc__: Final = None

    numerator: int
    denominator: int
    _value: float

    def __init__(self, numerator: int, denominator: int) -> None:
        """Keep a fraction that is in lowest terms already."""
        self.numerator = numerator
        self.denominator = denominator
        try:
            self._value = numerator / denominator
        except OverflowError:
            self._value = math.inf if numerator > 0 else -math.inf

    @override
    def _forward(self, operation: Operator, other: object) -> Any:
        if type(other) is float:
            return operation(self._value, other)
        if isinstance(other, (Rational, int, np.integer)):
            return _combined(operation, self, other)
        mine = self._beside(other)
        return NotImplemented if mine is None else operation(mine, other)

    @override
    def _backward(self, operation: Operator, other: object) -> Any:
        if type(other) is float:
            return operation(other, self._value)
        if isinstance(other, (int, np.integer)):
            return _combined(operation, other, self)
        mine = self._beside(other)
        return NotImplemented if mine is None else operation(other, mine)

    def _beside(self, other: object) -> Fraction | float | None:
        """Return what stands for this constant beside a number; None beside foreign scalars, which know themselves."""
        if isinstance(other, Fraction):
            return Fraction(self.numerator, self.denominator)
        return self._value if isinstance(other, _INEXACT) else None

    def __neg__(self) -> Rational:
        return Rational(-self.numerator, self.denominator)

    def __pos__(self) -> Rational:
        return self

    def __abs__(self) -> Rational:
        return Rational(abs(self.numerator), self.denominator)

    def __float__(self) -> float:
        return self._value

    @override
    def __eq__(self, other: object) -> bool:
        return Fraction(self.numerator, self.denominator) == other

    @override
    def __hash__(self) -> int:
        return hash(Fraction(self.numerator, self.denominator))

    def __lt__(self, other: Any) -> Any:
        return self._compared(operator.lt, other)

    def __le__(self, other: Any) -> Any:
        return self._compared(operator.le, other)

    def __gt__(self, other: Any) -> Any:
        return self._compared(operator.gt, other)

    def __ge__(self, other: Any) -> Any:
        return self._compared(operator.ge, other)

    def _compared(self, operation: Operator, other: Any) -> Any:
        theirs = Fraction(other.numerator, other.denominator) if isinstance(other, Rational) else other
        return operation(Fraction(self.numerator, self.denominator), theirs)

    @override
    def __repr__(self) -> str:
        return f"const({self.numerator}, {self.denominator})"

    @override
    def __reduce__(self) -> tuple[object, ...]:
        return const, (self.numerator, self.denominator)

    def _sympy_(self) -> Any:
        """Tell SymPy the exact value: it looks for this method."""
        return sys.modules["sympy"].Rational(self.numerator, self.denominator)

    def _mpmath_(self, precision: int, rounding: str) -> Any:
        """Tell mpmath the value rounded to its precision: it looks for this method."""
        return sys.modules["mpmath"].mp.make_mpf(self._rounded(precision, rounding))

    @property
    def _mpi_(self) -> tuple[Any, Any]:
        """Tell mpmath's intervals an enclosure: they look for this attribute."""
        precision = sys.modules["mpmath"].iv.prec + _GUARD_BITS
        return self._rounded(precision, "f"), self._rounded(precision, "c")

    def _rounded(self, precision: int, rounding: str) -> Any:
        return sys.modules["mpmath.libmp"].from_rational(self.numerator, self.denominator, precision, rounding)


# Libraries that ask for numbers.Rational (Fraction, mpmath, dual numbers of users) take numerator and denominator.
numbers.Rational.register(Rational)
