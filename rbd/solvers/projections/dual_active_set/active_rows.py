"""Active rows in slots: a row is dropped, a row is added, and N* follows by products of two vectors.

Dropping the row of slot k: with q = row k of N*, every row of N* loses its projection on q. Adding row a with the
directions d and r: row s of N* becomes itself - r_s d / |d|², that of the new row d / |d|². Both are one pass over N*.
"""

from __future__ import annotations

from rbd.intrinsics.language import divide, fma, select, some
from rbd.solvers.projections.dual_active_set.workspace import DualActiveSet


def drop_blocking_row(w: DualActiveSet, used: int) -> None:
    """Drop the row of the blocking slot, where there is one; update r and d. Slots from `used` on are free.

    N* follows in `add_row`, in one pass for both rows.
    """
    rate = _copy_leaving_inverse(w)
    square = 0.0
    for i in range(w.n):
        square = fma(w.leaving_inverse[i], w.leaving_inverse[i], square)
    inverse = divide(1.0, select(square > 0.0, square, 1.0))
    s = 0
    while s < used:
        # the projection of the slot's row of N* on that of the blocking slot; the slot is freed if it is that one
        share = 0.0
        for i in range(w.n):
            share = fma(w.pseudo_inverse[s * w.n + i], w.leaving_inverse[i], share)
        share = select(w.blocking_slot[0] == float(s), 1.0, share * inverse)
        stays = select(w.blocking_slot[0] == float(s), 0.0, 1.0)
        w.leaving_shares[s] = share
        w.fall_rates[s] = fma(-share, rate, w.fall_rates[s])
        w.active_multipliers[s] *= stays
        w.active_numbers[s] *= stays
        s += 1
    for i in range(w.n):
        w.direction[i] = fma(rate * inverse, w.leaving_inverse[i], w.direction[i])


def _copy_leaving_inverse(w: DualActiveSet) -> float:
    """Copy the row of N* of the blocking slot; return the rate at which its multiplier falls."""
    rate = 0.0
    for i in range(w.n):
        w.leaving_inverse[i] = 0.0
    for s in range(w.n):
        if some(w.blocking_slot[0] == float(s)):
            chosen = select(w.blocking_slot[0] == float(s), 1.0, 0.0)
            rate = fma(chosen, w.fall_rates[s], rate)
            for i in range(w.n):
                w.leaving_inverse[i] = fma(chosen, w.pseudo_inverse[s * w.n + i], w.leaving_inverse[i])
    return rate


def add_row(w: DualActiveSet, entering: float, used: int, drops: int) -> None:
    """Put the entering row into the first free slot of those `used`, in lanes that are `entering`; update N*.

    If some lane `drops` a row, the update is that of both rows.
    """
    square = 0.0
    for i in range(w.n):
        square = fma(w.direction[i], w.direction[i], square)
    inverse = select(entering > 0.0, divide(1.0, square), 0.0)
    s = 0
    while s < used:
        # 1 in lanes in which the row enters and this is the first free slot
        taken = select(w.active_numbers[s] > 0.0, 0.0, entering)
        entering -= taken
        stays = 1.0 - taken
        share = (taken - w.fall_rates[s]) * inverse
        # N*, without the row that was dropped and with the one that enters
        if drops > 0:
            for i in range(w.n):
                x = fma(-w.leaving_shares[s], w.leaving_inverse[i], w.pseudo_inverse[s * w.n + i])
                w.pseudo_inverse[s * w.n + i] = fma(share, w.direction[i], x)
        else:
            for i in range(w.n):
                w.pseudo_inverse[s * w.n + i] = fma(share, w.direction[i], w.pseudo_inverse[s * w.n + i])
        # the slot
        if some(taken > 0.0):
            for i in range(w.n):
                w.active_rows[s * w.n + i] = fma(taken, w.entering_row[i], stays * w.active_rows[s * w.n + i])
        w.active_multipliers[s] = fma(taken, w.entering_multiplier[0], stays * w.active_multipliers[s])
        w.active_numbers[s] = fma(taken, w.entering_number[0], stays * w.active_numbers[s])
        w.active_sides[s] = fma(taken, w.entering_side[0], stays * w.active_sides[s])
        s += 1
