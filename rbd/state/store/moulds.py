"""What a kernel returns, taken apart: its numbers as arrays, and the mould they are put back into.

Room: state (internal); may import mechanism and above. While an algorithm is recorded its result holds recorded
scalars, in tuples and framed values. The recorded ones become outputs of the program; what is known already, such as
frames and structural zeros, stays in the mould. A mould filled with floats is what the algorithm would have returned.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast, final, overload

import attrs
from typing_extensions import override

from rbd.scalars.arrays import Array
from rbd.scalars.graph import Recorded
from rbd.state.store.arguments import UnsuitableError, field_names, setters_of

_MOST_PORTS = 32
"""Beyond this many arrays a result is one array: their pointers go on the stack."""


class Mould(ABC):
    """A place for numbers."""

    @abstractmethod
    def fill(self, numbers: Sequence[float]) -> Any:
        """Return the value whose numbers these are."""


@final
@attrs.frozen(eq=False)
class _Known(Mould):
    value: object

    @override
    def fill(self, numbers: Sequence[float]) -> Any:
        return self.value


@final
@attrs.frozen(eq=False)
class _One(Mould):
    place: int

    @override
    def fill(self, numbers: Sequence[float]) -> Any:
        return numbers[self.place]


@final
@attrs.frozen(eq=False)
class _Run(Mould):
    """A tuple of numbers that follow each other."""

    start: int
    stop: int

    @override
    def fill(self, numbers: Sequence[float]) -> Any:
        return tuple(numbers[self.start : self.stop])


@final
@attrs.frozen(eq=False)
class _Parts(Mould):
    parts: tuple[Mould, ...]

    @override
    def fill(self, numbers: Sequence[float]) -> Any:
        return tuple([part.fill(numbers) for part in self.parts])


@final
@attrs.frozen(eq=False)
class _Values(Mould):
    """A tuple of framed values, each made when it is asked for."""

    parts: tuple[Mould, ...]

    @override
    def fill(self, numbers: Sequence[float]) -> Any:
        return OnDemand(self.parts, numbers)


@final
@attrs.frozen(eq=False)
class _Table(Mould):
    keys: tuple[object, ...]
    parts: tuple[Mould, ...]

    @override
    def fill(self, numbers: Sequence[float]) -> Any:
        return {key: part.fill(numbers) for key, part in zip(self.keys, self.parts, strict=True)}


@final
@attrs.frozen(eq=False)
class _Framed(Mould):
    """An instance of an attrs class."""

    kind: type[Any]
    setters: tuple[Callable[[object, object], None], ...]
    parts: tuple[Mould, ...]

    @override
    def fill(self, numbers: Sequence[float]) -> Any:
        value: Any = object.__new__(self.kind)
        for setter, part in zip(self.setters, self.parts, strict=True):
            setter(value, part.fill(numbers))
        return value


@final
class OnDemand(Sequence[Any]):
    """A tuple of framed values over one run of numbers; each value is made once, when it is first asked for."""

    __slots__ = ("_made", "_moulds", "_numbers")

    def __init__(self, moulds: tuple[Mould, ...], numbers: Sequence[float]) -> None:
        """Keep the numbers."""
        self._moulds, self._numbers = moulds, numbers
        self._made: list[Any] = [None] * len(moulds)

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
            value = self._made[index] = self._moulds[index].fill(self._numbers)
        return value

    @override
    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self._made)))

    @override
    def __len__(self) -> int:
        return len(self._made)


# ---------------------------------------------------------------- a whole result


@final
@attrs.frozen(eq=False)
class Cast:
    """A result taken apart: the outputs of its program by name, and how to make it of arrays."""

    outputs: Mapping[str, object]
    shape: Callable[[Sequence[Array]], Any]


def cast_of(result: object, *, several: bool = False) -> Cast:
    """Return a recorded result taken apart; raise UnsuitableError when it holds what no mould can.

    Arrays of numbers (regular nested tuples), and tuples and tables of such, become an output each; everything else is
    one output with all its numbers. With `several`, arrays in a tuple stay apart where they could be one.
    """
    whole = result
    if not several and _is_array(whole):
        return Cast({"result": whole}, _only)
    if isinstance(result, tuple):
        entries = cast("tuple[object, ...]", result)
        if 0 < len(entries) <= _MOST_PORTS and all(map(_is_array, entries)):
            return Cast({f"result_{i}": entry for i, entry in enumerate(entries)}, _each)
    if isinstance(result, Mapping):
        table = cast("Mapping[str, object]", result)
        keys = tuple(table)
        if 0 < len(keys) <= _MOST_PORTS and all(map(_is_array, table.values())):
            return Cast(dict(table), lambda arrays: dict(zip(keys, map(nested, arrays), strict=True)))
    return _in_one(whole)


def _in_one(result: object) -> Cast:
    """Return a result with all its numbers in one output."""
    numbers: list[Recorded] = []
    whole = _mould(result, numbers)
    return Cast({"numbers": tuple(numbers)}, lambda arrays: whole.fill(arrays[0].tolist()))


def shape_of(outputs: Sequence[str]) -> Callable[[Sequence[Array]], Any] | None:
    """Return how outputs of these names become a result, where the names say it: arrays, and tuples of arrays."""
    if list(outputs) == ["result"]:
        return _only
    return _each if list(outputs) == [f"result_{i}" for i in range(len(outputs))] else None


def gives_arrays(shape: Callable[[Sequence[Array]], Any]) -> bool:
    """Return whether what `shape` makes are the arrays themselves, as nested tuples."""
    return shape in (_only, _each)


def _only(arrays: Sequence[Array]) -> Any:
    return nested(arrays[0])


def _each(arrays: Sequence[Array]) -> Any:
    return tuple(map(nested, arrays))


def nested(array: Array) -> Any:
    """Return an array as nested tuples of floats, which is how algorithms hand numbers about."""
    if array.ndim < 2:
        return tuple(array.tolist()) if array.ndim else array.tolist()
    if not array.size:
        return _tuples(array.tolist(), array.ndim)
    values: Iterator[Any] = map(tuple, array.reshape(-1, array.shape[-1]).tolist())
    for size in array.shape[-2:0:-1]:
        values = zip(*(values,) * size, strict=True)  # runs of so many, made without a line of Python for each
    return tuple(values)


def _tuples(values: Any, depth: int) -> Any:
    return tuple([_tuples(row, depth - 1) for row in values]) if depth > 1 else tuple(values)


def _is_array(value: object) -> bool:
    return _array_shape(value) is not None


def _array_shape(value: object) -> tuple[int, ...] | None:
    """Return the shape of regular nested tuples of numbers; None for everything else."""
    if not isinstance(value, (tuple, list)):
        return () if _is_numeric(value) else None
    shapes = {_array_shape(part) for part in cast("Sequence[object]", value)}
    if not shapes:
        return (0,)
    inner = shapes.pop()
    return None if shapes or inner is None else (len(cast("Sequence[object]", value)), *inner)


def _is_numeric(value: object) -> bool:
    return type(value) in (float, int) or isinstance(value, Recorded)


def _mould(value: object, numbers: list[Recorded]) -> Mould:
    """Return the mould of a value whose recorded scalars are appended to `numbers`."""
    if isinstance(value, Recorded):
        numbers.append(value)
        return _One(len(numbers) - 1)
    if isinstance(value, (tuple, list)):
        return _mould_of_sequence(cast("Sequence[object]", value), numbers)
    if isinstance(value, Mapping):
        table = cast("Mapping[object, object]", value)
        return _Table(tuple(table), tuple(_mould(entry, numbers) for entry in table.values()))
    kind = type(value)
    if attrs.has(kind) and kind.__module__.startswith("rbd.") and field_names(kind):
        start = len(numbers)
        parts = tuple(_mould(getattr(value, name), numbers) for name in field_names(kind))
        return _Framed(kind, setters_of(kind), parts) if len(numbers) > start else _Known(value)
    if "Recorded" in kind.__name__ or hasattr(value, "__dict__"):
        raise UnsuitableError
    return _Known(value)


def _mould_of_sequence(values: Sequence[object], numbers: list[Recorded]) -> Mould:
    start = len(numbers)
    parts = tuple(_mould(entry, numbers) for entry in values)
    if len(numbers) == start:
        return _Known(tuple(values))
    if all(type(part) is _One for part in parts):
        return _Run(start, len(numbers))
    framed = sum(type(part) is _Framed for part in parts)
    return _Values(parts) if framed and len(parts) > 2 else _Parts(parts)
