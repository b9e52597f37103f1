"""Values from arrays of numbers, which programs write."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from struct import Struct
from typing import Any, TypeAlias

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
    count = template.count
    numeric, entries = _with_constants_as_numbers(template)
    unflatten = numeric.unflattener()
    unpack, offset = Struct(f"{count}d").unpack_from, start * Struct("d").size
    constants = tuple(entry for entry in entries if entry is not None)
    if not constants or not count:
        return lambda memory: unflatten(unpack(memory, offset))
    numbers, others = iter(range(count)), iter(range(count, len(entries)))
    arrange = itemgetter(*(next(numbers if entry is None else others) for entry in entries))
    return lambda memory: unflatten(arrange(unpack(memory, offset) + constants))


_TemplateAndEntries: TypeAlias = tuple[Template, list[object]]
"""A template, and an entry per number of it: None, or the constant that it is."""


def _with_constants_as_numbers(template: Template) -> _TemplateAndEntries:
    """Return a template in which constants between numbers are numbers, so that vectors are runs of numbers.

    >>> _with_constants_as_numbers(TupleTemplate((NUMBER, ConstantTemplate(0), NUMBER)))
    (VectorTemplate(size=3), [None, 0, None])
    """
    match template:
        case TupleTemplate(parts) if template.count:
            return _tuple_of_numbers(parts)
        case InstanceTemplate(parts, kind) if template.count:
            converted, entries = _joined(map(_with_constants_as_numbers, parts))
            return InstanceTemplate(converted, kind), entries
        case _:
            return template, [None] * template.count


def _tuple_of_numbers(parts: Sequence[Template]) -> _TemplateAndEntries:
    converted, entries = _joined(map(_entry_of_tuple, parts))
    if all(isinstance(part, NumberTemplate) for part in converted):
        return VectorTemplate(len(converted)), entries
    return TupleTemplate(converted), entries


def _entry_of_tuple(template: Template) -> _TemplateAndEntries:
    """Return the template of an entry of a tuple that has numbers."""
    match template:
        case ConstantTemplate(value) if type(value) in (int, float):
            return NUMBER, [value]
        case TupleTemplate(parts):
            return _tuple_of_numbers(parts)
        case _:
            return _with_constants_as_numbers(template)


def _joined(parts: Iterable[_TemplateAndEntries]) -> tuple[tuple[Template, ...], list[object]]:
    """Return the templates of parts, and the entries of all of them."""
    pairs = list(parts)
    return tuple([template for template, _ in pairs]), [entry for _, entries in pairs for entry in entries]
