"""The C library's functions without Python's exceptions, and a fused multiply-add.

Compiled programs call the same functions of the same library, so that interpreter and machine code agree to the last
bit. Each is tried out when this module is imported; what is missing or wrong is replaced by Python's own.
"""

from __future__ import annotations

import ctypes
import math
import struct
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final, TypeAlias, cast

from rbd.scalars.backends import real

Unary: TypeAlias = Callable[[float], float]
Binary: TypeAlias = Callable[[float, float], float]
Ternary: TypeAlias = Callable[[float, float, float], float]

# Cases where two roundings, or none of infinity and zero, would show: halves of last places, cancellation, overflow of
# the product alone, subnormal results, signed zeros.
_TRIALS: Final = (
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
    """Return a b + c with one rounding, slowly and without help from the machine.

    >>> exact_fma(0.1, 10.0, -1.0), 0.1 * 10.0 - 1.0
    (5.551115123125783e-17, 0.0)
    """
    if not (math.isfinite(a) and math.isfinite(b)):
        return a * b + c
    if not math.isfinite(c):
        return c
    total = Fraction(a) * Fraction(b) + Fraction(c)
    return real.to_float(total) if total else a * b + c  # the sign of a zero is the sum's


def _pattern(x: float) -> bytes:
    """Return what two results must share: the bits, of NaN only that it is one."""
    return struct.pack("<d", x) if x == x else b"nan"


def is_fma(candidate: Ternary) -> bool:
    """Return whether a function multiplies and adds with one rounding, as far as trials can tell."""
    try:
        return all(_pattern(candidate(*trial)) == _pattern(exact_fma(*trial)) for trial in _TRIALS)
    except (ArithmeticError, ValueError):
        return False


def library() -> ctypes.CDLL | None:
    """Return the C library this process has loaded, if it can be found; calls into it keep the interpreter's lock."""
    try:
        return ctypes.PyDLL("ucrtbase" if sys.platform == "win32" else cast("str", None))
    except OSError:
        return None


_LIBRARY: Final = library()


def _from_library(name: str, operands: int) -> Callable[..., float] | None:
    found: Any = getattr(_LIBRARY, name, None)
    if found is not None:
        found.restype, found.argtypes = ctypes.c_double, [ctypes.c_double] * operands
    return cast("Callable[..., float] | None", found)


def _python_fma() -> Ternary | None:
    """Return `math.fma` (Python 3.13) with IEEE's infinities and NaN in place of its exceptions."""
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


def _chosen(name: str, own: Callable[..., float], *trial: float) -> Callable[..., float]:
    """Return the library's function, or Python's where the library's is missing or answers nonsense."""
    found = _from_library(name, len(trial))
    fits = found is not None and math.isclose(found(*trial), own(*trial), rel_tol=1e-14)
    return found if found is not None and fits else own


fma: Final[Ternary] = _fma()
"""a b + c with one rounding."""

sin: Final[Unary] = _chosen("sin", real.sin, 0.5)
cos: Final[Unary] = _chosen("cos", real.cos, 0.5)
tan: Final[Unary] = _chosen("tan", real.tan, 0.5)
asin: Final[Unary] = _chosen("asin", real.asin, 0.5)
acos: Final[Unary] = _chosen("acos", real.acos, 0.5)
exp: Final[Unary] = _chosen("exp", real.exp, 0.5)
log: Final[Unary] = _chosen("log", real.log, 0.5)
tanh: Final[Unary] = _chosen("tanh", math.tanh, 0.5)
atan2: Final[Binary] = _chosen("atan2", math.atan2, 0.5, -2.0)
power: Final[Binary] = _chosen("pow", real.power, 0.5, -2.5)
