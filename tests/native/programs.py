"""Programs for tests: random ones, and the reference all machine code is held against."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from rbd import scalars
from rbd.native.compiled_program import CompiledProgram
from rbd.program import interpret
from rbd.program.graph import Graph
from rbd.program.opcodes import CONDITIONS, Op
from rbd.program.ports import Port
from rbd.program.program import Program
from rbd.scalars.arrays import Array

UNTOUCHED = -12345.678
"""What outputs hold before a call."""
_OPERATIONS = [op for op in Op if op not in (Op.POSITIVE, Op.CALL, Op.PICK)]


# -- random instructions ----------------------------------------------------------------------------------------------


def random_program(seed: int, size: int, *, checks: float = 0.0, plain: bool = False) -> Program:
    """Return a program of `size` random instructions of every kind, with the ports x[5], y[2, 3], z.

    Part of the values become outputs u[...], v[3], w, among them inputs and constants. `checks` is the share of checks
    (on what rarely is negative); `plain` leaves the C library out.
    """
    rng = np.random.default_rng(seed)
    inputs = (Port("x", (5,)), Port("y", (2, 3)), Port("z", ()))
    count = sum(port.size for port in inputs)
    constants = (0.0, -0.0, 1.0, -2.5, 1e-3, 7.0, 3e5)
    writer = _Instructions(rng, count, len(constants))
    for _ in range(size):
        writer.add(checks, plain)
    values = writer.numbers + [~k for k in range(len(constants))]
    chosen = [int(r) for r in rng.choice(values, min(len(values), 4 + size // 3))] + [0, ~3, count - 1, 2]
    outputs = (Port("u", (len(chosen) - 4,)), Port("v", (3,)), Port("w", ()))
    return _with_finite_results(
        Program("random", inputs, outputs, constants, tuple(writer.code), tuple(chosen), LABELS)
    )


LABELS = ("first", "second", "third")


class _Instructions:
    """Adds random instructions one by one, minding which results are numbers and which truths."""

    def __init__(self, rng: np.random.Generator, inputs: int, constants: int) -> None:
        self.rng, self.inputs = rng, inputs
        self.code: list[tuple[int, ...]] = []
        self.numbers = list(range(inputs))
        self.truths: list[int] = []
        self.pool = constants

    def add(self, checks: float, plain: bool) -> None:
        """Add an instruction."""
        place = self.inputs + len(self.code)
        if self.rng.random() < checks:
            squared = self._number()
            self.code += [(Op.FMA, squared, squared, ~4), (Op.POSITIVE, place, int(self.rng.integers(len(LABELS))))]
            self.numbers += [place, place + 1]
            return
        op = Op(self.rng.choice(_OPERATIONS[:22] if plain else _OPERATIONS))
        if (plain and Op.TAN <= op <= Op.TANH) or ("c" in op.row.operand_types and not self.truths):
            op = Op.LESS
        self.code.append((op, *self._operands(op)))
        (self.truths if op in CONDITIONS else self.numbers).append(place)

    def _operands(self, op: Op) -> list[int]:
        return [self._truth() if kind == "c" else self._number() for kind in op.row.operand_types]

    def _number(self) -> int:
        if self.rng.random() < 0.1:
            return int(~self.rng.integers(self.pool))
        recent = self.numbers[-30:] if self.rng.random() < 0.7 else self.numbers
        return int(self.rng.choice(recent))

    def _truth(self) -> int:
        return int(self.rng.choice(self.truths))


def _with_finite_results(program: Program) -> Program:
    """Return the program with outputs that are finite for sensible inputs, so that most runs are clean."""
    rows = [_all_values(program, row) for row in range(8)]

    def good(result: int) -> bool:
        return sum(not math.isfinite(values[result]) for values in rows if values) <= 1

    results = tuple(result if good(result) else 1 for result in program.results)
    return Program(
        program.name, program.inputs, program.outputs, program.constants, program.code, results, program.labels
    )


def _all_values(program: Program, row: int) -> list[float]:
    """Return inputs, results of all instructions and constants for a row of inputs, none if a check fails."""
    inputs = [float(x) for array in random_inputs(program, 8, seed=1) for x in array[row].reshape(-1)]
    values, status = interpret._execute(program, inputs, program.code)
    return [] if status else values


def all_results(program: Program, row: Array) -> Array:
    """Return all outputs for a row of inputs, finite or not."""
    values, _ = interpret._execute(program, row.tolist(), program.code)
    return np.array([0.0 if values[operand] is None else values[operand] for operand in program.results])


# -- recorded graphs --------------------------------------------------------------------------------------------------

_BINARY = [
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b,
    lambda a, b: a / (b * b + 1),
    lambda a, b: a * b + a,
    lambda a, b: a - a * b,
    lambda a, b: -(a * b) - b,
    scalars.atan2,
    scalars.minimum,
    scalars.maximum,
    lambda a, b: scalars.where(scalars.less(a, b), a * 2, -b),
    lambda a, b: scalars.where(scalars.both(scalars.less(a, 1), scalars.less_equal(b, a)), a, 3),
    lambda a, b: scalars.where(scalars.either(scalars.invert(scalars.less(a, 0)), scalars.less(b, 0)), b, a),
    lambda a, b: scalars.sin(a) * scalars.cos(b) + scalars.sin(b),
    lambda a, b: scalars.sqrt(scalars.absolute(a)) + scalars.exp(-b * b),
    lambda a, b: scalars.log(scalars.positive(a * a + 1e-3, "a")) - scalars.tanh(b),
    lambda a, b: scalars.power(a * a + 1, 1.5) / (1 + b * b),
    lambda a, b: scalars.asin(scalars.sin(a)) + scalars.acos(scalars.cos(b)),
    lambda a, b: scalars.tan(scalars.tanh(a)) * 0.25 + b,
]


@st.composite
def recorded_programs(draw: st.DrawFn) -> Program:
    """Return programs recorded through the functions algorithms use."""
    graph = Graph()
    values: list[Any] = [
        *graph.input("x", (5,)),
        *(e for row in graph.input("y", (2, 3)) for e in row),
        graph.input("z"),
    ]
    steps = draw(st.lists(st.tuples(*[st.integers(0, 10**6)] * 3), min_size=1, max_size=60))
    for function, a, b in steps:
        values.append(_BINARY[function % len(_BINARY)](values[a % len(values)], values[-1 - b % min(len(values), 9)]))
    kept = [values[draw(st.integers(0, len(values) - 1))] for _ in range(draw(st.integers(1, 20)))]
    return Program.of(graph, "recorded", {"u": tuple(kept), "v": (values[-1], 1.5, values[0]), "w": values[-1]})


# -- running ----------------------------------------------------------------------------------------------------------


def random_inputs(program: Program, count: int, seed: int = 0, *, wild: bool = False) -> list[Array]:
    """Return `count` rows for every input; `wild` ones hold large, infinite and missing numbers here and there."""
    rng = np.random.default_rng(seed)
    arrays = [rng.normal(scale=2.0, size=(count, *port.shape)) for port in program.inputs]
    if wild:
        special = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e7, -1e7, 1e300, 5e-324, 1.5e6, -1.5000001e6])
        for array in arrays:
            mask = rng.random(array.shape) < 0.04
            array[mask] = rng.choice(special, int(mask.sum()))
    return arrays


def reference_row(program: Program, arrays: Sequence[Array], row: int) -> tuple[list[float], int]:
    """Return what the interpreter makes of one row; an array without rows counts for all."""
    mine = [a if a.ndim == len(p.shape) else a[row] for a, p in zip(arrays, program.inputs, strict=True)]
    return program.interpret_flat([float(x) for array in mine for x in array.reshape(-1)])


def reference(program: Program, arrays: Sequence[Array], count: int) -> tuple[Array, tuple[int, int]]:
    """Return all output rows side by side, untouched where the status is bad, and the first bad row with its status."""
    width = sum(port.size for port in program.outputs)
    table, verdict = np.full((count, width), UNTOUCHED), (-1, 0)
    for row in range(count):
        values, status = reference_row(program, arrays, row)
        if status == 0:
            table[row] = values
        elif verdict[0] < 0:
            verdict = row, status
    return table, verdict


def native_rows(
    kernel: CompiledProgram, arrays: Sequence[Array], count: int, threads: int = 1
) -> tuple[Array, tuple[int, int]]:
    """Return the same as `reference`, by the code for batches."""
    program = kernel.program
    outputs = [np.full((count, *port.shape), UNTOUCHED) for port in program.outputs]
    verdict = kernel.run_batch(arrays, outputs, count, threads)
    return _side_by_side(outputs, count), verdict


def native_singles(kernel: CompiledProgram, arrays: Sequence[Array], count: int) -> tuple[Array, tuple[int, int]]:
    """Return the same as `reference`, by the code for one state."""
    program, tables, verdict = kernel.program, list[Array](), (-1, 0)
    for row in range(count):
        mine = [a if a.ndim == len(p.shape) else a[row, ...] for a, p in zip(arrays, program.inputs, strict=True)]
        outputs = [np.full(port.shape, UNTOUCHED) for port in program.outputs]
        status = kernel.run([np.ascontiguousarray(x).reshape(x.shape) for x in mine], outputs)
        tables.append(_side_by_side([output[None] for output in outputs], 1))
        if status and verdict[0] < 0:
            verdict = row, status
    return np.concatenate(tables) if tables else np.empty((0, sum(p.size for p in program.outputs))), verdict


def _side_by_side(outputs: Sequence[Array], count: int) -> Array:
    parts = [output.reshape(count, int(np.prod(output.shape[1:]))) for output in outputs]
    return np.concatenate(parts, axis=1) if parts else np.empty((count, 0))


def assert_same_bits(actual: tuple[Array, tuple[int, int]], expected: tuple[Array, tuple[int, int]]) -> None:
    """Assert that results and verdicts are equal to the last bit."""
    assert actual[1] == expected[1]
    different = np.argwhere(actual[0].view(np.int64) != expected[0].view(np.int64))
    assert len(different) == 0, f"{different[:5]}: {actual[0][tuple(different[0])]!r}"
