"""Interpreter of programs in single precision: the reference for C source of floats."""

from __future__ import annotations

import ctypes
import ctypes.util
import math
from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from rbd.export.single_precision import single_constant
from rbd.program.opcodes import Op, operands_of
from rbd.program.program import Program
from rbd.program.status import FIRST_CHECK
from rbd.scalars import sincos

Single = np.float32
_SINGLE = sincos.Constants[Any](Single, sincos.SINGLE)


def _library_function(name: str) -> Callable[..., Any]:
    function = getattr(ctypes.CDLL(ctypes.util.find_library("m")), f"{name}f")
    function.restype = ctypes.c_float
    return lambda *values: Single(function(*(ctypes.c_float(float(x)) for x in values)))


_fma = _library_function("fma")


def sine_and_cosine(x: Any) -> tuple[Any, Any]:
    """Return sine and cosine of an angle within the limit of the reduction."""
    m, r, y = sincos.reduce_angle(x, _fma, _SINGLE)
    k = int(m - _SINGLE.rounder)
    sine, cosine = sincos.polynomials(r, y, _fma, _SINGLE)
    sine, cosine = (cosine, sine) if k & 1 else (sine, cosine)
    return (-sine if k & 2 else sine), (-cosine if (k + 1) & 2 else cosine)


_FUSED = {Op.FMA: (1, 1), Op.FMS: (1, -1), Op.FNMA: (-1, 1), Op.FNMS: (-1, -1)}


def _computed(op: Op, values: Sequence[Any]) -> Any:
    if op in (Op.SIN, Op.COS):
        return sine_and_cosine(values[0])[op == Op.COS]
    if op in _FUSED:
        product, addend = _FUSED[op]
        return _fma(product * values[0], values[1], addend * values[2])
    if op == Op.SQRT:
        return np.sqrt(values[0])
    if op == Op.DIV:
        return values[0] / values[1]
    if op.row.library:
        return _library_function(op.row.library)(*values)
    return cast("Any", op.row.evaluate_float)(*values)


def interpret(program: Program, inputs: Sequence[float]) -> tuple[list[float], int]:
    """Return the output scalars and the status, for a program without calls."""
    values: list[Any] = [Single(x) for x in inputs]
    constants = [Single(single_constant(x)) for x in program.constants]

    def value(operand: int) -> Any:
        return values[operand] if operand >= 0 else constants[~operand]

    with np.errstate(all="ignore"):
        for code in program.code:
            op, operands = Op(code[0]), [value(r) for r in operands_of(code)]
            if op == Op.POSITIVE and not operands[0] > 0:
                return [], FIRST_CHECK + code[2]
            found = operands[0] if op == Op.POSITIVE else _computed(op, operands)
            values.append(found if isinstance(found, (bool, np.bool_)) else Single(found))
    outputs = [float(value(operand)) for operand in program.results]
    return (outputs, 0) if all(map(math.isfinite, outputs)) else ([], 2)
