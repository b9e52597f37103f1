"""Running a program on scalars of any kind, recorded ones included: that is how one program becomes part of another.

May import: errors and the files above it in `rbd.scalars`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from rbd.errors import ShapeError
from rbd.scalars import functions
from rbd.scalars.opcodes import Op, operands_of
from rbd.scalars.program import Program
from rbd.scalars.protocol import Scalar


def replay(program: Program, inputs: Sequence[Scalar]) -> list[Scalar]:
    """Return all output scalars, port after port, for all input scalars.

    Products and sums that machine code fuses are done one after the other here, and may be fused again where the
    outcome is recorded. Raises ShapeError for the wrong number of inputs, and what scalars raise.

    >>> from rbd.scalars.graph import Graph
    >>> graph = Graph()
    >>> x, y = graph.input("x", (2,))
    >>> replay(Program.of(graph, "example", {"z": x * y + 1, "w": x}), [2.0, 3.0])
    [7.0, 2.0]
    """
    values = traced(program, inputs)
    return [values[operand] if operand >= 0 else program.constants[~operand] for operand in program.results]


def traced(program: Program, inputs: Sequence[Scalar]) -> list[Any]:
    """Return the inputs followed by the outcome of every instruction: what operands that are not negative count in.

    The outcome of a call is all its outputs. Raises what `replay` raises.
    """
    if len(inputs) != program.input_size:
        message = f"{program.name} takes {program.input_size} scalars, not {len(inputs)}"
        raise ShapeError(message, argument="inputs", expected=program.input_size, actual=len(inputs))
    values: list[Any] = list(inputs)
    for code in program.code:
        operands = [values[r] if r >= 0 else program.constants[~r] for r in operands_of(code)]
        values.append(_result(program, code, operands))
    return values


def _result(program: Program, code: tuple[int, ...], operands: list[Any]) -> object:
    """Return the outcome of one instruction; that of a call is all its outputs."""
    if code[0] == Op.POSITIVE:
        return functions.positive(operands[0], program.labels[code[2]])
    if code[0] == Op.PICK:
        return operands[0][code[2]]
    if code[0] == Op.CALL:
        call = program.calls[code[1]]
        labels = program.labels[call.first_label : call.first_label + call.label_count]
        return call.intrinsic(call.sizes, operands, labels)
    return _MEANING[code[0]](*operands)


def _fused(product: int, addend: int) -> Callable[[Any, Any, Any], Any]:
    """Return +-(a b) +- c."""

    def fused(a: Any, b: Any, c: Any) -> Any:
        ab = a * b if product > 0 else -(a * b)
        return ab + c if addend > 0 else ab - c

    return fused


_MEANING: Final[Mapping[int, Callable[..., Any]]] = {
    Op.ADD: operator.add,
    Op.SUB: operator.sub,
    Op.MUL: operator.mul,
    Op.DIV: functions.divide,
    Op.NEG: operator.neg,
    Op.ABS: functions.absolute,
    Op.SQRT: functions.sqrt,
    Op.FMA: _fused(1, 1),
    Op.FMS: _fused(1, -1),
    Op.FNMA: _fused(-1, 1),
    Op.FNMS: _fused(-1, -1),
    Op.SIN: functions.sin,
    Op.COS: functions.cos,
    Op.TAN: functions.tan,
    Op.ASIN: functions.asin,
    Op.ACOS: functions.acos,
    Op.ATAN2: functions.atan2,
    Op.EXP: functions.exp,
    Op.LOG: functions.log,
    Op.POWER: functions.power,
    Op.TANH: functions.tanh,
    Op.LESS: functions.less,
    Op.LESS_EQUAL: functions.less_equal,
    Op.AND: functions.both,
    Op.OR: functions.either,
    Op.NOT: functions.invert,
    Op.SELECT: functions.where,
}
