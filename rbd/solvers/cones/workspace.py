"""Workspace of the projection onto second-order cones: the rows, the point with the multipliers, Newton's system."""

from __future__ import annotations

from typing import final

from rbd.intrinsics.workspace import floats, operand, result, table
from rbd.solvers.weighted_factor import WeightedFactor


@final
class ConeProjection(WeightedFactor):
    """The blocks and interval rows, the point with the multipliers, and Newton's system.

    Numbers per row: three for each block, then one for each interval row.
    """

    blocks: int
    intervals: int
    entries: int
    """The columns that blocks have, in all."""
    interval_entries: int
    products: int
    """Entries of the lower triangles of all products of rows with themselves."""
    eliminations: int
    """Multiply-adds of the factor."""
    block_ends = table("blocks + 1")
    block_columns = table("entries")
    interval_ends = table("intervals + 1")
    interval_columns = table("interval_entries")
    cones = operand("3 * entries")
    """A: for each column of a block the entries of its three rows."""
    rows = operand("interval_entries")
    """R."""
    offsets = operand("3 * blocks + intervals")
    """b and -u0."""
    lower = operand("intervals")
    """Bounds of u."""
    upper = operand("intervals")
    friction = operand("intervals")
    point = result("n")
    multipliers = result("3 * blocks + intervals")
    residual = result("1")
    steps = result("1")
    slacks = floats("3 * blocks + intervals")
    """s and u."""
    projected = floats("3 * blocks + intervals")
    """P(y)."""
    eigenvalues = floats("3 * blocks + intervals")
    """Of the derivative of P, for (1, w), (1, -w) and (0, w')."""
    radial_directions = floats("2 * blocks")
    """w, the direction of the second and third entry of y."""
    multiplier_changes = floats("3 * blocks + intervals")
    """Changes of multipliers at the point."""
    stiffness = floats("6 * blocks + intervals")
    """D: of a block the upper triangle, row by row."""
    slack_changes = floats("3 * blocks + intervals")
    """Changes of s and u for the step."""
    penalty = floats("1")
    """rho of a round of multipliers."""
    penalty_growth = floats("1")
    """Ratio of rho to the first one, now or when it last was larger."""
    best_residual = floats("1")
    """The smallest residual after a round with the first rho."""
    round_steps = floats("1")
    """Steps of this round."""
