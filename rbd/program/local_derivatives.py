"""Local derivatives of operations.

A local derivative is a pushforward: a linear function from the tangent of an operand to its contribution to the tangent
of the result. It is a function, not a factor, since a selection must not multiply the branch it does not select.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rbd.errors import ScalarError
from rbd.intrinsics.intrinsic import IntrinsicCall
from rbd.program.opcodes import BY_NUMBER, operands_of
from rbd.program.operation import Pushforward
from rbd.program.replay import EvaluatedProgram
from rbd.scalars.linear_algebra import dot, unit
from rbd.scalars.protocol import Scalar, Vector


def local_derivatives(evaluated: EvaluatedProgram, position: int) -> Iterator[tuple[int, Pushforward]]:
    """Yield the operands of the instruction at `position` with their local derivatives."""
    instruction = evaluated.instruction(position)
    row, operands = BY_NUMBER[instruction[0]].row, operands_of(instruction)
    if row.local_derivatives is None:
        return
    pushforwards = row.local_derivatives(*evaluated.operand_values(position), evaluated.values[position])
    for r, pushforward in zip(operands, pushforwards, strict=True):
        if pushforward is not None:
            yield r, pushforward


def call_jvp(evaluated: EvaluatedProgram, position: int, tangents: Vector) -> Sequence[Scalar]:
    """Return the tangents of the results of the call at `position`, for `tangents` of its operands."""
    intrinsic = _call(evaluated, position).intrinsic
    if intrinsic.derivative is None:
        raise ScalarError(f"there is no derivative of {intrinsic.name}", function=intrinsic.name)
    result_tangents: Sequence[Scalar] = intrinsic.derivative(*_call_arguments(evaluated, position), tangents)
    return result_tangents


def call_vjp(
    evaluated: EvaluatedProgram, position: int, cotangents: Vector, wanted: Sequence[bool]
) -> Sequence[Scalar]:
    """Return the cotangents of the `wanted` operands of the call at `position`, for `cotangents` of its results."""
    intrinsic = _call(evaluated, position).intrinsic
    if intrinsic.adjoint is not None:
        operand_cotangents: Sequence[Scalar] = intrinsic.adjoint(*_call_arguments(evaluated, position), cotangents)
        return operand_cotangents
    units = (unit(len(wanted), k) if is_wanted else () for k, is_wanted in enumerate(wanted))
    return [dot(call_jvp(evaluated, position, unit), cotangents) if unit else 0 for unit in units]


def _call(evaluated: EvaluatedProgram, position: int) -> IntrinsicCall:
    return evaluated.program.calls[evaluated.instruction(position)[1]]


def _call_arguments(
    evaluated: EvaluatedProgram, position: int
) -> tuple[tuple[int, ...], Sequence[str], Vector, Vector]:
    """Return sizes, labels, operands and results of a call."""
    call, operands = _call(evaluated, position), tuple(evaluated.operand_values(position))
    return call.sizes, evaluated.program.labels_of(call), operands, tuple(evaluated.values[position])
