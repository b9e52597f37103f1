"""Evaluation of a program on scalars of any family; on recorded ones it becomes part of another program.

On floats use `Program.interpret`, which has the bits of machine code.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rbd.errors import ShapeError
from rbd.program.opcodes import BY_NUMBER, Op, operands_of
from rbd.program.program import Program
from rbd.scalars.protocol import Scalar


def replay(program: Program, inputs: Sequence[Scalar]) -> list[Scalar]:
    """Return all output scalars, port after port, for all input scalars.

    Products and sums that machine code fuses are done one after the other here, and may be fused again where the
    outcome is recorded. Raises ShapeError for the wrong number of inputs, and what scalars raise.

    >>> from rbd.program.graph import Graph
    >>> graph = Graph()
    >>> x, y = graph.input("x", (2,))
    >>> replay(Program.of(graph, "example", {"z": x * y + 1, "w": x}), [2.0, 3.0])
    [7.0, 2.0]
    """
    values = evaluate(program, inputs)
    return [values[operand] if operand >= 0 else program.constants[~operand] for operand in program.results]


def evaluate(program: Program, inputs: Sequence[Scalar]) -> list[Any]:
    """Return the inputs followed by the result of every instruction: the values of nonnegative operands.

    The outcome of a call is all its outputs. Raises what `replay` raises.
    """
    if len(inputs) != program.input_size:
        message = f"{program.name} takes {program.input_size} scalars, not {len(inputs)}"
        raise ShapeError(message, argument="inputs", expected=program.input_size, actual=len(inputs))
    values: list[Any] = list(inputs)
    for instruction in program.code:
        values.append(evaluate_instruction(program, instruction, operand_values(program, instruction, values)))
    return values


def operand_values(program: Program, instruction: tuple[int, ...], values: Sequence[Any]) -> list[Any]:
    """Return the operands of an instruction: of the values that `evaluate` returns, and of the constants."""
    return [values[r] if r >= 0 else program.constants[~r] for r in operands_of(instruction)]


def evaluate_instruction(program: Program, instruction: tuple[int, ...], operands: list[Any]) -> object:
    """Return the result of one instruction; that of a call is a tuple of all outputs."""
    op = BY_NUMBER[instruction[0]]
    if op == Op.POSITIVE:
        return op.row.evaluate(operands[0], program.labels[instruction[2]])
    if op == Op.PICK:
        return operands[0][instruction[2]]
    if op == Op.CALL:
        call = program.calls[instruction[1]]
        labels = program.labels[call.first_label : call.first_label + call.label_count]
        return call.intrinsic(call.sizes, operands, labels)
    return op.row.evaluate(*operands)
