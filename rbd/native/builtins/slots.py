"""Slots of Python classes: their offsets in instances, and their contents."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from types import MemberDescriptorType
from typing import Any

import attrs

from rbd.native.runtime import abi


def slot_offsets(value: Any) -> tuple[int, ...] | None:
    """Return the offsets of the slots of an attrs class, verified on one of its instances; None without slots."""
    offsets: list[int] = []
    kind: type[Any] = type(value)  # pyright: ignore[reportUnknownVariableType]  # mypy refuses a cast
    for field in attrs.fields(kind):
        descriptor = getattr(kind, field.name, None)
        if type(descriptor).__name__ != "member_descriptor":
            return None
        offset = abi.slot_offset(descriptor)
        in_range = 0 < offset < kind.__basicsize__
        if not in_range or ctypes.c_size_t.from_address(id(value) + offset).value != id(getattr(value, field.name)):
            return None
        offsets.append(offset)
    return tuple(offsets)


def filled_slots(value: object) -> dict[int, object]:
    """Return the objects in the slots of a value, by their offsets; without empty slots."""
    return {
        offset: descriptor.__get__(value, type(value))
        for descriptor, offset in _slots(type(value))
        if ctypes.c_size_t.from_address(id(value) + offset).value
    }


def _slots(kind: type[Any]) -> Iterator[tuple[MemberDescriptorType, int]]:
    """Yield the slots of a class and its bases, and where they are."""
    for base in kind.__mro__:
        for descriptor in vars(base).values():
            if type(descriptor) is MemberDescriptorType and descriptor.__objclass__ is base:
                yield descriptor, abi.slot_offset(descriptor)


def other_slots(identity: int, offsets: Sequence[int]) -> list[int]:
    """Return the offsets of all slots of a class but these; that of weak references is one."""
    kind: type[Any] = ctypes.cast(identity, ctypes.py_object).value
    slots = {offset for _, offset in _slots(kind)}
    slots.update([kind.__weakrefoffset__] if kind.__weakrefoffset__ else [])
    return sorted(slots.difference(offsets))
