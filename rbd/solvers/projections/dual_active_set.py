"""Dual active-set method for projections onto polyhedra of few dimensions, for many problems side by side.

The method of Goldfarb and Idnani (Mathematical Programming 27, 1983) for the point y of A y >= c nearest to zero: rows
that are violated become active one after the other, and those whose multipliers vanish on the way are dropped. Active
rows N are linearly independent, so that there are at most as many as unknowns; with N* = (N N')⁻¹ N, row a takes the
point along d = a - N'r and the multipliers along -r, for r = N* a.

Rows come in groups, W T: the unknowns are y with the twists T z = C y, for the factor C C' = T T', so that finding the
most violated row takes fewer multiply-adds than W has entries: those of cones (`cone_rows.py`). Of each group, in turn,
this row enters. All loops have the same course in all lanes. A lane drops one row at a time; if a second is in the way,
the entering row is pending until the next turn. Lanes that are done stay as they are. What some lanes keep in memory
and others replace is computed with factors of zero and one: LLVM makes a masked store of a `select` between the two,
which some processors with AVX2 do slowly.
"""

from __future__ import annotations

from typing import Final, final

from rbd.intrinsics.language import Floats, divide, fma, select, some
from rbd.intrinsics.workspace import floats, operand, result, scratch
from rbd.solvers.projections.cone_rows import GroupedCones

ROUNDS: Final = 40
"""Rounds of all groups, at most."""
_SATISFIED: Final = 2e-11
"""Violations up to which a row is satisfied, for rows of length one and a largest violation of one."""
_DEPENDENT: Final = 1e-11
"""Square of the distance from the span of active rows up to which a row of length one depends on these."""
_FALLS: Final = 1e-13
"""Rate from which on a multiplier falls."""
_NEVER: Final = 1e300
"""Length of a step that nothing ends."""


@final
class DualActiveSet(GroupedCones):
    """The cones in groups with their sides; the point, the active rows in slots, and the row that enters."""

    n: int
    m: int
    half: int
    """Slots of which the first multiplier to vanish is found apart from that of the others, to shorten the chain."""
    chunk: int
    """A divisor of the number of cones of each group; as many are processed together."""
    factor = operand("n * n")
    """C, which is lower triangular."""
    sides = operand("m")
    """c."""
    needed = operand("1")
    """1 in lanes that are to be solved, else 0."""
    wrench = result("n")
    """W' times the multipliers, group by group."""
    multipliers = result("m")
    rounds = result("1")
    point = floats("n")
    """y."""
    active = floats("n * n")
    """N; slots that are free have entries that do not matter."""
    inverse = floats("n * n")
    """N*; zero for slots that are free."""
    numbers = floats("n")
    """The row of each slot, from one; zero for slots that are free."""
    weights = floats("n")
    """The multiplier of each slot."""
    active_sides = floats("n")
    twist = scratch("6")
    entries = scratch("6")
    """The row of W that enters."""
    cone = scratch("6 * (tangents + 1)")
    """The parts of its cone."""
    cone_sides = scratch("edges")
    place = scratch("1")
    """The cone of the group with the row that enters, from one; zero if there is none, or if it entered half-way."""
    row = floats("n")
    """a."""
    side = floats("1")
    number = floats("1")
    weight = floats("1")
    """Its multiplier so far."""
    pending = floats("1")
    """1 if it has entered half-way, else 0."""
    direction = scratch("n")
    """d."""
    rates = scratch("n")
    """r."""
    leaving = scratch("n")
    """The row of N* of the slot that is dropped; zero in lanes that drop none."""
    shares = scratch("n")
    """What the row of N* of each slot has of it."""
    slot = scratch("1")
    """The slot whose multiplier vanishes first; -1 if none falls."""
    first_weights = scratch("2")
    first_rates = scratch("2")
    first_slots = scratch("2")


def _find_row(w: DualActiveSet, g: int) -> None:
    """Find the most violated row of a group, in lanes that have none which entered half-way.

    In the others the cone that is found has zeros only, so that the row stays.
    """
    first = w.column_ends[g]
    size = w.group_sizes[g]
    for a in range(size):
        x = 0.0
        for i in range(first + a + 1):
            x = fma(w.factor[(first + a) * w.n + i], w.point[i], x)
        w.twist[a] = x
        w.entries[a] = 0.0
    _compare_cones(w, g)
    _copy_cone(w, g)
    _copy_row(w, g)
    for i in range(w.n):
        x = fma(w.pending[0], w.row[i], 0.0)
        for a in range(size):
            if i <= first + a:
                x = fma(w.factor[(first + a) * w.n + i], w.entries[a], x)
        w.row[i] = x


