"""Recorded scalars: arithmetic that builds a graph, simplified as it is recorded.

Equal operations are recorded once, also with operands exchanged. Folded are x 0, x 1, x + 0, -(-x), x - x, x / x,
c x + d x, (x + y) - y, x (c / x), and constants meeting constants through sums, products and quotients, unless what
they make together overflows or underflows. Folding keeps values to rounding where everything is finite; it drops NaN
and infinities that only such terms would have brought.
Negations are hoisted out of products and quotients, with the signs of constant factors, and absorbed by sums.
"""

from __future__ import annotations

import math
import sys
from fractions import Fraction
from typing import Any, Final, NoReturn, final

import numpy as np
from typing_extensions import override

from rbd.program.nodes import (
    ADD,
    CONSTANT_MINUS,
    CONSTANT_OVER,
    DIV,
    INPUT,
    KIND_NAMES,
    MUL,
    NEG,
    PLUS_CONSTANT,
    POSITIVE,
    SUB,
    TIMES_CONSTANT,
    GraphNode,
    check_same_graph,
)
from rbd.recorded_arrays import NumpyProtocol
from rbd.scalars.constants import Rational
from rbd.scalars.families.real import to_float
from rbd.scalars.opaque import refuse_value_access
from rbd.scalars.operator_methods import OperatorMethods

_NUMBERS: Final[tuple[type[object], ...]] = (float, int, np.floating, np.integer, Rational, Fraction)
# Kinds the rules of sums and differences, and those of products, look at; other kinds have no folding rule.
_IN_SUMS: Final = frozenset({NEG, TIMES_CONSTANT, ADD, SUB, PLUS_CONSTANT, CONSTANT_MINUS})
_IN_PRODUCTS: Final = frozenset({NEG, CONSTANT_OVER, DIV})


_LEAST: Final = sys.float_info.min  # smaller constants have lost digits


def as_float(x: object) -> float | None:
    """Return a real number as a float; None for everything else."""
    if type(x) is int:
        return to_float(x)
    return to_float(x) if isinstance(x, _NUMBERS) and not isinstance(x, bool) else None  # type: ignore[arg-type]  # real numbers


@final
class Recorded(NumpyProtocol, OperatorMethods, GraphNode):
    """A number known only when the recorded program runs; arithmetic with it is recorded in its graph.

    Comparisons (`<`, `>=`) are conditions for `where`. Asking for the value (`bool`, `==`, `float`, `hash`,
    iteration) raises RecordingError naming the line.

    >>> from rbd.program.graph import Graph
    >>> graph = Graph()
    >>> x, y = graph.input("x", ()), graph.input("y", (2,))[0]
    >>> (x + y) - y is x, x * 0, 2 * (0.5 * x), y
    (True, 0, x, y[0])
    """

    __slots__ = ()

    def __add__(self, other: Any, /) -> Any:
        if type(other) is Recorded:
            return _sum(self, other)
        if type(other) is int and other == 0:
            return self
        c = other if type(other) is float else as_float(other)
        return NotImplemented if c is None else _plus_constant(self, c)

    __radd__ = __add__

    def __sub__(self, other: Any, /) -> Any:
        if type(other) is Recorded:
            return _difference(self, other)
        if type(other) is int and other == 0:
            return self
        c = other if type(other) is float else as_float(other)
        return NotImplemented if c is None else _plus_constant(self, -c)

    def __rsub__(self, other: Any, /) -> Any:
        c = other if type(other) is float else as_float(other)
        return NotImplemented if c is None else _constant_minus(self, c)

    def __mul__(self, other: Any, /) -> Any:
        if type(other) is Recorded:
            return _product(self, other)
        if type(other) is int and 0 <= other <= 1:  # structural zeros and ones: by far the most frequent
            return self if other else 0
        c = other if type(other) is float else as_float(other)
        return NotImplemented if c is None else _scaled(self, c)

    __rmul__ = __mul__

    def __truediv__(self, other: Any, /) -> Any:
        if type(other) is Recorded:
            return _quotient(self, other)
        c = other if type(other) is float else as_float(other)
        return NotImplemented if c is None else _quotient_by_constant(self, c)

    def __rtruediv__(self, other: Any, /) -> Any:
        c = other if type(other) is float else as_float(other)
        return NotImplemented if c is None else _constant_over(self, c)

    def __neg__(self) -> Any:
        op, graph = self.op, self.graph
        if op == NEG:
            return self.a
        known = graph.tables[SUB].get((self.b.index, self.a.index)) if op == SUB else None
        return known if known is not None else graph.intern(Recorded, NEG, self, None, self.index)

    def __pos__(self) -> Recorded:
        return self

    def __iter__(self) -> NoReturn:
        refuse_value_access("iterating over", self)

    @override
    def __repr__(self) -> str:
        return self.b if self.op == INPUT else f"recorded {KIND_NAMES[self.op]}"


