"""Ports: the named inputs and outputs of programs, and the positions of their scalars."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import final

import attrs


@final
@attrs.frozen
class Port:
    """A named input or output array of fixed shape; () is a single number.

    >>> Port("q", (2, 3)).size
    6
    """

    name: str
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """The number of scalars."""
        return math.prod(self.shape)


def offsets(ports: Iterable[Port]) -> Iterator[tuple[int, Port]]:
    """Yield ports with the number of scalars before each."""
    start = 0
    for port in ports:
        yield start, port
        start += port.size


def port_and_index(ports: Iterable[Port], position: int) -> tuple[int, int]:
    """Return the number of the port that has a scalar, and the index in it."""
    for number, port in enumerate(ports):
        if position < port.size:
            return number, position
        position -= port.size
    raise IndexError(position)
