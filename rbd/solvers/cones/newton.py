"""Newton's method on point and multipliers of a projection onto cones (`rows.py`), for many problems side by side.

It is Newton's method on the equation that a projection leaves the multipliers as they are (Alart and Curnier 1991),
which is semismooth (Qi and Sun 1993). A step changes both together, with rho = 1 and theta nearly 1, so that rows that
hold are nearly equations. It converges quadratically, in three to five steps where contacts are few; where many depend
on each other, it may cycle or diverge, and the augmented Lagrangian method follows.
"""

from __future__ import annotations

from typing import Final

from rbd.intrinsics.language import fma, select, some
from rbd.solvers.cones.newton_system import compute_stiffness, solve_newton_system
from rbd.solvers.cones.rows import add_forces, compute_residual
from rbd.solvers.cones.workspace import ConeProjection

STEPS: Final = 8
"""Newton steps, at most."""
_THETA: Final = 0.99999999
"""theta: at 1 rows that hold are equations, of which those that depend on each other have no solution."""
_CONVERGED: Final = 1e-11
"""Residual at which a lane is done."""
ACCEPTED: Final = 1e-10
"""Residual up to which it is done when the steps end."""


def _take_step(w: ConeProjection, running: float) -> None:
    """Take a step in lanes that are running."""
    for i in range(w.n):
        w.point[i] = select(running > 0.0, w.point[i] + w.direction[i], w.point[i])
    for k in range(w.blocks):
        x = w.slack_changes[3 * k]
        y = w.slack_changes[3 * k + 1]
        z = w.slack_changes[3 * k + 2]
        w.multiplier_changes[3 * k] -= fma(
            w.stiffness[6 * k], x, fma(w.stiffness[6 * k + 1], y, w.stiffness[6 * k + 2] * z)
        )
        w.multiplier_changes[3 * k + 1] -= fma(
            w.stiffness[6 * k + 1], x, fma(w.stiffness[6 * k + 3], y, w.stiffness[6 * k + 4] * z)
        )
        w.multiplier_changes[3 * k + 2] -= fma(
            w.stiffness[6 * k + 2], x, fma(w.stiffness[6 * k + 4], y, w.stiffness[6 * k + 5] * z)
        )
    for k in range(w.intervals):
        row = 3 * w.blocks + k
        w.multiplier_changes[row] -= w.stiffness[6 * w.blocks + k] * w.slack_changes[row]
    for j in range(3 * w.blocks + w.intervals):
        w.multipliers[j] = select(running > 0.0, w.multipliers[j] + w.multiplier_changes[j], w.multipliers[j])
    w.steps[0] += running


def take_newton_steps(w: ConeProjection) -> None:
    """Take Newton steps from the zero point, without multipliers."""
    compute_residual(w)
    running = select(w.residual[0] > _CONVERGED, 1.0, 0.0)
    steps = 0
    while steps < STEPS and some(running > 0.0):
        compute_stiffness(w, 1.0, _THETA)
        add_forces(w, w.multiplier_changes)
        solve_newton_system(w)
        _take_step(w, running)
        compute_residual(w)
        running = select(w.residual[0] > _CONVERGED, running, 0.0)
        steps += 1
