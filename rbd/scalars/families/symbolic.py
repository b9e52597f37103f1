"""Scalar family of SymPy expressions.

Comparisons are relations, and selections are Piecewise; decided ones are bools and branches. Floats are converted to
rationals exactly.
"""

from __future__ import annotations

import cmath
import importlib
import math
from collections.abc import Callable
from typing import Any, Final, final

from typing_extensions import override

from rbd.errors import ScalarError, quoted
from rbd.scalars.family import ScalarFamily, not_positive, with_methods
from rbd.scalars.protocol import Condition, Scalar
from rbd.scalars.registry import register_family

# SymPy has no type annotations: expressions are Any.
Expression = Any


_FUNCTIONS: Final = {
    **{name: name for name in ("sin", "cos", "tan", "asin", "acos", "sqrt", "exp", "log", "tanh")},
    "absolute": "Abs",
    "minimum": "Min",
    "maximum": "Max",
}
"""SymPy's names of the functions."""


def _method(theirs: str) -> Callable[..., Expression]:
    def method(self: Any, *operands: Expression) -> Expression:
        return getattr(self._sympy, theirs)(*operands)

    return method


@final
@with_methods({name: _method(theirs) for name, theirs in _FUNCTIONS.items()})
class SymbolicFamily(ScalarFamily[Expression]):
    """Family of SymPy's `Expr`, with its Booleans as conditions."""

    name = "SymPy"
    priority = 60
    spoiled_by_floats = True

    def __init__(self, sympy: Any) -> None:
        self._sympy = sympy

    @override
    def lift(self, x: Scalar, like: Expression) -> Expression:
        return self._expression(x)

    def _expression(self, x: object) -> Expression:
        if isinstance(x, complex) and cmath.isfinite(x):
            return self._expression(x.real) + self._sympy.I * self._expression(x.imag)
        if isinstance(x, float) and math.isfinite(x):
            return self._sympy.Rational(*x.as_integer_ratio())
        try:
            return self._sympy.sympify(x, strict=True)
        except (self._sympy.SympifyError, TypeError, ValueError):
            raise ScalarError(f"SymPy knows no expression for {quoted(x)}", scalar=x, function="lift") from None

    @override
    def to_float(self, x: Expression) -> float:
        try:
            return float(x)
        except TypeError:
            raise ScalarError(f"{quoted(x)} is no real number", scalar=x, function="to_float") from None

    @override
    def is_finite(self, x: Expression) -> bool:
        return x is not self._sympy.nan and x.is_finite is not False

    @override
    def less(self, a: Expression, b: Expression) -> Condition:
        return self._relation(self._sympy.StrictLessThan, a, b)

    @override
    def less_equal(self, a: Expression, b: Expression) -> Condition:
        return self._relation(self._sympy.LessThan, a, b)

    def _relation(self, relation: Any, a: Expression, b: Expression) -> Condition:
        try:
            return self._decided(relation(a, b))
        except TypeError as error:
            raise ScalarError(f"SymPy cannot order {quoted(a)} and {quoted(b)}: {error}", scalar=(a, b)) from None

    def _decided(self, condition: Any) -> Condition:
        return bool(condition) if condition in (self._sympy.true, self._sympy.false) else condition

    @override
    def where(self, condition: Condition, a: Scalar, b: Scalar) -> Expression:
        return self._sympy.Piecewise((self._expression(a), self._boolean(condition)), (self._expression(b), True))

    @override
    def both(self, c: Condition, d: Condition) -> Condition:
        return self._decided(self._sympy.And(self._boolean(c), self._boolean(d)))

    @override
    def either(self, c: Condition, d: Condition) -> Condition:
        return self._decided(self._sympy.Or(self._boolean(c), self._boolean(d)))

    def _boolean(self, condition: Condition) -> Condition:
        if issubclass(type(condition), self._sympy.logic.boolalg.Boolean):
            return condition
        raise self.foreign_condition(condition)

    @override
    def invert(self, c: Condition) -> Condition:
        return self._decided(self._sympy.Not(c))

    @override
    def positive(self, x: Expression, what: str) -> Expression:
        if x.is_positive is False:
            raise not_positive(x, what)
        return x

    @override
    def atan2(self, y: Expression, x: Expression) -> Expression:
        if y.is_zero and x.is_zero:
            return self._sympy.Integer(0)
        return self._sympy.atan2(y, x)

    @override
    def power(self, x: Expression, n: Expression) -> Expression:
        return x**n

    @override
    def divide(self, a: Expression, b: Expression) -> Expression:
        return a / b


def register() -> None:
    """Register the family; called for the first operand, when SymPy is already imported."""
    sympy = importlib.import_module("sympy")
    register_family(sympy.Expr, SymbolicFamily(sympy), condition=sympy.logic.boolalg.Boolean)
