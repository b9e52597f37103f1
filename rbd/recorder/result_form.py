"""Form of a kernel's result: conversion to named outputs of a program, and of output arrays to the result."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, cast, final

import attrs

from rbd.program.graph import Recorded
from rbd.pytrees.flattening import flatten
from rbd.pytrees.templates import Template
from rbd.pytrees.unflattening import array_unflattener
from rbd.scalars.arrays import Array

_MAX_ARRAYS: Final = 32
"""Maximum number of output arrays, whose pointers are on the stack; larger results are one array."""


@final
@attrs.frozen(eq=False)
class ResultForm:
    """Named outputs of a program, and the conversion of output arrays to the result."""

    outputs: Mapping[str, object]
    unflatten: Callable[[Sequence[Array]], Any]

    is_arrays: bool = False
    """Whether the result is an array or a tuple of arrays, as nested tuples."""
    template: Template | None = None
    """That of a result whose numbers are one output; None for others."""


def result_form(result: object, *, multiple_outputs: bool = False) -> ResultForm:
    """Return the form of a recorded result; raise UnsuitableError if it cannot be flattened.

    Each array of numbers (regular nested tuples) is an output, also in tuples and mappings; any other value is one
    output with all its recorded scalars. With `multiple_outputs`, arrays in a tuple are not stacked.
    """
    whole = result
    if not multiple_outputs and _is_array(result):
        return ResultForm({"result": result}, _single_array, is_arrays=True)
    if isinstance(result, tuple):
        entries = cast("tuple[object, ...]", result)
        if 0 < len(entries) <= _MAX_ARRAYS and all(map(_is_array, entries)):
            return ResultForm({f"result_{i}": entry for i, entry in enumerate(entries)}, _array_tuple, is_arrays=True)
    if isinstance(result, Mapping):
        table = cast("Mapping[str, object]", result)
        keys = tuple(table)
        if 0 < len(keys) <= _MAX_ARRAYS and all(map(_is_array, table.values())):
            return ResultForm(dict(table), lambda arrays: dict(zip(keys, map(nested, arrays), strict=True)))
    numbers: list[Any] = []
    template = flatten(whole, numbers, Recorded)
    fill = array_unflattener(template)
    return ResultForm({"numbers": tuple(numbers)}, lambda arrays: fill(arrays[0]), template=template)


def named_form(outputs: Sequence[str]) -> ResultForm | None:
    """Return the form of outputs with these names: an array, or a tuple of arrays; None for other forms."""
    if list(outputs) == ["result"]:
        return ResultForm({}, _single_array, is_arrays=True)
    return (
        ResultForm({}, _array_tuple, is_arrays=True)
        if list(outputs) == [f"result_{i}" for i in range(len(outputs))]
        else None
    )


def _single_array(arrays: Sequence[Array]) -> Any:
    return nested(arrays[0])


def _array_tuple(arrays: Sequence[Array]) -> Any:
    return tuple(map(nested, arrays))


def nested(array: Array) -> Any:
    """Return an array as nested tuples of floats."""
    if array.ndim < 2:
        return tuple(array.tolist()) if array.ndim else array.tolist()
    if not array.size:
        return _nested_tuples(array.tolist(), array.ndim)
    values: Iterator[Any] = iter(array.ravel().tolist())
    for size in array.shape[:0:-1]:
        values = zip(*(values,) * size, strict=True)  # groups of `size`, without a loop
    return tuple(values)


def _nested_tuples(values: Any, depth: int) -> Any:
    return tuple([_nested_tuples(row, depth - 1) for row in values]) if depth > 1 else tuple(values)


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
