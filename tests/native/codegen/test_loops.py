"""Loops of machine code give the bits of the straight code they were found in, whatever is repeated."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rbd
from rbd import algorithms
from rbd.errors import RecordingLimitError, WorkspaceError
from rbd.export import c_source
from rbd.joints import Prismatic, Revolute
from rbd.native.codegen.plan import make_plan
from rbd.native.compiled_program import CompiledProgram, single_module
from rbd.native.runtime import jit
from rbd.program import nodes
from rbd.program.graph import Graph
from rbd.program.opcodes import CONDITIONS, Op
from rbd.program.ports import Port
from rbd.program.program import Program
from rbd.program.rolling import ROLLING_THRESHOLD, find_loops
from rbd.program.status import NO_MEMORY
from rbd.solvers import minimum_norm_solve
from rbd.solvers.equations import ltdl_factor
from tests.algorithms.helpers import examples
from tests.export.building import compiled_c
from tests.native.programs import (
    LABELS,
    _with_finite_results,
    assert_same_bits,
    native_rows,
    native_singles,
    random_inputs,
    reference,
)

INPUTS = (Port("x", (40,)), Port("y", (5, 8)), Port("z", ()))
CONSTANTS = (*(0.25 + k / 64 for k in range(60)), -0.0, 0.0, 1.0, 3e5)
_FAMILIES = [[Op.ADD, Op.SUB], [Op.FMA, Op.FMS, Op.FNMA, Op.FNMS]]
_ARITHMETIC = [op for op in Op if op not in (Op.POSITIVE, Op.CALL, Op.PICK) and (op < Op.SIN or op >= Op.LESS)]
_USUAL = [*_ARITHMETIC, *_ARITHMETIC, Op.SIN, Op.COS, Op.SIN, Op.COS, Op.TANH, Op.ATAN2]


class Repeated:
    """Writes code in which patterns come again and again, their operands chosen by rules of many kinds."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.code: list[tuple[int, ...]] = []
        self.first = sum(port.size for port in INPUTS)
        self.numbers, self.truths = list(range(self.first)), list[int]()

    def pick(self, truth: bool) -> int:
        """Return any earlier result."""
        values = self.truths if truth else self.numbers
        return int(values[int(self.rng.integers(len(values)))])

    def add(self, op: Op, operands: list[int], label: int = 0) -> None:
        """Write an instruction."""
        place = self.first + len(self.code)
        self.code.append((op, *operands, *([label] if op == Op.POSITIVE else [])))
        (self.truths if op in CONDITIONS else self.numbers).append(place)

    def straight(self, size: int) -> None:
        """Write instructions that do not repeat."""
        for _ in range(size):
            op = Op(int(self.rng.choice(_USUAL)))
            if "c" in op.row.operand_types and not self.truths:
                op = Op.LESS
            self.add(op, [self.pick(kind == "c") for kind in op.row.operand_types])

    def repeat(self, period: int, count: int) -> None:
        """Write a pattern of `period` instructions `count` times."""
        start, ops = len(self.code), list[Op]()
        for _ in range(period):
            op = Op(int(self.rng.choice([*_USUAL, Op.POSITIVE, Op.MUL, Op.FMA])))
            if "c" in op.row.operand_types and not any(known in CONDITIONS for known in ops):
                op = Op.LESS_EQUAL
            ops.append(op)
        rules = [[self.rule(ops, j, k) for k in range(len(op.row.operand_types))] for j, op in enumerate(ops)]
        labels = int(self.rng.integers(3))
        for iteration in range(count):
            for j, op in enumerate(ops):
                operands = [self.operand(rule, iteration, start, period) for rule in rules[j]]
                if op == Op.POSITIVE:  # of what is positive
                    operands = [~int(self.rng.integers(60))] if j % 2 else [~j]
                self.add(self.signed(op, j), operands, (iteration * labels) % len(LABELS))

    def signed(self, op: Op, j: int) -> Op:
        """Return an operation that is another but for signs, at some places of a pattern."""
        family = next((family for family in _FAMILIES if op in family and j % 3), [op])
        return Op(int(self.rng.choice(family)))

    def rule(self, ops: list[Op], j: int, position: int) -> tuple[str, int, int]:
        """Choose how an operand is found: in the iteration, in the one before, at a step, anywhere ..."""
        truth = ops[j].row.operand_types[position] == "c"
        fitting = [i for i in range(j) if (ops[i] in CONDITIONS) == truth]
        if truth:
            return "same", int(self.rng.choice(fitting)), 0
        choices = ["steady", "constant", "constants", "mixed", "any"]
        if fitting:
            choices += ["same", "same", "before", "before"]
        return str(self.rng.choice(choices)), int(self.rng.choice(fitting or [0])), int(self.rng.integers(-2, 3))

    def operand(self, rule: tuple[str, int, int], iteration: int, start: int, period: int) -> int:
        kind, offset, step = rule
        if kind == "same":
            return self.first + start + iteration * period + offset
        if kind == "before" and iteration:
            return self.first + start + (iteration - 1) * period + offset
        if kind == "constant":
            return ~(offset % 60)
        if kind == "constants" or (kind == "mixed" and iteration % 3 == 1):
            return ~((offset + iteration * 7) % 60)
        if kind in ("steady", "mixed"):
            return (20 + offset % 15 + step * iteration) % self.first
        return self.pick(truth=False)

    def program(self) -> Program:
        """Return the program, with outputs from everywhere."""
        chosen = [int(r) for r in self.rng.choice(self.numbers, 40)] + [~2, 3, *self.numbers[-3:]]
        outputs = (Port("u", (len(chosen) - 1,)), Port("v", ()))
        program = Program("repeated", INPUTS, outputs, CONSTANTS, tuple(self.code), tuple(chosen), LABELS)
        return _with_finite_results(program)


