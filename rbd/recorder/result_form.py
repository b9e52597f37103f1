"""Form of a kernel's result: conversion to named outputs of a program, and of output arrays to the result."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, cast, final

import attrs

from rbd.program.graph import Recorded
from rbd.pytrees.flattening import flatten
from rbd.pytrees.templates import Template
from rbd.pytrees.unflattening import array_unflattener
from rbd.scalars.arrays import Array

_MAX_ARRAYS: Final = 32
"""Maximum number of output arrays, whose pointers are on the stack; larger results are one array."""


FormName = Literal["array", "tuple of arrays", "mapping of arrays", "nested value"]


@final
@attrs.frozen(eq=False)
class ResultForm:
    """Form of a kernel's result: its name, and the function from output arrays to the result."""

    name: FormName
    unflatten: Callable[[Sequence[Array]], Any]
    template: Template | None = None
    """That of a nested value, whose numbers are one output; None for arrays."""
    holds_arrays: bool = False
    """Whether the result is an array or a tuple of arrays, as nested tuples; no property, since every call reads it."""


@final
class RecordedResult(NamedTuple):
    """Result of a kernel on recorded scalars: the named outputs of its program, and its form."""

    outputs: Mapping[str, object]
    form: ResultForm


def _array(arrays: Sequence[Array]) -> Any:
    return nested_floats(arrays[0])


def _tuple_of_arrays(arrays: Sequence[Array]) -> Any:
    return tuple(map(nested_floats, arrays))


_ARRAY: Final = ResultForm("array", _array, holds_arrays=True)
_TUPLE_OF_ARRAYS: Final = ResultForm("tuple of arrays", _tuple_of_arrays, holds_arrays=True)
ARRAY_FORMS: Final = (_ARRAY, _TUPLE_OF_ARRAYS)
"""Forms that are the same for all kernels."""


def recorded_result(result: object, *, multiple_outputs: bool = False) -> RecordedResult:
    """Return a recorded result as named outputs; raise FlatteningError if it cannot be flattened.

    Each array of numbers (regular nested tuples) is an output, also in tuples and mappings; any other value is one
    output with all its recorded scalars. With `multiple_outputs`, arrays in a tuple are not stacked.
    """
    whole = result  # not narrowed by the tests below
    if not multiple_outputs and _is_array(result):
        return RecordedResult({"result": result}, _ARRAY)
    if isinstance(result, tuple):
        entries = cast("tuple[object, ...]", result)
        if _are_outputs(entries):
            return RecordedResult({f"result_{i}": entry for i, entry in enumerate(entries)}, _TUPLE_OF_ARRAYS)
    if isinstance(result, Mapping):
        table = cast("Mapping[str, object]", result)
        if _are_outputs(table.values()):
            return RecordedResult(dict(table), _mapping_form(tuple(table)))
    template, numbers = flatten(whole, Recorded)
    unflatten = array_unflattener(template)
    form = ResultForm("nested value", lambda arrays: unflatten(arrays[0]), template)
    return RecordedResult({"numbers": tuple(numbers)}, form)


def _mapping_form(keys: tuple[str, ...]) -> ResultForm:
    def mapping(arrays: Sequence[Array]) -> Any:
        return dict(zip(keys, map(nested_floats, arrays), strict=True))

    return ResultForm("mapping of arrays", mapping)


def _are_outputs(entries: Collection[object]) -> bool:
    """Return whether each entry can be an output of its own."""
    return 0 < len(entries) <= _MAX_ARRAYS and all(map(_is_array, entries))


def nested_floats(array: Array) -> Any:
    """Return an array as nested tuples of floats."""
    if array.ndim < 2:
        return tuple(array.tolist()) if array.ndim else array.tolist()
    if not array.size:
        return _nested_without_entries(array.tolist(), array.ndim)
    values: Iterator[Any] = iter(array.ravel().tolist())
    for size in array.shape[:0:-1]:
        values = zip(*(values,) * size, strict=True)  # groups of `size`, without a loop
    return tuple(values)


def _nested_without_entries(values: Any, depth: int) -> Any:
    return tuple([_nested_without_entries(row, depth - 1) for row in values]) if depth > 1 else tuple(values)


def _is_array(value: object) -> bool:
    return _array_shape(value) is not None


def _array_shape(value: object) -> tuple[int, ...] | None:
    """Return the shape of regular nested tuples of numbers; None for any other value."""
    if not isinstance(value, (tuple, list)):
        return () if type(value) in (float, int, Recorded) else None
    shapes = {_array_shape(part) for part in cast("Sequence[object]", value)}
    if not shapes:
        return (0,)
    inner = shapes.pop()
    return None if shapes or inner is None else (len(cast("Sequence[object]", value)), *inner)
