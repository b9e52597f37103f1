"""Gather-scatter copies by tables of slots, and tables of constants.

With one lane, runs of consecutive slots are copied in blocks; the last block of a run may overlap the previous one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import numpy as np

from rbd.native.codegen.ir import Lanes, Writer, loop_function

Pairs = Sequence[tuple[int, int]]
"""(target slot, source slot) of each copy."""

_BLOCK = 8
"""Doubles per block."""


@final
class SlotCopies:
    """The copies of one function: `text` defines their tables, `write` calls them."""

    def __init__(self, name: str, pairs: Pairs, lanes: Lanes) -> None:
        """Set the name of the tables and the copies."""
        blocks, single = _blocks(pairs) if lanes.width == 1 else ([], list(pairs))
        self._lists = [
            (f"{name}_{what}", what, entries) for what, entries in (("blocks", blocks), ("each", single)) if entries
        ]

    def text(self) -> list[str]:
        """Return the tables."""
        return [
            global_table(f"{name}_{side}", "i32", [str(pair[k]) for pair in pairs])
            for name, _, pairs in self._lists
            for k, side in enumerate(("to", "from"))
        ]

    def write(self, w: Writer, target: str, source: str) -> None:
        """Write the copies from `source` to `target`."""
        for name, what, pairs in self._lists:
            tables = f"ptr @{name}_to", f"ptr @{name}_from"
            w.call("void", f"@copy_{what}", f"ptr {target}", f"ptr {source}", *tables, f"i64 {len(pairs)}")


def _blocks(pairs: Pairs) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Return the first pairs of blocks, and the pairs outside of blocks."""
    blocks, single = list[tuple[int, int]](), list[tuple[int, int]]()
    ordered = np.array(sorted(pairs)).reshape(-1, 2)
    broken = np.flatnonzero((np.diff(ordered, axis=0) != 1).any(axis=1)) + 1
    for start, stop in zip([0, *broken.tolist()], [*broken.tolist(), len(ordered)], strict=True):
        run = [(int(to), int(source)) for to, source in ordered[start:stop]]
        if len(run) < _BLOCK:
            single += run
        else:
            blocks += [*run[:-_BLOCK:_BLOCK], run[-_BLOCK]]
    return blocks, single


def copy_functions(lanes: Lanes) -> list[str]:
    """Return the copying functions."""
    width = lanes.width
    return [_copying("each", lanes.double, width, 8 * width), _copying("blocks", Lanes(_BLOCK).double, 1, 8)]


def _copying(what: str, kind: str, step: int, alignment: int) -> str:
    def entry(w: Writer, index: str) -> None:
        target, source = (_address(w, array, index, step) for array in ("%to", "%from"))
        w.store(kind, w.load(kind, source, alignment), target, alignment)

    return loop_function(f"copy_{what}", "ptr %to, ptr %from, ptr %to_slots, ptr %from_slots, i64 %count", entry)


def _address(w: Writer, array: str, index: str, step: int) -> str:
    """Write the address of the slot of an array that its table has at `index`."""
    slot = w.assign(f"sext i32 {w.load('i32', w.address(f'{array}_slots', index, 'i32'), 4)} to i64")
    return w.address(array, w.assign(f"mul i64 {slot}, {step}"))


def global_table(name: str, kind: str, entries: Sequence[str]) -> str:
    """Return the definition of a table of constants."""
    return f"@{name} = internal constant [{len(entries)} x {kind}] [{', '.join(f'{kind} {x}' for x in entries)}]"
