"""Step of point and multipliers for the row that enters: directions, lengths, and the move."""

from __future__ import annotations

from typing import Final

from rbd.intrinsics.language import divide, fma, select
from rbd.solvers.projections.dual_active_set.workspace import DualActiveSet
from rbd.solvers.scaling import UNBOUNDED

_DEPENDENT: Final = 1e-11
"""Square of the distance from the span of active rows up to which a row of length one depends on these."""
_FALLS: Final = 1e-13
"""Rate from which on a multiplier falls."""


def compute_directions(w: DualActiveSet) -> None:
    """Compute r = N* a and d = a - N'r."""
    for i in range(w.n):
        w.direction[i] = w.entering_row[i]
    for s in range(w.n):
        r = 0.0
        for i in range(w.n):
            r = fma(w.pseudo_inverse[s * w.n + i], w.entering_row[i], r)
        w.fall_rates[s] = r
        for i in range(w.n):
            w.direction[i] = fma(-r, w.active_rows[s * w.n + i], w.direction[i])


def full_step_length(w: DualActiveSet) -> float:
    """Return the step at which the entering row is satisfied; `UNBOUNDED` if it depends on active rows."""
    square = 0.0
    violation = w.entering_side[0]
    for i in range(w.n):
        square = fma(w.direction[i], w.direction[i], square)
        violation = fma(-w.entering_row[i], w.point[i], violation)
    return select(square > _DEPENDENT, divide(violation, square), UNBOUNDED)


def find_blocking_step(w: DualActiveSet) -> float:
    """Find the blocking slot, whose multiplier vanishes first, and return the step at which it does."""
    _find_blocking(w, 0, 0, w.half)
    _find_blocking(w, 1, w.half, w.n)
    lead = fma(w.blocking_multipliers[0], w.blocking_rates[1], -(w.blocking_multipliers[1] * w.blocking_rates[0]))
    w.blocking_slot[0] = select(lead > 0.0, w.blocking_slots[1], w.blocking_slots[0])
    multiplier = select(lead > 0.0, w.blocking_multipliers[1], w.blocking_multipliers[0])
    return divide(multiplier, select(lead > 0.0, w.blocking_rates[1], w.blocking_rates[0]))


def _find_blocking(w: DualActiveSet, half: int, start: int, stop: int) -> None:
    """Find the blocking slot of a half: steps multiplier / rate are compared by products, without a division."""
    multiplier = UNBOUNDED
    rate = 1.0
    slot = -1.0
    for s in range(start, stop):
        lead = select(
            w.fall_rates[s] > _FALLS, fma(multiplier, w.fall_rates[s], -(w.active_multipliers[s] * rate)), 0.0
        )
        multiplier = select(lead > 0.0, w.active_multipliers[s], multiplier)
        rate = select(lead > 0.0, w.fall_rates[s], rate)
        slot = select(lead > 0.0, float(s), slot)
    w.blocking_multipliers[half] = multiplier
    w.blocking_rates[half] = rate
    w.blocking_slots[half] = slot


def move(w: DualActiveSet, length: float, full: float) -> None:
    """Take a step; only multipliers change where the full step is `UNBOUNDED`."""
    ahead = select(full < UNBOUNDED, length, 0.0)
    for i in range(w.n):
        w.point[i] = fma(ahead, w.direction[i], w.point[i])
    for s in range(w.n):
        w.active_multipliers[s] = fma(-length, w.fall_rates[s], w.active_multipliers[s])
    w.entering_multiplier[0] += length
