"""Single precision: C source of double precision, rewritten for float.

Each operation is that of the double function, rounded to single precision. Sine and cosine have polynomials of their
own.
"""

from __future__ import annotations

import math
import re
from typing import Final, Literal, TypeAlias

import numpy as np

from rbd.program.opcodes import Op
from rbd.scalars import sincos

Precision: TypeAlias = Literal["float64", "float32"]

C_TYPES: Final[dict[Precision, str]] = {"float64": "double", "float32": "float"}
REDUCTIONS: Final[dict[Precision, sincos.Reduction]] = {"float64": sincos.DOUBLE, "float32": sincos.SINGLE}

_FUNCTIONS: Final = ("fma", "sqrt", "fabs", *(op.row.library for op in Op if op.row.library))
_WORDS: Final = {"double": "float", **{name: f"{name}f" for name in _FUNCTIONS}}
_TOKEN: Final = re.compile(rf"-?\b0x[\da-f.]+p[+-]?\d+|\b(?:{'|'.join(_WORDS)})\b")
_SMALLEST, _LARGEST = 2.0**-126, 2.0**127


def in_precision(code: str, precision: Precision) -> str:
    """Return C code, without comments, in another precision.

    >>> in_precision("const double a0 = fma(x, 0x1.999999999999ap-4, y);", "float32")
    'const float a0 = fmaf(x, 0x1.99999a0000000p-4f, y);'
    """
    return code if precision == "float64" else _TOKEN.sub(_single, code)


def _single(match: re.Match[str]) -> str:
    token = match[0]
    return _WORDS[token] if token in _WORDS else f"{single_constant(float.fromhex(token)).hex()}f"


def single_constant(value: float) -> float:
    """Return the nearest number of single precision; beyond its range, the power of two at the end of the range.

    Numbers that protect against overflow and division by zero stay powers of two, and positive.
    """
    if value == 0.0:
        return value
    size = min(max(abs(value), _SMALLEST), _LARGEST)
    return math.copysign(float(np.float32(size)), value)
