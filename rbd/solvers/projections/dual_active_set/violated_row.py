"""The most violated row of a group, which enters: the search over its cones, and a copy of the row.

Of each cone the rates n'x and t'x of the twist x = C y give the violations of all its rows n + t and n - t.
"""

from __future__ import annotations

from typing import Final

from rbd.intrinsics.language import fma, select
from rbd.solvers.projections.dual_active_set.workspace import UNBOUNDED, DualActiveSet

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
    for a in range(w.group_sizes[g]):
        x = 0.0
        for i in range(first + a + 1):
            x = fma(w.factor[(first + a) * w.n + i], w.point[i], x)
        w.twist[a] = x


def _find_violated_cone(w: DualActiveSet, g: int) -> None:
    """Find the cone with the most violated row of a group, where no row is pending."""
    part = g * (w.tangents + 1)
    base = w.part_ends[part]
    width = w.part_ends[part + w.tangents + 1] - base
    worst = select(w.pending[0] > 0.0, UNBOUNDED, _SATISFIED)
    place = 0.0
    before = 0.0
    row = w.group_ends[g]
    start = w.cone_starts[g]
    while row < w.group_ends[g + 1]:
        most = _SATISFIED
        own = 0.0
        for cone in range(w.chunk):
            rate = 0.0
            for e in range(w.part_ends[part], w.part_ends[part + 1]):
                rate = fma(w.cones[start + (cone * width + e - base)], w.twist[w.part_columns[e]], rate)
            # the largest violation of the rows n + t and n - t: that of the sides and tangents, less the rate of n
            x = w.sides[row + cone * w.edges]
            for k in range(w.tangents):
                slide = 0.0
                for e in range(w.part_ends[part + k + 1], w.part_ends[part + k + 2]):
                    slide = fma(w.cones[start + (cone * width + e - base)], w.twist[w.part_columns[e]], slide)
                y = w.sides[row + (cone * w.edges + 2 * k)] - slide
                if k == 0:
                    x = y
                x = select(y > x, y, x)
                y = w.sides[row + (cone * w.edges + 2 * k + 1)] + slide
                x = select(y > x, y, x)
            x -= rate
            own = select(x > most, float(cone + 1), own)
            most = select(x > most, x, most)
        # the most violated cone of the chunk against those of the chunks before
        place = select(most > worst, before + own, place)
        worst = select(most > worst, most, worst)
        before += float(w.chunk)
        row += w.chunk * w.edges
        start += w.chunk * width
    w.found_place[0] = place


def _copy_cone(w: DualActiveSet, g: int) -> None:
    """Copy the cone that was found, and its sides: by `select`, since lanes that branch would take many branches."""
    base = w.part_ends[g * (w.tangents + 1)]
    width = w.part_ends[(g + 1) * (w.tangents + 1)] - base
    for e in range(width):
        x = 0.0
        for cone in range(w.cone_counts[g]):
            x = select(w.found_place[0] == float(cone + 1), w.cones[w.cone_starts[g] + (cone * width + e)], x)
        w.found_cone[e] = x
    for i in range(w.edges):
        x = 0.0
        for cone in range(w.cone_counts[g]):
            x = select(w.found_place[0] == float(cone + 1), w.sides[w.group_ends[g] + (cone * w.edges + i)], x)
        w.found_sides[i] = x


def _copy_row(w: DualActiveSet, g: int) -> None:
    """Set number and wrench of the entering row, the most violated one of the cone that was found."""
    part = g * (w.tangents + 1)
    edge = _choose_edge(w, part)
    number = float(w.group_ends[g] + 1 - w.edges) + float(w.edges) * w.found_place[0] + edge
    number = select(w.found_place[0] > 0.0, number, 0.0)
    w.entering_number[0] = fma(w.pending[0], w.entering_number[0], number)
    for a in range(w.group_sizes[g]):
        w.entering_wrench[a] = 0.0
    for e in range(w.part_ends[part], w.part_ends[part + 1]):
        w.entering_wrench[w.part_columns[e]] = w.found_cone[e - w.part_ends[part]]
    for k in range(w.tangents):
        sign = select(edge == float(2 * k), 1.0, select(edge == float(2 * k + 1), -1.0, 0.0))
        for e in range(w.part_ends[part + k + 1], w.part_ends[part + k + 2]):
            a = w.part_columns[e]
            w.entering_wrench[a] = fma(sign, w.found_cone[e - w.part_ends[part]], w.entering_wrench[a])


def _choose_edge(w: DualActiveSet, part: int) -> float:
    """Return the most violated row of the cone that was found, and set its side; `part` is the group's first."""
    worst = -UNBOUNDED
    side = w.found_sides[0]
    edge = 0.0
    for k in range(w.tangents):
        slide = 0.0
        for e in range(w.part_ends[part + k + 1], w.part_ends[part + k + 2]):
            slide = fma(w.found_cone[e - w.part_ends[part]], w.twist[w.part_columns[e]], slide)
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
        for a in range(w.group_sizes[g]):
            if i <= first + a:
                x = fma(w.factor[(first + a) * w.n + i], w.entering_wrench[a], x)
        w.entering_row[i] = x