def _compare_cones(w: DualActiveSet, g: int) -> None:
    """Find the cone with the most violated row of a group, in lanes that have none which entered half-way."""
    n = g * (w.tangents + 1)
    base = w.part_ends[n]
    width = w.part_ends[n + w.tangents + 1] - base
    worst = select(w.pending[0] > 0.0, _NEVER, _SATISFIED)
    place = 0.0
    before = 0.0
    row = w.group_ends[g]
    start = w.cone_starts[g]
    while row < w.group_ends[g + 1]:
        most = _SATISFIED
        own = 0.0
        for cone in range(w.chunk):
            rate = 0.0
            for e in range(w.part_ends[n], w.part_ends[n + 1]):
                rate = fma(w.cones[start + (cone * width + e - base)], w.twist[w.part_columns[e]], rate)
            x = w.sides[row + cone * w.edges]
            for k in range(w.tangents):
                slide = 0.0
                for e in range(w.part_ends[n + k + 1], w.part_ends[n + k + 2]):
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
        place = select(most > worst, before + own, place)
        worst = select(most > worst, most, worst)
        before += float(w.chunk)
        row += w.chunk * w.edges
        start += w.chunk * width
    w.place[0] = place


def _copy_cone(w: DualActiveSet, g: int) -> None:
    """Copy the cone that was found, and its sides; without branches, of which lanes would take many."""
    base = w.part_ends[g * (w.tangents + 1)]
    width = w.part_ends[(g + 1) * (w.tangents + 1)] - base
    for e in range(width):
        x = 0.0
        for cone in range(w.cone_counts[g]):
            x = select(w.place[0] == float(cone + 1), w.cones[w.cone_starts[g] + (cone * width + e)], x)
        w.cone[e] = x
    for i in range(w.edges):
        x = 0.0
        for cone in range(w.cone_counts[g]):
            x = select(w.place[0] == float(cone + 1), w.sides[w.group_ends[g] + (cone * w.edges + i)], x)
        w.cone_sides[i] = x


def _copy_row(w: DualActiveSet, g: int) -> None:
    """Copy the most violated row of the cone, in lanes that have none which entered half-way."""
    n = g * (w.tangents + 1)
    edge = _choose_edge(w, n)
    number = float(w.group_ends[g] + 1 - w.edges) + float(w.edges) * w.place[0] + edge
    number = select(w.place[0] > 0.0, number, 0.0)
    w.number[0] = fma(w.pending[0], w.number[0], number)
    for e in range(w.part_ends[n], w.part_ends[n + 1]):
        w.entries[w.part_columns[e]] = w.cone[e - w.part_ends[n]]
    for k in range(w.tangents):
        sign = select(edge == float(2 * k), 1.0, select(edge == float(2 * k + 1), -1.0, 0.0))
        for e in range(w.part_ends[n + k + 1], w.part_ends[n + k + 2]):
            a = w.part_columns[e]
            w.entries[a] = fma(sign, w.cone[e - w.part_ends[n]], w.entries[a])


def _choose_edge(w: DualActiveSet, n: int) -> float:
    """Find the most violated row of the cone, whose first part is `n`; set its side, and return which it is."""
    worst = -_NEVER
    side = w.cone_sides[0]
    edge = 0.0
    for k in range(w.tangents):
        slide = 0.0
        for e in range(w.part_ends[n + k + 1], w.part_ends[n + k + 2]):
            slide = fma(w.cone[e - w.part_ends[n]], w.twist[w.part_columns[e]], slide)
        x = w.cone_sides[2 * k] - slide
        side = select(x > worst, w.cone_sides[2 * k], side)
        edge = select(x > worst, float(2 * k), edge)
        worst = select(x > worst, x, worst)
        x = w.cone_sides[2 * k + 1] + slide
        side = select(x > worst, w.cone_sides[2 * k + 1], side)
        edge = select(x > worst, float(2 * k + 1), edge)
        worst = select(x > worst, x, worst)
    w.side[0] = fma(w.pending[0], w.side[0], side)
    return edge


def _find_direction(w: DualActiveSet) -> None:
    """Compute r and d."""
    for i in range(w.n):
        w.direction[i] = w.row[i]
    for s in range(w.n):
        r = 0.0
        for i in range(w.n):
            r = fma(w.inverse[s * w.n + i], w.row[i], r)
        w.rates[s] = r
        for i in range(w.n):
            w.direction[i] = fma(-r, w.active[s * w.n + i], w.direction[i])


