"""Calls of intrinsics as machine code and as C: the interpreter's bits; and what the subset refuses."""

from __future__ import annotations

import ast
import builtins
import ctypes
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as untyped_sympy
from hypothesis import given
from hypothesis import strategies as st

from rbd.errors import ArgumentError, ScalarError, SolverError
from rbd.export import c_source, sympy_expressions
from rbd.intrinsics import Intrinsic, parser
from rbd.intrinsics.expressions import ExpressionParser
from rbd.intrinsics.language import Floats, Ints, divide, fma, sqrt
from rbd.intrinsics.parser import parse
from rbd.intrinsics.workspace import Workspace, ints, operand, result
from rbd.native.compiled_program import CompiledProgram
from rbd.program.graph import Graph
from rbd.program.program import Program
from rbd.program.status import FIRST_CHECK
from rbd.scalars import cos, sin
from rbd.solvers import minimum_norm_solve, solve_factored, solve_positive_definite
from rbd.solvers.equations.orthogonal_decomposition import largest_entry as _another_largest
from tests.export.building import compiled_c
from tests.native.programs import assert_same_bits, native_rows, native_singles, random_inputs, reference

pytestmark = pytest.mark.optimised

sympy: Any = untyped_sympy  # typed in part only


def solves(m: int, n: int, columns: int) -> Program:
    """Return a program that solves with its inputs, with products of them and with solutions."""
    graph = Graph()
    a, b, z = graph.input("x", (m, n)), graph.input("y", (m,)), graph.input("z")
    scaled = tuple(tuple(e * z if (i + j) % 3 else e for j, e in enumerate(row)) for i, row in enumerate(a))
    x, rank = minimum_norm_solve(scaled, b)
    square = tuple(
        tuple(sum((p * q for p, q in zip(a[i], a[j], strict=True)), 1e-9 if i == j else 0) for j in range(m))
        for i in range(m)
    )
    y = solve_positive_definite(square, tuple((e, *x)[:columns] for e in b), [f"pivot {i}" for i in range(m)])
    outputs = {"x": x, "rank": rank * z, "y": y, "c": sin(x[0]) * y[0][0] + cos(x[0])}
    return Program.of(graph, "solves", outputs)


def hostile(program: Program, count: int, seed: int) -> list[Any]:
    """Return rows of inputs, among them zero, equal and rank-deficient matrices, and such that fail."""
    arrays = random_inputs(program, count, seed=seed, wild=seed % 2 == 0)
    arrays[0][3] = 0
    arrays[0][4, 0] = 0
    arrays[0][5] = 1
    arrays[0][6, -1] = arrays[0][6, 0]
    return arrays


@pytest.mark.parametrize(("m", "n", "columns"), [(1, 1, 1), (2, 3, 2), (4, 2, 1), (5, 9, 3)])
def test_machine_code_gives_the_bits_of_the_interpreter(m: int, n: int, columns: int) -> None:
    program = solves(m, n, columns)
    in_rows = [CompiledProgram(program, *cut) for cut in ((1, 1000), (2, 7), (4, 1000), (8, 31), (8, 1000))]
    alone = [CompiledProgram(program, 1, chunk) for chunk in (3, 1000)]
    for seed in (1, 2):
        arrays = hostile(program, 21, seed)
        expected = reference(program, arrays, 21)
        for compiled in in_rows:
            assert_same_bits(native_rows(compiled, arrays, 21), expected)
        for compiled in alone:
            assert_same_bits(native_singles(compiled, arrays, 21), expected)


def test_the_pivot_at_fault_is_the_status_of_its_lane() -> None:
    graph = Graph()
    x = graph.input("x", (3,))
    diagonal = tuple(tuple(x[i] if i == j else 0 for j in range(3)) for i in range(3))
    y = solve_positive_definite(diagonal, ((1.0,),) * 3, ["first", "second", "third"])
    compiled = CompiledProgram(Program.of(graph, "diagonal", {"y": y}), 4)
    inputs = [np.array([[1.0, 2, 3], [1, 0, 3], [-1, 2, 3], [1, 2, -3], [0, 0, 0]])]
    for row, status in ((0, 0), (1, 1), (2, 0), (3, 2), (4, 2)):
        out = [np.full((3, 1), 7.0)]
        found = compiled.run([inputs[0][row]], out)
        assert found == (0 if row == 0 else FIRST_CHECK + status)
        assert (out[0] == 7.0).all() == (row > 0)
    assert native_rows(compiled, inputs, 5)[1] == (1, FIRST_CHECK + 1)


