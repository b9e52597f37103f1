"""Range analysis: which outputs of a program must be tested to know that all are finite.

Sines and cosines are bounded, and so are sums and products of bounded numbers: poses and mass matrices of mechanisms
of revolute joints need no test at run time. What a sum or a product of an output is an output, too, needs none either:
sums and products of what is not finite are not. Of the poses of a floating robot, those where limbs end are tested.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import pairwise
from math import inf, isfinite
from typing import Final

from rbd.program.opcodes import BY_NUMBER, Op, operands_of
from rbd.program.ports import offsets
from rbd.program.program import Program

_LARGEST = 1e300
"""Bounds above it count as infinite; the distance to the largest double covers rounding errors."""
_SMALLEST = 1e-290
"""Smallest bound, far above errors by underflow."""
_SPREADING: Final = frozenset((Op.ADD, Op.SUB, Op.MUL, Op.NEG, Op.ABS, Op.SQRT, Op.FMA, Op.FMS, Op.FNMA, Op.FNMS))
"""Operations whose result is not finite if an operand is not."""
_GAP: Final = 8
"""The largest distance of tested outputs of which those between are tested, too: as many as fit a vector."""


def outputs_to_test(program: Program) -> list[range]:
    """Return the outputs that are tested, each range in one port; none if bounds show that all are always finite."""
    bounds, inputs, spreads = _bounds(program), program.input_size, _spreading(program)

    def is_tested(operand: int) -> bool:
        if operand < inputs:
            return operand < 0 and not isfinite(program.constants[~operand])  # inputs are tested before
        return bounds[operand - inputs] == inf and not spreads[operand - inputs]

    last = {operand: output for output, operand in enumerate(program.results)}
    tested = sorted(output for operand, output in last.items() if is_tested(operand))
    return [each for start, port in offsets(program.outputs) for each in _runs(tested, start, start + port.size)]


def _runs(tested: list[int], start: int, stop: int) -> Iterator[range]:
    """Yield the ranges of a port."""
    outputs = tested[bisect_left(tested, start) : bisect_left(tested, stop)]
    ends = [k for k, (one, other) in enumerate(pairwise(outputs), 1) if other - one > _GAP]
    for first, end in pairwise((0, *ends, len(outputs)) if outputs else ()):
        yield range(outputs[first], outputs[end - 1] + 1)


def _spreading(program: Program) -> list[bool]:
    """Return, per instruction, whether a result of the program, other than its own, is not finite if its own is not."""
    first, results = program.input_size, {operand for operand in program.results if operand >= program.input_size}
    spreads = [False] * len(program.code)
    for index in reversed(range(len(program.code))):
        if program.code[index][0] in _SPREADING and (spreads[index] or first + index in results):
            for operand in operands_of(program.code[index]):
                if operand >= first:
                    spreads[operand - first] = True
    return spreads


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
