"""Dual active-set method: the loop over rounds and groups, the row that enters, and the results; the intrinsic."""

from __future__ import annotations

from typing import Final

from rbd.intrinsics.intrinsic import Intrinsic
from rbd.intrinsics.language import Floats, divide, fma, select, some
from rbd.intrinsics.piecewise_constant import zero_cotangents, zero_tangents
from rbd.solvers.projections.dual_active_set.active_rows import add_row, drop_blocking_row
from rbd.solvers.projections.dual_active_set.step import (
    compute_directions,
    find_blocking_step,
    full_step_length,
    move,
)
from rbd.solvers.projections.dual_active_set.violated_row import find_violated_row
from rbd.solvers.projections.dual_active_set.workspace import DualActiveSet
from rbd.solvers.scaling import UNBOUNDED

ROUNDS: Final = 40
"""Rounds of all groups, at most."""


def project_by_dual_active_set(w: DualActiveSet) -> int:
    """Find the multipliers of the projection, and their wrenches."""
    running = w.needed[0]
    rounds = 0
    used = 0  # slots that some lane may use: one more with each row that enters
    while rounds < ROUNDS and some(running > 0.0):
        moved = 0.0
        for g in range(w.groups):
            find_violated_row(w, g)
            entering = select(w.entering_number[0] > 0.0, running, 0.0)
            moved += entering
            if some(entering > 0.0):
                if used < w.n:
                    used += 1
                _enter_row(w, entering, used)
        w.rounds[0] += running
        running = select(moved > 0.0, running, 0.0)
        rounds += 1
    if some(w.needed[0] > 0.0):
        _refine_multipliers(w)
        _compute_wrench(w)
        _store_multipliers(w)
    return 0


def _enter_row(w: DualActiveSet, entering: float, used: int) -> None:
    """Let the row that was found enter, in lanes where it is `entering`; one active row may be dropped on the way."""
    w.entering_multiplier[0] *= w.pending[0]
    compute_directions(w)
    full = full_step_length(w)
    partial = find_blocking_step(w)
    entering = select(full < UNBOUNDED, entering, select(partial < UNBOUNDED, entering, 0.0))
    blocked = select(partial < full, entering, 0.0)
    move(w, select(entering > 0.0, select(partial < full, partial, full), 0.0), full)
    w.pending[0] = 0.0
    drops = 0
    if some(blocked > 0.0):
        drops = 1
        w.blocking_slot[0] = fma(blocked, w.blocking_slot[0] + 1.0, -1.0)
        drop_blocking_row(w, used)
        _complete_step(w, blocked)
    add_row(w, entering - w.pending[0], used, drops)


def _complete_step(w: DualActiveSet, blocked: float) -> None:
    """Take the rest of the step, where it was `blocked`; where another one is blocking, a row is pending."""
    full = full_step_length(w)
    partial = find_blocking_step(w)
    free = select(full < UNBOUNDED, select(partial < full, 0.0, blocked), 0.0)
    move(w, select(free > 0.0, full, 0.0), full)
    w.pending[0] = blocked - free


def _refine_multipliers(w: DualActiveSet) -> None:
    """Remove the errors of the updates: add N* N*' (sides - N y), for y = N' multipliers, to the multipliers."""
    _combine_rows(w.n, w.active_rows, w.active_multipliers, w.point)
    for s in range(w.n):
        w.fall_rates[s] = w.active_sides[s]
        for i in range(w.n):
            w.fall_rates[s] = fma(-w.active_rows[s * w.n + i], w.point[i], w.fall_rates[s])
    _combine_rows(w.n, w.pseudo_inverse, w.fall_rates, w.direction)
    for s in range(w.n):
        multiplier = w.active_multipliers[s]
        for i in range(w.n):
            multiplier = fma(w.pseudo_inverse[s * w.n + i], w.direction[i], multiplier)
        multiplier = select(w.active_numbers[s] > 0.0, multiplier, 0.0)
        w.active_multipliers[s] = select(multiplier > 0.0, multiplier, 0.0)


def _compute_wrench(w: DualActiveSet) -> None:
    """Solve C'f = N' multipliers for the wrench f, by back substitution."""
    _combine_rows(w.n, w.active_rows, w.active_multipliers, w.wrench)
    for k in range(w.n - 1, -1, -1):
        force = select(w.needed[0] > 0.0, divide(w.wrench[k], w.factor[k * w.n + k]), 0.0)
        w.wrench[k] = force
        for i in range(k):
            w.wrench[i] = fma(-w.factor[k * w.n + i], force, w.wrench[i])


def _store_multipliers(w: DualActiveSet) -> None:
    """Set the multipliers of all rows from those of the slots."""
    row = 0
    while row < w.m:
        multiplier = 0.0
        for s in range(w.n):
            multiplier = select(w.active_numbers[s] == float(row + 1), w.active_multipliers[s], multiplier)
        w.multipliers[row] = multiplier
        row += 1


def _combine_rows(n: int, rows: Floats, shares: Floats, total: Floats) -> None:
    """Set the sum of shares of the rows of all slots."""
    for i in range(n):
        total[i] = 0.0
    for s in range(n):
        for i in range(n):
            total[i] = fma(shares[s], rows[s * n + i], total[i])


def operations(*sizes: int) -> int:
    """Bound the operations by those of the largest number of rounds."""
    of = DualActiveSet.layout.sizes_by_name(sizes)
    n, m, groups = of["n"], of["m"], of["groups"]
    find = 2 * (2 * n * n + 4 * of["cone_entries"]) + 24 * m
    enter = 12 * n * n + 60 * n + 60
    return ROUNDS * (find + groups * enter + 10) + 12 * n * n + 4 * n * m


PROJECT_BY_DUAL_ACTIVE_SET: Final = Intrinsic(
    name="project_by_dual_active_set",
    workspace=DualActiveSet,
    function=project_by_dual_active_set,
    operations=operations,
    specialised=True,
    derivative=zero_tangents,
    adjoint=zero_cotangents,
)