def repeated(seed: int) -> Program:
    """Return a program of a few patterns with other instructions between them."""
    writer = Repeated(seed)
    for _ in range(int(writer.rng.integers(1, 4))):
        writer.straight(int(writer.rng.integers(0, 30)))
        writer.repeat(int(writer.rng.integers(1, 40)), int(writer.rng.integers(2, 30)))
    writer.straight(3)
    return writer.program()


@pytest.mark.optimised
@examples(0.3)
@given(st.integers(0, 10**6), st.sampled_from([0, 100, 500]), st.sampled_from([(1, 1000), (4, 17), (8, 1000)]))
def test_rolled_code_gives_the_bits_of_the_interpreter(seed: int, threshold: int, sizes: tuple[int, int]) -> None:
    program, (lanes, chunk) = repeated(seed), sizes
    arrays = random_inputs(program, 5, seed=seed)
    expected = reference(program, arrays, 5)
    compiled = CompiledProgram(program, lanes, chunk, threshold)
    assert_same_bits(native_rows(compiled, arrays, 5), expected)
    assert_same_bits(native_singles(compiled, arrays, 5), expected)


def test_loops_are_found_in_what_is_repeated() -> None:
    found = [loop for seed in range(20) for loop in find_loops(repeated(seed), 0)]
    assert len(found) > 20
    assert len({loop.period for loop in found}) > 10


# ---------------------------------------------------------------- robots


def chain(size: int, *, every: int = 10**9, aligned: int = 0) -> rbd.Mechanism:
    """Return a chain about random axes; each `every`-th joint slides."""
    rng = np.random.default_rng(0)
    mechanism = rbd.Mechanism()
    body = mechanism.root_body
    for k in range(size):
        axis = np.eye(3)[k % 3] if aligned else rng.normal(size=3)
        kind = (Prismatic if k % every == every - 1 else Revolute)(tuple((axis / np.linalg.norm(axis)).tolist()))
        link = rbd.RigidBody(f"link{k}")
        frame = link.default_frame
        moment = np.diag(rng.uniform(1, 1.5, 3))
        link.set_inertia(
            rbd.SpatialInertia(frame, mass=float(rng.uniform(1, 2)), com=rng.normal(size=3), moment_about_com=moment)
        )
        joint = rbd.Joint(f"joint{k}", kind)
        at = rbd.Transform(joint.frame_before, body.default_frame, translation=rng.normal(size=3))
        mechanism.attach(body, link, joint, joint_pose=at)
        body = link
    return mechanism


def check(mechanism: rbd.Mechanism, algorithm: str, threshold: int, **arguments: int) -> Program:
    """Compare an algorithm's machine code with the interpreter."""
    program = rbd.record(getattr(algorithms, algorithm), mechanism, **arguments).program
    compiled = CompiledProgram(program, rolling_threshold=threshold)
    arrays = random_inputs(program, 3, seed=5)
    expected = reference(program, arrays, 3)
    assert_same_bits(native_singles(compiled, arrays, 3), expected)
    assert_same_bits(native_rows(compiled, arrays, 3), expected)
    return program


def straight_part(program: Program, threshold: int) -> int:
    """Return how many instructions are written, each loop's once."""
    return len(program.code) - sum(loop.period * (loop.count - 1) for loop in find_loops(program, threshold))


