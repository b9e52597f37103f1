"""Update of the object that a builtin has returned last: numbers are written into it instead of making a new one.

Only if the builtin has the only reference to the object, and the object those to its parts: nobody sees a change. The
updates begin at the object and go from part to part.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rbd.native.builtins.objects_ir import copy, field, field_address
from rbd.native.builtins.records import INTEGER, POINTER, Record
from rbd.native.codegen.ir import Writer
from rbd.native.runtime import abi

UPDATE_RECORD: Final = {"code": INTEGER, "offset": INTEGER, "at": POINTER, "bytes": INTEGER}
DOWN, UP, SET, COPY_NUMBERS, EMPTY = range(5)
"""Codes of updates, and their arguments; each object on the way must have one reference:

    DOWN offset                     go on to the object in this place
    UP                              go back
    SET offset, at                  write the number of the float in this place
    COPY_NUMBERS offset, at, bytes  write the numbers of the array in this place
    EMPTY offset                    go on only if nothing is in this place
"""
LEVELS: Final = 8
"""Objects that contain each other, at most."""


def update_object(w: Writer, last: str, levels: str, updates: str, word_count: str, label: str) -> None:
    """Write the updates of the object `last`; jumps to a label where that is not possible.

    `levels` is memory for `LEVELS` pointers to objects, of which each contains the next one.
    """
    _leave_if_shared(w, last, label)
    w.store("ptr", last, levels)

    def update(index: str, values: Sequence[str]) -> list[str]:
        each, (level,) = Record(w, w.address(updates, index, "i64"), UPDATE_RECORD), values
        code, deeper = each["code"], w.assign(f"add i64 {level}, 1")
        is_up, is_down = (w.test(f"eq i64 {code}, {wanted}") for wanted in (UP, DOWN))

        def change() -> None:
            child = field(w, w.element(levels, level), each["offset"])
            is_empty = w.test(f"eq i64 {code}, {EMPTY}")
            w.if_(is_empty, lambda: w.leave_unless(w.is_null(child), label), lambda: change_part(child))

        def change_part(child: str) -> None:
            _leave_if_shared(w, child, label)
            w.if_(is_down, lambda: w.store("ptr", child, w.address(levels, deeper, "ptr")), lambda: write(child))

        def write(child: str) -> None:
            is_float = w.test(f"eq i64 {code}, {SET}")
            w.if_(is_float, lambda: _set_float(w, child, each), lambda: _copy_numbers(w, child, each))

        w.unless(is_up, change)
        higher = w.select("i64", is_up, w.assign(f"sub i64 {level}, 1"), level)
        return [w.select("i64", is_down, deeper, higher)]

    w.loop(word_count, update, [("i64", "0")], step=len(UPDATE_RECORD))


def _leave_if_shared(w: Writer, pointer: str, label: str) -> None:
    """Write the jump to a label unless an object has one reference."""
    w.leave_unless(w.test(f"eq i32 {field(w, pointer, abi.REFERENCE_COUNT, 'i32')}, 1"), label)


def _set_float(w: Writer, child: str, update: Record) -> None:
    w.store("double", w.load("double", update["at"]), field_address(w, child, abi.FLOAT_VALUE))


def _copy_numbers(w: Writer, child: str, update: Record) -> None:
    copy(w, field(w, child, abi.ARRAY_DATA), update["at"], update["bytes"])
