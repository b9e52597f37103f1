"""Slots of the workspace are reused after the last load of their value, and not before."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rbd.native.codegen.ir import Lanes
from rbd.native.codegen.plan import make_plan
from rbd.native.codegen.program_functions import FunctionWriter
from rbd.native.compiled_program import CompiledProgram
from tests.native import programs
from tests.native.programs import assert_same_bits, native_rows, native_singles, reference

rounds = settings(max_examples=max(2, settings().max_examples // 20))


@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
def test_a_workspace_of_many_windows(lanes: int) -> None:
    program = programs.random_program(23, 2500)
    assert make_plan(program, 20).slot_count > 300
    arrays = programs.random_inputs(program, 17, seed=4)
    compiled, expected = CompiledProgram(program, lanes=lanes, chunk_size=20), reference(program, arrays, 17)
    assert_same_bits(native_rows(compiled, arrays, 17), expected)
    assert_same_bits(native_singles(compiled, arrays, 17), expected)


@pytest.mark.optimised
@rounds
@given(st.integers(0, 2**32), st.integers(900, 1000), st.sampled_from([5, 40, 150]))
def test_random_programs(seed: int, size: int, chunk: int) -> None:
    program = programs.random_program(seed, size)
    arrays = programs.random_inputs(program, 9, seed)
    compiled, expected = CompiledProgram(program, chunk_size=chunk), reference(program, arrays, 9)
    assert_same_bits(native_rows(compiled, arrays, 9), expected)
    assert_same_bits(native_singles(compiled, arrays, 9), expected)


def test_places_are_shared_within_a_function() -> None:
    """Values of one function used by the next, which makes as many for the one after it."""
    program = programs.random_program(3, 900)
    cut = make_plan(program, 300)
    values = len(cut.slots)
    assert 0 < cut.slot_count < values


def test_small_workspaces_have_no_windows() -> None:
    program = programs.random_program(5, 60)
    cut = make_plan(program, 20)
    assert 0 < cut.slot_count <= 128
    assert FunctionWriter("one", cut, Lanes(1)).window_slots == 0


def test_loops_may_be_written_in_a_function_of_instructions() -> None:
    """The first block has a label from the beginning; windows, which are known at the end, come before the loop."""
    plan = make_plan(programs.random_program(23, 2500), 20)
    writer = FunctionWriter("one", plan, Lanes(1))
    writer.w.for_each("%count", lambda _: None)
    index = min(plan.slots, key=plan.slots.__getitem__)
    writer.value(plan.program.input_size + index)
    lines = writer.text().splitlines()
    assert lines[1] == "entry:"
    window, loop = (
        next(k for k, line in enumerate(lines) if text in line) for text in (" asm ", "phi i64 [0, %entry]")
    )
    assert 1 < window < loop
