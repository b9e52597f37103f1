"""Machine code does bit for bit what the interpreter does, however work is cut into lanes, functions and threads."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rbd.native.compiled_program import CompiledProgram, Entry
from rbd.native.runtime.jit import host_processor
from rbd.program.program import Program
from tests.native import programs
from tests.native.programs import assert_same_bits, native_rows, native_singles, reference

LANES = (1, 2, 4, 8)
rounds = settings(max_examples=max(4, settings().max_examples // 2))


@rounds
@given(programs.recorded_programs(), st.sampled_from(LANES), st.sampled_from([3, 10, 1000]), st.integers(0, 40))
def test_recorded_programs(program: Program, lanes: int, chunk: int, count: int) -> None:
    arrays = programs.random_inputs(program, count, seed=count)
    compiled, expected = CompiledProgram(program, lanes=lanes, chunk_size=chunk), reference(program, arrays, count)
    assert_same_bits(native_rows(compiled, arrays, count), expected)
    assert_same_bits(native_singles(compiled, arrays, count), expected)


@rounds
@given(st.integers(0, 2**32), st.integers(1, 80), st.sampled_from(LANES), st.sampled_from([3, 4, 7, 50, 1000]))
def test_random_instructions(seed: int, size: int, lanes: int, chunk: int) -> None:
    program = programs.random_program(seed, size, checks=0.05)
    arrays = programs.random_inputs(program, 19, seed, wild=True)
    compiled, expected = CompiledProgram(program, lanes=lanes, chunk_size=chunk), reference(program, arrays, 19)
    for threads in (1, 2, 3):
        assert_same_bits(native_rows(compiled, arrays, 19, threads), expected)
    assert_same_bits(native_singles(compiled, arrays, 19), expected)


@pytest.mark.deep
@settings()
@given(st.integers(0, 2**32), st.integers(1, 400), st.sampled_from(LANES), st.integers(3, 1000))
def test_random_instructions_deeply(seed: int, size: int, lanes: int, chunk: int) -> None:
    test_random_instructions.hypothesis.inner_test(seed, size, lanes, chunk)  # hypothesis


@pytest.mark.parametrize("lanes", LANES)
def test_every_batch_size_and_number_of_threads(lanes: int) -> None:
    program = programs.random_program(7, 60)
    compiled = CompiledProgram(program, lanes=lanes, chunk_size=20)
    arrays = programs.random_inputs(program, 40, seed=3, wild=True)
    table, _ = reference(program, arrays, 40)
    assert np.any(table == programs.UNTOUCHED)
    for count in range(41):
        mine = [array[:count] for array in arrays]
        expected = table[:count], reference(program, mine, count)[1]
        assert_same_bits(native_rows(compiled, mine, count, threads=1 + count % 4), expected)


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("fixed", [(0,), (1,), (2,), (0, 2), (0, 1, 2)])
def test_inputs_that_are_the_same_for_all_rows(lanes: int, fixed: tuple[int, ...]) -> None:
    program = programs.random_program(11, 40)
    arrays = programs.random_inputs(program, 21, seed=5)
    for k in fixed:
        arrays[k] = arrays[k][0].copy() if program.inputs[k].shape else np.array(arrays[k][0])
    compiled = CompiledProgram(program, lanes=lanes)
    assert_same_bits(native_rows(compiled, arrays, 21), reference(program, arrays, 21))


def test_lanes_follow_the_processor() -> None:
    program = programs.random_program(2, 5)
    assert CompiledProgram(program).lanes == host_processor().lanes
    assert host_processor().lanes in (2, 4, 8)


def test_machine_code_comes_from_disk_the_second_time(monkeypatch: pytest.MonkeyPatch) -> None:
    program = programs.random_program(5, 30)
    arrays = programs.random_inputs(program, 9)
    first = CompiledProgram(program, lanes=4)
    expected = native_rows(first, arrays, 9), native_singles(first, arrays, 9)
    monkeypatch.setattr("rbd.native.cached_code.assemble", None)
    second = CompiledProgram(program, lanes=4)
    assert_same_bits(native_rows(second, arrays, 9), expected[0])
    assert_same_bits(native_singles(second, arrays, 9), expected[1])


def test_code_that_is_loaded_has_its_entry_points() -> None:
    program = programs.random_program(5, 30)
    first, second = CompiledProgram(program, lanes=4), CompiledProgram(program, lanes=4)
    assert not second.load_single()
    first.compile_single()
    assert second.load_single()
    assert second.has_entry_of(rows=False)
    assert 0 not in (second.entries[Entry.SINGLE], second.entries[Entry.IN_PLACE])


def test_other_lanes_chunks_programs_and_processors_are_other_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    program, other = programs.random_program(5, 30), programs.random_program(6, 30)
    made: list[str] = []

    def assemble(text: str) -> bytes:
        made.append(text)
        raise InterruptedError

    CompiledProgram(program, lanes=4).compile_batch()
    monkeypatch.setattr("rbd.native.cached_code.assemble", assemble)
    for compiled in (
        CompiledProgram(program, lanes=2),
        CompiledProgram(program, lanes=4, chunk_size=10),
        CompiledProgram(other, lanes=4),
    ):
        with pytest.raises(InterruptedError):
            compiled.compile_batch()
    monkeypatch.setattr("rbd.native.cached_code.host_processor", lambda: _Elsewhere())
    with pytest.raises(InterruptedError):
        CompiledProgram(program, lanes=4).compile_batch()
    assert len(made) == 4


class _Elsewhere:
    key = "another processor"
    lanes = 4
