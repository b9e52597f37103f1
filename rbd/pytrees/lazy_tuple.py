"""Tuples whose values are made when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, final, overload

from typing_extensions import override


@final
class LazyTuple(Sequence[Any]):
    """A tuple of framed values over a sequence of numbers; each value is made lazily, once."""

    __slots__ = ("_made", "_numbers", "_unflatteners")

    def __init__(self, unflatteners: tuple[Callable[[Any], Any], ...], numbers: Sequence[Any] | memoryview) -> None:
        """Set the numbers."""
        self._unflatteners, self._numbers = unflatteners, numbers
        self._made: list[Any] = [None] * len(unflatteners)

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Any]: ...
    @override
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return tuple(self[i] for i in range(*index.indices(len(self._made))))
        value = self._made[index]
        if value is None:
            value = self._made[index] = self._unflatteners[index](self._numbers)
        return value

    @override
    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self._made)))

    @override
    def __len__(self) -> int:
        return len(self._made)
