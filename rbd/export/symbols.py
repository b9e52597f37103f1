"""A program as SymPy expressions.

Room: export; may import everything above it. SymPy is imported when asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from rbd import scalars
from rbd.errors import ScalarError
from rbd.scalars import Scalar
from rbd.scalars.opcodes import Op, operands_of
from rbd.scalars.program import Port, Program


def sympy_expressions(program: Program) -> Mapping[str, object]:
    """Return, per output, a SymPy expression (a SymPy array of them for shapes other than ()).

    Symbols are real and named after the inputs: `q_0`, `tau_2`, `R_0_1`. Constants that are whole numbers become
    integers, the others Floats. Raises ScalarError for programs that call intrinsics which decide by numbers.
    """
    import sympy  # pyright: ignore[reportMissingTypeStubs]  # it is typed in part, without a marker

    for name in (call.intrinsic.name for call in program.calls if not call.intrinsic.is_steady):
        message = f"{name} takes decisions at run time, which no expression of SymPy can say"
        raise ScalarError(message, scalar=name, function=name)
    library = cast("Any", sympy)
    values: list[Any] = [library.Symbol(name, real=True) for port in program.inputs for name in _names(port)]
    constants: list[Scalar] = [
        library.Integer(int(x)) if x.is_integer() else library.Float(x) for x in program.constants
    ]

    def value(operand: int) -> Scalar:
        return values[operand] if operand >= 0 else constants[~operand]

    for code in program.code:
        values.append(_result(program, code, [value(r) for r in operands_of(code)]))
    return _shaped(library, program.outputs, [value(operand) for operand in program.results])


def _result(program: Program, code: tuple[int, ...], operands: list[Any]) -> object:
    """Return the outcome of one instruction; that of a call is all its outputs."""
    if code[0] == Op.CALL:
        call = program.calls[code[1]]
        return call.intrinsic(call.sizes, operands)
    return operands[0][code[2]] if code[0] == Op.PICK else _MEANING[Op(code[0])](*operands)


def _names(port: Port) -> list[str]:
    names = [port.name]
    for length in port.shape:
        names = [f"{name}_{i}" for name in names for i in range(length)]
    return names


def _shaped(library: Any, ports: tuple[Port, ...], results: list[Scalar]) -> dict[str, object]:
    shaped: dict[str, object] = {}
    start = 0
    for port in ports:
        mine = results[start : start + port.size]
        shaped[port.name] = library.Array(mine, port.shape) if port.shape else mine[0]
        start += port.size
    return shaped


def _sum(a: Scalar, b: Scalar) -> Scalar:
    return a + b


def _difference(a: Scalar, b: Scalar) -> Scalar:
    return a - b


def _product(a: Scalar, b: Scalar) -> Scalar:
    return a * b


def _negated(a: Scalar) -> Scalar:
    return -a


def _same(a: Scalar) -> Scalar:
    return a


def _fused(product: int, addend: int) -> Callable[[Scalar, Scalar, Scalar], Scalar]:
    """Return +-(a b) +- c."""
    return lambda a, b, c: product * a * b + addend * c


_MEANING: dict[Op, Callable[..., Any]] = {
    Op.ADD: _sum,
    Op.SUB: _difference,
    Op.MUL: _product,
    Op.DIV: scalars.divide,
    Op.NEG: _negated,
    Op.ABS: scalars.absolute,
    Op.SQRT: scalars.sqrt,
    Op.FMA: _fused(1, 1),
    Op.FMS: _fused(1, -1),
    Op.FNMA: _fused(-1, 1),
    Op.FNMS: _fused(-1, -1),
    Op.SIN: scalars.sin,
    Op.COS: scalars.cos,
    Op.TAN: scalars.tan,
    Op.ASIN: scalars.asin,
    Op.ACOS: scalars.acos,
    Op.ATAN2: scalars.atan2,
    Op.EXP: scalars.exp,
    Op.LOG: scalars.log,
    Op.POWER: scalars.power,
    Op.TANH: scalars.tanh,
    Op.LESS: scalars.less,
    Op.LESS_EQUAL: scalars.less_equal,
    Op.AND: scalars.both,
    Op.OR: scalars.either,
    Op.NOT: scalars.invert,
    Op.SELECT: scalars.where,
    Op.POSITIVE: _same,
}
"""Each operation as the generic function of any scalars; SymPy is one more family of them."""
