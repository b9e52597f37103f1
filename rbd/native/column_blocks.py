"""Blocking of loops over columns: vectors of several columns, each in all lanes.

Columns that are not mixed lie side by side in every row, as lanes do in every place: a vector of some columns, each in
all lanes, is what one float was. A panel is as many columns as go through a loop together; its running sums stay in
registers.
"""

from __future__ import annotations

from rbd.native.ir import Lanes, Writer

_REGISTERS = 8
"""Vectors in the widest panel: enough sums side by side to hide how long one takes, few enough for all registers."""


def panel_widths(lanes: int, pack: int) -> list[int]:
    """Return how many columns are taken at a time, most first; the last is 1. `pack` numbers fit a register."""
    most = max(_REGISTERS * pack // lanes, 1)
    least = max(pack // lanes, 2)
    widths: list[int] = []
    while most >= least:
        widths.append(most)
        most //= 2
    return [*widths, 1]


def repeated(w: Writer, value: str, lanes: Lanes, columns: int) -> str:
    """Write the value of all lanes once for every column."""
    if columns == 1:
        return value
    if lanes.width == 1:
        return w.splat(Lanes(columns), value)
    each = ", ".join(f"i32 {lane}" for lane in range(lanes.width))
    mask = f"<{columns * lanes.width} x i32> <{', '.join([each] * columns)}>"
    return w.set(f"shufflevector {lanes.double} {value}, {lanes.double} poison, {mask}")
