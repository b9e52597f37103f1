"""A straight-line program: pure data, to be interpreted, counted, printed, pickled or compiled.

May import: the files above it in `rbd.scalars`; knows nothing of machine code.

One instruction is (operation, operand, ...). An operand r with 0 <= r < n is the r-th input scalar (ports one after the
other, each row by row; n of them in all), n + k is the result of instruction k (of earlier ones only), and a negative r
is the constant `constants[~r]`. POSITIVE's second entry is no operand but the index of its text in `labels`.
"""

from __future__ import annotations

import math
from typing import final

import attrs


@final
@attrs.frozen
class Port:
    """A named array that goes in or comes out, of fixed shape; () is a single number.

    >>> Port("q", (2, 3)).size
    6
    """

    name: str
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """The number of scalars."""
        return math.prod(self.shape)


@final
@attrs.frozen
class Program:
    """Instructions in the order they were recorded, with named inputs and outputs."""

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    constants: tuple[float, ...]
    code: tuple[tuple[int, ...], ...]
    results: tuple[int, ...]
    """The operand of every output scalar, port after port; may be an input or a constant."""
    labels: tuple[str, ...]
