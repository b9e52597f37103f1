"""Plans of builtins that return framed values: the words that a builtin executes after its passes have run.

A plan is arithmetic, the update of the object of the last call where that is possible, and the construction of a new
object. The update follows from the construction: the same parts in the same places, with numbers written into them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, final

import attrs

from rbd.native.builtins.records import record_words
from rbd.native.builtins.slots import other_slots
from rbd.native.builtins.value_instructions import ARRAY, INSTANCE, NUMBER, RETURN, TUPLE, UPDATE, instructions
from rbd.native.builtins.value_update_ir import COPY_NUMBERS, DOWN, EMPTY, LEVELS, SET, UP, UPDATE_RECORD
from rbd.native.runtime import abi

_HASHLESS_TUPLE: Final = 24
"""Offset of the items of tuples that do not keep their hash, which an update would have to forget."""
_Updates = Callable[[int], list[int]]
"""The words that update an object in a place."""


@final
@attrs.frozen(eq=False)
class ValuePlan:
    """Plan of a builtin of a value: the words that it executes after its passes."""

    arithmetic: Sequence[int]
    construction: Sequence[int]
    references: tuple[object, ...]
    """Everything that the words refer to."""

    @property
    def words(self) -> list[int]:
        """All words; the object of the last call is updated where that is possible."""
        updates = self._updates() if abi.TUPLE_ITEMS == _HASHLESS_TUPLE else []
        return [*self.arithmetic, *([UPDATE, len(updates), *updates] if updates else ()), *self.construction]

    @property
    def depth(self) -> int:
        """The largest number of objects on the stack."""
        depth, most = 0, 0
        for code, *arguments in instructions(self.construction):
            depth += 1 - (arguments[0] if code == TUPLE else arguments[1] if code == INSTANCE else 0)
            most = max(most, depth)
        return most

    def _updates(self) -> list[int]:
        """Return the words that update the numbers of an object; none where it is too deep, or itself a number."""
        stack: list[_Updates] = []
        for code, *arguments in instructions(self.construction):
            if code in (TUPLE, INSTANCE):
                count = arguments[0] if code == TUPLE else arguments[1]
                parts, stack = stack[len(stack) - count :], stack[: len(stack) - count]
                offsets = [abi.TUPLE_ITEMS + 8 * k for k in range(count)] if code == TUPLE else arguments[2:]
                others = [] if code == TUPLE else other_slots(arguments[0], offsets)
                stack.append(_container(parts, offsets, others))
            elif code != RETURN:
                stack.append(_leaf(code, arguments))
        words, length = stack[0](0), len(UPDATE_RECORD)  # of a container: DOWN, its parts, UP
        return words[length:-length] if 0 < words[::length].count(DOWN) < LEVELS else []


def _leaf(code: int, arguments: Sequence[int]) -> _Updates:
    """Return the updates of a float, an array, or another object, which stays."""
    if code == NUMBER:
        return lambda offset: _update(SET, offset, arguments[0])
    return lambda offset: _update(COPY_NUMBERS, offset, *arguments[:2]) if code == ARRAY else []


def _container(parts: Sequence[_Updates], offsets: Sequence[int], others: Sequence[int]) -> _Updates:
    """Return the updates of an object with parts in places; the places `others` must be empty."""
    inner = [word for part, offset in zip(parts, offsets, strict=True) for word in part(offset)]
    inner += [word for offset in others for word in _update(EMPTY, offset)] if inner else []
    return lambda offset: [*_update(DOWN, offset), *inner, *_update(UP)] if inner else []


def _update(code: int, offset: int = 0, at: int = 0, bytes_: int = 0) -> list[int]:
    """Return the words of one update."""
    return record_words(UPDATE_RECORD, code=code, offset=offset, at=at, bytes=bytes_)
