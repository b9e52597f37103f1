"""Augmented Lagrangian method: the loop over Newton steps, the rounds of multipliers, and the growth of the penalty."""

from __future__ import annotations

from typing import Final

from rbd.intrinsics.language import select, some
from rbd.solvers.projections.augmented_lagrangian.interval_rows import choose_modes, guess_modes
from rbd.solvers.projections.augmented_lagrangian.line_search import TRIALS
from rbd.solvers.projections.augmented_lagrangian.newton_step import newton_step
from rbd.solvers.projections.augmented_lagrangian.residual import compute_residual
from rbd.solvers.projections.augmented_lagrangian.workspace import AugmentedLagrangian
from rbd.solvers.scaling import UNBOUNDED

_PENALTY: Final = 1e8
"""The first rho, for rows of length one and sides of size one."""
_LARGEST_PENALTY: Final = 1e12
_GROWTH: Final = 100.0
"""Growth of rho after a round of multipliers that did not reduce the residual to `_PROGRESS` of the last."""
_PROGRESS: Final = 0.1
_CONVERGED: Final = 1e-12
"""Residual at which a lane is done."""
ACCEPTED: Final = 1e-10
"""Residual at which a lane is done if it makes no progress with the largest rho."""
STEPS: Final = 40
"""Newton steps, at most."""
_FREE_MODE_STEPS: Final = 2.0
"""Steps after which interval rows change their mode at the end of a round of multipliers only."""


def project(w: AugmentedLagrangian) -> int:
    """Find the point and its multipliers; the residual says whether they are found."""
    begin(w)
    compute_residual(w)
    enough = _CONVERGED
    if w.warm > 0:
        enough = ACCEPTED
    iterate(w, select(w.residual[0] > enough, 1.0, 0.0))
    return 0


def begin(w: AugmentedLagrangian) -> None:
    """Begin with the point and the multipliers of the warm start, if there is one."""
    w.penalty[0] = _PENALTY
    w.last_residual[0] = UNBOUNDED
    for i in range(w.warm * w.n):
        w.point[i] = w.start_point[i]
    for j in range(w.warm * w.m):
        w.multipliers[j] = w.start_multipliers[j]
    guess_modes(w)


def iterate(w: AugmentedLagrangian, running: float) -> None:
    """Take Newton steps in lanes that are running."""
    steps = 0
    while steps < STEPS and some(running > 0.0):
        newton_step(w, running, steps)
        compute_residual(w)
        running = _finish_step(w, running)
        steps += 1


def _finish_step(w: AugmentedLagrangian, running: float) -> float:
    """Raise rho where a round made no progress, choose modes where it ended; return which lanes are still running."""
    residual = w.residual[0]
    running = select(residual > _CONVERGED, running, 0.0)
    ended = select(running > 0.0, w.round_ended[0], 0.0)
    slow = select(residual > _PROGRESS * w.last_residual[0], ended, 0.0)
    w.last_residual[0] = select(ended > 0.0, residual, w.last_residual[0])
    grows = select(w.penalty[0] < _LARGEST_PENALTY, slow, 0.0)
    stuck = select(residual > ACCEPTED, 0.0, slow - grows)
    w.penalty[0] = select(grows > 0.0, w.penalty[0] * _GROWTH, w.penalty[0])
    changed = choose_modes(w, select(w.steps[0] < _FREE_MODE_STEPS, running, ended))
    w.last_residual[0] = select(changed > 0.0, UNBOUNDED, w.last_residual[0])
    if some(grows + changed > 0.0):
        compute_residual(w)
    return select(stuck > 0.0, 0.0, running)


def operations(
    n: int, fill: int, m: int, intervals: int, entries: int, products: int, eliminations: int, warm: int
) -> int:
    """Bound the operations by those of the largest number of steps; few need more than ten."""
    residual = 6 * entries + 10 * m + 5 * n + 1 + 27 * intervals
    newton = entries + 2 * (products + eliminations) + 5 * m + 2 + fill + 4 * n + 4 * fill + 2 * intervals
    search = 4 * n + 2 * entries + 9 * m + 2 * m + 2
    search += TRIALS * (3 + 9 * m + 11)
    update = 2 * n + 5 * m + 3 + 16 * intervals + 2
    return (2 * STEPS + 2) * (residual + 1) + (STEPS + 1) * (newton + search + update + 12) + warm * (n + m)
