"""Exact rational constants that combine with every scalar family.

`const(1, 2)` is one half. In operations with floats it is a float, with fractions a fraction, with symbols a SymPy
rational, with intervals a tight enclosure. Operations of constants are exact.
"""

from __future__ import annotations

import math
import numbers
import operator
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final, SupportsIndex, final

import numpy as np
from typing_extensions import override

from rbd.arguments import described
from rbd.errors import ArgumentError
from rbd.scalars.binary_operators import BinaryOperators, Operator, divided

_INEXACT: Final[tuple[type[object], ...]] = (float, complex, np.inexact)

_GUARD_BITS: Final = 20


def const(n: SupportsIndex, d: SupportsIndex = 1) -> IntegerConstant | Rational:
    """Return the exact constant n/d: an int when d divides n.

    Raises ArgumentError unless both are integers and d is nonzero.

    >>> const(1, 2), const(4, 2), const(1, 3) + const(1, 6), const(1) / const(3)
    (const(1, 2), 2, const(1, 2), const(1, 3))
    >>> 3.0 * const(1, 2)
    1.5
    """
    try:
        top, bottom = operator.index(n), operator.index(d)
    except MemoryError:
        raise
    except Exception:  # an object's own `__index__` may raise anything
        message = f"const takes integers, got {described(n)} and {described(d)}"
        raise ArgumentError(message, argument="n", value=(n, d)) from None
    if bottom == 0:
        raise ArgumentError(f"const({top}, 0): the denominator is zero", argument="d", value=0)
    return exact_quotient(top, bottom)


def exact_quotient(n: int, d: int) -> IntegerConstant | Rational:
    """Return n/d in lowest terms, for nonzero d."""
    common = math.gcd(n, d) if d > 0 else -math.gcd(n, d)
    return IntegerConstant(n // common) if d == common else Rational(n // common, d // common)


def _quotient(a: int, b: int, c: int, d: int) -> IntegerConstant | Rational:
    if c == 0:
        raise ZeroDivisionError("a constant divided by zero")
    return exact_quotient(a * d, b * c)


_EXACT_RESULT: Final[dict[Operator, Callable[[int, int, int, int], IntegerConstant | Rational]]] = {
    operator.add: lambda a, b, c, d: exact_quotient(a * d + c * b, b * d),
    operator.sub: lambda a, b, c, d: exact_quotient(a * d - c * b, b * d),
    operator.mul: lambda a, b, c, d: exact_quotient(a * c, b * d),
    divided: _quotient,
}


def _combined(operation: Operator, a: Any, b: Any) -> Any:
    """Return the exact result for two constants or integers."""
    return _EXACT_RESULT[operation](int(a.numerator), int(a.denominator), int(b.numerator), int(b.denominator))


def _compared(operation: Operator) -> Any:
    """Return the method for `int(self) operation other`."""

    def method(self: IntegerConstant, other: object) -> Any:
        return operation(int(self), other)

    return method


def _reflected(name: str) -> Any:
    """Return the method for `other operation int(self)`, an operation of the module `operator`."""
    operation: Operator = getattr(operator, name)

    def method(self: IntegerConstant, other: object) -> Any:
        return operation(other, int(self))

    return method


@final
class IntegerConstant(BinaryOperators, int):
    """Integer constant: an `int` with exact quotients."""

    __slots__ = ()

    # NumPy's numbers defer to this class in all operators: otherwise quotients of its integers are floats. Its arrays,
    # whose priority is 0, take constants as ints, also in place.
    __array_priority__: Final = -1.0

    __lt__ = _compared(operator.lt)
    __le__ = _compared(operator.le)
    __gt__ = _compared(operator.gt)
    __ge__ = _compared(operator.ge)
    __eq__ = _compared(operator.eq)
    __ne__ = _compared(operator.ne)
    __hash__ = int.__hash__
    __rpow__ = _reflected("pow")
    __rfloordiv__ = _reflected("floordiv")
    __rmod__ = _reflected("mod")
    __rand__ = _reflected("and_")
    __ror__ = _reflected("or_")
    __rxor__ = _reflected("xor")
    __rlshift__ = _reflected("lshift")
    __rrshift__ = _reflected("rshift")

    @override
    def __rdivmod__(self, other: Any, /) -> Any:
        return divmod(other, int(self))

    @override
    def _forward(self, operation: Operator, other: object) -> Any:
        return _combined(operation, self, other) if isinstance(other, (int, np.integer)) else NotImplemented

    @override
    def _backward(self, operation: Operator, other: object) -> Any:
        if isinstance(other, (int, np.integer)):
            return _combined(operation, other, self)
        return operation(other, int(self)) if isinstance(other, (np.ndarray, np.generic)) else NotImplemented

    @override
    def __neg__(self) -> IntegerConstant:
        return IntegerConstant(-int(self))

    @override
    def __pos__(self) -> IntegerConstant:
        return self

    @override
    def __abs__(self) -> IntegerConstant:
        return IntegerConstant(abs(int(self)))


@final
class Rational(BinaryOperators):
    """Rational constant that is not an integer, made by `const`; equal to the `Fraction` of the same value."""

    __slots__ = ("_value", "denominator", "numerator")

    # NumPy's scalars must defer to this class: otherwise they return object arrays.
    __array_ufunc__: Final = None

    numerator: int
    denominator: int
    _value: float

    def __init__(self, numerator: int, denominator: int) -> None:
        """Set numerator and denominator, in lowest terms."""
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
        mine = self._converted_for(other)
        return NotImplemented if mine is None else operation(mine, other)

    @override
    def _backward(self, operation: Operator, other: object) -> Any:
        if type(other) is float:
            return operation(other, self._value)
        if isinstance(other, (int, np.integer)):
            return _combined(operation, other, self)
        mine = self._converted_for(other)
        return NotImplemented if mine is None else operation(other, mine)

    # The most frequent operations with floats, on the shortest way.

    @override
    def __add__(self, other: Any, /) -> Any:
        return self._value + other if type(other) is float else self._forward(operator.add, other)

    @override
    def __sub__(self, other: Any, /) -> Any:
        return self._value - other if type(other) is float else self._forward(operator.sub, other)

    @override
    def __mul__(self, other: Any, /) -> Any:
        return self._value * other if type(other) is float else self._forward(operator.mul, other)

    @override
    def __rmul__(self, other: Any, /) -> Any:
        return other * self._value if type(other) is float else self._backward(operator.mul, other)

    def _converted_for(self, other: object) -> Fraction | float | None:
        """Return this constant in the family of a number; None for other scalars, which convert it themselves."""
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
        """Return the exact value for SymPy, which calls this method."""
        return sys.modules["sympy"].Rational(self.numerator, self.denominator)

    def _mpmath_(self, precision: int, rounding: str) -> Any:
        """Return the value rounded to mpmath's precision; mpmath calls this method."""
        return sys.modules["mpmath"].mp.make_mpf(self._rounded(precision, rounding))

    @property
    def _mpi_(self) -> tuple[Any, Any]:
        """Return an enclosure for mpmath's intervals, which read this attribute."""
        precision = sys.modules["mpmath"].iv.prec + _GUARD_BITS
        return self._rounded(precision, "f"), self._rounded(precision, "c")

    def _rounded(self, precision: int, rounding: str) -> Any:
        return sys.modules["mpmath.libmp"].from_rational(self.numerator, self.denominator, precision, rounding)


# Libraries that support numbers.Rational (Fraction, mpmath) read numerator and denominator.
numbers.Rational.register(Rational)
