"""Range analysis: whether the outputs of a program are finite for all finite inputs.

Sines and cosines are bounded, and so are sums and products of bounded numbers: poses and mass matrices of revolute
joints need no test at run time.
"""

from __future__ import annotations

from math import inf, isfinite

from rbd.program.opcodes import Op, operands_of
from rbd.program.program import Program

_LARGEST = 1e300
"""Beyond, a number counts as unbounded: far enough below the largest double for all roundings on the way."""
_SMALLEST = 1e-290
"""No bound is below: what products lose by underflow is nothing beside it."""


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

    for code in program.code:
        row, operands = Op(code[0]).row, operands_of(code)
        if row.bound is not None:
            found = row.bound(*map(bound, operands))
        else:
            found = row.limit if all(0 <= r < inputs or bound(r) < inf for r in operands) else inf
        bounds.append(_known(found))
    return bounds


def _known(bound: float) -> float:
    """Return a bound that later bounds may follow from: infinity for NaN and for what is too large."""
    return max(bound, _SMALLEST) if bound <= _LARGEST else inf