def _sum(x: Recorded, y: Recorded) -> Any:
    if x.graph is not y.graph:
        check_same_graph(x, y)
    if x is y:
        return _scaled(x, 2.0)
    if x.op in _IN_SUMS or y.op in _IN_SUMS:
        folded = _folded_sum(x, y)
        if folded is not None:
            return folded
    i, j = x.index, y.index
    return x.graph.intern(Recorded, ADD, x, y, (i, j)) if i < j else x.graph.intern(Recorded, ADD, y, x, (j, i))


def _folded_sum(x: Recorded, y: Recorded) -> Any:
    if y.op == NEG:
        return x - y.a
    if x.op == NEG:
        return y - x.a
    if (y.op == SUB and y.b is x) or (x.op == SUB and x.b is y):
        return y.a if y.op == SUB and y.b is x else x.a
    if (y.op == CONSTANT_MINUS and y.a is x) or (x.op == CONSTANT_MINUS and x.a is y):
        return y.b if y.op == CONSTANT_MINUS and y.a is x else x.b
    return _collected(x, y, 1.0)


def _collected(x: Recorded, y: Recorded, sign: float) -> Any:
    """Return c z + sign d z as (c + sign d) z, or None."""
    z, c = (x.a, x.b) if x.op == TIMES_CONSTANT else (x, 1.0)
    w, d = (y.a, y.b) if y.op == TIMES_CONSTANT else (y, 1.0)
    if z is not w:
        return None
    factor = c + sign * d
    return _scaled(z, factor) if math.isfinite(factor) else None


def _plus_constant(x: Recorded, c: float) -> Any:
    if c == 0.0:
        return x
    if x.op == NEG:
        return _constant_minus(x.a, c)
    if x.op == PLUS_CONSTANT and math.isfinite(x.b + c):
        return _plus_constant(x.a, x.b + c)
    if x.op == CONSTANT_MINUS and math.isfinite(x.b + c):
        return _constant_minus(x.a, x.b + c)
    return x.graph.intern(Recorded, PLUS_CONSTANT, x, c, (x.index, c))


def _constant_minus(x: Recorded, c: float) -> Any:
    if c == 0.0:
        return -x
    if x.op == NEG:
        return _plus_constant(x.a, c)
    if x.op == PLUS_CONSTANT and math.isfinite(c - x.b):
        return _constant_minus(x.a, c - x.b)
    if x.op == CONSTANT_MINUS and math.isfinite(c - x.b):
        return _plus_constant(x.a, c - x.b)
    return x.graph.intern(Recorded, CONSTANT_MINUS, x, c, (x.index, c))


def _difference(x: Recorded, y: Recorded) -> Any:
    if x.graph is not y.graph:
        check_same_graph(x, y)
    if x is y:
        return 0
    if x.op in _IN_SUMS or y.op in _IN_SUMS:
        folded = _folded_difference(x, y)
        if folded is not None:
            return folded
    opposite = x.graph.tables[SUB].get((y.index, x.index))
    return x.graph.intern(Recorded, SUB, x, y, (x.index, y.index)) if opposite is None else -opposite


