"""Evaluation of a program on scalars of any family; on recorded ones it becomes part of another program.

On floats use `Program.interpret`, which has the bits of machine code.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

import attrs

from rbd.errors import ShapeError
from rbd.program.opcodes import BY_NUMBER, Op, operands_of
from rbd.program.program import Program
from rbd.scalars.protocol import Scalar


@final
@attrs.frozen(eq=False)
class EvaluatedProgram:
    """A program with its values for one input."""

    program: Program
    values: Sequence[Any]
    """The inputs, then the result of each instruction: the values of nonnegative operands. That of a call is all its
    outputs."""

    def instruction(self, position: int) -> tuple[int, ...]:
        """Return the instruction whose result is the value at `position`."""
        return self.program.code[position - self.program.input_size]

    def operand_values(self, position: int) -> list[Any]:
        """Return the operands of the instruction whose result is the value at `position`."""
        return _operand_values(self.program, self.instruction(position), self.values)


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
    values = evaluate(program, inputs).values
    return [values[operand] if operand >= 0 else program.constants[~operand] for operand in program.results]


def evaluate(program: Program, inputs: Sequence[Scalar]) -> EvaluatedProgram:
    """Return the program with its values; raise what `replay` raises."""
    if len(inputs) != program.input_size:
        message = f"{program.name} takes {program.input_size} scalars, not {len(inputs)}"
        raise ShapeError(message, argument="inputs", expected=program.input_size, actual=len(inputs))
    values: list[Any] = list(inputs)
    for instruction in program.code:
        values.append(evaluate_instruction(program, instruction, _operand_values(program, instruction, values)))
    return EvaluatedProgram(program, values)


def _operand_values(program: Program, instruction: tuple[int, ...], values: Sequence[Any]) -> list[Any]:
    """Return the operands of an instruction, from the values before it and the constants."""
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
        return call.intrinsic(call.sizes, operands, program.labels_of(call))
    return op.row.evaluate(*operands)
