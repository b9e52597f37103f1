"""Counting scalars: operation counts, and the restrictions of recorded values."""

from __future__ import annotations

import math
import operator
import pickle
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rbd.errors import NotFiniteError, RecordingError, ScalarError, SingularError
from rbd.scalars import (
    Scalar,
    absolute,
    atan2,
    both,
    const,
    divide,
    either,
    greater,
    greater_equal,
    invert,
    is_float,
    less,
    less_equal,
    lift,
    maximum,
    minimum,
    pack,
    positive,
    power,
    scalars,
    sin,
    to_float,
    to_float_array,
    where,
)
from rbd.scalars.counting import CountingScalar, OperationCount
from tests.scalars.families import FUNCTIONS, NAMES, Function


@pytest.fixture
def count() -> OperationCount:
    return OperationCount()


def test_arithmetic_is_counted(count: OperationCount) -> None:
    x, y = CountingScalar(3.0, count), CountingScalar(4.0, count)
    result = -(x + y) * (x - 1) / (2.0 - y) + +x
    assert result.value == -(3.0 + 4.0) * (3.0 - 1) / (2.0 - 4.0) + 3.0
    assert count.breakdown == {"add": 2, "negate": 1, "subtract": 2, "multiply": 1, "divide": 1}
    assert count.total == 7
    assert "2 add" in repr(count)
    count.reset()
    assert (count.total, count.breakdown) == (0, {})


@pytest.mark.parametrize("operation", [operator.add, operator.sub, operator.mul, operator.truediv])
@pytest.mark.parametrize("other", [2, 0.5, const(1, 3), Fraction(1, 3), np.float64(0.5), np.int64(3)])
def test_operands_of_all_types_in_both_orders(operation: Any, other: Any, count: OperationCount) -> None:
    x = CountingScalar(1.5, count)
    assert operation(x, other).value == pytest.approx(operation(1.5, float(other)))
    assert operation(other, x).value == pytest.approx(operation(float(other), 1.5))
    assert count.total == 2


def test_division_by_zero_is_ieee(count: OperationCount) -> None:
    assert (CountingScalar(1.0, count) / 0).value == math.inf


@pytest.mark.parametrize("function", FUNCTIONS, ids=NAMES)
def test_functions_are_counted(function: Function, count: OperationCount) -> None:
    result: Any = function.ours(CountingScalar(0.5, count))
    assert result.value == function.ours(0.5)
    assert count.breakdown == {function.name: 1}


@pytest.mark.parametrize("function", [atan2, power, divide, minimum, maximum])
def test_functions_of_two_are_counted(function: Any, count: OperationCount) -> None:
    assert function(CountingScalar(0.5, count), 2).value == function(0.5, 2.0)
    assert function(2.0, CountingScalar(0.5, count)).value == function(2.0, 0.5)
    assert count.breakdown == {function.__name__: 2}


def test_absolute_is_counted(count: OperationCount) -> None:
    result: Any = absolute(CountingScalar(-0.5, count))
    assert (result.value, count.breakdown) == (0.5, {"absolute": 1})


def test_selections_are_counted(count: OperationCount) -> None:
    x = CountingScalar(0.5, count)
    inside = both(greater(x, 0), less(x, 1))
    chosen: Any = where(either(inside, invert(less_equal(x, 5))), x, 7.0)
    assert chosen.value == 0.5
    assert count.breakdown == {"less": 2, "less_equal": 1, "both": 1, "invert": 1, "either": 1, "select": 1}
    other: Any = where(greater_equal(x, 1), x, const(1, 4))
    assert isinstance(other, CountingScalar)
    assert other.value == 0.25


PEEKS: list[Callable[[Any], object]] = [
    bool,
    hash,
    float,
    int,
    complex,
    lambda x: x == 0,
    lambda x: x != 0,
    lambda x: x < 1,
    lambda x: x <= 1,
    lambda x: x > 1,
    lambda x: x >= 1,
    lambda x: x in (1.0, 2.0),
    lambda x: [1, 2][x],
    lambda x: {x: 1},
    lambda x: 1 if x else 2,
    math.sqrt,
]


@pytest.mark.parametrize("peek", PEEKS)
def test_reading_a_value_raises_with_the_line(peek: Callable[[Any], object], count: OperationCount) -> None:
    x = CountingScalar(0.5, count)
    for opaque in (x, less(x, 1)):
        with pytest.raises(RecordingError) as caught:
            peek(opaque)
        where_it_was = str(caught.value.where)
        assert Path(where_it_was.rpartition(":")[0]).name == Path(__file__).name
        assert where_it_was in str(caught.value)
        assert "where" in str(caught.value)
    assert count.total == 1  # the comparison, and nothing of the attempts


@pytest.mark.parametrize("peek", [to_float, lambda x: atan2(lift(x, 1.0), 1.0) == 1])
def test_the_line_is_that_of_the_algorithm(peek: Callable[[Any], object], count: OperationCount) -> None:
    # However deep inside the room the attempt is noticed, the line outside it is named.
    with pytest.raises(RecordingError) as caught:
        peek(CountingScalar(0.5, count))
    lines = [f"{entry.path}:{entry.lineno + 1}" for entry in caught.traceback if "tests" in entry.path.parts]
    assert caught.value.where == lines[-1]


def test_arrays_hold_recorded_values(count: OperationCount) -> None:
    x = CountingScalar(0.5, count)
    assert scalars([x, 1, 2.5], 3, "q")[0] is x
    assert pack((x, 1.0)).dtype == object
    assert pack(((x, 1.0),)).shape == (1, 2)
    with pytest.raises(ScalarError, match="components"):
        to_float_array((x, 1.0))
    with pytest.raises(NotFiniteError):
        scalars([CountingScalar(math.nan, count)], 1, "q")
    product = np.array([x, 2 * x]) @ np.array([[1.0, 2.0], [3.0, 4.0]])
    assert [p.value for p in product] == [3.5, 5.0]


def test_lifting(count: OperationCount) -> None:
    x = CountingScalar(0.5, count)
    lifted: Any = lift(0.25, x)
    assert (lifted.value, lifted.count) == (0.25, count)
    assert lift(x, (x, 1.0)) is x
    assert not is_float(x)
    assert isinstance(x, Scalar)
    assert repr(x) == "CountingScalar(0.5)"
    assert count.total == 0


def test_positive(count: OperationCount) -> None:
    x = CountingScalar(0.5, count)
    assert positive(x, "mass") is x
    with pytest.raises(SingularError, match="mass"):
        positive(-x, "mass")


def test_foreign_operands_are_refused(count: OperationCount) -> None:
    x = CountingScalar(0.5, count)
    for other in ("1", None, [1.0]):
        with pytest.raises(TypeError):
            _ = x + other
        with pytest.raises(TypeError):
            _ = other * x
    with pytest.raises(ScalarError):
        minimum(x, 1j)


def test_errors_can_be_pickled(count: OperationCount) -> None:
    with pytest.raises(RecordingError) as caught:
        bool(CountingScalar(0.5, count))
    copy = pickle.loads(pickle.dumps(caught.value))
    assert copy.where == caught.value.where
    assert sin(1.0) == math.sin(1.0)
