"""Workspace of the interior-point method: the problem, the pairs of slacks and multipliers, and the step.

A pair is a slack s and its multiplier lam, both positive inside. The pairs are, one after the other,

    m                one of each row in a group:          s = W T z - c
    intervals        one of each lower bound:             s = u - lower
    intervals        one of each upper bound:             s = upper - u
    2 * sliders      two of each row with dry friction:   s = f + phi and f - phi

for the rate u = V z - u0 of an interval row. The multipliers of dry friction are the positive and the negative part
of u, for the force phi. Pairs whose slack is far from zero at first have no multiplier.
"""

from __future__ import annotations

from typing import final

from rbd.intrinsics.workspace import floats, operand, result, table
from rbd.solvers.projections.row_groups import GroupedRows
from rbd.solvers.weighted_factor import WeightedFactor


@final
class InteriorPoint(WeightedFactor, GroupedRows):
    """The rows in groups and the interval rows V, sparse; the iterate z, s, lam; the factor of I + U'DU; the step."""

    # --- the problem
    grouped_columns: int
    """The first columns, behind which no group has columns."""
    m: int
    intervals: int
    sliders: int
    """Interval rows with friction."""
    chunk: int
    """A divisor of the number of rows of each group; as many rows are processed together."""
    entries: int
    row_ends = table("intervals + 1")
    row_columns = table("entries")
    slider_rows = table("sliders")
    rows = operand("entries")
    """V."""
    sides = operand("m")
    """c."""
    interval_sides = operand("intervals")
    """u0."""
    lower = operand("intervals")
    upper = operand("intervals")
    friction = operand("sliders")
    needed = operand("1")
    """1 in lanes that are to be solved, else 0."""

    # --- the solution
    point = result("n")
    """z."""
    multipliers = result("m + intervals")
    rates = result("intervals")
    """u."""
    iterations = result("1")

    # --- the pairs: pairs.py
    slack = floats("m + 2 * intervals + 2 * sliders")
    """s."""
    multiplier = floats("m + 2 * intervals + 2 * sliders")
    """lam."""
    infeasibility = floats("m + 2 * intervals + 2 * sliders")
    """Initial residual of rows and rates with respect to the slacks; zero for friction."""
    inverse_slack = floats("m + 2 * intervals + 2 * sliders")
    """1 / s."""
    inverse_multiplier = floats("m + 2 * intervals + 2 * sliders")
    """1 / lam."""
    ratio = floats("m + 2 * intervals + 2 * sliders")
    """lam / s, the entries of D."""
    correction = floats("m + 2 * intervals + 2 * sliders")
    """Mehrotra's correction: the product of the predictor's changes of s and lam, over s."""
    slack_step = floats("m + 2 * intervals + 2 * sliders")
    multiplier_step = floats("m + 2 * intervals + 2 * sliders")

    # --- the interval rows: interval_rows.py
    rate_step = floats("intervals")
    stiffness = floats("intervals")
    """Entry of D of an interval row."""
    force = floats("intervals")
    """Force of an interval row that keeps its rate."""

    # --- the rows in groups: grouped_rows.py
    twist = floats("6")
    wrench = floats("6 * groups")
    """W' times the forces of rows whose slacks stay, for products of zero."""
    wrench_of_target = floats("6 * groups")
    """Its derivative by the target of the products."""
    wrench_of_correction = floats("6 * groups")
    weighted_gram = floats("36")
    """W'DW."""

    # --- the step: method.py; the direction is that of `WeightedFactor`
    infeasibility_share = floats("1")
    """The share of the first infeasibilities that is left."""
    pair_count = floats("1")
    """The number of pairs with multipliers."""
    interval_pair_count = floats("1")
    """Number of those that belong to interval rows."""
    product_sum = floats("1")
    """The sum of the products of slacks and multipliers."""
    largest_product = floats("1")
    inverse_step_length = floats("1")
    """One over the longest step for which all slacks and multipliers stay positive."""
    step_product_sum = floats("1")
    """The sum of the products of the changes of slacks and multipliers."""
