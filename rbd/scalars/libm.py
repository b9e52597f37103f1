"""Functions of the C library without Python's exceptions, and a fused multiply-add.

Compiled programs call the same functions of the same library, so results of the interpreter and of machine code are
bitwise equal. Each function is tested when this module is imported; missing or wrong ones are replaced by Python's.
"""

from __future__ import annotations

import ctypes
import math
import struct
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final, TypeAlias, cast

from rbd.scalars.families import real

Unary: TypeAlias = Callable[[float], float]
Binary: TypeAlias = Callable[[float, float], float]
Ternary: TypeAlias = Callable[[float, float, float], float]

# Test cases in which two roundings differ from one: ties, cancellation, overflow of the product only, subnormal
# results, signed zeros, infinities.
_FMA_CASES: Final = (
    (1.0 + 2.0**-30, 1.0 + 2.0**-30, -1.0),
    (1.0 + 2.0**-52, 1.0 - 2.0**-52, -1.0),
    (2.0**53 + 2.0, 1.0 + 2.0**-52, 0.5),
    (3.0, 1.0 / 3.0, -1.0),
    (0.1, 10.0, -1.0),
    (1e300, 1e300, -math.inf),
    (1e200, 1e200, -1e300),
    (2.0**-600, 2.0**-500, 2.0**-1074),
    (2.0**-537, 2.0**-538, 2.0**-1074),
    (0.0, -1.0, 0.0),
    (-0.0, 1.0, -0.0),
    (math.inf, 2.0, 1.0),
    (1e308, 10.0, 1.0),
)


def exact_fma(a: float, b: float, c: float) -> float:
    """Return a b + c with one rounding, in exact arithmetic (slow).

    >>> exact_fma(0.1, 10.0, -1.0), 0.1 * 10.0 - 1.0
    (5.551115123125783e-17, 0.0)
    """
    if not (math.isfinite(a) and math.isfinite(b)):
        return a * b + c
    if not math.isfinite(c):
        return c
    total = Fraction(a) * Fraction(b) + Fraction(c)
    return real.to_float(total) if total else a * b + c  # the sum has the right sign of zero


def _comparable_bits(x: float) -> bytes:
    """Return the bits of a result, the same for all NaN."""
    return struct.pack("<d", x) if x == x else b"nan"


def is_fma(candidate: Ternary) -> bool:
    """Return whether a function passes the tests of a fused multiply-add."""
    try:
        return all(_comparable_bits(candidate(*trial)) == _comparable_bits(exact_fma(*trial)) for trial in _FMA_CASES)
    except (ArithmeticError, ValueError):
        return False


def library() -> ctypes.CDLL | None:
    """Return the loaded C library, if it is found; calls keep the interpreter's lock."""
    try:
        return ctypes.PyDLL("ucrtbase" if sys.platform == "win32" else cast("str", None))
    except OSError:
        return None


_LIBRARY: Final = library()


def _from_library(name: str, operands: int) -> Callable[..., float] | None:
    function: Any = getattr(_LIBRARY, name, None)
    if function is not None:
        function.restype, function.argtypes = ctypes.c_double, [ctypes.c_double] * operands
    return cast("Callable[..., float] | None", function)


def _python_fma() -> Ternary | None:
    """Return `math.fma` (Python 3.13) with infinities and NaN instead of exceptions."""
    own = cast("Ternary | None", getattr(math, "fma", None))
    if own is None:
        return None

    def fma(a: float, b: float, c: float) -> float:
        try:
            return own(a, b, c)
        except (ValueError, OverflowError):
            return exact_fma(a, b, c)

    return fma


def _fma() -> Ternary:
    candidates = (_from_library("fma", 3), _python_fma())
    return next((f for f in candidates if f is not None and is_fma(f)), exact_fma)


def _library_or_python(name: str, own: Callable[..., float], *trial: float) -> Callable[..., float]:
    """Return the library's function, or Python's if the library's is missing or wrong."""
    function = _from_library(name, len(trial))
    fits = function is not None and math.isclose(function(*trial), own(*trial), rel_tol=1e-14)
    return function if function is not None and fits else own


fma: Final[Ternary] = _fma()
"""a b + c with one rounding; `native_functions.py` has a faster one once the compiler is loaded."""
sin: Final[Unary] = _library_or_python("sin", real.sin, 0.5)
cos: Final[Unary] = _library_or_python("cos", real.cos, 0.5)
tan: Final[Unary] = _library_or_python("tan", real.tan, 0.5)
asin: Final[Unary] = _library_or_python("asin", real.asin, 0.5)
acos: Final[Unary] = _library_or_python("acos", real.acos, 0.5)
exp: Final[Unary] = _library_or_python("exp", real.exp, 0.5)
log: Final[Unary] = _library_or_python("log", real.log, 0.5)
tanh: Final[Unary] = _library_or_python("tanh", math.tanh, 0.5)
atan2: Final[Binary] = _library_or_python("atan2", math.atan2, 0.5, -2.0)
power: Final[Binary] = _library_or_python("pow", real.power, 0.5, -2.5)
