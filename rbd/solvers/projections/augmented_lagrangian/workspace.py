"""Workspace of the augmented Lagrangian method: the problem, the iterate, and the Newton step.

All rows are in U, c, lam: the rows with one side first, then the interval rows V with u0 as their sides.
"""

from __future__ import annotations

from typing import Final

from rbd.intrinsics.workspace import floats, operand, result, scratch, table
from rbd.solvers.weighted_factor import WeightedFactor

# Modes of interval rows; those that slide have the sign of their force.
AT_LOWER: Final = 2.0
AT_UPPER: Final = -2.0
AT_REST: Final = 0.0


class AugmentedLagrangian(WeightedFactor):
    """The problem, the iterate z and lam, the matrix I + rho A'A with its factor, and the step d."""

    # --- the problem
    m: int
    intervals: int
    """Number of interval rows among the m rows; they come last."""
    entries: int
    products: int
    """Entries of the lower triangles of all rows' products with themselves."""
    eliminations: int
    """Multiply-adds of the factor."""
    warm: int
    """1 if there is a warm start: point and multipliers near the solution; else 0."""
    row_ends = table("m + 1")
    row_columns = table("entries")
    rows = operand("entries")
    """U, sparse."""
    sides = operand("m")
    """c; of interval rows u0."""
    lower = operand("intervals")
    """Bounds of the rates V z - u0."""
    upper = operand("intervals")
    friction = operand("intervals")
    start_rates = operand("intervals")
    """Rates less multipliers near those of the solution, from which the first modes follow."""
    start_point = operand("warm * n")
    start_multipliers = operand("warm * m")

    # --- the solution
    point = result("n")
    """z."""
    multipliers = result("m")
    """lam."""
    modes = result("intervals")
    """Modes of interval rows: `AT_LOWER`, `AT_UPPER`, `AT_REST`, or the sign of the force of a row that slides."""
    residual = result("1")
    steps = result("1")
    """Newton steps taken."""

    # --- the augmented Lagrangian at the iterate: residual.py
    violations = scratch("m")
    """c - U z, negative where rows hold."""
    trial_multipliers = scratch("m")
    """max(0, y) for y = lam + rho (c - U z); of interval rows y, or the constant friction of those that slide."""
    interval_multipliers = scratch("intervals")
    """Multipliers of interval rows after the last step, from which the next modes follow."""
    weights = floats("m")
    """rho for the rows A of the factor that there is, else zero."""

    # --- the step: newton_step.py, line_search.py; the direction d is that of `WeightedFactor`
    rates = scratch("m")
    """U d."""
    gradient = scratch("n")
    slope = scratch("1")
    """Slope of |z|²/2 at the beginning of the step."""
    curvature = scratch("1")
    """Curvature of |z|²/2 along the step."""
    trial_curvature = scratch("1")
    """Curvature of the augmented Lagrangian at the last trial of the line search."""

    # --- the rounds of multipliers: method.py
    penalty = floats("1")
    """rho."""
    round_ended = floats("1")
    """1 if the last step ended a round of multipliers."""
    last_residual = floats("1")
    """The residual at the end of the last round."""
