"""Constants as large as floats are, or not finite at all: what comes out is finite, or the status says so."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from rbd import record, robots
from rbd import scalars as s
from rbd.errors import NotFiniteError
from rbd.export import c_source
from rbd.native.codegen.bounds import outputs_to_test
from rbd.native.compiled_program import CompiledProgram
from rbd.program.graph import Graph
from rbd.program.opcodes import Op
from rbd.program.ports import Port
from rbd.program.program import Program
from rbd.program.status import BAD_OUTPUT
from tests.export.building import call, compiled_c
from tests.native.programs import UNTOUCHED, assert_same_bits, native_rows, native_singles, reference

pytestmark = pytest.mark.optimised

_LARGEST = math.ldexp(2 - 2**-52, 1023)
_CONSTANTS = (0.0, -0.0, 1.0, -1.5, 1e160, -1e200, 1e300, -_LARGEST, 1e-200, 5e-324, math.inf, -math.inf, math.nan)
_ROWS = np.array([[0.3, -2.0], [0.0, 0.0], [_LARGEST, 1.0], [-1e200, 1e-200], [5e-324, -_LARGEST]])
_OPERATIONS = [
    lambda a, b, c: a + b,
    lambda a, b, c: a - b,
    lambda a, b, c: a * b,
    lambda a, b, c: s.sin(a),
    lambda a, b, c: s.cos(b),
    lambda a, b, c: a * b + c,
    lambda a, b, c: c - a * b,
    lambda a, b, c: -a,
    lambda a, b, c: s.absolute(a),
    lambda a, b, c: s.where(s.less(a, b), b, c),
    lambda a, b, c: s.where(s.less_equal(a, c), s.sin(b), c),
    lambda a, b, c: s.maximum(a, b),
    lambda a, b, c: b if s.is_float(a) else s.positive(s.cos(a) + 2, "positive") * b,
    lambda a, b, c: s.divide(a, b),
]


@st.composite
def huge_programs(draw: st.DrawFn) -> Program:
    """Return recordings that mix huge constants with inputs, bounded functions of them, and one another."""
    graph = Graph()
    x, y = graph.input("x", (2,))
    values: list[Any] = [x, y, s.sin(x), s.cos(y), *_CONSTANTS]
    steps = draw(st.lists(st.tuples(*[st.integers(0, 10**6)] * 4), min_size=1, max_size=12))
    for function, *operands in steps:
        values.append(_OPERATIONS[function % len(_OPERATIONS)](*(values[k % len(values)] for k in operands)))
    return Program.of(graph, "huge", {"z": (values[-1], values[draw(st.integers(0, len(values) - 1))])})


def unfinished(op: int, *operands: int, constants: tuple[float, ...]) -> Program:
    """Return a program of one instruction, as no recording is, since constants meet while it is made."""
    port = Port("x", (2,))
    return Program("one", (port,), (Port("z", ()),), constants, ((op, *operands),), (2,), ())


@settings(max_examples=60)
@given(huge_programs())
def test_outputs_are_finite_or_the_status_tells(program: Program) -> None:
    expected = reference(program, [_ROWS], len(_ROWS))
    assert np.isfinite(expected[0]).all()
    if not outputs_to_test(program):
        assert all(program.interpret_flat(row)[1] != BAD_OUTPUT for row in _ROWS.tolist())
    for lanes in (1, 4):
        kernel = CompiledProgram(program, lanes=lanes)
        assert_same_bits(native_rows(kernel, [_ROWS], len(_ROWS)), expected)
        assert_same_bits(native_singles(kernel, [_ROWS], len(_ROWS)), expected)


@settings(max_examples=12, phases=(Phase.explicit, Phase.generate))  # each example takes a compiler
@given(program=huge_programs())
def test_c_returns_the_same_status(program: Program, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder: Path = tmp_path_factory.mktemp("huge")
    library = compiled_c(c_source(program, "huge"), folder, "huge")
    for row in _ROWS:
        out = np.full(2, UNTOUCHED)
        values, status = program.interpret_flat(row.tolist())
        assert call(library, "huge", row.copy(), out) == status
        assert out.tobytes() == np.array([UNTOUCHED, UNTOUCHED] if status else values).tobytes()


@pytest.mark.parametrize("constant", [math.inf, -math.inf, math.nan])
@pytest.mark.parametrize(
    "code",
    [
        (Op.SIN, ~0),
        (Op.COS, ~0),
        (Op.NEG, ~0),
        (Op.ABS, ~0),
        (Op.ADD, ~0, ~1),
        (Op.MUL, ~1, ~0),
        (Op.FMA, ~0, ~1, ~1),
        (Op.FNMS, ~1, ~1, ~0),
    ],
)
def test_what_is_made_of_a_constant_that_is_not_finite_is_tested(code: tuple[int, ...], constant: float) -> None:
    program = unfinished(*code, constants=(constant, 1.0))
    assert outputs_to_test(program)
    assert CompiledProgram(program).run([np.ones(2)], [np.empty(())]) == BAD_OUTPUT


@pytest.mark.parametrize("constant", [math.inf, math.nan])
@pytest.mark.parametrize("first", [True, False])
def test_a_choice_is_no_more_bounded_than_either_branch(first: bool, constant: float) -> None:
    graph = Graph()
    x, y = graph.input("x", (2,))
    branches = (constant, s.sin(x)) if first else (s.sin(x), constant)
    program = Program.of(graph, "choice", {"z": s.where(s.less(x, y), *branches)})
    assert outputs_to_test(program)
    chosen = np.array([1.0, 2.0]) if first else np.array([2.0, 1.0])
    assert CompiledProgram(program).run([chosen], [np.empty(())]) == BAD_OUTPUT
    assert CompiledProgram(program).run_batch([chosen[None]], [np.empty((1,))], 1) == (0, BAD_OUTPUT)


def test_a_recorded_constant_that_is_not_finite_is_refused() -> None:
    function = record(lambda state: 1e200 * (0 * state.q[0] + 1e200), robots.double_pendulum())
    zeros = np.zeros(2)
    for evaluate in (function, function.interpret):
        with pytest.raises(NotFiniteError, match="left the range"):
            evaluate(zeros, zeros)
        with pytest.raises(NotFiniteError, match="left the range"):
            evaluate(np.zeros((5, 2)), zeros)


FACTORS = st.sampled_from([1e-300, 1e-200, 1e-160, -1e-30, 0.1, 3.0, 1e30, 1e160, -1e200, 1e300])


@given(st.floats(1e-307, 1e307), st.lists(st.tuples(st.sampled_from(["times", "over", "under"]), FACTORS), max_size=7))
def test_constants_meet_only_where_nothing_is_lost(start: float, steps: list[tuple[str, float]]) -> None:
    def applied(x: Any) -> list[Any]:
        values = [x]
        for word, c in steps:
            values.append(values[-1] * c if word == "times" else values[-1] / c if word == "over" else c / values[-1])
        return values

    try:
        direct = applied(start)
    except ZeroDivisionError:
        return
    if not all(1e-307 < abs(value) < 1e307 for value in direct):
        return
    graph = Graph()
    program = Program.of(graph, "chain", {"z": applied(graph.input("x"))[-1]})
    values, status = program.interpret_flat([start])
    assert status == 0
    assert math.isclose(values[0], direct[-1], rel_tol=1e-13)  # 14 roundings at most


@pytest.mark.parametrize(
    ("formula", "x", "expected"),
    [
        (lambda x: 1e-200 * (1e-200 * x), 1e300, 1e-100),
        (lambda x: 1e200 * (1e200 * x), 1e-300, 1e100),
        (lambda x: (x + 1e308) + 1e308, -1e308, 1e308),
        (lambda x: -1e308 - (x + 1e308), -1.5e308, -0.5e308),
        (lambda x: -1e308 - (1e308 - x), 1.5e308, -0.5e308),
        (lambda x: 1e308 + (1e308 - x), 1.5e308, 0.5e308),
        (lambda x: 1e200 * (1e200 / x), 1e300, 1e100),
        (lambda x: 1e308 * x + 1e308 * x, 1e-10, 2e298),
        (lambda x: x / 1.7e308, 1.7e308, 1.0),
    ],
)
def test_sums_and_products_of_constants_that_leave_the_range_are_left_alone(
    formula: Any, x: float, expected: float
) -> None:
    graph = Graph()
    program = Program.of(graph, "formula", {"z": formula(graph.input("x"))})
    values, status = program.interpret_flat([x])
    assert status == 0
    assert values[0] == pytest.approx(expected, rel=1e-15)
