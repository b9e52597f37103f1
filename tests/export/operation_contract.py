"""What must hold of every row of the table of operations, for the rows there are and for one that is added.

Programs of one operation take two inputs per operand and divide them, so that infinities, NaN and zeros of both signs
reach it although inputs are finite; a truth value is asked of the quotient. Results are told apart by what they are
compared to, since an output must be finite, too.
"""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import sympy
from mpmath import mp

from rbd.export.c import c_source
from rbd.export.expressions import sympy_expressions
from rbd.native.compiled_program import CompiledProgram
from rbd.program.differentiate import derivative
from rbd.program.opcodes import Op
from rbd.program.ports import Port
from rbd.program.program import Program
from rbd.program.replay import replay
from rbd.scalars.arrays import Array
from tests.native.programs import UNTOUCHED, assert_same_bits, native_rows, native_singles, reference

from .building import call, compiled_c

LARGEST = float(np.finfo(float).max)
CONSTANTS = (0.0, 1.0, LARGEST)
ZERO, ONE, MOST = (~k for k in range(3))
SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, -2.0, 3.0, math.pi / 2, 1e7, -1e300, LARGEST, 5e-324, -1e-310)
SHORT = (0.0, -0.0, 1.0, -2.0, 0.1, -1e300, LARGEST, 5e-324)
ROWS = 400


def plain(op: Op) -> Program:
    """Return the program of one operation on the inputs themselves; a condition becomes 1.0 or 0.0."""
    size = len(op.row.operand_types)
    return _program(op, size, [], list(range(size)), checked=False)


def guarded(op: Op) -> Program:
    """Return the program of one operation on quotients of inputs, whose outputs are finite whatever it gives."""
    size = len(op.row.operand_types)
    quotients = [(Op.DIV, k, size + k) for k in range(size)]
    return _program(op, 2 * size, quotients, [2 * size + k for k in range(size)], checked=True)


def _program(op: Op, inputs: int, code: list[tuple[int, ...]], operands: list[int], *, checked: bool) -> Program:
    def add(*instruction: int) -> int:
        code.append(tuple(map(int, instruction)))
        return inputs + len(code) - 1

    given = [
        add(Op.LESS, ZERO, x) if kind == "c" else x for x, kind in zip(operands, op.row.operand_types, strict=True)
    ]
    y = add(op, *given, *([0] if op == Op.POSITIVE else []))
    if op.row.result_type == "c":
        y = add(Op.SELECT, y, ONE, ZERO)
    results = [y]
    if checked:
        finite = add(Op.LESS_EQUAL, add(Op.ABS, y), MOST)
        tests = (add(Op.LESS, MOST, y), add(Op.LESS_EQUAL, y, y))
        results = [add(Op.SELECT, finite, y, ZERO), *(add(Op.SELECT, test, ONE, ZERO) for test in tests)]
    ports = (Port("x", (inputs,)),), (Port("y", (len(results),)),)
    return Program(op.name.lower(), *ports, CONSTANTS, tuple(code), tuple(results), ("x",))


def samples(op: Op) -> Array:
    """Return inputs of the guarded program: special values in all combinations, or many of them, and random ones."""
    size, rng = len(op.row.operand_types), np.random.default_rng(int(op))
    numbers = [(x, 1.0) for x in (SPECIAL if size < 3 else SHORT)] + [(1.0, 0.0), (-1.0, 0.0), (0.0, 0.0)]
    rows = [
        [*next(iter(zip(*some, strict=True))), *(b for _, b in some)]
        for some in itertools.product(numbers, repeat=size)
    ]
    scale = 10.0 ** rng.integers(-3, 4, (ROWS, size))
    random = np.hstack([rng.normal(size=(ROWS, size)) * scale, np.ones((ROWS, size))])
    return np.vstack([np.array(rows), random])


def check_bits(op: Op, folder: Path) -> None:
    """Assert that the row's floats, the interpreter, machine code and C say the same to the last bit."""
    program, x = guarded(op), samples(op)
    expected = reference(program, [x], len(x))
    for row, table in zip(x, expected[0], strict=True):
        _check_floats(op, row, table)
    for lanes in (1, 8):
        assert_same_bits(native_rows(CompiledProgram(program, lanes), [x], len(x)), expected)
    assert_same_bits(native_singles(CompiledProgram(program, 4), [x], len(x)), expected)
    assert_same_bits(_by_c(program, x, folder), expected)


