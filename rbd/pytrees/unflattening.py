"""Values from arrays of numbers, which programs write."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from struct import Struct
from typing import Any

from rbd.pytrees.lazy_tuple import LazyTuple
from rbd.pytrees.templates import (
    NUMBER,
    ConstantTemplate,
    InstanceTemplate,
    NumberTemplate,
    Template,
    TupleTemplate,
    VectorTemplate,
)
from rbd.scalars.arrays import Array


def array_unflattener(template: Template) -> Callable[[Array], Any]:
    """Return the function from an array of numbers to the value.

    Of a tuple of framed values each reads its own part of the array, when it is first asked for.
    """
    if not isinstance(template, TupleTemplate) or not template.is_lazy:
        unflatten = template.unflattener()
        return lambda array: unflatten(tuple(array.tolist()))
    start = 0
    readers: list[Callable[[memoryview], Any]] = []
    for part in template.parts:
        readers.append(_reader(part, start))
        start += part.count
    unflatteners = tuple(readers)
    return lambda array: LazyTuple(unflatteners, array.data)


def _reader(template: Template, start: int) -> Callable[[memoryview], Any]:
    """Return the function from the memory of an array to a value whose numbers begin at `start`."""
    count, entries = template.count, list[object]()
    unflatten = _with_constants_as_numbers(template, entries).unflattener()
    unpack, offset = Struct(f"{count}d").unpack_from, start * Struct("d").size
    constants = tuple(entry for entry in entries if entry is not None)
    if not constants or not count:
        return lambda memory: unflatten(unpack(memory, offset))
    numbers, others = iter(range(count)), iter(range(count, len(entries)))
    arrange = itemgetter(*(next(numbers if entry is None else others) for entry in entries))
    return lambda memory: unflatten(arrange(unpack(memory, offset) + constants))


def _with_constants_as_numbers(template: Template, entries: list[object]) -> Template:
    """Return a template in which constants between numbers are numbers, so that vectors are runs of numbers.

    `entries` gets an entry per number: None, or the constant that it is.

    >>> _with_constants_as_numbers(TupleTemplate((NUMBER, ConstantTemplate(0), NUMBER)), entries := []), entries
    (VectorTemplate(size=3), [None, 0, None])
    """
    if template.count:
        match template:
            case TupleTemplate(parts):
                return _tuple_of_numbers(parts, entries)
            case InstanceTemplate(parts, kind):
                return InstanceTemplate(tuple([_with_constants_as_numbers(part, entries) for part in parts]), kind)
            case _:
                entries += [None] * template.count
    return template


def _tuple_of_numbers(parts: Sequence[Template], entries: list[object]) -> Template:
    filled = [_entry_of_tuple(part, entries) for part in parts]
    if all(isinstance(part, NumberTemplate) for part in filled):
        return VectorTemplate(len(filled))
    return TupleTemplate(tuple(filled))


def _entry_of_tuple(template: Template, entries: list[object]) -> Template:
    """Return the template of an entry of a tuple that has numbers."""
    match template:
        case ConstantTemplate(value) if type(value) in (int, float):
            entries.append(value)
            return NUMBER
        case TupleTemplate(parts):
            return _tuple_of_numbers(parts, entries)
        case _:
            return _with_constants_as_numbers(template, entries)
