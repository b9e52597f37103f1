"""Flattening of nested values: numbers on one side, a template of everything else on the other.

Arguments and results of kernels are tuples, mappings and framed values with scalars inside. `flatten` takes the numbers
out and returns a *template*: `float` for a number, `(float, n)` for a tuple of n numbers, a tuple that begins with a
type for a composite value, anything else as it is. Templates of arguments are hashable, so that they find what was
recorded for them; `unflattener` makes the function that puts numbers back, recorded ones or floats.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias, cast, final, overload

import attrs
import numpy as np
from typing_extensions import override

from rbd.mechanism import Joint, RigidBody, TreePath
from rbd.program.graph import Recorded
from rbd.scalars.arrays import Array
from rbd.spatial import Frame

Template: TypeAlias = object
Numbers: TypeAlias = Sequence[Any]
Unflatten: TypeAlias = Callable[[Numbers], Any]

_STATIC: Final = frozenset({int, bool, str, type(None), Frame, RigidBody, Joint})
"""Types whose values are part of a template as they are."""
_MOST_ARRAYS: Final = 32
"""Beyond this many arrays a result is one array: their pointers go on the stack."""


class UnsuitableError(Exception):
    """A value cannot be flattened, for instance because it holds symbols; never reaches a user."""


# ---------------------------------------------------------------- flattening


def flatten(value: object, numbers: list[Any], number: type[Any] = float) -> Template:
    """Return the template of `value`, its scalars of type `number` appended to `numbers`.

    Raises UnsuitableError for values of types that are neither static nor composed of their fields.
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
        return (kind, *(flatten(getattr(value, name), numbers, number) for name in _field_names(kind)))
    raise UnsuitableError(f"a {kind.__name__} cannot be recorded")


def _flatten_float(value: float, numbers: list[Any], number: type[Any]) -> Template:
    """Return the template of a float, or a kind of float, which is a constant where numbers are recorded scalars."""
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
    """Return how many numbers belong to a template."""
    if template is float:
        return 1
    if not isinstance(template, tuple):
        return 0
    whole = cast("tuple[object, ...]", template)
    kind, parts = whole[0], whole[1:]
    if kind is float:
        return cast("int", parts[0])
    return 0 if kind is TreePath else sum(map(count_numbers, parts[1:] if kind is dict else parts))


def is_vector(template: Template) -> bool:
    """Return whether this is the template of a number or of a plain tuple of numbers."""
    return template is float or (isinstance(template, tuple) and cast("tuple[object, ...]", template)[:1] == (float,))


def is_portable(template: Template) -> bool:
    """Return whether a template means the same in every process: nothing but numbers, names and tuples."""
    if isinstance(template, tuple):
        return all(part is tuple or is_portable(part) for part in cast("tuple[object, ...]", template))
    return template is float or type(template) in (int, bool, str, type(None))


# ---------------------------------------------------------------- putting numbers back


def unflattener(template: Template, start: int = 0) -> Unflatten:
    """Return the function from a sequence of numbers to the value; the template's own numbers begin at `start`."""
    if template is float:
        return lambda numbers: numbers[start]
    if not isinstance(template, tuple):
        return lambda numbers: template
    whole: tuple[Any, ...] = template  # pyright: ignore[reportUnknownVariableType]  # mypy refuses a cast
    kind, *parts = whole
    if kind is float:
        stop = start + parts[0]
        return lambda numbers: tuple(numbers[start:stop])
    if kind is TreePath:
        path = TreePath(parts[0], parts[1], tuple(parts[2:]))
        return lambda numbers: path
    if kind is dict:
        keys, fills = parts[0], _unflatteners(parts[1:], start)
        return lambda numbers: {key: fill(numbers) for key, fill in zip(keys, fills, strict=True)}
    fills = _unflatteners(parts, start)
    if kind is tuple:
        lazy = len(parts) > 2 and any(_is_framed(part) for part in parts)
        return (
            (lambda numbers: LazyTuple(fills, numbers))
            if lazy
            else (lambda numbers: tuple([f(numbers) for f in fills]))
        )
    if not sum(map(count_numbers, parts)):
        constant = _instance(kind, fills, ())
        return lambda numbers: constant
    return lambda numbers: _instance(kind, fills, numbers)


def _unflatteners(templates: Sequence[Template], start: int) -> tuple[Unflatten, ...]:
    fills: list[Unflatten] = []
    for template in templates:
        fills.append(unflattener(template, start))
        start += count_numbers(template)
    return tuple(fills)


def _is_framed(template: Template) -> bool:
    return isinstance(template, tuple) and attrs.has(cast("tuple[type[Any], ...]", template)[0])


