"""What each instruction of a program answers small changes of its operands with.

A local derivative is a linear function from the change of an operand to what it contributes to that of the result. It
is a function, not a factor, since a choice must not multiply what it does not choose. The table of operations has them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rbd.errors import ScalarError
from rbd.program.opcodes import Op, operands_of
from rbd.program.program import Program
from rbd.program.rows import LocalDerivative
from rbd.scalars.protocol import Scalar, Vector
from rbd.scalars.structural_zeros import inner


def local_derivatives(
    program: Program, code: tuple[int, ...], values: Sequence[Any], position: int
) -> Iterator[tuple[int, LocalDerivative]]:
    """Yield operands of an instruction with their local derivatives; `values` are those that `traced` gives."""
    row, operands = Op(code[0]).row, operands_of(code)
    if row.local_derivatives is None:
        return
    given = [values[r] if r >= 0 else program.constants[~r] for r in operands]
    for r, found in zip(operands, row.local_derivatives(*given, values[position]), strict=True):
        if found is not None:
            yield r, found


def call_derivatives(
    program: Program, code: tuple[int, ...], values: Sequence[Any], position: int, tangents: Vector
) -> Sequence[Scalar]:
    """Return how the outputs of an intrinsic change when its operands change by `tangents`."""
    call, given = program.calls[code[1]], _given(program, code, values, position)
    if call.intrinsic.derivative is None:
        raise ScalarError(f"there is no derivative of {call.intrinsic.name}", function=call.intrinsic.name)
    found: Sequence[Scalar] = call.intrinsic.derivative(*given, tangents)
    return found


def call_weights(
    program: Program,
    code: tuple[int, ...],
    values: Sequence[Any],
    position: int,
    weights: Vector,
    asked: Sequence[bool],
) -> Sequence[Scalar]:
    """Return what the operands of an intrinsic that are `asked` for weigh when its outputs weigh `weights`."""
    intrinsic = program.calls[code[1]].intrinsic
    if intrinsic.adjoint is not None:
        found: Sequence[Scalar] = intrinsic.adjoint(*_given(program, code, values, position), weights)
        return found
    units = (tuple(int(i == k) for i in range(len(asked))) if wanted else () for k, wanted in enumerate(asked))
    return [inner(call_derivatives(program, code, values, position, unit), weights) if unit else 0 for unit in units]


def _given(
    program: Program, code: tuple[int, ...], values: Sequence[Any], position: int
) -> tuple[tuple[int, ...], Sequence[str], Vector, Vector]:
    """Return sizes, labels, operands and outputs of a call."""
    call = program.calls[code[1]]
    operands = tuple(values[r] if r >= 0 else program.constants[~r] for r in operands_of(code))
    labels = program.labels[call.first_label : call.first_label + call.label_count]
    return call.sizes, labels, operands, tuple(values[position])
