"""Outputs that cannot be anything but finite are found; whatever may overflow or be no number is not among them."""

from __future__ import annotations

import numpy as np
import pytest

from rbd import scalars as s
from rbd.native.codegen.bounds import always_finite
from rbd.native.compiled_program import compile_program
from rbd.program.graph import Graph
from rbd.program.opcodes import BAD_INPUT
from rbd.program.program import Program
from rbd.scalars import Scalar
from tests.native import programs


def program_of(formula: str) -> Program:
    graph = Graph()
    x, y = graph.input("x", (2,))
    value: Scalar = eval(formula, {"s": s, "x": x, "y": y})
    return Program.of(graph, "formula", {"z": value})


BOUNDED = (
    "s.sin(x) * s.cos(y) + 3 * s.sin(y)",
    "s.sin(s.cos(x) * 1e10) - s.cos(x)",
    "s.where(s.less(x, y), s.sin(x), 2.0 + s.cos(y))",
    "s.absolute(-s.sin(x)) * 1e299",
    "x",
    "s.const(1, 3)",
)
UNBOUNDED = (
    "x + y",
    "2 * x",
    "-x",
    "s.sin(x + y)",
    "s.sin(x) / s.cos(y)",
    "s.sqrt(s.sin(x))",
    "s.exp(s.sin(x))",
    "s.where(s.less(x, y), s.sin(x), y)",
    "(s.sin(x) + 2) * 1e299 * (s.cos(y) + 2) * 10",
    "s.positive(x, 'x') * s.sin(y)",
    "s.tan(x)",
)


@pytest.mark.parametrize("formula", BOUNDED)
def test_bounded_outputs_are_finite_for_the_largest_inputs(formula: str) -> None:
    program = program_of(formula)
    assert always_finite(program)
    large = np.finfo(float).max
    for x in (0.0, 1e300, -large, large, 1.5e6):
        _, status = program.interpret_flat([x, -x / 3])
        assert status == 0


@pytest.mark.parametrize("formula", UNBOUNDED)
def test_what_may_overflow_or_be_no_number_is_tested_at_run_time(formula: str) -> None:
    assert not always_finite(program_of(formula))


def test_inputs_are_tested_whatever_the_outputs_are() -> None:
    program = program_of(BOUNDED[0])
    kernel, out = compile_program(program), np.full((9,), programs.UNTOUCHED)
    rows = np.ones((9, 2))
    rows[3, 1] = np.nan
    assert kernel.run([rows[3]], [out[3, ...]]) == BAD_INPUT
    assert kernel.run_batch([rows], [out], 9) == (3, BAD_INPUT)
    assert list(np.flatnonzero(out == programs.UNTOUCHED)) == [3]