@pytest.mark.parametrize("options", [{}, {"every": 4}, {"aligned": 1}], ids=["random", "mixed", "aligned"])
def test_chains_roll(options: dict[str, int]) -> None:
    mechanism = chain(40, **options)
    for algorithm, arguments in (("inverse_dynamics", {"vd": 40}), ("forward_dynamics", {"torques": 40})):
        program = check(mechanism, algorithm, 1000, **arguments)
        assert straight_part(program, 1000) < 0.4 * len(program.code)


def test_a_thousand_bodies_become_little_code() -> None:
    mechanism = rbd.robots.chain(1000)
    program = rbd.record(algorithms.inverse_dynamics, mechanism, vd=1000).program
    assert straight_part(program, ROLLING_THRESHOLD) < 500
    compiled = CompiledProgram(program)
    assert len(single_module(program)) < 2_000_000
    arrays = random_inputs(program, 1, seed=5)
    assert_same_bits(native_singles(compiled, arrays, 1), reference(program, arrays, 1))


@pytest.mark.deep
def test_results_for_the_next_iteration_share_a_slot() -> None:
    """A sum carried through a loop takes one place; what later code reads takes one for each iteration."""
    graph = Graph()
    x = graph.input("x", (400,))
    total: Any = 1.0
    squares: list[Any] = []
    for each in x:
        squares.append(each * each + 1.0)
        total = total * 0.5 + squares[-1] / (each + 3.0)
    carried = Program.of(graph, "carried", {"total": total})
    kept = Program.of(graph, "kept", {"total": total, "squares": tuple(squares)})
    counts = [make_plan(program, rolling_threshold=100).slot_count for program in (carried, kept)]
    assert counts[0] < 50
    assert 400 <= counts[1] < 450
    for program in (carried, kept):
        arrays = random_inputs(program, 9)
        kernel = CompiledProgram(program, lanes=8, rolling_threshold=100)
        assert_same_bits(native_rows(kernel, arrays, 9), reference(program, arrays, 9))
        assert_same_bits(native_singles(kernel, arrays, 9), reference(program, arrays, 9))


@pytest.mark.parametrize(("size", "random"), [(250, 100), pytest.param(1000, 300, marks=pytest.mark.deep)])
def test_forward_dynamics_of_long_chains(size: int, random: int) -> None:
    for mechanism in (rbd.robots.chain(size), chain(random)):
        program = check(mechanism, "forward_dynamics", ROLLING_THRESHOLD, torques=mechanism.nv)
        assert len(program.code) > ROLLING_THRESHOLD
        assert straight_part(program, ROLLING_THRESHOLD) < 2000


def test_usual_robots_stay_straight() -> None:
    for mechanism in (rbd.robots.arm7(), rbd.robots.humanoid()):
        for algorithm in (algorithms.inverse_mass_matrix, algorithms.mass_matrix):
            program = rbd.record(algorithm, mechanism).program
            assert not make_plan(program).loops
            inverts = mechanism.nv > 30 and algorithm is algorithms.inverse_mass_matrix
            assert [call.intrinsic.name for call in program.calls] == ["solve_factored"] * inverts


