"""Fused multiply-adds as builtins: one rounding, the signs of the operation, and everything else as before."""

from __future__ import annotations

import ctypes
import math
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rbd import native
from rbd.native.builtins import fused
from rbd.program import interpret
from rbd.program.opcodes import Op
from rbd.scalars import libm
from rbd.scalars.native_functions import NATIVE_FUNCTIONS
from tests.marks import needs_builtins
from tests.native.processes import run

pytestmark = needs_builtins
SIGNS = {Op.FMA: (1.0, 1.0), Op.FMS: (1.0, -1.0), Op.FNMA: (-1.0, 1.0), Op.FNMS: (-1.0, -1.0)}
each_operation = pytest.mark.parametrize("op", SIGNS, ids=lambda op: op.name)
floats = st.floats()


@pytest.fixture(scope="module", autouse=True)
def _builtins() -> None:
    native.use_fused_builtins()


def same(a: float, b: float) -> bool:
    return (a == b and math.copysign(1.0, a) == math.copysign(1.0, b)) or (math.isnan(a) and math.isnan(b))


def test_the_interpreter_calls_builtins() -> None:
    for op in SIGNS:
        assert type(interpret.FLOAT_FUNCTIONS[op]) is type(len)
    assert NATIVE_FUNCTIONS.fma is interpret.FLOAT_FUNCTIONS[Op.FMA]


@each_operation
@given(a=floats, b=floats, c=floats)
def test_results_are_those_of_exact_arithmetic_rounded_once(op: Op, a: float, b: float, c: float) -> None:
    product, addend = SIGNS[op]
    expected = libm.exact_fma(product * a, b, addend * c)
    found = interpret.FLOAT_FUNCTIONS[op](a, b, c)
    assert type(found) is float
    assert same(found, expected)
    assert same(found, op.row.evaluate_float(a, b, c))


@given(a=floats, b=floats)
def test_what_cancels_keeps_the_error_of_the_product(a: float, b: float) -> None:
    error = interpret.FLOAT_FUNCTIONS[Op.FMS](a, b, a * b)
    assert same(error, libm.exact_fma(a, b, -(a * b)))
    assert same(interpret.FLOAT_FUNCTIONS[Op.FNMA](a, b, a * b), libm.exact_fma(-a, b, a * b))


@each_operation
def test_numbers_that_are_no_floats_are_converted_as_before(op: Op) -> None:
    class Own(float):
        pass

    product, addend = SIGNS[op]
    for given_ in ((2, 3.0, 5.0), (2.0, 3, 5.0), (2.0, 3.0, 5), (True, Own(3.0), 5)):
        assert interpret.FLOAT_FUNCTIONS[op](*given_) == product * given_[0] * given_[1] + addend * given_[2]


@each_operation
@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ((), TypeError),
        ((1.0, 2.0), TypeError),
        (("1", 2.0, 3.0), (ctypes.ArgumentError, TypeError)),
        ((1.0, None, 3.0), (ctypes.ArgumentError, TypeError)),
        ((1.0, 2.0, [3.0]), (ctypes.ArgumentError, TypeError)),
    ],
)
def test_wrong_operands_raise(op: Op, wrong: tuple[object, ...], error: type[Exception]) -> None:
    with pytest.raises(error):
        interpret.FLOAT_FUNCTIONS[op](*wrong)


def test_no_keywords() -> None:
    with pytest.raises(TypeError, match="no keyword"):
        interpret.FLOAT_FUNCTIONS[Op.FMA](1.0, 2.0, c=3.0)


@each_operation
def test_references_are_given_back(op: Op) -> None:
    a, b, c = (float(f"{k}.5") for k in range(3))
    function = interpret.FLOAT_FUNCTIONS[op]
    before, memory = [sys.getrefcount(x) for x in (a, b, c, function)], sys.getallocatedblocks()
    for _ in range(1000):
        function(a, b, c)
        function(a, b, 2)
    assert [sys.getrefcount(x) for x in (a, b, c, function)] == before
    assert sys.getallocatedblocks() < memory + 500


def test_a_library_that_rounds_twice_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a candidate does wrong is what `is_fma` looks for; then everything stays as it is."""
    twice: Callable[..., float] = lambda a, b, c: a * b + c  # noqa: E731
    before = list(interpret.FLOAT_FUNCTIONS), NATIVE_FUNCTIONS.fma
    monkeypatch.setattr(fused, "_builtin", lambda *_: twice)
    fused.use_fused_builtins.__wrapped__()  # type: ignore[attr-defined]  # once more
    assert (list(interpret.FLOAT_FUNCTIONS), NATIVE_FUNCTIONS.fma) == before


_BACKGROUND = """
import numpy as np
from rbd.native.live_executable import LiveExecutable
from rbd.native.runtime.thread_pool import compiler_thread
from rbd.program import interpret
from rbd.program.opcodes import Op
from rbd.program.lazy_program import LazyProgram
from tests.native.programs import random_inputs, random_program

program = random_program(8, 40, plain=True)
rows = [np.array(each[0]) for each in random_inputs(program, 1, seed=1)]


def is_builtin():
    return type(interpret.FLOAT_FUNCTIONS[Op.FMA]) is type(len)

live, states = LiveExecutable(LazyProgram.of(program)), [is_builtin()]
while not live.is_compiled:
    live(rows)
print(*states, is_builtin())
"""


def test_what_is_interpreted_for_long_calls_them(tmp_path: Path) -> None:
    """In a new process: before the first program is compiled there is no compiler."""
    assert run(_BACKGROUND, (), tmp_path).split() == ["False", "True"]
