"""Flattening of nested values into numbers and a template."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, cast

import attrs
import numpy as np

from rbd.mechanism import Joint, RigidBody, TreePath
from rbd.pytrees.templates import (
    NUMBER,
    ConstantTemplate,
    InstanceTemplate,
    MappingTemplate,
    PathTemplate,
    Template,
    TupleTemplate,
    VectorTemplate,
    field_names,
)
from rbd.spatial import Frame

# Calls that are not in machine code yet flatten their arguments each time: small templates are made once.
_plain = lru_cache(maxsize=1024, typed=True)(ConstantTemplate)
_vector = lru_cache(maxsize=1024)(VectorTemplate)
_EMPTY: Final = TupleTemplate(())
_CONSTANTS: Final[Mapping[type[Any], Callable[[Any], Template]]] = {
    **dict.fromkeys((int, bool, str, type(None)), _plain),
    **dict.fromkeys((Frame, RigidBody, Joint), ConstantTemplate),
}
"""Types whose values are part of a template unchanged."""


class UnsuitableError(Exception):
    """A value cannot be flattened, for instance because it holds symbols (internal)."""


def flatten(value: object, numbers: list[Any], number: type[Any] = float) -> Template:
    """Return the template of `value`; append its scalars of type `number` to `numbers`.

    Raises UnsuitableError for types that are neither static nor attrs classes.

    >>> flatten(((1.0, 2.0), "name"), numbers := []), numbers
    (TupleTemplate(parts=(VectorTemplate(size=2), ConstantTemplate(value='name'))), [1.0, 2.0])
    """
    kind = type(value)
    if kind is number:
        numbers.append(value)
        return NUMBER
    constant = _CONSTANTS.get(kind)
    if constant is not None:
        return constant(value)
    if isinstance(value, TreePath):
        return PathTemplate(value.source, value.target, tuple(value))
    if kind is tuple or kind is list:
        return _flatten_sequence(cast("Sequence[object]", value), numbers, number)
    if isinstance(value, Mapping):
        table = cast("Mapping[object, object]", value)
        return MappingTemplate(_parts(table.values(), numbers, number), tuple(table))
    if isinstance(value, (float, np.floating)):
        return _flatten_float(cast("float", value), numbers, number)
    if attrs.has(kind):
        return InstanceTemplate(_parts([getattr(value, name) for name in field_names(kind)], numbers, number), kind)
    raise UnsuitableError(f"a {kind.__name__} cannot be recorded")


def _flatten_float(value: float, numbers: list[Any], number: type[Any]) -> Template:
    """Return the template of a float or a subclass; it is a constant if numbers are recorded scalars."""
    if number is not float:
        return ConstantTemplate(value)
    numbers.append(float(value))
    return NUMBER


def _flatten_sequence(values: Sequence[object], numbers: list[Any], number: type[Any]) -> Template:
    if set(map(type, values)) == {number}:
        numbers.extend(values)
        return _vector(len(values))
    return TupleTemplate(_parts(values, numbers, number)) if values else _EMPTY


def _parts(values: Iterable[object], numbers: list[Any], number: type[Any]) -> tuple[Template, ...]:
    return tuple([flatten(value, numbers, number) for value in values])
