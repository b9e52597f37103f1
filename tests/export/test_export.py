"""Programs in other languages compute what rbd computes."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy

import rbd
from rbd import algorithms
from rbd.array_functions.record import load_or_record_spec
from rbd.compiled import RecordedFunction
from rbd.compiled.specs import DERIVATIVE_SPECS
from rbd.errors import ArgumentError, ScalarError
from rbd.export import c_source, sympy_expressions
from rbd.program.graph import Graph
from rbd.program.program import Program
from rbd.solvers import minimum_norm_solve

from .building import call, compiled_c, compiler

ROBOTS = {"double pendulum": rbd.robots.double_pendulum, "arm": rbd.robots.arm7, "humanoid": rbd.robots.humanoid}


@pytest.mark.parametrize("robot", ROBOTS)
def test_c_gives_the_same_bits(robot: str, tmp_path: Path) -> None:
    mechanism = ROBOTS[robot]()
    recorded = rbd.record(algorithms.inverse_dynamics, mechanism, vd=mechanism.nv)
    library = compiled_c(recorded.to_c("inverse_dynamics"), tmp_path, "inverse_dynamics")
    state, rng = rbd.MechanismState(mechanism), np.random.default_rng(1)
    for scale in (1.0, 1e3, 1e7):
        state.randomize(rng)
        q, v, vd = np.array(state.q), scale * np.array(state.v), rng.standard_normal(mechanism.nv)
        tau = np.zeros(mechanism.nv)
        assert call(library, "inverse_dynamics", q, v, vd, tau) == 0
        assert (tau == recorded.interpret(q, v, vd)).all()


ARM = rbd.robots.arm7()  # what is found on disk is recorded anew only while its mechanism lives


def _linear_algebra(state: Any, a: Any) -> Any:
    return np.linalg.solve(a, np.linalg.inv(rbd.mass_matrix(state))[:5]) @ state.v * np.linalg.det(a)


FURTHER = {
    "derivative": lambda: rbd.record(rbd.forward_dynamics, rbd.robots.double_pendulum(), torques=2).derivative(
        "result", "q"
    ),
    "derivatives": lambda: load_or_record_spec(
        DERIVATIVE_SPECS["inverse_dynamics_derivatives", "tangent"], ARM, "inverse_dynamics_derivatives tangent"
    ),
    "functions of numpy.linalg": lambda: rbd.record(_linear_algebra, ARM, a=(5, 5)),
    "loops": lambda: rbd.record(rbd.forward_dynamics, rbd.robots.four_bar(), torques=3),
    "derivative of loops": lambda: rbd.record(rbd.forward_dynamics, rbd.robots.four_bar(), torques=3).derivative(
        "result", "v"
    ),
}


@pytest.mark.parametrize("what", FURTHER)
def test_derivatives_and_loops_in_c(what: str, tmp_path: Path) -> None:
    recorded, rng = FURTHER[what](), np.random.default_rng(3)
    library = compiled_c(recorded.to_c("exported"), tmp_path, "exported")
    for _ in range(5):
        inputs = [rng.standard_normal(port.shape) for port in recorded.program.inputs]
        found = [np.zeros(port.shape) for port in recorded.program.outputs]
        assert call(library, "exported", *inputs, *found) == 0
        expected = recorded.interpret(*inputs)
        for a, b in zip(found, expected if isinstance(expected, tuple) else (expected,), strict=True):
            assert a.tobytes() == b.tobytes()


def test_large_workspaces_of_short_programs_are_not_on_the_stack(tmp_path: Path) -> None:
    """Threads may have a stack of 2 MB; the workspace of an intrinsic has the size of its matrices."""
    graph, n = Graph(), 70
    solution, _ = minimum_norm_solve(graph.input("a", (n, n)), graph.input("b", (n,)))
    program = Program.of(graph, "solve", {"x": solution})
    source = c_source(program, "solve")
    assert len(program.code) < 100
    assert "double workspace[" not in source.partition("int solve(")[2]
    assert "malloc(" in source
    library, rng, x = compiled_c(source, tmp_path, "solve"), np.random.default_rng(5), np.zeros(n)
    a, b = rng.standard_normal((n, n)), rng.standard_normal(n)
    assert call(library, "solve", a, b, x) == 0
    np.testing.assert_allclose(a @ x, b, rtol=0, atol=1e-9)


def test_c_says_what_is_wrong_and_writes_nothing(tmp_path: Path) -> None:
    mechanism = rbd.robots.double_pendulum()
    recorded = rbd.record(lambda state, x: 1 / rbd.scalars.positive(x, "the divisor"), mechanism, x=())
    source = recorded.to_c("reciprocal")
    assert "16: violated: the divisor must be positive" in source
    library = compiled_c(source, tmp_path, "reciprocal")
    q, v, out = np.zeros(2), np.zeros(2), np.full(1, 7.0)
    assert call(library, "reciprocal", q, v, np.array([0.0]), out) == 16
    assert call(library, "reciprocal", q, v, np.array([np.nan]), out) == 1
    assert call(library, "reciprocal", q, v, np.array([1e-320]), out) == 2
    assert out[0] == 7.0
    assert call(library, "reciprocal", q, v, np.array([4.0]), out) == 0
    assert out[0] == 0.25


def test_a_function_needs_a_name_c_can_say() -> None:
    recorded = rbd.record(lambda state: state.q, rbd.robots.double_pendulum())
    for name in ("two words", "", "é"):
        with pytest.raises(ArgumentError, match="C function"):
            recorded.to_c(name)


@pytest.mark.parametrize(
    "name",
    ["double", "bool", "main", "malloc", "sinf", "yn", "NAN", "INT64_MAX", "uint8_t", "_Bool", "rbd_sin", "lib_cos"],
)
def test_a_function_has_no_name_that_c_has_taken(name: str) -> None:
    recorded = rbd.record(lambda state: np.sin(state.q), rbd.robots.double_pendulum())
    with pytest.raises(ArgumentError, match=rf"{name!r} is no name .* such as 'my_{name}'"):
        recorded.to_c(name)
    assert f"int my_{name}(" in recorded.to_c(f"my_{name}")


@pytest.mark.skipif(sys.platform != "linux", reason="reads the declarations of headers as those of Linux write them")
def test_all_functions_of_the_headers_are_refused(tmp_path: Path) -> None:
    recorded = rbd.record(lambda state: state.q[0], rbd.robots.double_pendulum())
    headers = {*re.findall("#include.*", recorded.to_c("f")), "#include <stdlib.h>", "#include <string.h>"}
    (tmp_path / "headers.c").write_text("\n".join(sorted(headers)), encoding="ascii")
    command = [compiler(), "-E", "-P", "-std=c99", str(tmp_path / "headers.c")]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    declared = set(re.findall(r"\b([A-Za-z]\w*)\s*\((?!\*)", text))
    assert {"sin", "free", "memcpy"} <= declared
    for name in declared:
        with pytest.raises(ArgumentError, match="no name for a C function"):
            recorded.to_c(name)


@pytest.mark.parametrize(("name", "instead"), [("com x", "com_x"), ("θ", "output"), ("a-b", "a_b")])
def test_outputs_need_names_c_can_say(name: str, instead: str) -> None:
    recorded = rbd.record(lambda state: {name: state.q, "1": state.v}, rbd.robots.double_pendulum())
    with pytest.raises(ArgumentError, match=rf"the output {name!r} .* such as {instead!r}") as caught:
        recorded.to_c("f")
    assert caught.value.argument == name


def test_inputs_need_names_c_can_say() -> None:
    recorded = rbd.record(lambda state, θ: state.q[0] + θ, rbd.robots.double_pendulum(), θ=())
    with pytest.raises(ArgumentError, match=r"the input 'θ' .* such as 'input'"):
        recorded.to_c("f")


def test_inputs_with_the_same_symbol_are_refused() -> None:
    recorded = rbd.record(lambda state, q_0: state.q[0] - q_0, rbd.robots.double_pendulum(), q_0=())
    with pytest.raises(ArgumentError, match=r"'q' and 'q_0' .* symbol 'q_0'; rename 'q_0'"):
        recorded.to_sympy()


def _evaluated(recorded: RecordedFunction, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    values = {f"{name}_{i}": x for name, array in (("q", q), ("v", v)) for i, x in enumerate(array)}
    expression = recorded.to_sympy()["result"]
    flat = np.array(sympy.flatten(expression) if isinstance(expression, sympy.Array) else [expression])
    return np.array([float(entry.subs({s: values[s.name] for s in entry.free_symbols})) for entry in flat])


def test_sympy_agrees() -> None:
    mechanism = rbd.robots.double_pendulum()
    q, v = np.array([0.3, -0.7]), np.array([1.1, 0.4])
    for function in (algorithms.mass_matrix, algorithms.dynamics_bias, algorithms.kinetic_energy):
        recorded = rbd.record(function, mechanism)
        expected = np.asarray(recorded.interpret(q, v)).reshape(-1)
        np.testing.assert_allclose(_evaluated(recorded, q, v), expected, rtol=1e-12, atol=1e-14)


def test_what_sympy_cannot_say_is_named_before_anything_else() -> None:
    recorded = rbd.record(rbd.forward_dynamics, rbd.robots.four_bar(), torques=3)
    with pytest.raises(ScalarError, match="results of minimum_norm_solve depend on comparisons"):
        recorded.to_sympy()


def test_sympy_selects_and_compares() -> None:
    mechanism = rbd.robots.double_pendulum()

    def function(state: rbd.ScalarState) -> object:
        a, b = state.q
        less = rbd.scalars.less(a, b)
        return rbd.scalars.where(less, rbd.scalars.tanh(a), rbd.scalars.absolute(b)) + rbd.scalars.atan2(a, b)

    recorded = rbd.record(function, mechanism)
    for q in (np.array([0.3, 0.8]), np.array([0.8, -0.3])):
        expected = np.asarray(recorded.interpret(q, np.zeros(2))).reshape(-1)
        np.testing.assert_allclose(_evaluated(recorded, q, np.zeros(2)), expected, rtol=1e-12)


@pytest.mark.parametrize("write", [lambda program: c_source(program, "mass"), sympy_expressions])
def test_other_values_than_programs_are_refused(write: Callable[[Any], object]) -> None:
    function = rbd.record(rbd.center_of_mass, rbd.robots.double_pendulum())
    for value in (function, None, "mass"):
        with pytest.raises(ArgumentError) as caught:
            write(value)
        assert caught.value.argument == "program"
