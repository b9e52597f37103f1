"""Blocking of loops over columns: vectors of several columns, each in all lanes.

Independent columns are adjacent in every row, and so are their lanes, so a vector of several columns takes the place of
one number. A panel is the set of columns that one loop processes; its running sums stay in registers.
"""

from __future__ import annotations

from rbd.native.codegen.ir import Lanes, Writer

_REGISTERS = 8
"""Vectors in the widest panel: enough independent sums to hide latency, few enough to stay in registers."""


def panel_widths(lanes: int, pack: int) -> list[int]:
    """Return the widths of panels, the widest first, 1 last; a register holds `pack` numbers."""
    most = max(_REGISTERS * pack // lanes, 1)
    least = max(pack // lanes, 2)
    widths: list[int] = []
    while most >= least:
        widths.append(most)
        most //= 2
    return [*widths, 1]


def repeated(w: Writer, value: str, lanes: Lanes, columns: int) -> str:
    """Write a vector that repeats the value of all lanes for every column."""
    if columns == 1:
        return value
    if lanes.width == 1:
        return w.splat(Lanes(columns), value)
    each = ", ".join(f"i32 {lane}" for lane in range(lanes.width))
    mask = f"<{columns * lanes.width} x i32> <{', '.join([each] * columns)}>"
    return w.assign(f"shufflevector {lanes.double} {value}, {lanes.double} poison, {mask}")
