"""What each operation of a program answers small changes of its operands with. May import: replay and what it may.

A slope is a linear function from the change of an operand to what it contributes to that of the result. It is a
function, not a factor, since a choice must not multiply what it does not choose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

from rbd.errors import ScalarError
from rbd.scalars import functions as f
from rbd.scalars.constants import const
from rbd.scalars.opcodes import Op, operands_of
from rbd.scalars.program import Program
from rbd.scalars.protocol import Scalar, Vector
from rbd.scalars.structure import inner

Slope: TypeAlias = Callable[[Any], Any]
_SIGNS = {Op.FMA: (1, 1), Op.FMS: (1, -1), Op.FNMA: (-1, 1), Op.FNMS: (-1, -1)}
"""Signs of the product and of the addend."""


def slopes(
    program: Program, code: tuple[int, ...], values: Sequence[Any], position: int
) -> Iterator[tuple[int, Slope]]:
    """Yield operands of an instruction with their slopes; `values` are those of all operands, as `traced` has them."""
    op, operands = Op(code[0]), operands_of(code)
    given: list[Any] = [values[r] if r >= 0 else program.constants[~r] for r in operands]
    if op == Op.SELECT:
        condition: Any = given[0]
        yield operands[1], lambda x: f.where(condition, x, 0)
        yield operands[2], lambda x: f.where(condition, 0, x)
    elif op in _SIGNS:
        product, addend = _SIGNS[op]
        yield operands[0], _times(product * given[1])
        yield operands[1], _times(product * given[0])
        yield operands[2], _times(addend)
    elif op in _TWO:
        first, second = _TWO[op](given[0], given[1], values[position])
        yield operands[0], _times(first)
        yield operands[1], _times(second)
    elif op in _ONE:
        yield operands[0], _times(_ONE[op](given[0], values[position]))
    # What is left are comparisons, which do not change by small changes.


def _times(factor: Any) -> Slope:
    if type(factor) is int:
        return (lambda x: x) if factor == 1 else (lambda x: -x)
    return lambda x: factor * x


_ONE: dict[Op, Callable[[Any, Any], Any]] = {
    Op.NEG: lambda x, y: -1,
    Op.ABS: lambda x, y: f.where(f.less(x, 0), -1, 1),
    Op.SQRT: lambda x, y: f.divide(const(1, 2), y),
    Op.SIN: lambda x, y: f.cos(x),
    Op.COS: lambda x, y: -f.sin(x),
    Op.TAN: lambda x, y: 1 + y * y,
    Op.ASIN: lambda x, y: f.divide(1, f.sqrt(1 - x * x)),
    Op.ACOS: lambda x, y: f.divide(-1, f.sqrt(1 - x * x)),
    Op.EXP: lambda x, y: y,
    Op.LOG: lambda x, y: f.divide(1, x),
    Op.TANH: lambda x, y: 1 - y * y,
    Op.POSITIVE: lambda x, y: 1,
}
"""From operand and result."""


def _of_angle(y: Any, x: Any, angle: Any) -> tuple[Any, Any]:
    square = x * x + y * y
    return f.divide(x, square), f.divide(-y, square)


def _of_power(x: Any, n: Any, result: Any) -> tuple[Any, Any]:
    first = n * f.power(x, n - 1)
    return first, 0.0 if f.is_float(n) else result * f.log(x)


_TWO: dict[Op, Callable[[Any, Any, Any], tuple[Any, Any]]] = {
    Op.ADD: lambda a, b, c: (1, 1),
    Op.SUB: lambda a, b, c: (1, -1),
    Op.MUL: lambda a, b, c: (b, a),
    Op.DIV: lambda a, b, c: (f.divide(1, b), f.divide(-c, b)),
    Op.ATAN2: _of_angle,
    Op.POWER: _of_power,
}
"""From operands and result."""


def call_slopes(
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
    return [inner(call_slopes(program, code, values, position, unit), weights) if unit else 0 for unit in units]


def _given(
    program: Program, code: tuple[int, ...], values: Sequence[Any], position: int
) -> tuple[tuple[int, ...], Sequence[str], Vector, Vector]:
    """Return sizes, labels, operands and outputs of a call."""
    call = program.calls[code[1]]
    operands = tuple(values[r] if r >= 0 else program.constants[~r] for r in operands_of(code))
    labels = program.labels[call.first_label : call.first_label + call.label_count]
    return call.sizes, labels, operands, tuple(values[position])
