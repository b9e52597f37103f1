"""Jets: second time derivatives agree with derivatives of forty digits."""

from __future__ import annotations

import math
from collections.abc import Callable

import mpmath
import numpy as np
import pytest

from rbd.errors import NotFiniteError, ScalarError, SingularError
from rbd.program.graph import Graph
from rbd.program.program import Program
from rbd.scalars import (
    absolute,
    acos,
    asin,
    atan2,
    const,
    cos,
    divide,
    exp,
    less,
    less_equal,
    log,
    positive,
    power,
    sin,
    sqrt,
    tan,
    tanh,
    to_float,
    where,
)
from rbd.scalars.arrays import scalars
from rbd.scalars.jets import Jet
from rbd.scalars.norms import norm
from rbd.scalars.protocol import Scalar

FUNCTIONS: dict[str, Callable[[Scalar], Scalar]] = {
    "tan": tan,
    "asin": asin,
    "acos": acos,
    "atan2": lambda x: atan2(x * x - 1, x - 2),
    "tanh": tanh,
    "power": lambda x: power(x, 3),
    "fractional power": lambda x: power(x, 2.5),
    "power by the exponent": lambda x: power(2.0, x),
    "power by both": lambda x: power(x, x * x),
}


def _formula(x: Scalar) -> Scalar:
    """Every operation of a jet at once."""
    wave = sqrt(1 + x * x) * sin(x) / (x + const(1, 2)) - 2 / cos(x)
    return wave + absolute(-x) * log(2 + x) - exp(x) * where(less(x, 1), x, -x) + (1 - x) - (x - 1)


@pytest.mark.parametrize("motion", [(0.7, 1.3, -0.4), (1.2, -0.5, 2.0), (-0.3, 0.0, 1.0)])
def test_derivatives_equal_those_of_the_expression(motion: tuple[float, float, float]) -> None:
    value, first, second = motion
    found = _formula(Jet(value, first, second))
    assert isinstance(found, Jet)
    with mpmath.workdps(40):

        def along(t: mpmath.mpf) -> mpmath.mpf:
            return _formula(mpmath.mpf(value) + mpmath.mpf(first) * t + mpmath.mpf(second) * t * t / 2)

        wanted = [mpmath.diff(along, 0, n) for n in range(3)]
        for part, exact in zip((found.value, found.first, found.second), wanted, strict=True):
            assert abs(float(part) - float(exact)) <= 1e-13 * max(1.0, abs(float(exact)))


@pytest.mark.parametrize("motion", [(0.6, 1.3, -0.4), (0.2, -0.5, 2.0)])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_has_its_derivatives(name: str, motion: tuple[float, float, float]) -> None:
    value, first, second = motion
    found = FUNCTIONS[name](Jet(value, first, second))
    assert isinstance(found, Jet)
    with mpmath.workdps(40):

        def along(t: mpmath.mpf) -> mpmath.mpf:
            return FUNCTIONS[name](mpmath.mpf(value) + mpmath.mpf(first) * t + mpmath.mpf(second) * t * t / 2)

        for n, part in enumerate((found.value, found.first, found.second)):
            assert float(part) == pytest.approx(float(mpmath.diff(along, 0, n)), rel=1e-12, abs=1e-13)


def test_powers_of_zero_have_derivatives() -> None:
    found = [power(Jet(0.0, 3.0, 5.0), n) for n in (0, 1, 2, 3)]
    assert [(x.value, x.first, x.second) for x in found] == [(1, 0, 0), (0, 3, 5), (0, 0, 18), (0, 0, 0)]
    assert power(Jet(-2.0, 1.0, 0.0), Jet(2.0, 0.0, 0.0)).second == 2.0


def test_jets_of_recorded_numbers_check_that_they_are_positive() -> None:
    graph = Graph()
    x = graph.input("x")
    program = Program.of(graph, "checked", {"x": positive(Jet(x, 1.0), "the width").value})
    assert program.interpret(x=2.0)["x"] == 2.0
    with pytest.raises(SingularError, match="the width"):
        program.interpret(x=-1.0)


def test_jets_of_recorded_numbers_are_recorded() -> None:
    graph = Graph()
    x, rate, bend = graph.input("x", (3,))
    found = _formula(Jet(x, rate, bend))
    assert isinstance(found, Jet)
    program = Program.of(graph, "motion", {"all": (found.value, found.first, found.second)})
    plain = _formula(Jet(0.7, 1.3, -0.4))
    assert isinstance(plain, Jet)
    np.testing.assert_allclose(
        program.interpret(x=np.array([0.7, 1.3, -0.4]))["all"], [plain.value, plain.first, plain.second], rtol=1e-14
    )


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_lengths_have_derivatives_beyond_the_range_of_squares(scale: float) -> None:
    found = norm((Jet(3 * scale, scale, 0.0), Jet(4 * scale, 0.0, scale)))
    assert isinstance(found, Jet)
    parts = [part / scale for part in (found.value, found.first, found.second)]
    np.testing.assert_allclose(parts, [5, 3 / 5, (1 - 9 / 25) / 5 + 4 / 5], rtol=1e-14, atol=0)  # x x' / |x|, ...


@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1e-170, 1.0, 1e170, 1e300])
def test_angles_have_derivatives_beyond_the_range_of_squares(scale: float) -> None:
    found = atan2(Jet(3 * scale, scale, 0.0), Jet(4 * scale, 0.0, scale))
    assert isinstance(found, Jet)
    np.testing.assert_allclose([found.first, found.second], [4 / 25, -3 / 25 - 2 * 4 / 25 * 3 / 25], rtol=1e-14)


def test_quotients_signs_and_comparisons() -> None:
    a, b = Jet(1.0, 2.0, 3.0), Jet(4.0, 5.0, 6.0)
    found, again = divide(a, b), a / b
    assert isinstance(found, Jet)
    assert (found.value, found.first, found.second) == (again.value, again.first, again.second)
    assert found.first == (2 * 4 - 1 * 5) / 16
    assert (+a).second == 3.0
    assert [less_equal(x, y) for x, y in ((a, b), (b, a), (a, Jet(1.0, 9.0)))] == [True, False, True]


@pytest.mark.parametrize("part", range(3))
def test_jets_with_a_part_that_is_not_finite_are_refused(part: int) -> None:
    values = [1.0, 2.0, 3.0]
    values[part] = math.nan
    with pytest.raises(NotFiniteError, match=r"x\[1\]"):
        scalars([1.0, Jet(*values)], 2, "x")


def test_constants_with_jets() -> None:
    x = Jet(2.0, 1.0)
    for mixed in (np.float64(3.0) * x, x * 3, 3.0 * x):
        assert isinstance(mixed, Jet)
        assert (mixed.value, mixed.first) == (6.0, 3.0)
    assert to_float(Jet(2.5)) == 2.5


def test_jets_with_rates_have_no_float() -> None:
    with pytest.raises(ScalarError, match="jets"):
        to_float(Jet(1.0, 2.0))