# ---------------------------------------------------------------- every word of the subset


def _helper(n: int, x: float, values: Floats) -> float:
    total = 0.0
    for i in range(n - 1, -1, -1):
        total = total + values[i] * x
        if total > 4.0 or not (values[i] <= 2.0 and i != 1):
            return total
    return -total


def _touch(entry: int, t1: Floats) -> None:  # names that the translators use themselves
    if entry >= 2:
        return
    t1[entry] = t1[entry] + 1.0


class Collatz(Workspace):
    n: int
    start = operand("n")
    out = result("2")
    seen = ints("n")


def _collatz(w: Collatz) -> int:
    for i in range(0, w.n, 2):
        w.seen[i] = w.n - i
    steps = 0
    x = abs(w.start[0]) + 1.0
    while x > 1.0 and steps < 100:
        if x == 2.0:
            break
        half = divide(x, 2.0)
        if half < 3.0:
            x = half
        else:
            x = fma(half, -0.75, x)
        steps += 1
    _touch(0, w.out)
    _touch(5, w.out)
    w.out[0] += x + float(steps) - float(w.seen[0] * 2)
    w.out[1] = _helper(w.n, sqrt(x), w.start)
    if steps >= 3:
        return 1
    return 0


def _failure(label: str) -> SolverError:
    return SolverError(f"{label} took too long")


COLLATZ = Intrinsic(
    name="collatz_for_tests",
    workspace=Collatz,
    function=_collatz,
    operations=lambda n: 1000,
    labels=1,
    error=_failure,
)


def strange(n: int) -> Program:
    graph = Graph()
    return Program.of(graph, "strange", {"y": COLLATZ((n,), graph.input("x", (n,)), ["the loop"])})


@given(st.integers(2, 5), st.integers(0, 10**6))
def test_every_word_means_the_same(n: int, seed: int) -> None:
    program = strange(n)
    arrays = random_inputs(program, 9, seed=seed)
    expected = reference(program, arrays, 9)
    assert_same_bits(native_rows(CompiledProgram(program, 4), arrays, 9), expected)


def test_an_intrinsic_has_errors_of_its_own() -> None:
    program = strange(2)
    with pytest.raises(SolverError, match="the loop took too long"):
        program.interpret(x=[50.0, 1.0])
    with pytest.raises(SolverError, match="the loop took too long"):
        COLLATZ((2,), (50.0, 1.0), ["the loop"])


# ---------------------------------------------------------------- C


def compiled(program: Program, folder: Path, threshold: int) -> Callable[..., int]:
    function: Callable[..., int] = compiled_c(c_source(program, "kernel", threshold), folder, "kernel").kernel
    return function


def factored(size: int, count: int) -> Program:
    """Return a program that solves with a factor, which takes tables along."""
    graph = Graph()
    x = graph.input("x", (size + 1,))
    rows = [tuple((j, x[j] * x[i + 1]) for j in range(i % 3 + 1 if i > 2 else 0)) for i in range(size)]
    right = [tuple(x[i] if (i + j) % 2 else 0 for i in range(size)) for j in range(count)]
    return Program.of(graph, "factored", {"y": tuple(solve_factored(rows, x[:size], right))})


PROGRAMS = {
    "tall": solves(4, 2, 1),
    "wide": solves(3, 5, 2),
    "strange": strange(3),
    "factored": factored(7, 9),
}


