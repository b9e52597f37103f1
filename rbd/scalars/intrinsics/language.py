"""The words an intrinsic may use. May import: errors, libm, backends.real.

An intrinsic is a Python function over a small part of the language, so that the same function runs in Python on any
decidable scalars, and is translated to machine code and to C operation by operation (`checking.py` says what is
allowed). Everything but `fma`, `sqrt`, `divide` and `abs` is Python's own.
"""

from __future__ import annotations

from typing import Any, TypeAlias, cast

from rbd.scalars import libm
from rbd.scalars.backends import real

__all__ = ["Floats", "Ints", "divide", "fma", "sqrt"]

Floats: TypeAlias = list[float]
"""Numbers in a row; matrices are stored row by row. They are written in place."""

Ints: TypeAlias = list[int]
"""Whole numbers for work: permutations, sets of indices."""


def fma(a: float, b: float, c: float) -> float:
    """Return a b + c with one rounding.

    >>> fma(0.1, 10.0, -1.0)
    5.551115123125783e-17
    """
    if type(a) is float and type(b) is float and type(c) is float:
        return libm.fma(a, b, c)
    return a * b + c


def sqrt(x: float) -> float:
    """Return the square root; NaN below zero."""
    return real.sqrt(x) if type(x) is float else cast("Any", x).sqrt()


def divide(a: float, b: float) -> float:
    """Return a / b; infinity or NaN where Python's operator raises."""
    if type(a) is float and type(b) is float:
        return real.divide(a, b)
    return cast("float", cast("Any", a) / b)