def _longest_step(w: DualActiveSet) -> float:
    """Return the step at which the row is satisfied; never, if it depends on active rows."""
    square = 0.0
    violation = w.side[0]
    for i in range(w.n):
        square = fma(w.direction[i], w.direction[i], square)
        violation = fma(-w.row[i], w.point[i], violation)
    return select(square > _DEPENDENT, divide(violation, square), _NEVER)


def _step_to_zero(w: DualActiveSet) -> float:
    """Find the slot whose multiplier vanishes first; return the step at which it does."""
    _find_first(w, 0, 0, w.half)
    _find_first(w, 1, w.half, w.n)
    lead = fma(w.first_weights[0], w.first_rates[1], -(w.first_weights[1] * w.first_rates[0]))
    w.slot[0] = select(lead > 0.0, w.first_slots[1], w.first_slots[0])
    weight = select(lead > 0.0, w.first_weights[1], w.first_weights[0])
    return divide(weight, select(lead > 0.0, w.first_rates[1], w.first_rates[0]))


def _find_first(w: DualActiveSet, part: int, start: int, stop: int) -> None:
    """Find the slot among some whose multiplier vanishes first."""
    weight = _NEVER
    rate = 1.0
    slot = -1.0
    for s in range(start, stop):
        lead = select(w.rates[s] > _FALLS, fma(weight, w.rates[s], -(w.weights[s] * rate)), 0.0)
        weight = select(lead > 0.0, w.weights[s], weight)
        rate = select(lead > 0.0, w.rates[s], rate)
        slot = select(lead > 0.0, float(s), slot)
    w.first_weights[part] = weight
    w.first_rates[part] = rate
    w.first_slots[part] = slot


def _move(w: DualActiveSet, length: float, free: float) -> None:
    """Go a step; the point stays where the row never becomes satisfied."""
    ahead = select(free < _NEVER, length, 0.0)
    for i in range(w.n):
        w.point[i] = fma(ahead, w.direction[i], w.point[i])
    for s in range(w.n):
        w.weights[s] = fma(-length, w.rates[s], w.weights[s])
    w.weight[0] += length


def _choose_leaving(w: DualActiveSet) -> float:
    """Set the row of N* of the slot that is dropped; return its rate."""
    rate = 0.0
    for i in range(w.n):
        w.leaving[i] = 0.0
    for s in range(w.n):
        if some(w.slot[0] == float(s)):
            chosen = select(w.slot[0] == float(s), 1.0, 0.0)
            rate = fma(chosen, w.rates[s], rate)
            for i in range(w.n):
                w.leaving[i] = fma(chosen, w.inverse[s * w.n + i], w.leaving[i])
    return rate


def _drop(w: DualActiveSet, used: int) -> None:
    """Drop the row in the chosen slot, where there is one; update r and d, N* later. Slots from `used` on are free."""
    rate = _choose_leaving(w)
    square = 0.0
    for i in range(w.n):
        square = fma(w.leaving[i], w.leaving[i], square)
    inverse = divide(1.0, select(square > 0.0, square, 1.0))
    s = 0
    while s < used:
        share = 0.0
        for i in range(w.n):
            share = fma(w.inverse[s * w.n + i], w.leaving[i], share)
        share = select(w.slot[0] == float(s), 1.0, share * inverse)
        stays = select(w.slot[0] == float(s), 0.0, 1.0)
        w.shares[s] = share
        w.rates[s] = fma(-share, rate, w.rates[s])
        w.weights[s] *= stays
        w.numbers[s] *= stays
        s += 1
    for i in range(w.n):
        w.direction[i] = fma(rate * inverse, w.leaving[i], w.direction[i])


def _add(w: DualActiveSet, entering: float, used: int, drops: int) -> None:
    """Put the row into the first slot that is free, one of the `used`, in lanes where it is `entering`; update N*.

    The update is also that of a row that was dropped, if some lane `drops` one.
    """
    square = 0.0
    for i in range(w.n):
        square = fma(w.direction[i], w.direction[i], square)
    inverse = select(entering > 0.0, divide(1.0, square), 0.0)
    s = 0
    while s < used:
        taken = select(w.numbers[s] > 0.0, 0.0, entering)
        entering -= taken
        stays = 1.0 - taken
        share = (taken - w.rates[s]) * inverse
        if drops > 0:
            for i in range(w.n):
                x = fma(-w.shares[s], w.leaving[i], w.inverse[s * w.n + i])
                w.inverse[s * w.n + i] = fma(share, w.direction[i], x)
        else:
            for i in range(w.n):
                w.inverse[s * w.n + i] = fma(share, w.direction[i], w.inverse[s * w.n + i])
        if some(taken > 0.0):
            for i in range(w.n):
                w.active[s * w.n + i] = fma(taken, w.row[i], stays * w.active[s * w.n + i])
        w.weights[s] = fma(taken, w.weight[0], stays * w.weights[s])
        w.numbers[s] = fma(taken, w.number[0], stays * w.numbers[s])
        w.active_sides[s] = fma(taken, w.side[0], stays * w.active_sides[s])
        s += 1