@pytest.mark.parametrize("threshold", [10, 10**6])
@pytest.mark.parametrize("name", PROGRAMS)
def test_c_gives_the_same_bits(name: str, threshold: int, tmp_path: Path) -> None:
    program = PROGRAMS[name]
    function = compiled(program, tmp_path, threshold)
    arrays = hostile(program, 9, 1) if len(program.inputs) > 1 else random_inputs(program, 9)
    for row in range(9):
        inputs = [np.ascontiguousarray(array[row]).reshape(-1) for array in arrays]
        outputs = [np.zeros(port.size) for port in program.outputs]
        status = function(*(ctypes.c_void_p(array.ctypes.data) for array in (*inputs, *outputs)))
        expected, wanted = program.interpret_flat([float(x) for array in inputs for x in array])
        assert status == wanted
        assert status or np.concatenate(outputs).view(np.int64).tolist() == np.array(expected).view(np.int64).tolist()


def test_what_decides_nothing_can_be_said_in_sympy() -> None:
    program = factored(4, 3)
    x = [0.3, 0.5, 0.7, 0.9, 1.1]
    (found,) = sympy_expressions(program).values()
    expressions: Any = found
    symbols = {sympy.Symbol(f"x_{k}", real=True): value for k, value in enumerate(x)}
    values = np.array(expressions.subs(symbols).tolist(), dtype=float)
    np.testing.assert_allclose(values, program.interpret(x=x)["y"], rtol=1e-13)


def test_what_cannot_be_said_in_sympy_is_refused() -> None:
    with pytest.raises(ScalarError, match="minimum_norm_solve"):
        sympy_expressions(solves(2, 2, 1))


# ---------------------------------------------------------------- refusals


def _ranged(n: int, x: Floats) -> None:
    for i in range(n):
        x[i] = 0.0


def _quotient(x: float) -> float:
    return x / 2.0


def _mixed(n: int) -> int:
    n = n + 1.0  # type: ignore[assignment]  # planted
    return n


def _undefined(x: float) -> float:
    if x > 0.0:
        y = x
    return y


def _unknown(x: float) -> float:
    return abs(max(x, 0.0))


def _sliced(x: Floats) -> float:
    y = x[1:]
    return y[0]


def _reused(n: int, x: Floats) -> None:
    for i in range(n):
        i = i + 1
        x[i] = 0.0


def _continued(n: int, x: Floats) -> None:
    for i in range(n):
        if x[i] > 0.0:
            continue
        x[i] = 0.0


def _endless(n: int) -> int:
    return _endless(n)


def _text(n: int) -> int:
    if n == "x":  # type: ignore[comparison-overlap]  # planted
        return 0
    return 1


def _falls_through(n: int) -> int:  # type: ignore[return]  # planted
    if n > 0:
        return 1
    n = 2


def _after(n: int) -> int:
    return n
    n = 1


def _array_result(x: Floats) -> Floats:
    return x


def _next(seen: Ints) -> int:
    seen[0] += 1
    return seen[0]


def _place_evaluated_twice(x: Floats, seen: Ints) -> None:
    x[_next(seen)] += 1.0


def _place_and_value(x: Ints, seen: Ints) -> None:
    x[_next(seen)] = _next(seen)


def _two_calls(seen: Ints) -> int:
    return _next(seen) - 2 * _next(seen)


def _entry_beside_a_call(seen: Ints) -> int:
    return seen[0] - _next(seen)


def _argument_beside_a_call(seen: Ints) -> int:
    return _larger(_next(seen), seen[0])


def _larger(a: int, b: int) -> int:
    if a > b:
        return a
    return b


def _stepped(seen: Ints, step: int) -> int:
    seen[0] += step
    return seen[0]


def _in_sequence(seen: Ints) -> int:
    """Operands of `and` and `or` are evaluated in order, and arguments before the call."""
    if _next(seen) > 1 and not (_next(seen) > 2 or _stepped(seen, seen[0]) > 3):
        return _stepped(seen, seen[0] + 1)
    return _stepped(seen, _next(seen))


def largest_entry(count: int, values: Floats) -> float:
    return values[count - 1]


def _two_of_one_name(x: Floats) -> float:
    return largest_entry(1, x) + _another_largest(1, x)


