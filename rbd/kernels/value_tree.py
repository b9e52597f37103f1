"""Flattening of nested values into numbers and a template.

Arguments and results of kernels are tuples, mappings and framed values of scalars. `flatten` extracts the numbers and
returns a *template*: `float` for a number, `(float, n)` for a tuple of n numbers, a tuple that begins with a type for a
composite value, other values unchanged. Templates of arguments are hashable: they are keys of recorded kernels.
`unflattening.py` has the functions that restore a value from numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias, cast

import attrs
import numpy as np

from rbd.mechanism import Joint, RigidBody, TreePath
from rbd.spatial import Frame

Template: TypeAlias = object
_STATIC: Final = frozenset({int, bool, str, type(None), Frame, RigidBody, Joint})
"""Types whose values are part of a template unchanged."""


class UnsuitableError(Exception):
    """A value cannot be flattened, for instance because it holds symbols (internal)."""


def flatten(value: object, numbers: list[Any], number: type[Any] = float) -> Template:
    """Return the template of `value`; append its scalars of type `number` to `numbers`.

    Raises UnsuitableError for types that are neither static nor attrs classes.

    >>> flatten(((1.0, 2.0), "name", 3), numbers := []), numbers
    ((<class 'tuple'>, (<class 'float'>, 2), 'name', 3), [1.0, 2.0])
    """
    kind = type(value)
    if kind is number:
        numbers.append(value)
        return float
    if kind in _STATIC:
        return value
    if isinstance(value, TreePath):
        return (TreePath, value.source, value.target, *value)
    if kind is tuple or kind is list:
        return _flatten_sequence(cast("Sequence[object]", value), numbers, number)
    if isinstance(value, Mapping):
        table = cast("Mapping[object, object]", value)
        return (dict, tuple(table), *(flatten(entry, numbers, number) for entry in table.values()))
    if isinstance(value, (float, np.floating)):
        return _flatten_float(cast("float", value), numbers, number)
    if attrs.has(kind):
        return (kind, *(flatten(getattr(value, name), numbers, number) for name in field_names(kind)))
    raise UnsuitableError(f"a {kind.__name__} cannot be recorded")


def _flatten_float(value: float, numbers: list[Any], number: type[Any]) -> Template:
    """Return the template of a float or a subclass; it is a constant if numbers are recorded scalars."""
    if number is not float:
        return value
    numbers.append(float(value))
    return float


def _flatten_sequence(values: Sequence[object], numbers: list[Any], number: type[Any]) -> Template:
    if set(map(type, values)) == {number}:
        numbers.extend(values)
        return (float, len(values))
    return (tuple, *(flatten(x, numbers, number) for x in values))


def count_numbers(template: Template) -> int:
    """Return the number of numbers of a template."""
    if template is float:
        return 1
    if not isinstance(template, tuple):
        return 0
    entries = cast("tuple[object, ...]", template)
    kind, parts = entries[0], entries[1:]
    if kind is float:
        return cast("int", parts[0])
    return 0 if kind is TreePath else sum(map(count_numbers, parts[1:] if kind is dict else parts))


def is_portable(template: Template) -> bool:
    """Return whether a template is valid in every process: only numbers, names and tuples."""
    if isinstance(template, tuple):
        return all(part is tuple or is_portable(part) for part in cast("tuple[object, ...]", template))
    return template is float or type(template) in (int, bool, str, type(None))


def split(template: Template) -> tuple[Any, Sequence[Any]]:
    """Return the kind and the parts of a composite template; None and no parts for all others."""
    if not isinstance(template, tuple):
        return None, ()
    entries: tuple[Any, ...] = template  # pyright: ignore[reportUnknownVariableType]  # mypy refuses a cast
    return entries[0], entries[1:]


_names: dict[type[Any], tuple[str, ...]] = {}


def field_names(kind: type[Any]) -> tuple[str, ...]:
    """Return the names of the fields of an attrs class."""
    names = _names.get(kind)
    if names is None:
        names = _names[kind] = tuple(field.name for field in attrs.fields(kind))
    return names
