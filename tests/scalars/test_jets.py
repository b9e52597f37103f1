"""Jets: second time derivatives agree with derivatives of forty digits."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from rbd.errors import ScalarError
from rbd.program.graph import Graph
from rbd.program.program import Program
from rbd.scalars import absolute, const, cos, exp, less, log, sin, sqrt, to_float, where
from rbd.scalars.jets import Jet
from rbd.scalars.protocol import Scalar


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


def test_constants_with_jets() -> None:
    x = Jet(2.0, 1.0)
    for mixed in (np.float64(3.0) * x, x * 3, 3.0 * x):
        assert isinstance(mixed, Jet)
        assert (mixed.value, mixed.first) == (6.0, 3.0)
    assert to_float(Jet(2.5)) == 2.5


def test_jets_with_rates_have_no_float() -> None:
    with pytest.raises(ScalarError, match="jets"):
        to_float(Jet(1.0, 2.0))