def _shared(x: Floats) -> float:
    return x[0]


def _first_caller(x: Floats) -> float:
    return _shared(x)


def _second_caller(x: Floats) -> float:
    return _first_caller(x) + _shared(x)


def test_a_function_that_two_threads_parse_at_once_has_one_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed, threads = parser._parsed, list[threading.Thread]()

    def interrupted(function: Callable[..., Any], callers: tuple[Callable[..., Any], ...]) -> Any:
        """Parse a function; while it is parsed for the first time, let another thread parse a caller of it."""
        found = parsed(function, callers)
        if not threads:
            threads.append(threading.Thread(target=parse, args=(_first_caller,)))
            threads[0].start()
            threads[0].join()
        return found

    monkeypatch.setattr(parser, "PARSED", {})
    monkeypatch.setattr(parser, "_parsed", interrupted)
    shared = parse(_shared)
    assert parse(_first_caller).calls == (shared,)
    assert parse(_second_caller).calls == (parse(_first_caller), shared)


PLANTED = {
    _place_evaluated_twice: "the place 'x[_next(seen)]' of an augmented assignment has no calls",
    _place_and_value: "a call that writes to arrays",
    _two_calls: "a call that writes to arrays",
    _entry_beside_a_call: "a call that writes to arrays",
    _argument_beside_a_call: "a call that writes to arrays",
    _quotient: "write divide(a, b)",
    _mixed: "mixes types",
    _undefined: "'y' may be unassigned here",
    _unknown: "'max' is no function known here",
    _sliced: "is not allowed",
    _reused: "'i' is a loop's variable",
    _continued: "'continue' is not allowed",
    _endless: "calls itself",
    _text: "is not allowed",
    _falls_through: "the last statement",
    _after: "unreachable after",
    _array_result: "arrays are parameters",
    _two_of_one_name: "two functions have the name 'largest_entry'; rename one, or define its callers again",
}


@pytest.mark.parametrize("function", PLANTED, ids=lambda function: function.__name__)
def test_what_is_not_in_the_subset_is_refused_with_file_and_line(function: Callable[..., Any]) -> None:
    with pytest.raises(ScalarError, match=re.escape(PLANTED[function])) as caught:
        parse(function)
    file, line = str(caught.value.where).rsplit(":", 1)
    first = function.__code__.co_firstlineno
    assert file.endswith("test_calls.py")
    assert first <= int(line) <= first + 5


def test_calls_that_write_are_allowed_where_their_order_is_known() -> None:
    assert parse(_in_sequence).returns == "int"


def test_every_expression_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed, original = list[str](), ExpressionParser.expression

    def counted(self: Any, node: ast.expr) -> Any:
        parsed.append(ast.unparse(node))
        return original(self, node)

    monkeypatch.setattr(ExpressionParser, "expression", counted)
    monkeypatch.setattr(parser, "PARSED", {})
    parse(_nested)
    assert parsed.count("_larger(n, 7)") == parsed.count("_larger(_larger(n, 7), 8)") == 1


def _nested(n: int) -> int:
    return _larger(_larger(_larger(n, 7), 8), 9)


def test_range_is_that_of_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "range", lambda n: reversed(list(builtins.range(n))))
    monkeypatch.setattr(parser, "PARSED", {})
    with pytest.raises(ScalarError, match="a loop is `for i in range"):
        parse(_ranged)


def test_a_signature_must_be_the_declared_one() -> None:
    for name, workspace, function in (
        ("wrong_for_tests", Workspace, _collatz),
        ("flat_for_tests", Collatz, _helper),
        ("void_for_tests", Collatz, _touch),
    ):
        wrong = Intrinsic(name, workspace, function, lambda n: 0)  # type: ignore[arg-type]  # planted
        with pytest.raises(ArgumentError, match="needs"):
            assert wrong.routine


def test_an_intrinsic_has_a_name_c_can_say() -> None:
    with pytest.raises(ArgumentError, match="cannot name"):
        Intrinsic("two words", Collatz, _collatz, lambda n: 0)
