"""Gather-scatter copies by tables of places, and tables of constants.

Rows of a matrix often stay rows: with one lane, places that follow each other are copied in blocks, of which the last
may overlap the one before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import numpy as np

from rbd.native.ir import Lanes, Writer, counted_loop_function

Pairs = Sequence[tuple[int, int]]
"""Places to, places from."""

_BLOCK = 8
"""Doubles copied at once."""


@final
class Copies:
    """Copies that one function does: `text` stands beside it, `write` calls them."""

    def __init__(self, name: str, pairs: Pairs, lanes: Lanes) -> None:
        """List copies under a name of the module."""
        blocks, single = _blocks(pairs) if lanes.width == 1 else ([], list(pairs))
        self._lists = [
            (f"{name}_{what}", what, found) for what, found in (("blocks", blocks), ("each", single)) if found
        ]

    def text(self) -> list[str]:
        """Return the tables."""
        return [
            global_table(f"{name}_{side}", "i32", [str(pair[k]) for pair in pairs])
            for name, _, pairs in self._lists
            for k, side in enumerate(("to", "from"))
        ]

    def write(self, w: Writer, target: str, source: str) -> None:
        """Write the copying from `source` to `target`."""
        for name, what, pairs in self._lists:
            tables = f"ptr @{name}_to, ptr @{name}_from"
            w.add(f"  call void @copy_{what}(ptr {target}, ptr {source}, {tables}, i64 {len(pairs)})")


def _blocks(pairs: Pairs) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Return where blocks begin, and what is in none."""
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
    """Return the functions that copy."""
    width = lanes.width
    return [_copying("each", lanes.double, width, 8 * width), _copying("blocks", Lanes(_BLOCK).double, 1, 8)]


def _copying(what: str, kind: str, step: int, alignment: int) -> str:
    body = f"""\
  %tp = getelementptr inbounds i32, ptr %tos, i64 %i
  %fp = getelementptr inbounds i32, ptr %froms, i64 %i
  %t = load i32, ptr %tp, align 4
  %f = load i32, ptr %fp, align 4
  %t64 = sext i32 %t to i64
  %f64 = sext i32 %f to i64
  %tw = mul i64 %t64, {step}
  %fw = mul i64 %f64, {step}
  %target = getelementptr inbounds double, ptr %to, i64 %tw
  %source = getelementptr inbounds double, ptr %from, i64 %fw
  %x = load {kind}, ptr %source, align {alignment}
  store {kind} %x, ptr %target, align {alignment}
"""
    return counted_loop_function(f"copy_{what}", "ptr %to, ptr %from, ptr %tos, ptr %froms", body)


def global_table(name: str, kind: str, entries: Sequence[str]) -> str:
    """Return a table of constants of the module."""
    return f"@{name} = internal constant [{len(entries)} x {kind}] [{', '.join(f'{kind} {x}' for x in entries)}]"