def _enter(w: DualActiveSet, entering: float, used: int) -> None:
    """Let the row that was found enter, where it is `entering`; one active row may be dropped on the way."""
    w.weight[0] *= w.pending[0]
    _find_direction(w)
    free = _longest_step(w)
    end = _step_to_zero(w)
    entering = select(free < _NEVER, entering, select(end < _NEVER, entering, 0.0))
    blocked = select(end < free, entering, 0.0)
    _move(w, select(entering > 0.0, select(end < free, end, free), 0.0), free)
    w.pending[0] = 0.0
    drops = 0
    if some(blocked > 0.0):
        drops = 1
        w.slot[0] = fma(blocked, w.slot[0] + 1.0, -1.0)
        _drop(w, used)
        free = _longest_step(w)
        end = _step_to_zero(w)
        again = select(free < _NEVER, select(end < free, 0.0, blocked), 0.0)
        _move(w, select(again > 0.0, free, 0.0), free)
        w.pending[0] = blocked - again
    _add(w, entering - w.pending[0], used, drops)


def _sum_rows(n: int, rows: Floats, shares: Floats, total: Floats) -> None:
    """Set the sum of shares of the rows of all slots."""
    for i in range(n):
        total[i] = 0.0
    for s in range(n):
        for i in range(n):
            total[i] = fma(shares[s], rows[s * n + i], total[i])


def _refine(w: DualActiveSet) -> None:
    """Correct the multipliers by N* for the errors of the active rows."""
    _sum_rows(w.n, w.active, w.weights, w.point)
    for s in range(w.n):
        w.rates[s] = w.active_sides[s]
        for i in range(w.n):
            w.rates[s] = fma(-w.active[s * w.n + i], w.point[i], w.rates[s])
    _sum_rows(w.n, w.inverse, w.rates, w.direction)
    for s in range(w.n):
        weight = w.weights[s]
        for i in range(w.n):
            weight = fma(w.inverse[s * w.n + i], w.direction[i], weight)
        weight = select(w.numbers[s] > 0.0, weight, 0.0)
        w.weights[s] = select(weight > 0.0, weight, 0.0)


def _finish(w: DualActiveSet) -> None:
    """Set the multipliers of all rows, and their wrenches f: C'f = N' times the multipliers."""
    _sum_rows(w.n, w.active, w.weights, w.wrench)
    for k in range(w.n - 1, -1, -1):
        force = select(w.needed[0] > 0.0, divide(w.wrench[k], w.factor[k * w.n + k]), 0.0)
        w.wrench[k] = force
        for i in range(k):
            w.wrench[i] = fma(-w.factor[k * w.n + i], force, w.wrench[i])
    row = 0
    while row < w.m:
        weight = 0.0
        for s in range(w.n):
            weight = select(w.numbers[s] == float(row + 1), w.weights[s], weight)
        w.multipliers[row] = weight
        row += 1


def project_by_active_set(w: DualActiveSet) -> int:
    """Find the multipliers, and their wrenches."""
    running = w.needed[0]
    rounds = 0
    used = 0
    while rounds < ROUNDS and some(running > 0.0):
        moved = 0.0
        for g in range(w.groups):
            _find_row(w, g)
            entering = select(w.number[0] > 0.0, running, 0.0)
            moved += entering
            if some(entering > 0.0):
                if used < w.n:
                    used += 1
                _enter(w, entering, used)
        w.rounds[0] += running
        running = select(moved > 0.0, running, 0.0)
        rounds += 1
    if some(w.needed[0] > 0.0):
        _refine(w)
        _finish(w)
    return 0


def operations(*sizes: int) -> int:
    """Bound the operations by those of the largest number of rounds."""
    of = DualActiveSet.layout.bind(sizes)
    n, m, groups = of["n"], of["m"], of["groups"]
    find = 2 * (2 * n * n + 4 * of["cone_entries"]) + 24 * m
    enter = 12 * n * n + 60 * n + 60
    return ROUNDS * (find + groups * enter + 10) + 12 * n * n + 4 * n * m
