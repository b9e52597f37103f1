"""Results of recorded functions as named outputs of programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast, final

import attrs
import numpy as np
from numpy.typing import NDArray

from rbd.algorithms.results.dynamics_result import DynamicsResult
from rbd.algorithms.results.solution import SOLVED_ARRAYS
from rbd.errors import ArgumentError
from rbd.mechanism import Joint, RigidBody
from rbd.spatial import Frame, Transform
from rbd.spatial.values import SpatialValue

_TYPES_WITHOUT_OUTPUTS = (str, bool, type(None), RigidBody, Joint, Frame)
"""Types of other fields of classes of results."""


@final
class _Output(NamedTuple):
    """One output: its name, which is empty for the whole result, its place in the result, and its value."""

    name: str
    place: str
    value: object


def named_outputs(result: object) -> dict[str, object]:
    """Return the result of a function as named nested tuples of scalars."""
    named, places = dict[str, object](), dict[str, str]()
    for each in _outputs(_Output("", "", result)):
        name = each.name or "result"
        if name in named:
            message = f"{places[name]} and {each.place} of the recorded function's result both give the output {name!r}"
            raise ArgumentError(f"{message}; rename one of the keys", argument="function", value=name)
        named[name], places[name] = each.value, each.place
    return named


def _outputs(part: _Output) -> Iterator[_Output]:
    """Yield the outputs of a part of the result: itself, or one per part of it, by keys, fields or indices."""
    name, place, value = part
    parts = _parts_of(value)
    if parts is None:
        yield _Output(name, place, _nested_tuples(value))
        return
    for key, entry in parts.items():
        yield from _outputs(_Output(f"{name}_{key}" if name else str(key), f"{place}[{key!r}]", entry))


def _parts_of(value: object) -> Mapping[Any, object] | None:
    """Return the parts of a result by key: of mappings, classes of results, named tuples, and tuples of arrays."""
    if isinstance(value, Mapping):
        return cast("Mapping[Any, object]", value)
    if isinstance(value, SpatialValue):
        return None
    if isinstance(value, DynamicsResult):
        return {name: getattr(value, name) for name in SOLVED_ARRAYS}
    kind: type[Any] = type(value)
    if attrs.has(kind):
        fields = {field.name: getattr(value, field.name) for field in attrs.fields(kind)}
        return {name: part for name, part in fields.items() if not isinstance(part, _TYPES_WITHOUT_OUTPUTS)}
    if not isinstance(value, (tuple, list)):
        return None
    entries, names = cast("Sequence[object]", value), getattr(cast("object", value), "_fields", None)
    if names is None and not _has_separate_outputs(entries):
        return None
    return dict(zip(names or [f"result_{i}" for i in range(len(entries))], entries, strict=True))


def _has_separate_outputs(entries: Sequence[object]) -> bool:
    """Return whether a tuple or list is no array: its entries have parts or different shapes, or a tuple holds arrays.

    The last keeps outputs the same for all mechanisms: q and v of some have one shape.
    """
    holds_arrays = isinstance(entries, tuple) and any(isinstance(x, np.ndarray) and x.ndim > 0 for x in entries)
    composed = holds_arrays or any(_parts_of(entry) is not None for entry in entries)
    return composed or len({_shape_of(entry) for entry in entries}) > 1


def _shape_of(value: object) -> tuple[int, ...]:
    """Return the shape of a value as an array; for ragged sequences, that of the outermost level."""
    if isinstance(value, np.ndarray):
        return cast("NDArray[Any]", value).shape
    nested = _nested_tuples(value)
    if not isinstance(nested, tuple):
        return ()
    entries = cast("tuple[object, ...]", nested)
    inner = {_shape_of(entry) for entry in entries}
    return (len(entries), *(inner.pop() if len(inner) == 1 else ()))


def _nested_tuples(value: object) -> object:
    """Return an array, a framed value or a sequence as nested tuples; an empty array, for its shape, unchanged."""
    if value is None:
        raise ArgumentError("the recorded function returned None; it must return its results", argument="function")
    if isinstance(value, np.ndarray):
        return _nested_tuples(cast("object", value.tolist())) if value.size else cast("object", value)
    if isinstance(value, (tuple, list)):
        return tuple(_nested_tuples(entry) for entry in cast("list[object]", value))
    if isinstance(value, Transform):
        rows = zip(value.rotation_components, value.translation_components, strict=True)
        return *((*row, x) for row, x in rows), (0, 0, 0, 1)
    components = getattr(value, "components", None)
    return value if components is None else _nested_tuples(components)