def test_loops_of_long_iterations_begin_at_half_the_length() -> None:
    long = rbd.record(algorithms.forward_dynamics, rbd.robots.chain(140), torques=140).program
    short = rbd.record(algorithms.inverse_dynamics, rbd.robots.chain(480), vd=480).program
    assert all(ROLLING_THRESHOLD // 2 < len(program.code) <= ROLLING_THRESHOLD for program in (long, short))
    assert straight_part(long, ROLLING_THRESHOLD) < 1500
    assert find_loops(short, 1000)
    assert not find_loops(short)


# ---------------------------------------------------------------- calls, large matrices


def test_loops_feed_calls_and_calls_feed_loops() -> None:
    graph = Graph()
    x = graph.input("x", (60,))
    total, parts = x[0], []
    for entry in x:
        total = total * 0.5 + entry * entry
        parts.append(total)
    solved, rank = minimum_norm_solve(tuple(tuple(parts[6 * i : 6 * i + 6]) for i in range(5)), tuple(parts[-5:]))
    for entry in x:
        total = total * 0.25 + entry * solved[0]
    program = Program.of(graph, "through", {"y": total, "z": (*solved, *parts), "rank": rank})
    arrays = random_inputs(program, 9)
    expected = reference(program, arrays, 9)
    for lanes in (1, 8):
        compiled = CompiledProgram(program, lanes, 1000, 10)
        assert make_plan(program, rolling_threshold=10).loops
        assert_same_bits(native_rows(compiled, arrays, 9), expected)
        assert_same_bits(native_singles(compiled, arrays, 9), expected)


def test_large_inverses_are_calls() -> None:
    mechanism = rbd.robots.chain(33)
    program = check(mechanism, "inverse_mass_matrix", ROLLING_THRESHOLD)
    assert [call.intrinsic.name for call in program.calls] == ["solve_factored"]
    state = rbd.MechanismState(mechanism, np.linspace(-1, 1, 33))
    got = program.interpret(**{port.name: getattr(state, port.name) for port in program.inputs})
    (inverse,) = got.values()
    np.testing.assert_allclose(inverse @ rbd.mass_matrix(state), np.eye(33), rtol=0, atol=1e-8)
    assert (inverse == inverse.T).all()


def test_large_factors_are_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    def solve(limit: int) -> Program:
        monkeypatch.setattr(ltdl_factor, "MAX_RECORDED_FACTOR", limit)
        graph = Graph()
        rows, b = graph.input("x", (9, 9)), graph.input("b", (9,))
        factor = ltdl_factor.Factor.of(rows, [f"row {i}" for i in range(9)])
        return Program.of(graph, "solve", {"y": factor.solve(b), "inverse": factor.inverse()})

    straight, called = solve(10**6), solve(10)
    assert [call.intrinsic.name for call in called.calls] == ["factor_positive_definite"]
    root = np.random.default_rng(1).normal(size=(9, 9))
    values = {"x": root @ root.T + np.eye(9), "b": np.arange(9.0)}
    expected, got = straight.interpret(**values), called.interpret(**values)
    for name in expected:
        np.testing.assert_allclose(got[name], expected[name], rtol=1e-9, atol=1e-12)
    values["x"][4, 4] = -1.0
    with pytest.raises(ArithmeticError, match="row 4 must be positive"):
        called.interpret(**values)


def test_a_recording_ends_at_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nodes, "RECORDING_LIMIT", 1000)
    with pytest.raises(RecordingLimitError, match="1000 operations") as caught:
        rbd.record(algorithms.forward_dynamics, rbd.robots.chain(30), torques=30)
    assert caught.value.limit == 1000


# ---------------------------------------------------------------- memory


def test_no_memory_is_an_error_and_nothing_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rbd.native.codegen.entry_points.STACK_LIMIT", 100)
    monkeypatch.setenv("RBD_CACHE", "0")
    nothing = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int64)(lambda size: None)
    addresses = jit.c_function_addresses() | {"malloc": ctypes.cast(nothing, ctypes.c_void_p).value or 0}
    monkeypatch.setattr(jit, "c_function_addresses", lambda: addresses)
    program = repeated(1)
    compiled = CompiledProgram(program, 4)
    arrays = random_inputs(program, 6)
    single, batch = native_singles(compiled, arrays, 6), native_rows(compiled, arrays, 6)
    assert single[1] == batch[1] == (0, NO_MEMORY)
    assert len(np.unique(single[0])) == len(np.unique(batch[0])) == 1
    error = program.error(NO_MEMORY)
    assert isinstance(error, WorkspaceError)
    assert isinstance(error, MemoryError)


# ---------------------------------------------------------------- C


def through() -> Program:
    graph = Graph()
    x = graph.input("x", (40,))
    total, parts = x[0], []
    for entry in x:
        total = total * 0.5 + entry * entry
        parts.append(total)
    solved, rank = minimum_norm_solve(tuple(tuple(parts[5 * i : 5 * i + 5]) for i in range(4)), tuple(parts[-4:]))
    for entry in x:
        total = total * 0.25 + entry * solved[0]
    return Program.of(graph, "through", {"y": total, "z": (*solved, *parts), "rank": rank})


@pytest.mark.parametrize("seed", [None, 0, 1, 2])
def test_loops_in_c(seed: int | None, tmp_path: Path) -> None:
    program = through() if seed is None else repeated(seed)
    if seed == 0:
        program = rbd.record(algorithms.forward_dynamics, chain(12), torques=12).program
    source = c_source(program, "kernel", threshold=10)
    assert "for (int k = 0" in source
    function = compiled_c(source, tmp_path, "kernel").kernel
    arrays = random_inputs(program, 4, seed=1)
    for row in range(4):
        inputs = [np.ascontiguousarray(array[row]).reshape(-1) for array in arrays]
        outputs = [np.zeros(port.size) for port in program.outputs]
        status = function(*(ctypes.c_void_p(array.ctypes.data) for array in (*inputs, *outputs)))
        expected, wanted = program.interpret_flat([float(x) for array in inputs for x in array])
        assert status == wanted
        assert status or np.concatenate(outputs).view(np.int64).tolist() == np.array(expected).view(np.int64).tolist()
