"""Atomic edits: all or nothing, also when they are interrupted or memory runs out.

`transaction` copies the tables that an edit may change before it begins. When the edit raises anything, one call of
C code puts the copies in place: signals are not handled within it, and it allocates nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

import attrs

from rbd.atomic_calls import all_or_nothing
from rbd.mechanism.members import Member, data_of

if TYPE_CHECKING:
    from rbd.mechanism.registry import MemberRegistry
    from rbd.mechanism.structure import Structure

R = TypeVar("R")
_TABLES: Final = frozenset({dict, list, set})


def transaction(
    edit: Callable[[], R],
    registry: MemberRegistry | None,
    members: Iterable[Member] = (),
    structure: Structure | None = None,
) -> R:
    """Return the result of an edit; when it raises, the registry, the members and the structure are as before.

    An edit within another one of the same mechanism copies nothing: when it fails, the outer one restores everything
    and raises its exception, even if that was caught.
    """
    if registry is not None and registry.in_transaction:
        return _nested(edit, registry)
    undo = _undo(registry, members, structure)
    return all_or_nothing(edit if registry is None else lambda: _outermost(edit, registry), undo)


def _outermost(edit: Callable[[], R], registry: MemberRegistry) -> R:
    """Return the result of an edit; raise the exception of a nested one that failed.

    After a failure `_undo` sets `in_transaction` and `failure` back, with the rest of the registry.
    """
    registry.in_transaction = True
    result = edit()
    if registry.failure is not None:
        raise registry.failure
    registry.in_transaction = False
    return result


def _nested(edit: Callable[[], R], registry: MemberRegistry) -> R:
    """Return the result of an edit within another one, which learns of its failure."""
    try:
        return edit()
    except BaseException as error:
        registry.failure = error
        raise


def _undo(
    registry: MemberRegistry | None, members: Iterable[Member], structure: Structure | None
) -> list[Callable[[], object]]:
    """Return calls that restore everything as it is now."""
    saved: list[tuple[object, str, object]] = [(member, "_data", _copied_data(member)) for member in members]
    if structure is not None:
        saved += [(structure, name, _copied(value)) for name, value in vars(structure).items()]
    if registry is None:
        return _assignments(saved)
    names = [name for name in registry.__slots__ if name != "versions"]
    saved += [(registry, name, _copied(getattr(registry, name))) for name in names]
    versions = registry.versions  # stay where they are: machine code looks at them
    return [*_assignments(saved), *(partial(versions.__setitem__, k, value) for k, value in enumerate(versions))]


def _copied_data(member: Member) -> object:
    """Return a copy of the data of a body or a joint, with copies of its tables."""
    data = data_of(member)
    fields = attrs.fields(cast("Any", type(data)))
    tables = {field.name: _copied(getattr(data, field.name)) for field in fields}
    return attrs.evolve(data, **tables)


def _copied(value: Any) -> Any:
    """Return a copy of a table; the value itself if it is none."""
    return copy(value) if type(value) in _TABLES else value


def _assignments(saved: Iterable[tuple[object, str, object]]) -> list[Callable[[], object]]:
    """Return calls that assign attributes."""
    return [partial(object.__setattr__, *attribute) for attribute in saved]
