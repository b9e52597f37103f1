"""What a kernel is called with, taken apart: numbers that change from call to call, and the structure around them.

Room: state (internal); may import mechanism and above. The structure is hashable, so that it finds what was recorded
for it, and it is the plan for putting arguments together again from other numbers, such as recorded ones. Floats are
numbers; integers, names, frames, bodies, joints and paths are structure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, TypeAlias, cast

import attrs
import numpy as np

from rbd.mechanism import Joint, RigidBody, TreePath
from rbd.spatial import Frame

Structure: TypeAlias = object
"""Hashable: a leaf, `float` for a number, or a tuple that begins with a type and goes on with what is inside."""

_LEAVES: Final = frozenset({int, bool, str, type(None), Frame, RigidBody, Joint})


class UnsuitableError(Exception):
    """An argument holds what no recording can be made for, such as symbols; not an error of the user's."""


def taken_apart(value: object, numbers: list[float]) -> Structure:
    """Return the structure of `value`, its numbers appended to `numbers`; raise UnsuitableError if it has none."""
    kind = type(value)
    if kind is float:
        numbers.append(cast("float", value))
        return float
    if kind in _LEAVES:
        return value
    if kind is tuple or kind is list:
        return _of_sequence(cast("Sequence[object]", value), numbers)
    if kind is dict:
        table = cast("dict[object, object]", value)
        return (dict, tuple(table), *(taken_apart(entry, numbers) for entry in table.values()))
    if kind is TreePath:
        path = cast("TreePath", value)
        return (TreePath, path.source, path.target, *path)
    if isinstance(value, np.floating):
        numbers.append(float(cast("Any", value)))
        return float
    if attrs.has(kind):
        return (kind, *(taken_apart(getattr(value, name), numbers) for name in field_names(kind)))
    raise UnsuitableError


def _of_sequence(values: Sequence[object], numbers: list[float]) -> Structure:
    if values and all(type(x) is float for x in values):
        numbers.extend(cast("Sequence[float]", values))
        return (float, len(values))
    return (tuple, *(taken_apart(x, numbers) for x in values))


def field_names(kind: type[Any]) -> tuple[str, ...]:
    """Return the attributes of an attrs class."""
    return tuple(field.name for field in attrs.fields(kind))


def is_vector(structure: Structure) -> bool:
    """Return whether this is the structure of a number or a plain tuple of numbers."""
    if structure is float:
        return True
    return isinstance(structure, tuple) and cast("tuple[object, ...]", structure)[:1] == (float,)


def is_portable(structure: Structure) -> bool:
    """Return whether a structure means the same in every process: nothing but numbers, names and tuples."""
    if isinstance(structure, tuple):
        whole = cast("tuple[object, ...]", structure)
        return all(part is tuple or is_portable(part) for part in whole)
    return structure is float or type(structure) in (int, bool, str, type(None))


def count_numbers(structure: Structure) -> int:
    """Return how many numbers there are in a structure."""
    if structure is float:
        return 1
    if not isinstance(structure, tuple):
        return 0
    whole = cast("tuple[object, ...]", structure)
    kind, parts = whole[0], whole[1:]
    if kind is float:
        return cast("int", parts[0])
    return 0 if kind is TreePath else sum(map(count_numbers, parts[1:] if kind is dict else parts))


def put_together(structure: Structure, numbers: Iterator[Any]) -> Any:
    """Return a value of this structure with the next numbers in it."""
    if structure is float:
        return next(numbers)
    if not isinstance(structure, tuple):
        return structure
    whole = cast("tuple[object, ...]", structure)
    kind, parts = whole[0], whole[1:]
    if kind is float:
        return tuple(next(numbers) for _ in range(cast("int", parts[0])))
    if kind is tuple:
        return tuple(put_together(part, numbers) for part in parts)
    if kind is dict:
        keys = cast("tuple[object, ...]", parts[0])
        return {key: put_together(part, numbers) for key, part in zip(keys, parts[1:], strict=True)}
    if kind is TreePath:
        source, target, *steps = cast("tuple[Any, ...]", parts)
        return TreePath(source, target, steps)
    return remade(cast("type[Any]", kind), [put_together(part, numbers) for part in parts])


def remade(kind: type[Any], values: Sequence[object]) -> Any:
    """Return an instance of an attrs class with these values of its fields, which need no check."""
    value: Any = object.__new__(kind)
    for setter, entry in zip(setters_of(kind), values, strict=True):
        setter(value, entry)
    return value


def setters_of(kind: type[Any]) -> tuple[Callable[[object, object], None], ...]:
    """Return what sets the fields of an attrs class, frozen or not."""
    found = _setters.get(kind)
    if found is None:
        found = _setters[kind] = tuple(_setter(kind, name) for name in field_names(kind))
    return found


_setters: dict[type[Any], tuple[Callable[[object, object], None], ...]] = {}


def _setter(kind: type[Any], name: str) -> Callable[[object, object], None]:
    slot = getattr(kind, name, None)
    if hasattr(slot, "__set__"):
        setter: Callable[[object, object], None] = cast("Any", slot).__set__
        return setter
    return lambda value, entry: object.__setattr__(value, name, entry)
