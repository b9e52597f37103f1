"""Workspace of the dual active-set method: the problem, the active rows, the row that enters, and the step."""

from __future__ import annotations

from typing import final

from rbd.intrinsics.workspace import floats, operand, result, scratch
from rbd.solvers.projections.cone_rows import GroupedCones


@final
class DualActiveSet(GroupedCones):
    """The rows W C y >= c as cones in groups; y, N, N* and multipliers; the entering row a, and the step d, r.

    Active rows are in n slots. A free slot has the number 0 and a row of zeros in N*; its row in N does not matter.
    """

    # --- the problem
    n: int
    m: int
    half: int
    """Slots of which the blocking one is found apart from that of the others: two short chains of comparisons."""
    chunk: int
    """A divisor of the number of cones of each group; as many are compared together."""
    factor = operand("n * n")
    """C, which is lower triangular."""
    sides = operand("m")
    """c."""
    needed = operand("1")
    """1 in lanes that are to be solved, else 0."""

    # --- the solution
    wrench = result("n")
    """f = W' times the multipliers, group by group."""
    multipliers = result("m")
    rounds = result("1")
    """Rounds taken."""

    # --- the iterate, with the active rows: active_rows.py
    point = floats("n")
    """y."""
    active_rows = floats("n * n")
    """N, a row per slot."""
    pseudo_inverse = floats("n * n")
    """N* = (N N')⁻¹ N, a row per slot."""
    active_numbers = floats("n")
    """The number of the row in each slot, from one."""
    active_multipliers = floats("n")
    active_sides = floats("n")

    # --- the row that enters: violated_row.py
    twist = scratch("6")
    """The twist of the group, C y."""
    entering_wrench = scratch("6")
    """The row of W that enters."""
    found_cone = scratch("6 * (tangent_count + 1)")
    """The parts of its cone."""
    found_sides = scratch("edge_count")
    found_place = scratch("1")
    """Number of the cone in its group, from one; zero where none is violated, or a row is pending."""
    entering_row = floats("n")
    """a."""
    entering_side = floats("1")
    entering_number = floats("1")
    """Its number, from one; zero where none enters."""
    entering_multiplier = floats("1")
    """Its multiplier so far."""
    pending = floats("1")
    """1 if a second row was blocking, so that it continues in the next turn; else 0."""

    # --- the step: step.py
    direction = scratch("n")
    """d, of the point."""
    fall_rates = scratch("n")
    """r, at which the multipliers fall."""
    leaving_inverse = scratch("n")
    """The row of N* of the slot that is dropped; zero in lanes that drop none."""
    leaving_shares = scratch("n")
    """The projections of the rows of N* on it."""
    blocking_slot = scratch("1")
    """The slot whose multiplier vanishes first; -1 if none falls."""
    blocking_multipliers = scratch("2")
    """That of each half of the slots."""
    blocking_rates = scratch("2")
    blocking_slots = scratch("2")
