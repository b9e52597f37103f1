"""Check of a warm start for rows in groups U = W T, and the augmented Lagrangian method where it fails.

The residual is computed with W and T of the cones. Only where it is too large, in some lane, the rows are multiplied
out, and Newton steps are taken there.
"""

from __future__ import annotations

from typing import final

from rbd.intrinsics.language import fma, select, some
from rbd.intrinsics.workspace import operand, scratch
from rbd.solvers.projections.augmented_lagrangian.interval_rows import check_intervals
from rbd.solvers.projections.augmented_lagrangian.method import ACCEPTED, begin, iterate
from rbd.solvers.projections.augmented_lagrangian.method import operations as operations_of_newton
from rbd.solvers.projections.augmented_lagrangian.residual import compute_residual, compute_violations, store_residual
from rbd.solvers.projections.augmented_lagrangian.workspace import AugmentedLagrangian
from rbd.solvers.projections.cone_rows import GroupedCones, part_rate
from rbd.solvers.projections.row_groups import TWIST_SIZE, compute_twist


@final
class GroupedProjection(AugmentedLagrangian, GroupedCones):
    """The rows as products of cones, in the order of the groups."""

    interval_entries: int
    """Entries of the interval rows."""
    rows = scratch("entries")
    interval_rows = operand("interval_entries")
    twist = scratch("6")
    wrench = scratch("6")


def project_groups(w: GroupedProjection) -> int:
    """Check the warm start; take Newton steps from it where its residual is too large."""
    begin(w)
    _check_optimality(w)
    checked = w.residual[0]
    failing = select(checked <= ACCEPTED, 0.0, 1.0)
    if some(failing > 0.0):
        _form_rows(w)
        compute_residual(w)
        iterate(w, failing)
        w.residual[0] = select(failing > 0.0, w.residual[0], checked)
    return 0


def _check_optimality(w: GroupedProjection) -> None:
    """Compute the residual of the warm start."""
    undefined = compute_violations(w, w.interval_rows, w.m - w.intervals)
    worst = check_intervals(w, 0.0)
    undefined = _add_intervals(w, undefined)
    for g in range(w.groups):
        worst = _check_group(w, g, worst)
    store_residual(w, worst + undefined)


def _add_intervals(w: GroupedProjection, undefined: float) -> float:
    """Set the stationarity error to z - V'mu, in `direction`; add zero to `undefined`, or NaN if one is not finite."""
    first = w.m - w.intervals
    total = 0.0
    for j in range(first, w.m):
        total += abs(w.multipliers[j])
    for i in range(w.n):
        w.direction[i] = w.point[i]
    if some(total > 0.0):
        for j in range(first, w.m):
            for k in range(w.row_ends[j], w.row_ends[j + 1]):
                entry = w.interval_rows[k - w.row_ends[first]]
                column = w.row_columns[k]
                w.direction[column] = fma(-w.multipliers[j], entry, w.direction[column])
    return fma(0.0, total, undefined)


def _check_group(w: GroupedProjection, g: int, worst: float) -> float:
    """Subtract T'W'lam of a group from the stationarity error; return the residual so far."""
    compute_twist(w, g, w.point, w.twist)
    found = _check_rows(w, g, worst)
    _subtract_wrench(w, g)
    return found


def _check_rows(w: GroupedProjection, g: int, worst: float) -> float:
    """Check the rows of a group, and compute the wrench W'lam of their forces; return the residual so far."""
    for a in range(w.twist_sizes[g]):
        w.wrench[a] = 0.0
    first_part = g * (w.tangent_count + 1)
    row = w.group_ends[g]
    start = w.cone_starts[g]
    while row < w.group_ends[g + 1]:
        worst = _check_cone(w, first_part, row, start, worst)
        row += w.edge_count
        start += w.part_ends[first_part + w.tangent_count + 1] - w.part_ends[first_part]
    return worst


