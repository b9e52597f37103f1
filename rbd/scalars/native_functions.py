"""Functions that machine code computes once the compiler is loaded, with the same results: one registry per process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, final


def _not_implemented(value: object) -> Any:
    return NotImplemented


@final
class NativeFunctions:
    """Builtins that `rbd.native` sets once it has compiled them."""

    def __init__(self) -> None:
        """Initialise as for a process without compiler."""
        self.fma: Callable[[float, float, float], float] | None = None
        """a b + c with one rounding; None: that of `libm.py`."""
        self.array_of_tuples: Callable[[object], Any] = _not_implemented
        """Float64 array of tuples of numbers; NotImplemented for anything else, which NumPy converts."""
        self.copy_in_row_order: Callable[[object], Any] = _not_implemented
        """Copy in row order of a matrix in column order; NotImplemented for anything else, which NumPy copies."""


NATIVE_FUNCTIONS: Final = NativeFunctions()
"""Those of this process."""
