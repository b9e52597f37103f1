"""WebAssembly: the bits of the interpreter in Node.js, errors of calls, and what modules import."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rbd
from rbd import native
from rbd.compiled import RecordedFunction
from rbd.errors import ArgumentError, MissingPackageError, RbdError
from rbd.export import write_wasm
from rbd.export.wasm_object import link
from rbd.native.codegen.plan import make_plan
from rbd.program.graph import Graph
from rbd.program.program import Program
from rbd.scalars.arrays import Array
from rbd.solvers.quadratic.quadratic_program import solve_quadratic_program
from tests.native.programs import random_inputs, random_program

from .node import called, needs_node, words

pytestmark = pytest.mark.optimised


def _quadratic_program() -> Program:
    graph = Graph()
    inputs = [graph.input("h", (4, 4)), graph.input("g", (4,)), graph.input("a", (6, 4)), graph.input("b", (6,))]
    names: list[str] = ["x", "multipliers", "active", "rounds"]
    outputs = dict(zip(names, solve_quadratic_program(*inputs), strict=True))
    return Program.of(graph, "qp", outputs)


def _problem(rng: np.random.Generator) -> list[Array]:
    root, rows = rng.normal(size=(4, 4)), rng.normal(size=(6, 4))
    return [root @ root.T + np.eye(4), rng.normal(size=4), rows, rows @ rng.normal(size=4) - rng.exponential(size=6)]


def _reciprocal(state: rbd.ScalarState, x: Any) -> object:
    return 1 / rbd.scalars.positive(x, "the divisor")


def _of_the_library(state: rbd.ScalarState) -> object:
    return np.tanh(state.q) + np.arctan2(state.v, 1.0)


def _expected(program: Program, inputs: list[Array]) -> dict[str, list[str]]:
    named = {port.name: array for port, array in zip(program.inputs, inputs, strict=True)}
    return {name: words(array) for name, array in program.interpret(**named).items()}


def _named(program: Program, inputs: list[Array]) -> dict[str, Array]:
    return {port.name: array for port, array in zip(program.inputs, inputs, strict=True)}


@pytest.fixture(scope="module")
def functions() -> dict[str, Program]:
    """Functions with checks, branches, an intrinsic with loops, and more instructions than one function has."""
    arm, walker = rbd.robots.arm7(), rbd.robots.quadruped()
    found: dict[str, RecordedFunction] = rbd.compile(arm).functions("inverse_dynamics", "forward_kinematics", "step")
    found["walker_step"] = rbd.compile(walker).function("step", integrator="semi-implicit-euler")
    return {name: each.program for name, each in found.items()} | {"qp": _quadratic_program()}


@needs_node
def test_bits_of_the_interpreter(functions: dict[str, Program], tmp_path: Path) -> None:
    written, rng = write_wasm(functions, tmp_path), np.random.default_rng(3)
    assert written.imports == ("sin", "cos")
    calls = list[tuple[str, list[Array]]]()
    for name, program in functions.items():
        for _ in range(3):
            inputs = [np.asarray(0.4 * rng.standard_normal(port.shape)) for port in program.inputs]
            calls.append((name, _problem(rng) if name == "qp" else inputs))
    found = called(written.script, [(name, _named(functions[name], inputs)) for name, inputs in calls])
    for (name, inputs), answer in zip(calls, found, strict=True):
        assert answer == _expected(functions[name], inputs), name


@needs_node
@pytest.mark.parametrize("seed", range(4))
def test_random_programs(seed: int, tmp_path: Path) -> None:
    """Every operation but those of the C library; statuses are those of the interpreter."""
    program = random_program(seed, 300, checks=0.005 * (seed % 2), plain=True)
    inputs = [
        [array[row] for array in random_inputs(program, 30, seed, wild=wild)]
        for wild in (False, True)
        for row in range(30)
    ]
    written = write_wasm({"p": program}, tmp_path)
    answers = called(written.script, [("p", _named(program, each)) for each in inputs])
    statuses = [program.interpret_flat([float(x) for array in each for x in array.flat])[1] for each in inputs]
    assert 0 in statuses
    for each, status, answer in zip(inputs, statuses, answers, strict=True):
        assert answer.get("status", 0) == status
        assert status or answer == _expected(program, each)


@needs_node
def test_long_programs_have_loops(tmp_path: Path) -> None:
    graph = Graph()
    (x,) = [graph.input("x", (400,))]
    rows, total = [x], x[0]
    for k in range(1, 130):
        rows.append(tuple(a * 0.5 + b for a, b in zip(rows[-1], (*rows[-1][1:], total), strict=True)))
        total = total * 0.25 + rows[-1][k]
    program = Program.of(graph, "long", {"y": rows[-1], "total": total})
    assert make_plan(program).loops
    written = write_wasm({"long": program}, tmp_path)
    inputs = [np.random.default_rng(1).standard_normal(400)]
    (answer,) = called(written.script, [("long", _named(program, inputs))])
    assert answer == _expected(program, inputs)


@needs_node
def test_errors_of_calls(tmp_path: Path) -> None:
    recorded = rbd.record(_reciprocal, rbd.robots.arm7(), x=())
    written, zeros = write_wasm({"reciprocal": recorded}, tmp_path), np.zeros(7)
    one = np.ones(1)
    given: list[dict[str, Array]] = [
        {"q": zeros, "v": zeros, "x": 4 * one},
        {"q": zeros, "v": zeros, "x": 0 * one},
        {"q": zeros, "v": zeros, "x": np.nan * one},
        {"q": zeros, "v": zeros, "x": 1e-320 * one},
        {"q": zeros, "v": zeros},
        {"q": zeros[:3], "v": zeros, "x": one},
        {"q": zeros, "v": zeros, "x": one, "y": one},
    ]
    answers = called(written.script, [("reciprocal", each) for each in given])
    assert answers[0] == {"result": words(np.array(0.25))}
    assert [(each.get("status"), each.get("error"), each.get("kind")) for each in answers[1:]] == [
        (16, "reciprocal: the divisor must be positive", "Error"),
        (1, "reciprocal: an input is not finite", "Error"),
        (2, "reciprocal: _reciprocal left the range of float64", "Error"),
        (None, "reciprocal needs the input x", "TypeError"),
        (None, "q of reciprocal has 3 numbers, needs 7", "RangeError"),
        (None, "reciprocal has no input y", "TypeError"),
    ]


@needs_node
def test_the_module_needs_functions_of_math_only(tmp_path: Path) -> None:
    recorded = rbd.record(_of_the_library, rbd.robots.double_pendulum())
    written = write_wasm({"f": recorded}, tmp_path)
    assert set(written.imports) == {"tanh", "atan2"} | set(written.imports).intersection({"sin", "cos"})
    script = (
        "const m = new WebAssembly.Module(require('fs').readFileSync(process.argv[1]));"
        "console.log(JSON.stringify([WebAssembly.Module.imports(m).map(x => x.module + '.' + x.name + ' ' + x.kind),"
        "WebAssembly.Module.exports(m).map(x => x.name)]))"
    )
    done = subprocess.run(["node", "-e", script, str(written.module)], check=True, capture_output=True, text=True)
    assert json.loads(done.stdout) == [[f"Math.{name} function" for name in written.imports], ["memory", "f"]]


WRONG: dict[str, tuple[Any, dict[str, Any], str]] = {
    "no mapping": (["step"], {}, "must map names to recorded functions, not a list"),
    "name": ({"two words": None}, {}, r"functions\['two words'\] must be"),
    "prefix": ({"f": None}, {"prefix": "a-b"}, "'a-b' is no name"),
    "global name": ({"f": _quadratic_program()}, {"prefix": "WebAssembly"}, "'WebAssembly' has a .* 'my_WebAssembly'"),
    "state of a window": ({"f": _quadratic_program()}, {"prefix": "closed"}, "'closed' has a meaning"),
    "text of a window": ({"f": _quadratic_program()}, {"prefix": "status"}, "'status' has a meaning"),
    "word of JavaScript": ({"f": _quadratic_program()}, {"prefix": "function"}, "'function' has a meaning"),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_arguments(what: str, tmp_path: Path) -> None:
    functions, options, message = WRONG[what]
    with pytest.raises(ArgumentError, match=message):
        write_wasm(functions, tmp_path / "new", **options)
    assert not (tmp_path / "new").exists()


@needs_node
def test_labels_with_dollar_signs_stay_as_they_are(tmp_path: Path) -> None:
    graph = Graph()
    label = "'$CODE' of $PREFIX with \\n and $FUNCTIONS"
    program = Program.of(graph, "checked", {"y": rbd.scalars.positive(graph.input("x", ()), label)})
    (answer,) = called(write_wasm({"checked": program}, tmp_path).script, [("checked", {"x": -np.ones(1)})])
    assert answer["error"] == f"checked: {label} must be positive"


def test_a_function_cannot_be_the_memory(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match=r"'memory' is the name .* such as 'my_memory'"):
        write_wasm({"memory": _quadratic_program()}, tmp_path)


def test_without_a_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "available", lambda: False)
    with pytest.raises(MissingPackageError, match="llvmlite"):
        write_wasm({"qp": _quadratic_program()}, tmp_path)


def test_files_that_are_no_modules_are_refused() -> None:
    with pytest.raises(RbdError, match="no WebAssembly"):
        link(b"\x7fELF....", {}, 0)
