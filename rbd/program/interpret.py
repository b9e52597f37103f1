"""Run a program in Python: the reference machine code must equal bit for bit.

Every operation is IEEE 754's; FMA rounds once; sine and cosine are those of `sincos.py` up to its limit; everything
else is the C library's function, which compiled programs call too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

from rbd.intrinsics.intrinsic import Call
from rbd.program.opcodes import BAD_INPUT, BAD_OUTPUT, CLEAN, FIRST_CHECK, Op, operands_of

FUNCTIONS: Final[dict[int, Callable[..., Any]]] = {int(op): op.row.floats for op in Op}
"""What each operation computes; POSITIVE and CALL, which may stop the program, and PICK are treated by name."""

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
    outputs = list(map(values.__getitem__, results))
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
            values[place] = FUNCTIONS[op](*map(values.__getitem__, operands))
    return CLEAN