def _check_cone(w: GroupedProjection, first_part: int, row: int, start: int, worst: float) -> float:
    """Check the rows of a cone whose first part is `first_part`, and add their forces; return the residual so far."""
    rate = part_rate(w, w.cones, w.twist, first_part, 0, start)
    force = 0.0
    if w.tangent_count == 0:
        force = w.multipliers[row]
        worst = _with_two_rows(w.sides[row] - rate, force, 0.0, 0.0, worst)
    for k in range(w.tangent_count):
        slide = part_rate(w, w.cones, w.twist, first_part, k + 1, start)
        one = w.multipliers[row + 2 * k]
        other = w.multipliers[row + (2 * k + 1)]
        violation = w.sides[row + 2 * k] - rate - slide
        worst = _with_two_rows(violation, one, w.sides[row + (2 * k + 1)] - rate + slide, other, worst)
        force += one + other
        _add_wrench(w, first_part, k + 1, start, one - other)
    _add_wrench(w, first_part, 0, start, force)
    return worst


def _with_two_rows(one: float, force: float, other: float, opposite: float, worst: float) -> float:
    """Return the residual with those of two rows, from violations and multipliers; NaN where one is not finite."""
    worst = select(one > worst, one, worst)
    worst = select(other > worst, other, worst)
    product = abs(one * force)
    worst = select(product > worst, product, worst)
    product = abs(other * opposite)
    worst = select(product > worst, product, worst)
    return fma(0.0, one + other, worst)


def _add_wrench(w: GroupedProjection, first_part: int, part: int, start: int, force: float) -> None:
    """Add the wrench of a part of a cone, times a force."""
    for e in range(w.part_ends[first_part + part], w.part_ends[first_part + part + 1]):
        a = w.part_columns[e]
        w.wrench[a] = fma(force, w.cones[start + (e - w.part_ends[first_part])], w.wrench[a])


def _subtract_wrench(w: GroupedProjection, g: int) -> None:
    """Subtract T' times the wrench of a group from the stationarity error."""
    width = w.column_ends[g + 1] - w.column_ends[g]
    for a in range(w.twist_sizes[g]):
        for i in range(width):
            column = w.columns[w.column_ends[g] + i]
            entry = w.maps[w.map_starts[g] + a * width + i]
            w.direction[column] = fma(-w.wrench[a], entry, w.direction[column])


def _form_rows(w: GroupedProjection) -> None:
    """Compute U = W T, behind which the interval rows are."""
    for k in range(w.interval_entries):
        w.rows[w.row_ends[w.m - w.intervals] + k] = w.interval_rows[k]
    for g in range(w.groups):
        first_part = g * (w.tangent_count + 1)
        row = w.group_ends[g]
        start = w.cone_starts[g]
        while row < w.group_ends[g + 1]:
            if w.tangent_count == 0:
                _form_row(w, g, row, start, 0, 0.0)
            for k in range(w.tangent_count):
                _form_row(w, g, row + 2 * k, start, k + 1, 1.0)
                _form_row(w, g, row + (2 * k + 1), start, k + 1, -1.0)
            row += w.edge_count
            start += w.part_ends[first_part + w.tangent_count + 1] - w.part_ends[first_part]


def _form_row(w: GroupedProjection, g: int, row: int, start: int, part: int, sign: float) -> None:
    """Compute a row of U, that of a cone with a share `sign` of the tangent of a part."""
    first_part = g * (w.tangent_count + 1)
    for a in range(w.twist_sizes[g]):
        w.wrench[a] = 0.0
    _add_wrench(w, first_part, 0, start, 1.0)
    _add_wrench(w, first_part, part, start, sign)
    width = w.column_ends[g + 1] - w.column_ends[g]
    entry = w.row_ends[row]
    for i in range(width):
        x = 0.0
        for a in range(w.twist_sizes[g]):
            x = fma(w.wrench[a], w.maps[w.map_starts[g] + a * width + i], x)
        w.rows[entry + i] = x


def operations(*sizes: int) -> int:
    """Bound the operations by those of a check and of Newton's method."""
    of = GroupedProjection.layout.sizes_by_name(sizes)
    check = 4 * (of["cone_entries"] + of["map_entries"]) + 12 * of["m"] + of["entries"] + 12 * of["groups"] + 3
    form = of["m"] * (6 + 2 * TWIST_SIZE) + 2 * TWIST_SIZE * of["entries"]
    return operations_of_newton(*sizes[: len(AugmentedLagrangian.layout.sizes)]) + check + form
