"""C source has the bits of the interpreter: every operation, at every number that is special to one."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from mpmath import mp

from rbd import scalars as s
from rbd.export.c import c_source
from rbd.program.graph import Graph
from rbd.program.opcodes import CONDITIONS, Op
from rbd.program.ports import Port
from rbd.program.program import Program
from rbd.scalars.arrays import Array
from rbd.scalars.sincos import LIMIT
from tests.native.programs import UNTOUCHED, random_inputs, random_program, reference_row

from .building import call, compiled_c

SPECIAL = (
    *(
        0.0,
        5e-324,
        1e-310,
        2.0**-1022,
        2.0**-537,
        1e-200,
        2.0**-53,
        0.3,
        0.5,
        1 - 2.0**-53,
        1.0,
        1 + 2.0**-52,
        1.5,
        2.0,
    ),
    *(3.0, math.pi / 2, math.pi, 7.25, 22.0, 709.0, 710.0, 745.2, 1e3, LIMIT, math.nextafter(LIMIT, math.inf), 1e7),
    *(2.0**53, 1e22, 1e154, 1e200, 2.0**1023, 1.7976931348623157e308),
)
NUMBERS = (*SPECIAL, *(-x for x in SPECIAL))
OPERATIONS = [op for op in Op if op not in (Op.POSITIVE, Op.CALL, Op.PICK, Op.AND, Op.OR, Op.NOT)]


def rows_in_c(library: ctypes.CDLL, program: Program, arrays: Sequence[Array]) -> None:
    """Assert that C gives the status and the bits of the interpreter, row by row."""
    for row in range(len(arrays[0])):
        expected, status = reference_row(program, arrays, row)
        outputs = [np.full(port.shape, UNTOUCHED) for port in program.outputs]
        assert call(library, "p", *(np.ascontiguousarray(array[row]) for array in arrays), *outputs) == status
        found = np.concatenate([output.reshape(-1) for output in outputs])
        wanted = np.array(expected) if status == 0 else np.full(len(found), UNTOUCHED)
        different = np.flatnonzero(found.view(np.int64) != wanted.view(np.int64))
        assert len(different) == 0, (row, [array[row] for array in arrays], found[different], wanted[different])


def one_operation(op: Op, constants: Sequence[float] = ()) -> Program:
    """Return a program of one operation, whose last operands are constants."""
    count = len(op.row.operand_types)
    free = count - len(constants)
    operands = [*range(free), *(~k for k in range(len(constants)))]
    ports = (Port("x", (free,)),)
    if op == Op.SELECT:  # its condition is whether the first number is less than the second
        code: tuple[tuple[int, ...], ...] = ((Op.LESS, 0, 1), (Op.SELECT, free, *operands[1:]))
    elif op in CONDITIONS:  # a result is a number
        code = ((op, *operands), (Op.SELECT, free, 0, ~len(constants)))
        constants = (*constants, 4.0)
    else:
        code = ((op, *operands),)
    return Program("p", ports, (Port("y", ()),), tuple(constants), code, (free + len(code) - 1,), ())


def rows_of_numbers(count: int) -> Array:
    """Return all pairs of special numbers, or many triples."""
    if count == 1:
        return np.array(NUMBERS)[:, None]
    pairs = np.array([(a, b) for a in NUMBERS for b in NUMBERS])
    return pairs if count == 2 else np.column_stack([pairs, np.random.default_rng(7).choice(NUMBERS, len(pairs))])


@pytest.mark.parametrize("op", OPERATIONS, ids=lambda op: op.name)
def test_every_operation_at_special_numbers(op: Op, tmp_path: Path) -> None:
    program = one_operation(op)
    rows_in_c(compiled_c(c_source(program, "p"), tmp_path, "p"), program, [rows_of_numbers(program.input_size)])


@pytest.mark.parametrize("last", [-0.0, 0.0, 2.0, -1.0, 0.5, 1e7])
@pytest.mark.parametrize("op", [op for op in OPERATIONS if len(op.row.operand_types) == 2], ids=lambda op: op.name)
def test_every_operation_of_a_constant(op: Op, last: float, tmp_path: Path) -> None:
    """A compiler must not compute a function in its own way because it knows an operand."""
    program = one_operation(op, [last])
    rows = np.concatenate([np.array(NUMBERS), np.random.default_rng(3).uniform(0, 50, 3000)])[:, None]
    rows_in_c(compiled_c(c_source(program, "p"), tmp_path, "p"), program, [rows])


def test_functions_of_constants_alone(tmp_path: Path) -> None:
    unary = [Op.SIN, Op.COS, Op.TAN, Op.ASIN, Op.ACOS, Op.EXP, Op.LOG, Op.TANH, Op.SQRT, Op.NEG, Op.ABS]
    constants = (-0.0, *np.random.default_rng(5).uniform(0, 1, 30), *np.random.default_rng(5).uniform(1, 1e7, 30))
    code = [(op, ~k) for op in unary for k, x in enumerate(constants) if op not in (Op.ASIN, Op.ACOS, Op.EXP) or x <= 1]
    code = [(op, k) for op, k in code if (op, k) != (Op.LOG, ~0)]
    outputs = (Port("y", (len(code),)),)
    results = tuple(range(1, len(code) + 1))
    program = Program("p", (Port("x", (1,)),), outputs, tuple(map(float, constants)), tuple(code), results, ())
    rows_in_c(compiled_c(c_source(program, "p"), tmp_path, "p"), program, [np.zeros((1, 1))])


def angles() -> Array:
    """Return doubles next to multiples of pi/2, up to the limit of the reduction and beyond."""
    rng = np.random.default_rng(2)
    last = int(LIMIT / (math.pi / 2))
    known = (0, 1, 2, 29, 58, 116, 232, 464, 928, 1856, 204551, last - 1, last, last + 1, 10**7, 10**9, 2 * 10**12)
    counts = np.array([*known, *range(3, 3000, 7), *rng.integers(0, last + 1, 8_000), *rng.integers(last, 10**7, 500)])
    with mp.workdps(60):
        exact = np.array([float(int(count) * mp.pi / 2) for count in counts])
    exact = np.concatenate([exact, -exact])
    return np.concatenate([np.nextafter(exact, -np.inf), exact, np.nextafter(exact, np.inf)])


def test_sine_and_cosine_next_to_multiples_of_a_right_angle(tmp_path: Path) -> None:
    graph = Graph()
    (x,) = graph.input("x", (1,))
    program = Program.of(graph, "p", {"y": (s.sin(x), s.cos(x))})
    rows_in_c(compiled_c(c_source(program, "p"), tmp_path, "p"), program, [angles()[:, None]])


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("threshold", [10**6, 40], ids=["straight", "rolled"])
def test_random_programs(seed: int, threshold: int, tmp_path: Path) -> None:
    program = random_program(seed, 300, checks=0.02)
    library = compiled_c(c_source(program, "p", threshold), tmp_path, "p", "-Wno-unused-variable")
    rows_in_c(library, program, random_inputs(program, 200, seed, wild=True))
