"""Simplification during recording preserves values."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rbd.errors import SingularError
from rbd.program.graph import Graph
from rbd.program.program import Program
from rbd.scalars import (
    absolute,
    both,
    const,
    cos,
    either,
    greater,
    invert,
    less,
    less_equal,
    maximum,
    minimum,
    positive,
    power,
    sin,
    sqrt,
    tan,
    where,
)


def xyz() -> tuple[Any, Any, Any]:
    x, y, z = Graph().input("x", (3,))
    return x, y, z


def total(*outputs: Any) -> int:
    """The number of operations of a program with these outputs."""
    graph = next(x.graph for x in outputs if hasattr(x, "graph"))
    return Program.of(graph, "p", {"out": outputs}).count().total


@pytest.mark.parametrize(
    "folded",
    [
        lambda x, y: x * 0 - 0.0,
        lambda x, y: (x - x) + x * 0.0,
        lambda x, y: 0 / x,
    ],
)
def test_zeros(folded: Callable[[Any, Any], Any]) -> None:
    x, y, _ = xyz()
    assert type(folded(x, y)) in (int, float)
    assert folded(x, y) + 0.0 == 0.0


@pytest.mark.parametrize(
    "same",
    [
        lambda x, y: x * 1,
        lambda x, y: 0 + x + 0.0,
        lambda x, y: -(-1 * x),
        lambda x, y: +x,
        lambda x, y: x / 1,
        lambda x, y: (x + y) - y,
        lambda x, y: (x - y) + y,
        lambda x, y: x - (x - x),
        lambda x, y: y - (y - x),
        lambda x, y: -((y - x) - y),
        lambda x, y: (x + 2.0) - 2,
        lambda x, y: 2.0 - (2.0 - x),
        lambda x, y: 0.25 * (x * 4),
        lambda x, y: 3 * x - 2 * x,
        lambda x, y: y * (x / y),
        lambda x, y: 1 / (1 / x),
        lambda x, y: x / (y / y),
        lambda x, y: where(less(x, x), y, x),
        lambda x, y: where(less_equal(y, y), x, y),
        lambda x, y: where(less(x, y), x, x),
        lambda x, y: minimum(x, x),
        lambda x, y: power(x, 1),
    ],
)
def test_identities_fold_to_their_operand(same: Callable[[Any, Any], Any]) -> None:
    x, y, _ = xyz()
    assert same(x, y) is x


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (lambda x, y: x + y, lambda x, y: y + x),
        (lambda x, y: x * y, lambda x, y: y * x),
        (lambda x, y: x - y, lambda x, y: -(y - x)),
        (lambda x, y: x + -y, lambda x, y: x - y),
        (lambda x, y: -x * y, lambda x, y: x * -y),
        (lambda x, y: (-x) / y, lambda x, y: x / -y),
        (lambda x, y: 1.0 + (x + 1), lambda x, y: x + 2),
        (lambda x, y: 3 - (x + 1), lambda x, y: 2 - x),
        (lambda x, y: -x + 1, lambda x, y: 1 - x),
        (lambda x, y: 2 * x * 3, lambda x, y: 6 * x),
        (lambda x, y: x + x, lambda x, y: 2 * x),
        (lambda x, y: 2 * x + 3 * x, lambda x, y: x * 5),
        (lambda x, y: x / 4, lambda x, y: const(1, 4) * x),
        (lambda x, y: 3 * (2 / x), lambda x, y: 6 / x),
        (lambda x, y: 3 / (2 * x), lambda x, y: 1.5 / x),
        (lambda x, y: sin(-x), lambda x, y: -sin(x)),
        (lambda x, y: cos(-0.5 * x), lambda x, y: cos(x * 0.5)),
        (lambda x, y: tan(x * -2), lambda x, y: -tan(2 * x)),
        (lambda x, y: absolute(-x), lambda x, y: absolute(absolute(x))),
        (lambda x, y: power(x, 2), lambda x, y: x * x),
        (lambda x, y: power(x, -1), lambda x, y: 1 / x),
        (lambda x, y: where(invert(less(x, y)), x, y), lambda x, y: where(less(x, y), y, x)),
        (lambda x, y: where(less(x, y), where(greater(y, x), x, 1), y), lambda x, y: where(less(x, y), x, y)),
        (lambda x, y: np.float64(2.0) * x, lambda x, y: x * 2),
        (lambda x, y: Fraction(1, 2) * x, lambda x, y: const(1, 2) * x),
        (lambda x, y: np.int64(3) - x, lambda x, y: 3 - x),
    ],
)
def test_equivalent_expressions_are_recorded_once(
    one: Callable[[Any, Any], Any], other: Callable[[Any, Any], Any]
) -> None:
    x, y, _ = xyz()
    first = one(x, y)
    second = other(x, y)
    assert second is first or (-second) is first or (-first) is second


def test_conditions_fold() -> None:
    x, y, z = xyz()
    c, d = less(x, y), less(y, z)
    assert both(c, c) is c
    assert both(c, d) is both(d, c)
    assert both(c, invert(c)) is False
    assert either(invert(d), d) is True
    assert invert(invert(c)) is c
    assert both(True, c) is c
    assert either(c, False) is c


def test_negations_are_folded_into_operands() -> None:
    x, y, z = xyz()
    assert total(-(x - y)) == 1
    assert total(-(2.0 * x)) == 1
    assert total(-(x * (y - z))) == 2
    assert total(-(x + 1)) == 1
    assert total(-(x - y), x - y) == 2
    fused = Program.of(x.graph, "p", {"a": -(x * y + z), "b": -(x * z - 2 * y)})
    assert fused.count().breakdown.get("negate", 0) == 0
    values = fused.interpret(x=[2.0, 3.0, 5.0])
    assert (float(values["a"]), float(values["b"])) == (-11.0, -4.0)


def test_products_with_quotients_by_such_constants() -> None:
    x, y, _ = xyz()
    program = Program.of(x.graph, "p", {"tiny": y * (x / 1e-310)})
    assert program.interpret(x=[1e-310, 3.0, 0.0]) == {"tiny": 3.0}


def test_division_by_constants_without_a_reciprocal() -> None:
    x, _, _ = xyz()
    program = Program.of(x.graph, "p", {"tiny": x / 1e-310, "zero": 1 / (1 + x / 0.0)})
    assert program.count().breakdown["divide"] == 3
    assert program.interpret(x=[1e-310, 0.0, 0.0]) == {"tiny": 1.0, "zero": 0.0}


def test_zeros_keep_their_sign_where_it_matters() -> None:
    x, y, _ = xyz()
    a, b = where(less(x, y), 0.0, x), where(less(x, y), -0.0, x)
    assert a is not b


def test_positive() -> None:
    x, _, _ = xyz()
    checked = positive(x, "the mass")
    assert positive(checked, "again") is checked
    assert x * (1 / checked) == 1.0
    assert positive(2.0, "a number") == 2.0
    with pytest.raises(SingularError, match="the mass"):
        positive(x * 0 - 1.0, "the mass")


@pytest.mark.parametrize("function", [minimum, maximum])
def test_minimum_and_maximum_propagate_nan(function: Callable[[Any, Any], Any]) -> None:
    x, y, _ = xyz()
    nan = sqrt(x)
    # NaN becomes 1 and everything else 0, so that the program may return it.
    outcomes = [function(nan, y), function(y, nan), function(nan, 3), function(3, nan)]
    shown = tuple(
        where(less_equal(z, z + 0 * x + y * 0), 0.0, 1.0) if z is not z else where(less(z, 1e9), 0, 1) for z in outcomes
    )
    program = Program.of(x.graph, "p", {"nan": shown})
    assert program.interpret(x=[-1.0, 2.0, 0.0])["nan"].tolist() == [1, 1, 1, 1]
    assert program.interpret(x=[4.0, 2.0, 0.0])["nan"].tolist() == [0, 0, 0, 0]


@given(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3))
def test_minimum_and_maximum(a: float, b: float) -> None:
    x, y, _ = xyz()
    program = Program.of(x.graph, "p", {"m": (minimum(x, y), maximum(x, y), minimum(x, 2), maximum(2, x))})
    assert program.interpret(x=[a, b, 0.0])["m"].tolist() == [min(a, b), max(a, b), min(a, 2), max(a, 2)]


# -- random expressions: recorded and run on floats -------------------------------------------------------------------

Expression = Callable[[list[Any]], Any]


def leaf() -> st.SearchStrategy[Expression]:
    places = st.integers(0, 2).map(lambda k: lambda v: v[k])
    numbers = st.sampled_from([0, 1, -1, 2, 0.5, const(1, 3), -3.0]).map(lambda c: lambda v: c)
    return st.one_of(places, numbers)


def grown(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    two = st.tuples(inner, inner)
    return st.one_of(
        two.map(lambda p: lambda v: p[0](v) + p[1](v)),
        two.map(lambda p: lambda v: p[0](v) - p[1](v)),
        two.map(lambda p: lambda v: p[0](v) * p[1](v)),
        two.map(lambda p: lambda v: p[0](v) / (2 + p[1](v) * p[1](v))),
        inner.map(lambda f: lambda v: -f(v)),
        inner.map(lambda f: lambda v: sin(f(v))),
        two.map(lambda p: lambda v: where(less(p[0](v), p[1](v)), p[1](v), cos(p[0](v)))),
        two.map(lambda p: lambda v: minimum(p[0](v), p[1](v))),
        inner.map(lambda f: lambda v: absolute(f(v))),
    )


@given(st.recursive(leaf(), grown, max_leaves=30), st.tuples(*[st.floats(-2, 2)] * 3))
def test_folding_keeps_values(expression: Expression, values: tuple[float, ...]) -> None:
    graph = Graph()
    recorded = expression(list(graph.input("x", (3,))))
    program = Program.of(graph, "p", {"out": recorded})
    # Comparisons of nearly equal numbers may turn out either way: such examples prove nothing.
    nudged = [float(expression([x * (1 + e) for x in values])) for e in (0, 1e-12, -1e-12)]
    if max(nudged) - min(nudged) > 1e-6 * (1 + abs(nudged[0])):
        return
    assert math.isclose(float(program.interpret(x=values)["out"]), nudged[0], rel_tol=1e-9, abs_tol=1e-9)
