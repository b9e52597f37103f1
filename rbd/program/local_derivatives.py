"""Local derivatives of operations.

A local derivative is a pushforward: a linear function from the tangent of an operand to its contribution to the tangent
of the result. It is a function, not a factor, since a selection must not multiply the branch it does not select.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rbd.errors import ScalarError
from rbd.program.opcodes import BY_NUMBER, operands_of
from rbd.program.operation import Pushforward
from rbd.program.program import Program
from rbd.program.replay import operand_values
from rbd.scalars.linear_algebra import dot, unit
from rbd.scalars.protocol import Scalar, Vector


def local_derivatives(
    program: Program, instruction: tuple[int, ...], values: Sequence[Any], position: int
) -> Iterator[tuple[int, Pushforward]]:
    """Yield operands of an instruction with their local derivatives; `values` are those that `evaluate` returns."""
    row, operands = BY_NUMBER[instruction[0]].row, operands_of(instruction)
    if row.local_derivatives is None:
        return
    arguments = operand_values(program, instruction, values)
    for r, pushforward in zip(operands, row.local_derivatives(*arguments, values[position]), strict=True):
        if pushforward is not None:
            yield r, pushforward


def call_jvp(
    program: Program, instruction: tuple[int, ...], values: Sequence[Any], position: int, tangents: Vector
) -> Sequence[Scalar]:
    """Return the tangents of an intrinsic's results for `tangents` of its operands."""
    call, arguments = program.calls[instruction[1]], _call_arguments(program, instruction, values, position)
    if call.intrinsic.derivative is None:
        raise ScalarError(f"there is no derivative of {call.intrinsic.name}", function=call.intrinsic.name)
    result_tangents: Sequence[Scalar] = call.intrinsic.derivative(*arguments, tangents)
    return result_tangents


def call_vjp(
    program: Program,
    instruction: tuple[int, ...],
    values: Sequence[Any],
    position: int,
    cotangents: Vector,
    wanted: Sequence[bool],
) -> Sequence[Scalar]:
    """Return the cotangents of the operands `wanted`, for `cotangents` of an intrinsic's results."""
    intrinsic = program.calls[instruction[1]].intrinsic
    if intrinsic.adjoint is not None:
        operand_cotangents: Sequence[Scalar] = intrinsic.adjoint(
            *_call_arguments(program, instruction, values, position), cotangents
        )
        return operand_cotangents
    units = (unit(len(wanted), k) if is_wanted else () for k, is_wanted in enumerate(wanted))
    return [dot(call_jvp(program, instruction, values, position, unit), cotangents) if unit else 0 for unit in units]


def _call_arguments(
    program: Program, instruction: tuple[int, ...], values: Sequence[Any], position: int
) -> tuple[tuple[int, ...], Sequence[str], Vector, Vector]:
    """Return sizes, labels, operands and results of a call."""
    call = program.calls[instruction[1]]
    operands = tuple(operand_values(program, instruction, values))
    labels = program.labels[call.first_label : call.first_label + call.label_count]
    return call.sizes, labels, operands, tuple(values[position])