def _instance(kind: type[Any], fills: Sequence[Unflatten], numbers: Numbers) -> Any:
    """Return an instance of an attrs class; its fields were checked when the template was made."""
    value: Any = object.__new__(kind)
    for setter, fill in zip(_setters_of(kind), fills, strict=True):
        setter(value, fill(numbers))
    return value


@final
class LazyTuple(Sequence[Any]):
    """A tuple of framed values over one run of numbers; each value is made once, when first asked for."""

    __slots__ = ("_fills", "_made", "_numbers")

    def __init__(self, fills: tuple[Unflatten, ...], numbers: Numbers) -> None:
        """Keep the numbers."""
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


_names: dict[type[Any], tuple[str, ...]] = {}
_setters: dict[type[Any], tuple[Callable[[object, object], None], ...]] = {}


def _field_names(kind: type[Any]) -> tuple[str, ...]:
    found = _names.get(kind)
    if found is None:
        found = _names[kind] = tuple(field.name for field in attrs.fields(kind))
    return found


def _setters_of(kind: type[Any]) -> tuple[Callable[[object, object], None], ...]:
    """Return what sets the fields of an attrs class, frozen or not."""
    found = _setters.get(kind)
    if found is None:
        found = _setters[kind] = tuple(_setter(kind, name) for name in _field_names(kind))
    return found


def _setter(kind: type[Any], name: str) -> Callable[[object, object], None]:
    slot = getattr(kind, name, None)
    if hasattr(slot, "__set__"):
        setter: Callable[[object, object], None] = cast("Any", slot).__set__
        return setter
    return lambda value, entry: object.__setattr__(value, name, entry)


# ---------------------------------------------------------------- results of programs


@final
@attrs.frozen(eq=False)
class ResultForm:
    """Named outputs of a program, and how the arrays it computes become the result."""

    outputs: Mapping[str, object]
    unflatten: Callable[[Sequence[Array]], Any]

    is_arrays: bool = False
    """Whether the result is an array or a tuple of arrays, as nested tuples: the outputs themselves."""


def result_form(result: object, *, several: bool = False) -> ResultForm:
    """Return the form of a recorded result; raise UnsuitableError when it cannot be flattened.

    Arrays of numbers (regular nested tuples), and tuples and mappings of such, become an output each; any other value
    is one output with all its recorded scalars. With `several`, arrays in a tuple are not stacked to one.
    """
    whole = result
    if not several and _is_array(result):
        return ResultForm({"result": result}, _only, is_arrays=True)
    if isinstance(result, tuple):
        entries = cast("tuple[object, ...]", result)
        if 0 < len(entries) <= _MOST_ARRAYS and all(map(_is_array, entries)):
            return ResultForm({f"result_{i}": entry for i, entry in enumerate(entries)}, _each, is_arrays=True)
    if isinstance(result, Mapping):
        table = cast("Mapping[str, object]", result)
        keys = tuple(table)
        if 0 < len(keys) <= _MOST_ARRAYS and all(map(_is_array, table.values())):
            return ResultForm(dict(table), lambda arrays: dict(zip(keys, map(nested, arrays), strict=True)))
    numbers: list[Any] = []
    fill = unflattener(flatten(whole, numbers, Recorded))
    return ResultForm({"numbers": tuple(numbers)}, lambda arrays: fill(arrays[0].tolist()))


def named_form(outputs: Sequence[str]) -> ResultForm | None:
    """Return the form that outputs of these names have, where the names say it: arrays, and tuples of arrays."""
    if list(outputs) == ["result"]:
        return ResultForm({}, _only, is_arrays=True)
    return (
        ResultForm({}, _each, is_arrays=True) if list(outputs) == [f"result_{i}" for i in range(len(outputs))] else None
    )


def _only(arrays: Sequence[Array]) -> Any:
    return nested(arrays[0])


def _each(arrays: Sequence[Array]) -> Any:
    return tuple(map(nested, arrays))


def nested(array: Array) -> Any:
    """Return an array as nested tuples of floats, the form in which algorithms pass numbers."""
    if array.ndim < 2:
        return tuple(array.tolist()) if array.ndim else array.tolist()
    if not array.size:
        return _tuples(array.tolist(), array.ndim)
    values: Iterator[Any] = map(tuple, array.reshape(-1, array.shape[-1]).tolist())
    for size in array.shape[-2:0:-1]:
        values = zip(*(values,) * size, strict=True)  # groups of `size`, without a line of Python for each
    return tuple(values)


def _tuples(values: Any, depth: int) -> Any:
    return tuple([_tuples(row, depth - 1) for row in values]) if depth > 1 else tuple(values)


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