def _folded_difference(x: Recorded, y: Recorded) -> Any:
    if y.op == NEG:
        return x + y.a
    if x.op == NEG:
        return -(x.a + y)
    difference = _collected(x, y, -1.0)
    if difference is None:
        difference = _remainder(x, y)
    if difference is None:
        difference = _remainder(y, x)
        difference = None if difference is None else -difference
    return difference


def _remainder(x: Recorded, y: Recorded) -> Any:
    """Return the remainder of the sum or difference x without its term y, or None."""
    if x.op == ADD:
        return x.b if x.a is y else x.a if x.b is y else None
    if x.op == SUB:
        return -x.b if x.a is y else None
    return x.b if x.op == PLUS_CONSTANT and x.a is y else None


def _product(x: Recorded, y: Recorded) -> Any:
    if x.graph is not y.graph:
        check_same_graph(x, y)
    if x.op in _IN_PRODUCTS or y.op in _IN_PRODUCTS:
        folded = _folded_product(x, y)
        if folded is not None:
            return folded
    i, j = x.index, y.index
    return x.graph.intern(Recorded, MUL, x, y, (i, j)) if i < j else x.graph.intern(Recorded, MUL, y, x, (j, i))


def _folded_product(x: Recorded, y: Recorded) -> Any:
    if x.op == NEG:
        return -(x.a * y)
    if y.op == NEG:
        return -(x * y.a)
    product = _cancelled(x, y)
    return _cancelled(y, x) if product is None else product


def _cancelled(x: Recorded, y: Recorded) -> Any:
    """Return n of y = n / x times x, or None; a divisor that was checked to be positive is the same number."""
    if y.op not in (CONSTANT_OVER, DIV):
        return None
    top, bottom = (y.b, y.a) if y.op == CONSTANT_OVER else (y.a, y.b)
    if type(bottom) is float:  # too small or too large to have an inverse
        return None
    return top if bottom is x or (bottom.op == POSITIVE and bottom.a is x) else None


def _scaled(x: Recorded, c: float) -> Any:
    if c == 0.0:
        return 0
    if c == 1.0:
        return x
    if x.op == NEG:
        return _scaled(x.a, -c)
    if c < 0.0:
        return -_scaled(x, -c)
    if x.op == TIMES_CONSTANT and _is_normal(x.b * c):
        return _scaled(x.a, x.b * c)
    if x.op == CONSTANT_OVER and _is_normal(x.b * c):
        return _constant_over(x.a, x.b * c)
    return x.graph.intern(Recorded, TIMES_CONSTANT, x, c, (x.index, c))


def _is_normal(c: float) -> bool:
    """Return whether a constant made of others has neither overflowed nor lost digits."""
    return _LEAST <= abs(c) < math.inf


def _quotient(x: Recorded, y: Recorded) -> Any:
    check_same_graph(x, y)
    if x is y:
        return 1
    if x.op == NEG:
        return -(x.a / y)
    if y.op == NEG:
        return -(x / y.a)
    return x.graph.intern(Recorded, DIV, x, y, (x.index, y.index))


def _quotient_by_constant(x: Recorded, c: float) -> Any:
    inverse = 1.0 / c if c else math.inf
    if _is_normal(inverse):
        return _scaled(x, inverse)
    return x.graph.intern(Recorded, DIV, x, c, (x.index, c.hex()))


def _constant_over(x: Recorded, c: float) -> Any:
    if c == 0.0:
        return 0
    if x.op == NEG:
        return _constant_over(x.a, -c)
    if c < 0.0:
        return -_constant_over(x, -c)
    if x.op == TIMES_CONSTANT and _is_normal(c / x.b):
        return _constant_over(x.a, c / x.b)
    if x.op == CONSTANT_OVER and _is_normal(c / x.b):
        return _scaled(x.a, c / x.b)
    return x.graph.intern(Recorded, CONSTANT_OVER, x, c, (x.index, c))
