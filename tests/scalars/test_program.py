"""Programs: instructions, listings, execution, pickling, digests."""

from __future__ import annotations

import math
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rbd.scalars as s
from rbd.errors import ArgumentError, NotFiniteError, ScalarError, ShapeError, SingularError
from rbd.program.graph import Graph
from rbd.program.listing import listing
from rbd.program.opcodes import Op
from rbd.program.ports import Port
from rbd.program.program import Program
from rbd.program.status import BAD_INPUT, BAD_OUTPUT, FIRST_CHECK, SUCCESS
from rbd.scalars.libm import exact_fma
from rbd.solvers import solve_positive_definite
from tests.counting import calls


def recorded(function: Callable[..., Any], size: int = 2) -> Program:
    graph = Graph()
    return Program.of(graph, "p", {"out": function(*graph.input("x", (size,)))})


def ops(program: Program) -> list[str]:
    return [Op(code).name for code, *_ in program.code]


EXAMPLE = """
from rbd.scalars import less, positive, sin, where
from rbd.program.graph import Graph
from rbd.program.program import Program
graph = Graph()
x, (a, b) = graph.input("x"), graph.input("y", (2,))
z = where(less(a, b), sin(x) * a + 0.25, 1 / positive(b, "the divisor"))
program = Program.of(graph, "example", {"z": (z, x, 3), "w": a - 2 * b})
"""


def example() -> Program:
    names: dict[str, Any] = {}
    exec(EXAMPLE, names)
    return names["program"]


def test_content() -> None:
    program = example()
    assert program.inputs == (Port("x", ()), Port("y", (2,)))
    assert program.outputs == (Port("z", (3,)), Port("w", ()))
    assert program.labels == ("the divisor",)
    assert program.results[1:3] == (0, ~program.constants.index(3.0))
    for k, (op, *operands) in enumerate(program.code):
        count = len(Op(op).row.operand_types)
        assert all(-len(program.constants) <= r < program.input_size + k for r in operands[:count])
        assert len(operands) == count + (op == Op.POSITIVE)


def test_listing() -> None:
    assert str(example()).splitlines() == [
        "example: x, y[2] -> z[3], w",
        "  8 operations in 7 instructions: 2 multiply, 1 less, 1 sin, 1 add, 1 divide, 1 select, 1 subtract",
        "  t0 = y[0] < y[1]",
        "  t1 = sin(x)",
        "  t2 = y[0] * t1 + 0.25",
        "  t3 = positive(y[1], 'the divisor')",
        "  t4 = 1.0 / t3",
        "  t5 = t2 if t0 else t4",
        "  t6 = y[0] - y[1] * 2.0",
        "  z[0] = t5",
        "  z[1] = x",
        "  z[2] = 3.0",
        "  w = t6",
    ]


def test_listings_show_loops_and_calls() -> None:
    graph = Graph()
    x, y = graph.input("x", (40,)), graph.input("y")
    total = s.sin(y)
    for entry in x:
        total = s.sqrt(total * entry + s.cos(entry))
    (root,) = solve_positive_definite(((total,),), ((y,),), ["total"])[0]
    program = Program.of(graph, "rolled", {"z": root})
    lines = list(listing(program, threshold=50))
    assert [line for line in lines if "times" in line] == ["  40 times 3 instructions, t1 to t120:"]
    assert lines[2:] == [
        "  t0 = sin(y)",
        "  40 times 3 instructions, t1 to t120:",
        "    t1 = cos(x[0])",
        "    t2 = x[0] * t0 + t1",
        "    t3 = sqrt(t2)",
        "    ... and so on, from t4",
        "  t121 = solve_positive_definite[n=1, m=1](t120, y)",
        "  t122 = t121[0]",
        "  z = t122",
    ]
    assert len(str(program).splitlines()) == len(program.code) + 3


def test_programs_can_be_pickled() -> None:
    program = example()
    assert program.digest == example().digest
    copy = pickle.loads(pickle.dumps(program))
    assert copy == program
    assert copy.digest == program.digest
    assert repr(copy) == "<Program 'example' of 7 instructions>"


