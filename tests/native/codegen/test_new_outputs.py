"""Machine code for one state: all new arrays are written in place, existing ones after the status is known."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Sequence

import numpy as np
import pytest

from rbd.native.compiled_program import CompiledProgram, Entry, single_module
from rbd.program.program import Program
from rbd.scalars.arrays import Array
from tests.native import programs

_ENTRY = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)


def body(program: Program, function: str) -> str:
    """Return the text of a function of a module."""
    found = re.search(rf"^define i64 @{function}\(.*?^\}}", single_module(program), re.MULTILINE | re.DOTALL)
    assert found
    return found[0]


def into_new_arrays(compiled: CompiledProgram, inputs: Sequence[Array]) -> tuple[int, list[Array]]:
    """Return the status and the outputs of the code for new arrays."""
    outputs = [np.full(port.shape, programs.UNTOUCHED) for port in compiled.program.outputs]
    tables = [(ctypes.c_void_p * len(arrays))(*(each.ctypes.data for each in arrays)) for arrays in (inputs, outputs)]
    status = _ENTRY(compiled.address(Entry.IN_PLACE))(*map(ctypes.addressof, tables))
    return status, outputs


def test_only_existing_arrays_are_copied_to() -> None:
    program = programs.random_program(5, 60)
    count = len(program.outputs)
    assert count > 1
    assert [body(program, name).count("memcpy") for name in ("single", "in_place")] == [count, 0]


@pytest.mark.parametrize("chunk", [7, 1000])
def test_both_have_the_same_bits(chunk: int) -> None:
    compiled = CompiledProgram(programs.random_program(11, 300), chunk_size=chunk)
    clean = 0
    for row in zip(*programs.random_inputs(compiled.program, 9, seed=2), strict=True):
        inputs = [np.ascontiguousarray(each) for each in row]
        expected = [np.full(port.shape, programs.UNTOUCHED) for port in compiled.program.outputs]
        wanted = compiled.run(inputs, expected)
        status, found = into_new_arrays(compiled, inputs)
        assert status == wanted
        if status == 0:
            clean += 1
            assert [each.tobytes() for each in found] == [each.tobytes() for each in expected]
    assert clean
