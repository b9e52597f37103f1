"""Code sinking: what only a guarded call needs is skipped with it; operands that calls keep are stored once."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest

from rbd.native.codegen.plan import make_plan
from rbd.native.codegen.sinking import sink_guarded_code
from rbd.native.compiled_program import CompiledProgram, batch_module
from rbd.program.graph import Graph
from rbd.program.opcodes import Op, operands_of
from rbd.program.program import Program
from rbd.scalars import Matrix, Scalar, less, sin, where
from rbd.solvers import determinant, minimum_norm_solve
from rbd.solvers.quadratic.guarded_program import solve_guarded_quadratic_program
from tests.native.programs import assert_same_bits, native_rows, native_singles, reference


def fallback() -> Program:
    """Return a program with two guarded calls: the second needs results of the first, and both share a value."""
    graph = Graph()
    x, y, z = graph.input("x", (3,))
    shared, own = x * y + z, x * x + y * y + 1
    guard = where(less(x, y), 1, 0)
    (first,), (force,), _ = solve_guarded_quadratic_program(guard, ((own,),), (shared,), ((1.0,),), (y * z,))
    later = where(less(shared, z), 1, 0)
    (second,), _, _ = solve_guarded_quadratic_program(
        later, ((own * own + 2,),), (first - 3 * x,), ((x,),), (shared * 5,)
    )
    outputs = {"first": first, "force": force * y, "second": second + sin(shared)}
    return Program.of(graph, "fallback", outputs)


def test_regions_have_what_nothing_else_needs() -> None:
    sunk = sink_guarded_code(fallback())
    program = sunk.program
    first, inside = program.input_size, {index: region for region in sunk.regions for index in region}
    assert len(sunk.regions) == 2
    for region in sunk.regions:
        assert program.code[region[-1]][0] == Op.CALL
        assert len(region) > 1
    users = dict[int, set[int]]()
    for index, instruction in enumerate(program.code):
        for operand in operands_of(instruction):
            users.setdefault(operand - first, set()).add(index)
    kept = {r - first for r in program.results}
    for index, instruction in enumerate(program.code):
        if index in inside and index != inside[index][-1]:
            assert users[index] <= {*inside[index]} - kept
        elif instruction[0] in (Op.MUL, Op.FMA, Op.ADD, Op.SUB) and index not in inside:
            assert not any(users.get(index, kept) <= {*region} for region in sunk.regions) or index in kept


def test_an_equal_program_has_the_same_bits() -> None:
    program, rng = fallback(), np.random.default_rng(3)
    sunk = sink_guarded_code(program).program
    for x in rng.normal(size=(20, 3)):
        expected = program.interpret(x=x)
        assert {name: value.tobytes() for name, value in sunk.interpret(x=x).items()} == {
            name: value.tobytes() for name, value in expected.items()
        }


def test_programs_without_guarded_calls_stay_as_they_are() -> None:
    graph = Graph()
    x = graph.input("x", (2,))
    program = Program.of(graph, "plain", {"y": (x[0] * x[1], sin(x[0]))})
    assert sink_guarded_code(program) == (program, ())


@pytest.mark.optimised
@pytest.mark.parametrize("chunk", [1, 2, 1000])
def test_machine_code_of_rows_that_need_calls_and_of_rows_that_do_not(chunk: int) -> None:
    program, count = fallback(), 37
    rows = np.random.default_rng(4).normal(size=(count, 3))
    rows[8:16] = np.sort(rows[8:16], axis=1)[:, ::-1]  # eight neighbours that need nothing
    expected = reference(program, [rows], count)
    for lanes in (1, 2, 8):
        assert_same_bits(native_rows(CompiledProgram(program, lanes, chunk), [rows], count), expected)
    assert_same_bits(native_singles(CompiledProgram(program, 1, chunk), [rows], count), expected)


def test_blocks_call_regions_through_their_guards_only() -> None:
    text = batch_module(fallback(), 8)
    body = text[text.index("define i64 @batch(") :]
    called = set(re.findall(r"call void @(wide_\w+)\(", body))
    guards = {name for name in called if name.startswith("wide_guarded_")}
    behind = set(re.findall(r"call void @(wide_\w+)\(", text)) - called
    assert len(guards) == 2
    assert behind
    assert not behind & called


def uses_after_call(solve: Callable[[Matrix], Scalar]) -> Program:
    """Return a program that needs the operands of a call again behind it."""
    graph = Graph()
    a = graph.input("a", (4, 4))
    scaled = tuple(tuple(2 * x + y for x, y in zip(row, reversed(row), strict=True)) for row in a)
    found = solve(scaled)
    return Program.of(graph, "uses", {"y": [found * x + sin(x) for row in scaled for x in row]})


def test_operands_that_calls_keep_are_stored_once() -> None:
    program = uses_after_call(lambda matrix: minimum_norm_solve(matrix, (1.0, 2.0, 3.0, 4.0))[0][0])
    plan = make_plan(program, 1, 8)
    (call,) = plan.calls.values()
    kept = [index for index, slot in plan.slots.items() if call.operands <= slot < call.results]
    assert len(kept) == 16
    assert not {*kept} & plan.operand_slots.keys()


def test_operands_that_calls_overwrite_are_kept_elsewhere() -> None:
    program = uses_after_call(determinant)
    plan = make_plan(program, 1, 1)
    (call,) = plan.calls.values()
    assert call.call.intrinsic.written_operands == {"matrix"}
    assert not [index for index, slot in plan.slots.items() if call.operands <= slot < call.results]
    assert sum(map(len, plan.operand_slots.values())) == 16


@pytest.mark.optimised
@pytest.mark.parametrize("solve", [lambda matrix: minimum_norm_solve(matrix, (1.0, 2.0, 3.0, 4.0))[0][0], determinant])
def test_machine_code_of_operands_that_are_needed_again(solve: Callable[[Matrix], Scalar]) -> None:
    program, count = uses_after_call(solve), 19
    rows = np.random.default_rng(5).normal(size=(count, 4, 4))
    expected = reference(program, [rows], count)
    for lanes, chunk in ((1, 1), (2, 1), (8, 3)):
        assert_same_bits(native_rows(CompiledProgram(program, lanes, chunk), [rows], count), expected)
    assert_same_bits(native_singles(CompiledProgram(program, 1, 1), [rows], count), expected)