def test_digest_is_the_same_in_another_process() -> None:
    other = subprocess.run(
        [sys.executable, "-c", EXAMPLE + "print(program.digest)"], capture_output=True, text=True, check=True
    )
    assert other.stdout.strip() == example().digest


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: (x + y, x),
        lambda x, y: (x - y, y),
        lambda x, y: (x - y,),
        lambda x, y: (x + 2.0, x),
        lambda x, y: (x + 3.0, x),
        lambda x, y: (s.positive(x, "a") + y, x),
        lambda x, y: (s.positive(x, "b") + y, x),
    ],
)
def test_different_programs_have_different_digests(function: Callable[..., Any]) -> None:
    base = recorded(lambda x, y: (x - y, x))
    assert recorded(function).digest != base.digest
    renamed = Program("other", base.inputs, base.outputs, base.constants, base.code, base.results, base.labels)
    assert renamed.digest == base.digest


def test_products_of_one_use_are_fused() -> None:
    assert ops(recorded(lambda x, y: x * y + 1)) == ["FMA"]
    assert ops(recorded(lambda x, y: x * y - y)) == ["FMS"]
    assert ops(recorded(lambda x, y: y - x * 3)) == ["FNMA"]
    assert ops(recorded(lambda x, y: 2 - x * y)) == ["FNMA"]
    assert ops(recorded(lambda x, y: -(x * y + y))) == ["FNMS"]
    assert ops(recorded(lambda x, y: x * x + y * y)) == ["MUL", "FMA"]
    assert ops(recorded(lambda x, y: (x * y + 1, x * y - 1))) == ["MUL", "ADD", "ADD"]
    assert ops(recorded(lambda x, y: (x * y + 1, x * y))) == ["MUL", "ADD"]
    assert ops(recorded(lambda x, y: s.sin(x * y) + 1)) == ["MUL", "SIN", "ADD"]


def test_fused_products_round_once() -> None:
    a, b = 1.0 + 2.0**-30, 1.0 - 2.0**-30
    outcome = recorded(lambda x, y: (x * y - 1, 1 - x * y, x * y + y, -(x * y + 1))).interpret(x=[a, b])["out"]
    # x y serves several sums here: nothing is fused.
    assert outcome.tolist() == [a * b - 1, 1 - a * b, a * b + b, -(a * b + 1)]
    for function, expected in (
        (lambda x, y: x * y - 1, exact_fma(a, b, -1)),
        (lambda x, y: 1 - x * y, exact_fma(-a, b, 1)),
        (lambda x, y: -(x * y - 1), exact_fma(-a, b, 1)),
        (lambda x, y: -(x * y + y), exact_fma(-a, b, -b)),
    ):
        assert recorded(function).interpret(x=[a, b])["out"] == expected


@pytest.mark.parametrize(
    "function", [s.sin, s.cos, s.tan, s.asin, s.acos, s.exp, s.log, s.sqrt, s.tanh, s.absolute, lambda x: -x]
)
def test_functions_of_one(function: Callable[[Any], Any]) -> None:
    program = recorded(function, 1) if function is s.sin else recorded(lambda x: function(x), 1)
    for x in (0.25, 0.9, 1e-8):
        assert math.isclose(program.interpret(x=[x])["out"], s.to_float(function(x)), rel_tol=1e-15)


@pytest.mark.parametrize(
    "function",
    [s.atan2, s.power, s.divide, s.minimum, s.maximum, lambda x, y: s.where(s.both(s.less(x, y), s.less(y, 2)), x, y)],
)
def test_functions_of_two(function: Callable[[Any, Any], Any]) -> None:
    program = recorded(lambda x, y: (function(x, y), function(x, 0.7), function(1.2, y)))
    for x, y in ((0.25, 0.75), (1.5, 0.5), (0.7, 3.0)):
        expected = [function(x, y), function(x, 0.7), function(1.2, y)]
        assert program.interpret(x=[x, y])["out"].tolist() == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize("n", range(-5, 18))
def test_whole_powers(n: int) -> None:
    program = recorded(lambda x: s.power(x, n), 1)
    assert ("POWER" in ops(program)) == (n > 16)
    assert program.interpret(x=[1.3])["out"] == pytest.approx(1.3**n, rel=1e-14)


