"""Templates: nested values without their numbers (tree definitions).

Arguments and results of kernels are tuples, mappings and framed values of scalars. `flatten` in `flattening.py` splits
them into numbers and a template, which has the numbers put back in by a function. Templates of arguments are hashable:
they are keys of recorded kernels.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cache
from operator import itemgetter
from typing import Any, TypeAlias, cast, final

import attrs
from typing_extensions import override

from rbd.mechanism import Joint, RigidBody, TreePath
from rbd.pytrees.lazy_tuple import LazyTuple

Unflattener: TypeAlias = Callable[[Sequence[Any]], Any]
"""Function from a sequence of numbers, recorded ones or floats, to a value."""
Setter: TypeAlias = Callable[[object, object], None]

_new = object.__new__


class Template(ABC):
    """A nested value without its numbers; abstract."""

    __slots__ = ()

    @property
    def count(self) -> int:
        """Number of scalars of the value."""
        return 0

    @property
    def is_portable(self) -> bool:
        """Whether the template is valid in every process: only numbers, names and tuples."""
        return False

    @abstractmethod
    def unflattener(self, start: int = 0) -> Unflattener:
        """Return the function from numbers to the value; its own begin at index `start`."""


@final
@attrs.frozen
class NumberTemplate(Template):
    """A number."""

    @property
    @override
    def count(self) -> int:
        return 1

    @property
    @override
    def is_portable(self) -> bool:
        return True

    @override
    def unflattener(self, start: int = 0) -> Unflattener:
        return itemgetter(start)


NUMBER = NumberTemplate()


@final
@attrs.frozen
class VectorTemplate(Template):
    """A tuple of numbers."""

    size: int

    @property
    @override
    def count(self) -> int:
        return self.size

    @property
    @override
    def is_portable(self) -> bool:
        return True

    @override
    def unflattener(self, start: int = 0) -> Unflattener:
        return itemgetter(_span(self, start))


@final
@attrs.frozen
class ConstantTemplate(Template):
    """A value without numbers: an int, a truth value, a name, a frame, a body or a joint."""

    value: object

    @property
    @override
    def is_portable(self) -> bool:
        return type(self.value) in (int, bool, str, type(None))

    @override
    def unflattener(self, start: int = 0) -> Unflattener:
        value = self.value
        return lambda numbers: value


@final
@attrs.frozen
class PathTemplate(Template):
    """A path through the tree; paths with the same ends and steps are the same argument."""

    source: RigidBody
    target: RigidBody
    steps: tuple[tuple[Joint, int], ...]

    @override
    def unflattener(self, start: int = 0) -> Unflattener:
        path = TreePath(self.source, self.target, self.steps)
        return lambda numbers: path


@attrs.frozen
class CompositeTemplate(Template):
    """A value with parts, which are values; abstract."""

    parts: tuple[Template, ...]

    @property
    @override
    def count(self) -> int:
        return sum(part.count for part in self.parts)


@final
@attrs.frozen
class MappingTemplate(CompositeTemplate):
    """A mapping."""

    keys: tuple[object, ...]

    @override
    def unflattener(self, start: int = 0) -> Unflattener:
        keys, unflatteners = self.keys, _unflatteners(self.parts, start)
        return lambda numbers: {key: unflatten(numbers) for key, unflatten in zip(keys, unflatteners, strict=True)}


@final
@attrs.frozen
class TupleTemplate(CompositeTemplate):
    """A tuple of any values."""

    @property
    @override
    def is_portable(self) -> bool:
        return all(part.is_portable for part in self.parts)

    @property
    def is_lazy(self) -> bool:
        """Whether the value is filled as a LazyTuple: several framed values."""
        return len(self.parts) > 2 and any(isinstance(part, InstanceTemplate) for part in self.parts)

    @override
    def unflattener(self, start: int = 0) -> Unflattener:
        if len(self.parts) > 1 and all(isinstance(part, VectorTemplate) for part in self.parts):
            return itemgetter(*_spans(self.parts, start))  # a single call for all vectors
        unflatteners = _unflatteners(self.parts, start)
        if self.is_lazy:
            return lambda numbers: LazyTuple(unflatteners, numbers)
        return lambda numbers: tuple([unflatten(numbers) for unflatten in unflatteners])


@final
@attrs.frozen
class InstanceTemplate(CompositeTemplate):
    """An instance of an attrs class, such as a framed value. Its fields were checked when it was flattened."""

    kind: type[Any]

    @override
    def unflattener(self, start: int = 0) -> Unflattener:
        kind = self.kind
        setters = _setters(kind)  # type: ignore[arg-type]  # mypy looks for the hash of instances
        rows = list(zip(setters, self.parts, _unflatteners(self.parts, start), strict=True))
        constants = [(setter, unflatten(())) for setter, part, unflatten in rows if not part.count]
        fields = [(setter, unflatten) for setter, part, unflatten in rows if part.count]
        if len(fields) == 2:
            return _unflattener_of_two(kind, constants, *fields)

        def instance(numbers: Sequence[Any]) -> Any:
            value: Any = _new(kind)
            for setter, entry in constants:
                setter(value, entry)
            for setter, unflatten in fields:
                setter(value, unflatten(numbers))
            return value

        if fields:
            return instance
        constant = instance(())
        return lambda numbers: constant


def _unflattener_of_two(
    kind: type[Any],
    constants: Sequence[tuple[Setter, Any]],
    first: tuple[Setter, Unflattener],
    last: tuple[Setter, Unflattener],
) -> Unflattener:
    """Return the function for instances with two fields of numbers; written out, as most queries return them."""
    (set_first, unflatten_first), (set_last, unflatten_last) = first, last

    def instance(numbers: Sequence[Any]) -> Any:
        value: Any = _new(kind)
        for setter, entry in constants:
            setter(value, entry)
        set_first(value, unflatten_first(numbers))
        set_last(value, unflatten_last(numbers))
        return value

    return instance


def _span(template: Template, start: int) -> slice:
    return slice(start, start + template.count)


def _spans(templates: Sequence[Template], start: int) -> list[slice]:
    """Return the slices of the numbers of templates that follow each other."""
    spans: list[slice] = []
    for template in templates:
        spans.append(_span(template, start))
        start = spans[-1].stop
    return spans


def _unflatteners(templates: Sequence[Template], start: int) -> tuple[Unflattener, ...]:
    spans = _spans(templates, start)
    return tuple(template.unflattener(span.start) for template, span in zip(templates, spans, strict=True))


@cache
def field_names(kind: type[Any]) -> tuple[str, ...]:
    """Return the names of the fields of an attrs class."""
    return tuple(field.name for field in attrs.fields(kind))


@cache
def _setters(kind: type[Any]) -> tuple[Setter, ...]:
    """Return setters of the fields of an attrs class, frozen or not."""
    return tuple(_setter(kind, name) for name in field_names(kind))  # type: ignore[arg-type]  # as above


def _setter(kind: type[Any], name: str) -> Setter:
    slot = getattr(kind, name, None)
    if hasattr(slot, "__set__"):
        setter: Setter = cast("Any", slot).__set__
        return setter
    return lambda value, entry: object.__setattr__(value, name, entry)
