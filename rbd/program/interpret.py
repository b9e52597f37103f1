"""The interpreter of programs on floats: the reference that machine code equals bit for bit.

For other scalars see `replay.py`.

Every operation is IEEE 754's; FMA rounds once; sine and cosine are those of `sincos.py` up to its limit; everything
else is the C library's function, which compiled programs call too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from rbd.program.opcodes import Op, operands_of
from rbd.program.status import BAD_INPUT, BAD_OUTPUT, FIRST_CHECK, SUCCESS

if TYPE_CHECKING:
    from rbd.intrinsics.intrinsic import IntrinsicCall
    from rbd.program.program import Program

_SPECIAL: Final = (Op.POSITIVE, Op.CALL, Op.PICK)
"""Operations that may end the program or have other operands than numbers."""
FLOAT_FUNCTIONS: Final[list[Any]] = [None] * (max(Op) + 1)
"""Functions of floats by operation number, None for special operations. Builtins replace some, with the same bits."""
for _op in set(Op).difference(_SPECIAL):
    FLOAT_FUNCTIONS[_op] = _op.row.evaluate_float

Code = Sequence[tuple[int, ...]]


def run(program: Program, inputs: Sequence[float]) -> tuple[list[float], int]:
    """Return the output scalars and the status code; there are no outputs unless it is SUCCESS."""
    if not all(map(math.isfinite, inputs)):
        return [], BAD_INPUT
    values, status = _execute(program, inputs, program.code)
    if status != SUCCESS:
        return [], status
    outputs = list(map(values.__getitem__, program.results))
    return (outputs, SUCCESS) if all(map(math.isfinite, outputs)) else ([], BAD_OUTPUT)


def failed_on_nonfinite(program: Program, inputs: Sequence[float], label: int) -> bool:
    """Return whether the check that fails for these inputs, with this label, reads numbers that are not finite."""
    values, _ = _execute(program, inputs, _prefix_before_check(program, label))
    stopped = next(
        (step for step, value in zip(program.code, values[len(inputs) :], strict=False) if value is None), None
    )
    return stopped is not None and not all(math.isfinite(values[r]) for r in operands_of(stopped))


def _prefix_before_check(program: Program, label: int) -> Code:
    """Return the code before the call that has a label; all code if the label is that of a check."""
    code, calls = program.code, program.calls
    owners = (k for k, (op, *rest) in enumerate(code) if op == Op.CALL and calls[rest[0]].has_label(label))
    return code[: next(owners, len(code))]


def _execute(program: Program, inputs: Sequence[float], code: Code) -> tuple[list[Any], int]:
    """Return the values of all or the first instructions, and the status of the first check that fails.

    A negative operand counts from the end, where the constants stand in reverse.
    """
    values: list[Any] = [*inputs, *([None] * len(program.code)), *reversed(program.constants)]
    for position, step in enumerate(code, len(inputs)):
        function, count = FLOAT_FUNCTIONS[step[0]], len(step)
        if function is None:
            status = _execute_special(step, position, values, program.calls)
            if status != SUCCESS:
                return values, status
        elif count == 4:
            values[position] = function(values[step[1]], values[step[2]], values[step[3]])
        elif count == 3:
            values[position] = function(values[step[1]], values[step[2]])
        else:
            values[position] = function(*map(values.__getitem__, step[1:]))
    return values, SUCCESS


def _execute_special(step: tuple[int, ...], position: int, values: list[Any], calls: Sequence[IntrinsicCall]) -> int:
    """Execute a check, a call or a pick; return the status."""
    op, first, *rest = step
    if op == Op.POSITIVE:
        if not values[first] > 0.0:
            return FIRST_CHECK + rest[0]
        values[position] = values[first]
    elif op == Op.CALL:
        call = calls[first]
        outputs, failed = call.intrinsic.run_on_floats(call.sizes, [values[r] for r in rest])
        if failed:
            return FIRST_CHECK + call.first_label + failed - 1
        values[position] = outputs
    else:
        values[position] = values[first][rest[0]]
    return SUCCESS