def test_status() -> None:
    program = recorded(lambda x, y: (1 / s.positive(x, "first") + 1 / s.positive(y, "second"), s.exp(x)))
    assert program.interpret_flat([1.0, 2.0])[1] == SUCCESS
    assert program.interpret_flat([math.nan, -1.0]) == ([], BAD_INPUT)
    assert program.interpret_flat([-1.0, -1.0]) == ([], FIRST_CHECK)
    assert program.interpret_flat([1.0, 0.0]) == ([], FIRST_CHECK + 1)
    assert program.interpret_flat([1000.0, 1.0]) == ([], BAD_OUTPUT)
    with pytest.raises(SingularError, match="second must be positive"):
        program.interpret(x=[1.0, -0.0])
    with pytest.raises(NotFiniteError, match="x"):
        program.interpret(x=[1.0, math.inf])
    with pytest.raises(NotFiniteError, match="p left the range of float64"):
        program.interpret(x=[1000.0, 1.0])
    assert "x[1] is not finite" in str(program.error(BAD_INPUT, [1.0, math.nan]))
    assert "an input" in str(program.error(BAD_INPUT))
    assert "unknown status 7" in str(program.error(7))


def test_nan_is_not_positive() -> None:
    program = recorded(lambda x: s.positive(s.sqrt(x), "the root"), 1)
    assert program.interpret_flat([-1.0])[1] == FIRST_CHECK


def test_unused_operations_are_removed() -> None:
    graph = Graph()
    x, y = graph.input("x", (2,))
    s.exp(s.positive(y, "never needed"))
    program = Program.of(graph, "p", {"out": x})
    assert (program.code, program.labels, program.results) == ((), (), (0,))
    assert program.interpret(x=[1.0, -1.0]) == {"out": 1.0}


def test_arguments() -> None:
    program = recorded(lambda x, y: x + y)
    with pytest.raises(ArgumentError):
        program.interpret()
    with pytest.raises(ArgumentError):
        program.interpret(x=[1, 2], y=[1])
    with pytest.raises(ShapeError):
        program.interpret(x=[1, 2, 3])
    with pytest.raises(ScalarError):
        program.interpret(x=[Graph().input("x"), 1])


def test_outputs_keep_their_shape() -> None:
    graph = Graph()
    m = graph.input("m", (2, 2))
    twice = tuple(tuple(2 * x for x in row) for row in m)
    program = Program.of(graph, "p", {"twice": twice, "array": np.array([m[0][0], 1.5], dtype=object), "none": ()})
    outcome = program.interpret(m=[[1, 2], [3, 4]])
    assert outcome["twice"].tolist() == [[2, 4], [6, 8]]
    assert outcome["array"].tolist() == [1, 1.5]
    assert outcome["none"].shape == (0,)


def recorded_and_run(steps: int) -> None:
    graph = Graph()
    x = graph.input("x", (10,))
    for k in range(steps):
        x = tuple(a * (0.5 + k) + b for a, b in zip(x, x[1:] + x[:1], strict=True))
        x = tuple(a * 1e-3 for a in x)
    Program.of(graph, "p", {"x": x}).interpret(x=[1.0] * 10)


def test_large_programs_take_few_calls_per_operation() -> None:
    recorded_and_run(10)
    large = calls(lambda: recorded_and_run(1000))  # some 30 000 operations
    assert large < 30 * 30_000
    assert large < 10.2 * calls(lambda: recorded_and_run(100))


def solved_and_checked(count: int) -> Program:
    """Return a program of as many calls of an intrinsic as checks, all with one label."""
    graph = Graph()
    x, y = graph.input("x", (count,)), graph.input("y", (count,))
    roots = [solve_positive_definite(((a,),), ((b,),), ["a"])[0][0] for a, b in zip(x, y, strict=True)]
    return Program.of(graph, "p", {"z": tuple(root + s.positive(b, "a") for root, b in zip(roots, y, strict=True))})


def test_checks_share_a_label_which_is_none_of_a_call() -> None:
    program = solved_and_checked(3)
    assert program.labels == ("a",) * 4
    checks = {instruction[2] for instruction in program.code if instruction[0] == Op.POSITIVE}
    (label,) = checks
    assert not any(call.has_label(label) for call in program.calls)


def test_checks_after_many_calls_take_few_calls_each() -> None:
    solved_and_checked(2)
    assert calls(lambda: solved_and_checked(40)) < 12 * calls(lambda: solved_and_checked(4))
