"""Scalar family of mpmath's intervals (`iv.mpf`), with rigorous bounds.

The result of a function contains its values at all points of the operands where it is defined. If it is defined nowhere
(the root of [-2, -1]), the result is the whole line. A comparison of overlapping intervals is `Undecided`, and `where`
then returns the hull of both branches.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, final

from typing_extensions import override

from rbd.errors import ScalarError, quoted
from rbd.scalars.families.enclosure import Bounds, Enclosures
from rbd.scalars.family import ScalarFamily, not_positive, with_methods
from rbd.scalars.protocol import Condition, Scalar
from rbd.scalars.registry import register_family

# mpmath has no type annotations: intervals are Any.
Interval = Any


@final
class Undecided:
    """Undecided condition: the comparison holds for some points of the intervals and not for others."""

    __slots__ = ("context",)

    def __init__(self, context: Any) -> None:
        self.context = context

    def __and__(self, other: Undecided, /) -> Undecided:
        return self

    def __or__(self, other: Undecided, /) -> Undecided:
        return self

    def __bool__(self) -> bool:
        raise ScalarError("the comparison of overlapping intervals is undecided; use rbd.scalars.where", scalar=self)

    @override
    def __repr__(self) -> str:
        return "undecided"


_FUNCTIONS = ("sin", "cos", "tan", "asin", "acos", "atan2", "sqrt", "exp", "log", "tanh", "power")


def _method(name: str) -> Callable[..., Interval]:
    """Return a function of `Enclosures` as a method."""

    def method(self: Any, *operands: Interval) -> Interval:
        context = operands[0].ctx
        return context.make_mpf(getattr(self._enclose, name)(*(x._mpi_ for x in operands), context.prec))

    return method


@final
@with_methods({name: _method(name) for name in _FUNCTIONS})
class IntervalFamily(ScalarFamily[Interval]):
    """Family of mpmath's real intervals, of any context."""

    name = "interval"
    priority = 50

    def __init__(self, libmp: Any) -> None:
        self._libmp = libmp
        self._enclose = Enclosures(libmp)

    def _bounds(self, x: Any, context: Any) -> Bounds:
        """Return the tightest bounds of any real number."""
        libmp = self._libmp
        if hasattr(x, "_mpf_"):
            ends = (x._mpf_, x._mpf_)
        elif isinstance(x, float):
            ends = (libmp.from_float(x),) * 2
        elif hasattr(x, "numerator"):
            top, bottom = int(x.numerator), int(x.denominator)
            ends = tuple(libmp.from_rational(top, bottom, context.prec, side) for side in "fc")
        elif hasattr(x, "_mpi_"):
            ends = x._mpi_
        else:
            raise ScalarError(f"there is no interval for {quoted(x)}", scalar=x, function="lift")
        return (libmp.fninf, libmp.finf) if libmp.fnan in ends else ends

    @override
    def lift(self, x: Scalar, like: Interval) -> Interval:
        return like.ctx.make_mpf(self._bounds(x, like.ctx))

    @override
    def to_float(self, x: Interval) -> float:
        low, high = x._mpi_
        if low != high:
            raise ScalarError(f"{x} is an interval, not a float", scalar=x, function="to_float")
        return float(self._libmp.to_float(low))

    @override
    def is_finite(self, x: Interval) -> bool:
        return not {self._libmp.finf, self._libmp.fninf}.intersection(x._mpi_)

    @override
    def less(self, a: Interval, b: Interval) -> Condition:
        truth = self._libmp.mpi_lt(a._mpi_, b._mpi_)
        return Undecided(a.ctx) if truth is None else bool(truth)

    @override
    def less_equal(self, a: Interval, b: Interval) -> Condition:
        truth = self._libmp.mpi_le(a._mpi_, b._mpi_)
        return Undecided(a.ctx) if truth is None else bool(truth)

    @override
    def where(self, condition: Condition, a: Scalar, b: Scalar) -> Interval:
        context: Any = self._undecided(condition).context
        (low, high), (low2, high2) = self._bounds(a, context), self._bounds(b, context)
        return context.make_mpf((self._least(low, low2), self._greatest(high, high2)))

    @override
    def both(self, c: Condition, d: Condition) -> Condition:
        return self._undecided(c) & self._undecided(d)

    @override
    def either(self, c: Condition, d: Condition) -> Condition:
        return self._undecided(c) | self._undecided(d)

    @override
    def invert(self, c: Condition) -> Condition:
        return self._undecided(c)

    def _undecided(self, condition: Condition) -> Undecided:
        if isinstance(condition, Undecided):
            return condition
        raise self.foreign_condition(condition)

    @override
    def positive(self, x: Interval, what: str) -> Interval:
        low, high = x._mpi_
        if self._libmp.mpf_gt(low, self._libmp.fzero):
            return x
        undecided = self._libmp.mpf_gt(high, self._libmp.fzero)
        verdict = "is not certainly positive: undecided" if undecided else "must be positive"
        raise not_positive(x, what, verdict)

    def _least(self, a: Any, b: Any) -> Any:
        return a if self._libmp.mpf_le(a, b) else b

    def _greatest(self, a: Any, b: Any) -> Any:
        return a if self._libmp.mpf_ge(a, b) else b

    @override
    def divide(self, a: Interval, b: Interval) -> Interval:
        return a / b

    @override
    def absolute(self, x: Interval) -> Interval:
        return abs(x)

    @override
    def minimum(self, a: Interval, b: Interval) -> Interval:
        (low, high), (low2, high2) = a._mpi_, b._mpi_
        return a.ctx.make_mpf((self._least(low, low2), self._least(high, high2)))

    @override
    def maximum(self, a: Interval, b: Interval) -> Interval:
        (low, high), (low2, high2) = a._mpi_, b._mpi_
        return a.ctx.make_mpf((self._greatest(low, low2), self._greatest(high, high2)))


def register() -> None:
    """Register the family; called for the first operand, when mpmath is already imported."""
    mpmath = importlib.import_module("mpmath")
    family = IntervalFamily(importlib.import_module("mpmath.libmp"))
    # The types of all contexts have one base, the last class before `object`.
    register_family(mpmath.iv.mpf.__mro__[-2], family, condition=Undecided)
