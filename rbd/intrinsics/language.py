"""The words an intrinsic may use.

An intrinsic is a Python function over a small part of the language, so that the same function runs in Python on any
decidable scalars, and is translated to machine code and to C operation by operation (`checking.py` says what is
allowed). Everything but `fma`, `sqrt`, `divide`, `abs` and `columns` is Python's own.
"""

from __future__ import annotations

from typing import Any, TypeAlias, cast

from rbd.scalars import libm
from rbd.scalars.backends import real

__all__ = ["Floats", "Ints", "Rows", "columns", "divide", "fma", "sqrt"]

Floats: TypeAlias = list[float]
"""Numbers in a row. They are written in place."""

Rows: TypeAlias = list[Floats]
"""A matrix: rows of numbers, one after the other in memory."""

Ints: TypeAlias = list[int]
"""Whole numbers: tables that come with a call, and those for work, such as permutations and sets of indices."""


def columns(count: int, stride: int) -> range:
    """Return the columns of matrices with `count` columns, whose rows begin every `stride` entries.

    A loop over them does the same to each column and mixes none, so that machine code takes many at a time. In its body
    column `j` of row `i` is written `matrix[i * stride + j]`. The stride must not be less than the count.
    """
    return range(count)


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
