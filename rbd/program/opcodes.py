"""Table of operations of programs.

Each operation is one row: what the interpreter computes, what it means for scalars of any family, its derivative, and
its form in listings, LLVM IR and C. Whoever runs, prints, translates or differentiates programs reads the rows; to add
an operation, add a row. SymPy needs no column: its expressions are one more family of scalars.

CALL and PICK are no functions of numbers, and their rows are empty: they are special cases in the interpreter and the
code generators. So are sine and cosine where machine code lets them share their reduction, and POSITIVE where a failing
check stops the program.

>>> Op.FMA.row.listing, Op.SELECT.row.operand_types, Op.FMS.row.llvm_ir[0]
('{} * {} + {}', 'cxx', 'fneg {double} {2}')
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from enum import IntEnum
from functools import lru_cache
from operator import add, mul, sub
from typing import Any, Final

from rbd import scalars as f
from rbd.program.operation import (
    ProgramOperation,
    arithmetic,
    condition,
    factors,
    fused,
    infix,
    library_function,
    llvm_call,
    plus_or_minus,
    select_derivatives,
    with_c_code,
)
from rbd.scalars import libm
from rbd.scalars.elementary import ELEMENTARY
from rbd.scalars.families import real
from rbd.scalars.native_functions import NATIVE_FUNCTIONS
from rbd.scalars.norms import scaled_into_range
from rbd.scalars.sincos import LIMIT, sincos

_UNIT: Final = 1.001
"""More than any sine or cosine, however it is rounded."""


@lru_cache(maxsize=256)
def _sincos(x: float) -> tuple[float, float]:
    """Return sine and cosine, cached since both are needed; the cache takes 0.0 for -0.0, as the polynomial does."""
    return sincos(x, NATIVE_FUNCTIONS.fma or libm.fma)


@lru_cache(maxsize=256)
def _sin(x: float) -> float:
    return _sincos(x)[0] if abs(x) <= LIMIT else libm.sin(x)


@lru_cache(maxsize=256)
def _cos(x: float) -> float:
    return _sincos(x)[1] if abs(x) <= LIMIT else libm.cos(x)


def _both(c: bool, d: bool) -> bool:
    return c and d


def _either(c: bool, d: bool) -> bool:
    return c or d


def _select(c: bool, a: float, b: float) -> float:
    return a if c else b


def _larger(c: float, a: float, b: float) -> float:
    return max(a, b)


def _elementary_factor(name: str) -> Callable[[Any, Any], tuple[Any]]:
    """Return the factor of an elementary function of one operand."""
    first = ELEMENTARY[name].first
    return lambda x, y: (first(x, y),)


def _quotient_factors(a: Any, b: Any, quotient: Any) -> tuple[Any, Any]:
    return f.divide(1, b), f.divide(-quotient, b)


def _atan2_factors(y: Any, x: Any, angle: Any) -> tuple[Any, Any]:
    (y, x), scale = scaled_into_range((y, x))
    square = x * x + y * y
    return f.divide(scale * x, square), f.divide(-scale * y, square)


def _power_factors(x: Any, n: Any, result: Any) -> tuple[Any, Any]:
    first = n * f.power(x, n - 1)
    return first, 0.0 if f.is_float(n) else result * f.log(x)


class Op(IntEnum):
    """The operation codes. Arithmetic is IEEE 754 double, round to nearest.

    Numbers are part of the disk cache's keys: an operation keeps its number for ever, new ones come last, below 60.
    """

    row: ProgramOperation

    def __new__(cls, definition: ProgramOperation | int) -> Op:
        """Make a member of a row, or of a number without one; its value is the number."""
        operation = ProgramOperation(definition) if isinstance(definition, int) else definition
        self = int.__new__(cls, operation.number)
        self._value_, self.row = operation.number, operation
        return self

    ADD = plus_or_minus(1, "+", add, "fadd {double}", "add", 1)
    SUB = plus_or_minus(2, "-", sub, "fsub {double}", "subtract", -1)
    MUL = arithmetic(infix(3, "*", mul, mul, "fmul {double}", "multiply"), lambda a, b, y: (b, a), "*", bound_rule=mul)
    DIV = arithmetic(infix(4, "/", real.divide, f.divide, "fdiv {double}", "divide"), _quotient_factors, "divide")
    NEG = ProgramOperation(
        5,
        operand_types="x",
        evaluate_float=operator.neg,
        evaluate=operator.neg,
        local_derivatives=factors(lambda x, y: (-1,)),
        listing="-{}",
        counted=("negate",),
        llvm_ir=("fneg {double} {0}",),
        c="-{0}",
        bound_rule=math.fabs,
    )
    ABS = ProgramOperation(
        6,
        operand_types="x",
        evaluate_float=math.fabs,
        evaluate=f.absolute,
        local_derivatives=factors(_elementary_factor("absolute")),
        listing="abs({})",
        counted=("absolute",),
        llvm_ir=(llvm_call("fabs", 0),),
        c="fabs({0})",
        bound_rule=math.fabs,
        llvm_intrinsic="fabs",
        language_word="abs",
    )
    SQRT = ProgramOperation(
        7,
        operand_types="x",
        evaluate_float=real.sqrt,
        evaluate=f.sqrt,
        local_derivatives=factors(_elementary_factor("sqrt")),
        listing="sqrt({})",
        counted=("sqrt",),
        llvm_ir=(llvm_call("sqrt", 0),),
        c="sqrt({0})",
        llvm_intrinsic="sqrt",
        method="sqrt",
        language_word="sqrt",
    )
    # One rounding each.
    FMA = fused(10, 1, 1, "{} * {} + {}", language_word="fma")
    FMS = fused(11, 1, -1, "{} * {} - {}")
    FNMA = fused(12, -1, 1, "{2} - {0} * {1}")
    FNMS = fused(13, -1, -1, "-({} * {}) - {}")
    # Sine and cosine by `scalars.sincos` up to its limit, the other functions (and angles beyond) by the C library.
    SIN = with_c_code(
        library_function(20, "sin", f.sin, _sin, _elementary_factor("sin"), parity=-1), "rbd_sin({0})", _UNIT
    )
    COS = with_c_code(
        library_function(21, "cos", f.cos, _cos, _elementary_factor("cos"), parity=1), "rbd_cos({0})", _UNIT
    )
    TAN = library_function(22, "tan", f.tan, libm.tan, _elementary_factor("tan"), parity=-1)
    ASIN = library_function(23, "asin", f.asin, libm.asin, _elementary_factor("asin"))
    ACOS = library_function(24, "acos", f.acos, libm.acos, _elementary_factor("acos"))
    ATAN2 = library_function(25, "atan2", f.atan2, libm.atan2, _atan2_factors, operand_types="xx")
    EXP = library_function(26, "exp", f.exp, libm.exp, _elementary_factor("exp"))
    LOG = library_function(27, "log", f.log, libm.log, _elementary_factor("log"))
    POWER = library_function(28, "power", f.power, libm.power, _power_factors, library="pow", operand_types="xx")
    TANH = library_function(29, "tanh", f.tanh, libm.tanh, _elementary_factor("tanh"))
    # Conditions: their results are truth values.
    LESS = condition(infix(40, "<", operator.lt, f.less, "fcmp olt {double}", "less"), "xx")
    LESS_EQUAL = condition(infix(41, "<=", operator.le, f.less_equal, "fcmp ole {double}", "less_equal"), "xx")
    AND = condition(infix(42, "and", _both, f.both, "and {truth}", "both", c="&&"), "cc")
    OR = condition(infix(43, "or", _either, f.either, "or {truth}", "either", c="||"), "cc")
    NOT = ProgramOperation(
        44,
        operand_types="c",
        result_type="c",
        evaluate_float=operator.not_,
        evaluate=f.invert,
        listing="not {}",
        counted=("invert",),
        llvm_ir=("xor {truth} {0}, {true}",),
        c="!{0}",
    )
    SELECT = ProgramOperation(
        50,
        operand_types="cxx",
        evaluate_float=_select,
        evaluate=f.where,
        local_derivatives=select_derivatives,
        listing="{1} if {0} else {2}",
        counted=("select",),
        llvm_ir=("select {truth} {0}, {double} {1}, {double} {2}",),
        c="{0} ? {1} : {2}",
        bound_rule=_larger,
        language_word="select",
    )
    # POSITIVE(x, label): x, and a status code when x is not > 0. Who runs programs makes the check itself.
    POSITIVE = ProgramOperation(
        51,
        operand_types="x",
        evaluate_float=operator.pos,
        evaluate=f.positive,
        local_derivatives=factors(lambda x, y: (1,)),
        listing="positive({}, {!r})",
        c="{0}",
        bound_rule=math.fabs,
    )
    # CALL(call, operands ...): an intrinsic, `calls[call]` of the program, with any number of operands; its value is
    # no number. PICK(value of a CALL, k): its k-th result.
    CALL = 52
    PICK = 53


BY_NUMBER: Final = {int(op): op for op in Op}
"""The operations by number: `Op(number)` takes ten times as long."""

CONDITIONS: Final = frozenset(op for op in Op if op.row.result_type == "c")
"""The operations whose result is a truth value."""

WITH_IMMEDIATE: Final = frozenset({Op.POSITIVE, Op.PICK})
"""The operations with one operand and an immediate number, of a label or an output."""

_OPERANDS: Final[dict[int, slice]] = {
    op: slice(1, 2) if op in WITH_IMMEDIATE else slice(2 if op == Op.CALL else 1, None) for op in Op
}
"""Positions of the operands of an instruction."""

FUSED: Final = {op.row.signs: op for op in Op if op.row.signs and op.row.llvm_intrinsic == "fma"}
"""The operations that multiply and add with one rounding, by their signs."""

WITHOUT_SIGNS: Final = {
    op: plain
    for op in Op
    for plain in Op
    if op.row.signs not in (None, plain.row.signs)
    and plain.row.signs == (1, 1)
    and op.row.operand_types == plain.row.operand_types
}
"""Operations that differ from another one by signs of terms only, with that one."""

LANGUAGE_WORDS: Final = {op.row.language_word: op for op in Op if op.row.language_word}
"""The operations of the restricted language of `rbd.intrinsics`, by their operator or function there."""


def operands_of(instruction: tuple[int, ...]) -> tuple[int, ...]:
    """Return the operands of an instruction, without labels, calls and the like.

    >>> operands_of((Op.ADD, 3, 4)), operands_of((Op.POSITIVE, 3, 0)), operands_of((Op.CALL, 0, 5, 6, 7))
    ((3, 4), (3,), (5, 6, 7))
    """
    return instruction[_OPERANDS[instruction[0]]]
