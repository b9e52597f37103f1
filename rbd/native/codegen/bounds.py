"""Range analysis: whether the outputs of a program are finite for all finite inputs.

Sines and cosines are bounded, and so are sums and products of bounded numbers: poses and mass matrices of mechanisms
of revolute joints need no test at run time.
"""

from __future__ import annotations

from math import inf, isfinite

from rbd.program.opcodes import BY_NUMBER, operands_of
from rbd.program.program import Program

_LARGEST = 1e300
"""Bounds above it count as infinite; the distance to the largest double covers rounding errors."""
_SMALLEST = 1e-290
"""Smallest bound, far above errors by underflow."""


def always_finite(program: Program) -> bool:
    """Return whether bounds show that all outputs are finite for all finite inputs."""
    bounds = _bounds(program)
    inputs = program.input_size

    def is_finite(operand: int) -> bool:
        if operand < 0:
            return isfinite(program.constants[~operand])
        return operand < inputs or bounds[operand - inputs] < inf  # inputs are tested

    return all(map(is_finite, program.results))


def _bounds(program: Program) -> list[float]:
    """Return a bound of the magnitude of each instruction's result; infinity if there is none."""
    inputs, constants = program.input_size, [_known(abs(x)) for x in program.constants]
    bounds: list[float] = []

    def bound(operand: int) -> float:
        if operand < 0:
            return constants[~operand]
        return inf if operand < inputs else bounds[operand - inputs]

    for code in program.code:
        row, operands = BY_NUMBER[code[0]].row, operands_of(code)
        if row.bound_rule is not None:
            magnitude = row.bound_rule(*map(bound, operands))
        else:
            magnitude = row.constant_bound if all(0 <= r < inputs or bound(r) < inf for r in operands) else inf
        bounds.append(_known(magnitude))
    return bounds


def _known(bound: float) -> float:
    """Return a bound for use in later bounds: infinity for NaN and for large bounds."""
    return max(bound, _SMALLEST) if bound <= _LARGEST else inf
