"""The vocabulary of intrinsics.

An intrinsic is a Python function in a subset of the language, so that the same function runs in Python on all scalars
with decided comparisons, and is translated to machine code and C operation by operation (`parser.py` has the subset).
Everything but `fma`, `sqrt`, `divide`, `select`, `some` and `columns` is Python's own.
"""

from __future__ import annotations

from typing import Any, TypeAlias, cast

from rbd.scalars import libm
from rbd.scalars.families import real
from rbd.scalars.native_functions import NATIVE_FUNCTIONS

__all__ = ["Floats", "Ints", "Rows", "columns", "divide", "fma", "select", "some", "sqrt"]

Floats: TypeAlias = list[float]
"""Vector of floats, passed by reference."""

Rows: TypeAlias = list[Floats]
"""Matrix of floats, stored row by row."""

Ints: TypeAlias = list[int]
"""Vector of ints: a table, a permutation or an index set."""


def columns(count: int, stride: int) -> range:
    """Return the columns of matrices with `count` columns, whose rows begin every `stride` entries.

    The iterations of a loop over them are independent, so that machine code vectorises it. In its body
    column `j` of row `i` is written `matrix[i * stride + j]`. The stride must not be less than the count.
    """
    return range(count)


def fma(a: float, b: float, c: float) -> float:
    """Return a b + c with one rounding.

    >>> fma(0.1, 10.0, -1.0)
    5.551115123125783e-17
    """
    if type(a) is float and type(b) is float and type(c) is float:
        return (NATIVE_FUNCTIONS.fma or libm.fma)(a, b, c)
    return a * b + c


def sqrt(x: float) -> float:
    """Return the square root; NaN below zero."""
    return real.sqrt(x) if type(x) is float else cast("Any", x).sqrt()


def divide(a: float, b: float) -> float:
    """Return a / b; infinity or NaN where Python's operator raises."""
    if type(a) is float and type(b) is float:
        return real.divide(a, b)
    return cast("float", cast("Any", a) / b)


def select(condition: bool, a: float, b: float) -> float:
    """Return `a` where the condition, a comparison of floats, holds, else `b`.

    Both are evaluated: lanes that go through a function together need no branch.

    >>> select(1.0 < 2.0, 3.0, 4.0)
    3.0
    """
    return a if condition else b


def some(condition: bool) -> bool:
    """Return whether the condition, a comparison of floats, holds in any lane.

    A loop `while some(running > 0.0)` ends with the slowest lane. The bits of a lane do not depend on the others if the
    body leaves everything as it is in lanes that are done: `x = select(running > 0.0, new, x)`.

    >>> some(1.0 < 2.0)
    True
    """
    return condition
