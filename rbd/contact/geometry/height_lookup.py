"""Heights of the grid points around a place, from a table.

This is an intrinsic, since which points they are depends on values. The table is a constant of the program, so that
its size costs nothing; the search takes one comparison per bit of a point's number. Heights are constant where the
place moves within a cell: derivatives are zero.
"""

from __future__ import annotations

from typing import Final, final

from rbd.intrinsics.intrinsic import Intrinsic
from rbd.intrinsics.piecewise_constant import zero_cotangents, zero_tangents
from rbd.intrinsics.workspace import Workspace, operand, result, table
from rbd.scalars import Scalar, Vector

UNIT: Final = 2.0**-40
"""Heights in tables are whole multiples of this (m)."""


@final
class HeightLookup(Workspace):
    """A grid of heights, a place in it in cells, and the window of points around it."""

    columns: int
    """Points of the grid along x."""
    rows: int
    along_x: int
    """Points of the window along x."""
    along_y: int
    bits: int
    powers = table("bits")
    """Powers of two from the largest to one."""
    heights = table("columns * rows")
    """In units, column by column: those of one x are neighbours."""
    place = operand("2")
    """Desired place of the first cell of the window."""
    start = result("2")
    """The first point of the window: whole numbers."""
    window = result("along_x * along_y")


def _whole_part(w: HeightLookup, x: float, most: int) -> int:
    """Return the largest number of points, at most `most`, that is not above x; at least 0."""
    found = 0
    for k in range(w.bits):
        trial = found + w.powers[k]
        if trial <= most and float(trial) <= x:
            found = trial
    return found


def _look_up(w: HeightLookup) -> int:
    first = _whole_part(w, w.place[0], w.columns - w.along_x)
    second = _whole_part(w, w.place[1], w.rows - w.along_y)
    w.start[0] = float(first)
    w.start[1] = float(second)
    for i in range(w.along_x):
        for j in range(w.along_y):
            w.window[i * w.along_y + j] = UNIT * float(w.heights[(first + i) * w.rows + second + j])
    return 0


def _operations(columns: int, rows: int, along_x: int, along_y: int, bits: int) -> int:
    return 2 * bits + along_x * along_y


LOOK_UP_HEIGHTS: Final = Intrinsic(
    name="look_up_heights",
    workspace=HeightLookup,
    function=_look_up,
    operations=_operations,
    derivative=zero_tangents,
    adjoint=zero_cotangents,
)


def heights_around(
    units: tuple[int, ...], grid_shape: tuple[int, int], window: tuple[int, int], place: tuple[Scalar, Scalar]
) -> tuple[tuple[Scalar, Scalar], list[Vector]]:
    """Return the first point of the window at a place, and its heights: one vector for each x.

    `units` are all heights in units, `grid_shape` and `window` numbers of points along x and y.

    >>> units = tuple(int(x / UNIT) for x in (0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0))
    >>> heights_around(units, (3, 3), (2, 2), (1.5, 0.2))
    ((1.0, 0.0), [(3.0, 4.0), (6.0, 7.0)])
    """
    bits = max(grid_shape).bit_length()
    sizes = (*grid_shape, *window, bits, *(2**k for k in reversed(range(bits))), *units)
    x, y, *found = LOOK_UP_HEIGHTS(sizes, place)
    return (x, y), [tuple(found[i : i + window[1]]) for i in range(0, len(found), window[1])]