def _check_floats(op: Op, row: Array, table: Array) -> None:
    """Assert that the row's function gives what the interpreter put into its table of outputs."""
    size = len(row) // 2
    with np.errstate(all="ignore"):
        quotients = (row[:size] / row[size:]).tolist()
    given = [x > 0 if kind == "c" else x for x, kind in zip(quotients, op.row.operand_types, strict=True)]
    if op == Op.POSITIVE and not given[0] > 0:
        assert table[0] == UNTOUCHED
        return
    y = float(op.row.evaluate_float(*given))
    shown = [y if math.isfinite(y) else 0.0, float(y == math.inf), float(y == y)]
    assert np.array(shown).tobytes() == table.tobytes(), (given, y, table)


def _by_c(program: Program, x: Array, folder: Path) -> tuple[Array, tuple[int, int]]:
    library = compiled_c(c_source(program, "function"), folder, program.name)
    table, verdict = np.full((len(x), program.outputs[0].size), UNTOUCHED), (-1, 0)
    for k, row in enumerate(x):
        status = call(library, "function", row, table[k])
        if status and verdict[0] < 0:
            verdict = k, status
    return table, verdict


def points(op: Op) -> list[list[float]]:
    """Return operands at which every operation is smooth and none of a choice of branches is near."""
    rng = np.random.default_rng(100 + int(op))
    found: list[list[float]] = rng.uniform(0.1, 0.9, (8, len(op.row.operand_types))).tolist()
    for number, point in enumerate(found):
        for k, kind in enumerate(op.row.operand_types):
            point[k] *= -1 if kind == "c" and number >> k & 1 else 1
    return found


def exact(op: Op, operands: list[Any]) -> Any:
    """Return the row's meaning for numbers of 40 digits."""
    given = [x > 0 if kind == "c" else x for x, kind in zip(operands, op.row.operand_types, strict=True)]
    found = op.row.evaluate(*given, *(["x"] if op == Op.POSITIVE else []))
    return found if op.row.result_type == "x" else mp.mpf(bool(found))


def check_meaning(op: Op) -> None:
    """Assert that what floats give is what numbers of 40 digits give, and what replaying the program gives."""
    program = plain(op)
    for x in points(op):
        (found,), _ = program.interpret_flat(x)
        with mp.workdps(40):
            expected = float(exact(op, [mp.mpf(value) for value in x]))
        assert math.isclose(found, expected, rel_tol=4e-16, abs_tol=1e-15)
        assert math.isclose(float(replay(program, x)[0]), found, rel_tol=4e-16, abs_tol=1e-15)  # type: ignore[arg-type]  # a float


def check_derivative(op: Op) -> None:
    """Assert that the derivative, in both modes, is the difference quotient of numbers of 40 digits."""
    program = plain(op)
    for mode in ("forward", "reverse"):
        slopes = derivative(program, "y", "x", mode=mode)  # type: ignore[arg-type]  # a literal
        for x in points(op):
            found = slopes.interpret(x=x)["d_y_d_x"][0]
            with mp.workdps(40):
                expected = [_quotient(op, x, k) for k in range(len(x))]
            np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-15)


def _quotient(op: Op, x: list[float], k: int) -> float:
    """Return the central difference quotient by operand `k`, whose error is about 1e-24."""
    step = mp.mpf(10) ** -12
    up, down = ([mp.mpf(value) + sign * step * (i == k) for i, value in enumerate(x)] for sign in (1, -1))
    return float((exact(op, up) - exact(op, down)) / (2 * step))


def check_sympy(op: Op) -> None:
    """Assert that SymPy's expression, made a function, gives what the program gives."""
    program = plain(op)
    symbols = [sympy.Symbol(f"x_{k}", real=True) for k in range(len(op.row.operand_types))]
    expression: Any = sympy_expressions(program)["y"]
    function = sympy.lambdify(symbols, expression[0], "mpmath")
    for x in points(op):
        (found,), _ = program.interpret_flat(x)
        assert math.isclose(float(function(*x)), found, rel_tol=1e-14, abs_tol=1e-15)


def check_listing(op: Op) -> None:
    """Assert that the listing names every operand, and that the operation is counted under its names."""
    program = plain(op)
    lines = [line for line in str(program).splitlines() if line.startswith("  t")]
    assert all(f"x[{k}]" in "".join(lines) for k in range(len(op.row.operand_types)))
    counted = program.count()
    assert all(counted.breakdown[name] for name in op.row.counted)
    assert counted.checks == (op == Op.POSITIVE)


def check_all(op: Op, folder: Path) -> None:
    """Assert everything above."""
    check_bits(op, folder)
    check_meaning(op)
    check_derivative(op)
    check_sympy(op)
    check_listing(op)
