"""Nested values from numbers, recorded ones or floats: the functions that fill templates of `value_tree.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter
from struct import Struct
from typing import Any, TypeAlias, cast, final, overload

import attrs
from typing_extensions import override

from rbd.kernels.value_tree import Template, count_numbers, field_names, split
from rbd.mechanism import TreePath
from rbd.scalars.arrays import Array

Numbers: TypeAlias = Sequence[Any]
Unflatten: TypeAlias = Callable[[Numbers], Any]
Setter: TypeAlias = Callable[[object, object], None]

_new = object.__new__
_setters: dict[type[Any], tuple[Setter, ...]] = {}


def unflattener(template: Template, start: int = 0) -> Unflatten:
    """Return the function from a tuple of numbers to the value; the template's numbers start at index `start`.

    >>> unflattener((tuple, float, "name", (float, 3)))((1.0, 2.0, 3.0, 4.0))
    (1.0, 'name', (2.0, 3.0, 4.0))
    """
    if template is float:
        return itemgetter(start)
    if not isinstance(template, tuple):
        return lambda numbers: template
    entries: tuple[Any, ...] = template  # pyright: ignore[reportUnknownVariableType]  # mypy refuses a cast
    kind, *parts = entries
    if kind is float:
        return itemgetter(_span(start, parts[0]))
    if kind is TreePath:
        path = TreePath(parts[0], parts[1], tuple(parts[2:]))
        return lambda numbers: path
    if kind is dict:
        keys, fills = parts[0], _unflatteners(parts[1:], start)
        return lambda numbers: {key: fill(numbers) for key, fill in zip(keys, fills, strict=True)}
    if kind is tuple:
        return _tuple_unflattener(parts, start)
    return _instance_unflattener(kind, parts, start)


def array_unflattener(template: Template) -> Callable[[Array], Any]:
    """Return the function from an array of numbers to the value.

    Of a tuple of framed values each reads its own part of the array, when it is first asked for.
    """
    if not _is_lazy(template):
        fill = unflattener(template)
        return lambda array: fill(tuple(array.tolist()))
    start = 0
    readers: list[Callable[[memoryview], Any]] = []
    for part in cast("tuple[Template, ...]", template)[1:]:
        readers.append(_reader(part, start))
        start += count_numbers(part)
    fills = tuple(readers)
    return lambda array: LazyTuple(fills, array.data)


def _reader(template: Template, start: int) -> Callable[[memoryview], Any]:
    """Return the function from the memory of an array to a value whose numbers begin at `start`."""
    count, order = count_numbers(template), list[object]()
    filled = _filled(template, order)
    unpack, offset = Struct(f"{count}d").unpack_from, start * Struct("d").size
    constants = tuple(entry for entry in order if entry is not None)
    fill = unflattener(filled)
    if not constants or not count:
        return lambda memory: fill(unpack(memory, offset))
    numbers, others = iter(range(count)), iter(range(count, len(order)))
    arrange = itemgetter(*(next(numbers if entry is None else others) for entry in order))
    return lambda memory: fill(arrange(unpack(memory, offset) + constants))


def _filled(template: Template, order: list[object]) -> Template:
    """Return a template in which constants between numbers are numbers, so that vectors are runs of numbers.

    `order` gets an entry per number: None, or the constant that it is.

    >>> _filled((tuple, float, 0, float), order := []), order
    ((<class 'float'>, 3), [None, 0, None])
    """
    kind, parts = split(template)
    if kind in (None, float, dict) or not count_numbers(template):
        order += [None] * count_numbers(template)
        return template
    return _filled_tuple(parts, order) if kind is tuple else (kind, *(_filled(part, order) for part in parts))


def _filled_tuple(parts: Sequence[Template], order: list[object]) -> Template:
    filled = [_filled_entry(part, order) for part in parts]
    return (float, len(parts)) if all(part is float for part in filled) else (tuple, *filled)


def _filled_entry(template: Template, order: list[object]) -> Template:
    """Return what becomes of an entry of a tuple that has numbers."""
    if type(template) in (int, float):
        order.append(template)
        return float
    kind, parts = split(template)
    return _filled_tuple(parts, order) if kind is tuple else _filled(template, order)


def _span(start: int, count: int) -> slice:
    return slice(start, start + count)


def _tuple_unflattener(parts: Sequence[Template], start: int) -> Unflatten:
    """Return the function for a tuple; for one of vectors it is a single call."""
    if len(parts) > 1 and all(isinstance(part, tuple) and part[0] is float for part in parts):
        sizes = list(map(count_numbers, parts))
        return itemgetter(*(_span(start + sum(sizes[:k]), size) for k, size in enumerate(sizes)))
    fills = _unflatteners(parts, start)
    if _is_lazy((tuple, *parts)):
        return lambda numbers: LazyTuple(fills, numbers)
    return lambda numbers: tuple([fill(numbers) for fill in fills])


def _instance_unflattener(kind: type[Any], parts: Sequence[Template], start: int) -> Unflatten:
    """Return the function for an instance of an attrs class; its fields were checked when the template was made."""
    rows = list(zip(_setters_of(kind), parts, _unflatteners(parts, start), strict=True))
    constants = [(setter, fill(())) for setter, part, fill in rows if not count_numbers(part)]
    fields = [(setter, fill) for setter, part, fill in rows if count_numbers(part)]

    def made(numbers: Numbers) -> Any:
        value: Any = _new(kind)
        for setter, entry in constants:
            setter(value, entry)
        for setter, fill in fields:
            setter(value, fill(numbers))
        return value

    if len(fields) == 2:  # poses, motions and forces: written out, as they are most of what states are asked for
        return _pair_unflattener(kind, constants, *fields)
    if fields:
        return made
    constant = made(())
    return lambda numbers: constant


def _pair_unflattener(
    kind: type[Any],
    constants: Sequence[tuple[Setter, Any]],
    first: tuple[Setter, Unflatten],
    last: tuple[Setter, Unflatten],
) -> Unflatten:
    """Return the function for an instance with two fields of numbers."""
    (set_first, fill_first), (set_last, fill_last) = first, last

    def made(numbers: Numbers) -> Any:
        value: Any = _new(kind)
        for setter, entry in constants:
            setter(value, entry)
        set_first(value, fill_first(numbers))
        set_last(value, fill_last(numbers))
        return value

    return made


def _unflatteners(templates: Sequence[Template], start: int) -> tuple[Unflatten, ...]:
    fills: list[Unflatten] = []
    for template in templates:
        fills.append(unflattener(template, start))
        start += count_numbers(template)
    return tuple(fills)


def _is_lazy(template: Template) -> bool:
    """Return whether this is the template of a tuple of several framed values."""
    if not isinstance(template, tuple):
        return False
    kind, *parts = cast("tuple[Template, ...]", template)
    return kind is tuple and len(parts) > 2 and any(map(_is_framed, parts))


def _is_framed(template: Template) -> bool:
    return isinstance(template, tuple) and attrs.has(cast("tuple[type[Any], ...]", template)[0])


@final
class LazyTuple(Sequence[Any]):
    """A tuple of framed values over a sequence of numbers; each value is made lazily, once."""

    __slots__ = ("_fills", "_made", "_numbers")

    def __init__(self, fills: tuple[Callable[[Any], Any], ...], numbers: Numbers | memoryview) -> None:
        """Set the numbers."""
        self._fills, self._numbers = fills, numbers
        self._made: list[Any] = [None] * len(fills)

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
            value = self._made[index] = self._fills[index](self._numbers)
        return value

    @override
    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self._made)))

    @override
    def __len__(self) -> int:
        return len(self._made)


def _setters_of(kind: type[Any]) -> tuple[Setter, ...]:
    """Return setters of the fields of an attrs class, frozen or not."""
    setters = _setters.get(kind)
    if setters is None:
        setters = _setters[kind] = tuple(_setter(kind, name) for name in field_names(kind))
    return setters


def _setter(kind: type[Any], name: str) -> Setter:
    slot = getattr(kind, name, None)
    if hasattr(slot, "__set__"):
        setter: Setter = cast("Any", slot).__set__
        return setter
    return lambda value, entry: object.__setattr__(value, name, entry)
