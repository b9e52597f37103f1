"""The most violated row of a group, which enters: the search over its cones, and a copy of the row.

Of each cone the rates n'x and t'x of the twist x = C y give the violations of all its rows n + t and n - t.
"""

from __future__ import annotations

from typing import Final

from rbd.intrinsics.language import fma, select
from rbd.solvers.projections.cone_rows import part_rate
from rbd.solvers.projections.dual_active_set.workspace import DualActiveSet
from rbd.solvers.scaling import UNBOUNDED

_SATISFIED: Final = 2e-11
"""Violations up to which a row is satisfied, for rows of length one and a largest violation of one."""


def find_violated_row(w: DualActiveSet, g: int) -> None:
    """Set the entering row to the most violated one of a group; a pending row stays.

    Where a row is pending, the cone that is found has zeros only.
    """
    _compute_twist(w, g)
    _find_violated_cone(w, g)
    _copy_cone(w, g)
    _copy_row(w, g)
    _compute_row(w, g)


def _compute_twist(w: DualActiveSet, g: int) -> None:
    """Compute the twist C y of a group."""
    first = w.column_ends[g]
    for a in range(w.twist_sizes[g]):
        x = 0.0
        for i in range(first + a + 1):
            x = fma(w.factor[(first + a) * w.n + i], w.point[i], x)
        w.twist[a] = x


def _find_violated_cone(w: DualActiveSet, g: int) -> None:
    """Find the cone with the most violated row of a group, where no row is pending."""
    first_part = g * (w.tangent_count + 1)
    width = w.part_ends[first_part + w.tangent_count + 1] - w.part_ends[first_part]
    worst = select(w.pending[0] > 0.0, UNBOUNDED, _SATISFIED)
    place = 0.0
    before = 0.0
    row = w.group_ends[g]
    start = w.cone_starts[g]
    while row < w.group_ends[g + 1]:
        most = _SATISFIED
        own = 0.0
        for cone in range(w.chunk):
            x = _largest_violation(w, first_part, row + cone * w.edge_count, start + cone * width)
            own = select(x > most, float(cone + 1), own)
            most = select(x > most, x, most)
        # the most violated cone of the chunk against those of the chunks before
        place = select(most > worst, before + own, place)
        worst = select(most > worst, most, worst)
        before += float(w.chunk)
        row += w.chunk * w.edge_count
        start += w.chunk * width
    w.found_place[0] = place


def _largest_violation(w: DualActiveSet, first_part: int, row: int, start: int) -> float:
    """Return the largest violation of the rows of a cone: that of the sides and tangents, less the rate of n."""
    rate = part_rate(w, w.cones, w.twist, first_part, 0, start)
    x = w.sides[row]
    for k in range(w.tangent_count):
        slide = part_rate(w, w.cones, w.twist, first_part, k + 1, start)
        y = w.sides[row + 2 * k] - slide
        if k == 0:
            x = y
        x = select(y > x, y, x)
        y = w.sides[row + (2 * k + 1)] + slide
        x = select(y > x, y, x)
    return x - rate


def _copy_cone(w: DualActiveSet, g: int) -> None:
    """Copy the cone that was found, and its sides: by `select`, since lanes that branch would take many branches."""
    base = w.part_ends[g * (w.tangent_count + 1)]
    width = w.part_ends[(g + 1) * (w.tangent_count + 1)] - base
    for e in range(width):
        x = 0.0
        for cone in range(w.cone_counts[g]):
            x = select(w.found_place[0] == float(cone + 1), w.cones[w.cone_starts[g] + (cone * width + e)], x)
        w.found_cone[e] = x
    for i in range(w.edge_count):
        x = 0.0
        for cone in range(w.cone_counts[g]):
            x = select(w.found_place[0] == float(cone + 1), w.sides[w.group_ends[g] + (cone * w.edge_count + i)], x)
        w.found_sides[i] = x


def _copy_row(w: DualActiveSet, g: int) -> None:
    """Set number and wrench of the entering row, the most violated one of the cone that was found."""
    first_part = g * (w.tangent_count + 1)
    edge = _choose_edge(w, first_part)
    number = float(w.group_ends[g] + 1 - w.edge_count) + float(w.edge_count) * w.found_place[0] + edge
    number = select(w.found_place[0] > 0.0, number, 0.0)
    w.entering_number[0] = fma(w.pending[0], w.entering_number[0], number)
    for a in range(w.twist_sizes[g]):
        w.entering_wrench[a] = 0.0
    for e in range(w.part_ends[first_part], w.part_ends[first_part + 1]):
        w.entering_wrench[w.part_columns[e]] = w.found_cone[e - w.part_ends[first_part]]
    for k in range(w.tangent_count):
        sign = select(edge == float(2 * k), 1.0, select(edge == float(2 * k + 1), -1.0, 0.0))
        for e in range(w.part_ends[first_part + k + 1], w.part_ends[first_part + k + 2]):
            a = w.part_columns[e]
            w.entering_wrench[a] = fma(sign, w.found_cone[e - w.part_ends[first_part]], w.entering_wrench[a])


def _choose_edge(w: DualActiveSet, first_part: int) -> float:
    """Return the most violated row of the cone that was found, and set its side."""
    worst = -UNBOUNDED
    side = w.found_sides[0]
    edge = 0.0
    for k in range(w.tangent_count):
        slide = part_rate(w, w.found_cone, w.twist, first_part, k + 1, 0)
        x = w.found_sides[2 * k] - slide
        side = select(x > worst, w.found_sides[2 * k], side)
        edge = select(x > worst, float(2 * k), edge)
        worst = select(x > worst, x, worst)
        x = w.found_sides[2 * k + 1] + slide
        side = select(x > worst, w.found_sides[2 * k + 1], side)
        edge = select(x > worst, float(2 * k + 1), edge)
        worst = select(x > worst, x, worst)
    w.entering_side[0] = fma(w.pending[0], w.entering_side[0], side)
    return edge


def _compute_row(w: DualActiveSet, g: int) -> None:
    """Compute the entering row a = C' times its wrench; a pending row, whose wrench is zero, stays."""
    first = w.column_ends[g]
    for i in range(w.n):
        x = fma(w.pending[0], w.entering_row[i], 0.0)
        for a in range(w.twist_sizes[g]):
            if i <= first + a:
                x = fma(w.factor[(first + a) * w.n + i], w.entering_wrench[a], x)
        w.entering_row[i] = x
