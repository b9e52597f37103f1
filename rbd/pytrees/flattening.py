"""Flattening of nested values into numbers and a template."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple, cast, final

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
_constant_template = lru_cache(maxsize=1024, typed=True)(ConstantTemplate)
_vector_template = lru_cache(maxsize=1024)(VectorTemplate)
_EMPTY_TUPLE: Final = TupleTemplate(())
_CONSTANTS: Final[Mapping[type[Any], Callable[[Any], Template]]] = {
    **dict.fromkeys((int, bool, str, type(None)), _constant_template),
    **dict.fromkeys((Frame, RigidBody, Joint), ConstantTemplate),
}
"""Types whose values are part of a template unchanged."""


class FlatteningError(Exception):
    """A value cannot be flattened into numbers, or made from them in machine code (internal)."""


@final
class FlattenedValue(NamedTuple):
    """A nested value as a template and its numbers."""

    template: Template
    numbers: list[Any]


def flatten(value: object, scalar_type: type[Any] = float) -> FlattenedValue:
    """Return a nested value as its template and its scalars of type `scalar_type`.

    Raises FlatteningError for types that are neither constants of a template nor attrs classes.

    >>> template, numbers = flatten(((1.0, 2.0), "name"))
    >>> template, numbers
    (TupleTemplate(parts=(VectorTemplate(size=2), ConstantTemplate(value='name'))), [1.0, 2.0])
    """
    numbers: list[Any] = []
    return FlattenedValue(_template(value, numbers, scalar_type), numbers)


def _template(value: object, numbers: list[Any], scalar_type: type[Any]) -> Template:
    """Return the template of a part of a value; append its scalars to `numbers`, which all parts share."""
    kind = type(value)
    if kind is scalar_type:
        numbers.append(value)
        return NUMBER
    constant = _CONSTANTS.get(kind)
    if constant is not None:
        return constant(value)
    if isinstance(value, TreePath):
        return PathTemplate(value.source, value.target, tuple(value))
    if kind is tuple or kind is list:
        return _flatten_sequence(cast("Sequence[object]", value), numbers, scalar_type)
    if isinstance(value, Mapping):
        table = cast("Mapping[object, object]", value)
        return MappingTemplate(_parts(table.values(), numbers, scalar_type), tuple(table))
    if isinstance(value, (float, np.floating)):
        return _flatten_float(cast("float", value), numbers, scalar_type)
    if attrs.has(kind):
        return InstanceTemplate(
            _parts([getattr(value, name) for name in field_names(kind)], numbers, scalar_type), kind
        )
    raise FlatteningError(f"a {kind.__name__} cannot be recorded")


def _flatten_float(value: float, numbers: list[Any], scalar_type: type[Any]) -> Template:
    """Return the template of a float or a subclass; it is a constant if numbers are recorded scalars."""
    if scalar_type is not float:
        return ConstantTemplate(value)
    numbers.append(float(value))
    return NUMBER


def _flatten_sequence(values: Sequence[object], numbers: list[Any], scalar_type: type[Any]) -> Template:
    if set(map(type, values)) == {scalar_type}:
        numbers.extend(values)
        return _vector_template(len(values))
    return TupleTemplate(_parts(values, numbers, scalar_type)) if values else _EMPTY_TUPLE


def _parts(values: Iterable[object], numbers: list[Any], scalar_type: type[Any]) -> tuple[Template, ...]:
    return tuple([_template(value, numbers, scalar_type) for value in values])
