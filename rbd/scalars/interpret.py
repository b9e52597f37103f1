"""Run a program in Python: the reference machine code must equal bit for bit. May import: opcodes, libm, sincos.

Every operation is IEEE 754's; FMA rounds once; sine and cosine are those of `sincos.py` up to its limit; everything
else is the C library's function, which compiled programs call too.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Final

from rbd.scalars import libm
from rbd.scalars.backends import real
from rbd.scalars.intrinsics.intrinsic import Call
from rbd.scalars.opcodes import BAD_INPUT, BAD_OUTPUT, CLEAN, FIRST_CHECK, Op, operands_of
from rbd.scalars.sincos import LIMIT, sincos


@lru_cache(maxsize=256)
def _sincos(x: float) -> tuple[float, float]:
    """Return sine and cosine; they are asked for in pairs. The table takes 0.0 for -0.0, as the polynomial does."""
    return sincos(x, libm.fma)


def _sin(x: float) -> float:
    return _sincos(x)[0] if abs(x) <= LIMIT else libm.sin(x)


def _cos(x: float) -> float:
    return _sincos(x)[1] if abs(x) <= LIMIT else libm.cos(x)


def _select(condition: bool, a: float, b: float) -> float:
    return a if condition else b


def _both(c: bool, d: bool) -> bool:
    return c and d


def _either(c: bool, d: bool) -> bool:
    return c or d


def _fms(a: float, b: float, c: float) -> float:
    return libm.fma(a, b, -c)


def _fnma(a: float, b: float, c: float) -> float:
    return libm.fma(-a, b, c)


def _fnms(a: float, b: float, c: float) -> float:
    return libm.fma(-a, b, -c)


FUNCTIONS: Final[dict[int, Callable[..., Any]]] = {
    Op.ADD: operator.add,
    Op.SUB: operator.sub,
    Op.MUL: operator.mul,
    Op.DIV: real.divide,
    Op.NEG: operator.neg,
    Op.ABS: math.fabs,
    Op.SQRT: real.sqrt,
    Op.FMA: libm.fma,
    Op.FMS: _fms,
    Op.FNMA: _fnma,
    Op.FNMS: _fnms,
    Op.SIN: _sin,
    Op.COS: _cos,
    Op.TAN: libm.tan,
    Op.ASIN: libm.asin,
    Op.ACOS: libm.acos,
    Op.ATAN2: libm.atan2,
    Op.EXP: libm.exp,
    Op.LOG: libm.log,
    Op.POWER: libm.power,
    Op.TANH: libm.tanh,
    Op.LESS: operator.lt,
    Op.LESS_EQUAL: operator.le,
    Op.AND: _both,
    Op.OR: _either,
    Op.NOT: operator.not_,
    Op.SELECT: _select,
}
"""What each operation computes; POSITIVE and CALL, which may stop the program, and PICK are not among them."""

Code = Sequence[tuple[int, ...]]


def run(
    code: Code, constants: Sequence[float], results: Sequence[int], inputs: Sequence[float], calls: Sequence[Call] = ()
) -> tuple[list[float], int]:
    """Return the output scalars and the status word; there are no outputs unless it is clean."""
    if not all(map(math.isfinite, inputs)):
        return [], BAD_INPUT
    # A negative operand counts from the end, where the constants stand in reverse.
    values: list[Any] = [*inputs, *([None] * len(code)), *reversed(constants)]
    status = _execute(code, len(inputs), values, calls)
    if status != CLEAN:
        return [], status
    outputs = [values[r] for r in results]
    return (outputs, CLEAN) if all(map(math.isfinite, outputs)) else ([], BAD_OUTPUT)


def stops_out_of_range(
    code: Code, constants: Sequence[float], inputs: Sequence[float], calls: Sequence[Call], label: int
) -> bool:
    """Return whether what fails for these inputs, with this label, looks at numbers that are no longer finite."""
    values: list[Any] = [*inputs, *([None] * len(code)), *reversed(constants)]
    _execute(_before(code, calls, label), len(inputs), values, calls)
    stopped = next((step for step, value in zip(code, values[len(inputs) :], strict=False) if value is None), None)
    return stopped is not None and not all(math.isfinite(values[r]) for r in operands_of(stopped))


def _before(code: Code, calls: Sequence[Call], label: int) -> Code:
    """Return what runs before the call that has a label, which may take long; all if it is no call's."""
    owners = (k for k, (op, *rest) in enumerate(code) if op == Op.CALL and calls[rest[0]].has_label(label))
    return code[: next(owners, len(code))]


def _execute(code: Code, first: int, values: list[Any], calls: Sequence[Call] = ()) -> int:
    """Fill `values` in, beginning at `first`; return the status of the first check that fails."""
    for place, (op, *operands) in enumerate(code, first):
        if op == Op.POSITIVE:
            x, label = values[operands[0]], operands[1]
            if not x > 0.0:
                return FIRST_CHECK + label
            values[place] = x
        elif op == Op.CALL:
            call = calls[operands[0]]
            found, failed = call.intrinsic.run(call.sizes, [values[r] for r in operands[1:]])
            if failed:
                return FIRST_CHECK + call.first_label + failed - 1
            values[place] = found
        elif op == Op.PICK:
            values[place] = values[operands[0]][operands[1]]
        else:
            values[place] = FUNCTIONS[op](*[values[r] for r in operands])
    return CLEAN
