"""What a program can never do, seen from its instructions alone: give a number that is not finite.

Room: native; knows nothing of robots. May import: errors and scalars. Sines and cosines are bounded, and so are
sums and products of bounded numbers: poses and mass matrices of revolute joints need no test at run time.
"""

from __future__ import annotations

from math import inf, isfinite

from rbd.scalars.opcodes import FUSED, Op
from rbd.scalars.program import Program

_LARGEST = 1e300
"""Beyond, a number counts as unbounded: far enough below the largest double for all roundings on the way."""
_SMALLEST = 1e-290
"""No bound is below: what products lose by underflow is nothing beside it."""
_TURN = 1.001
"""More than any sine or cosine, however it is rounded."""


def always_finite(program: Program) -> bool:
    """Return whether all outputs are finite for all finite inputs, as far as bounds of numbers can show."""
    bounds = _bounds(program)
    inputs = program.input_size

    def is_finite(operand: int) -> bool:
        if operand < 0:
            return isfinite(program.constants[~operand])
        return operand < inputs or bounds[operand - inputs] < inf  # inputs are tested

    return all(map(is_finite, program.results))


def _bounds(program: Program) -> list[float]:
    """Return what the number of each instruction cannot exceed in magnitude; infinity when nothing is known."""
    inputs, constants = program.input_size, [_known(abs(x)) for x in program.constants]
    bounds: list[float] = []

    def bound(operand: int) -> float:
        if operand < 0:
            return constants[~operand]
        return inf if operand < inputs else bounds[operand - inputs]

    for op, *operands in program.code:
        if op in (Op.SIN, Op.COS):
            found = _TURN if 0 <= operands[0] < inputs or bound(operands[0]) < inf else inf
        else:
            found = _bound(op, [bound(operand) for operand in operands[: _COUNTED.get(Op(op), 0)]])
        bounds.append(_known(found))
    return bounds


def _known(bound: float) -> float:
    """Return a bound that later bounds may follow from: infinity for NaN and for what is too large."""
    return max(bound, _SMALLEST) if bound <= _LARGEST else inf


_COUNTED = {
    Op.ADD: 2,
    Op.SUB: 2,
    Op.MUL: 2,
    Op.NEG: 1,
    Op.ABS: 1,
    Op.SELECT: 3,
    Op.POSITIVE: 1,
    **dict.fromkeys(FUSED, 3),
}
"""How many operands the bound of a result follows from; the results of other operations have none."""


def _bound(op: int, operands: list[float]) -> float:
    if not operands:
        return inf
    if op in (Op.ADD, Op.SUB):
        return operands[0] + operands[1]
    if op == Op.MUL:
        return operands[0] * operands[1]
    if op in FUSED:
        return operands[0] * operands[1] + operands[2]
    return max(operands[-2:])
