"""Floating-point constants of C."""

from __future__ import annotations

import math


def c_constant(value: float) -> str:
    """Return a double as an exact constant of C; infinities and NaN by their names in <math.h>."""
    if not math.isfinite(value):
        return "NAN" if math.isnan(value) else "INFINITY" if value > 0 else "(-INFINITY)"
    return value.hex() if math.copysign(1.0, value) > 0 else f"({value.hex()})"
