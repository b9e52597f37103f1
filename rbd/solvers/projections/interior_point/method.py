"""Interior-point method: the loop over iterations, the two solutions of each, and the results; the intrinsic."""

from __future__ import annotations

from typing import Final

from rbd.intrinsics.intrinsic import Intrinsic
from rbd.intrinsics.language import divide, fma, select, some
from rbd.intrinsics.piecewise_constant import zero_cotangents, zero_tangents
from rbd.solvers.projections.interior_point.grouped_rows import (
    add_group_forces,
    add_group_matrix,
    correct_group,
    move_group,
    predict_group,
)
from rbd.solvers.projections.interior_point.interval_rows import (
    add_interval_forces,
    move_intervals,
    step_interval_multipliers,
    step_intervals,
)
from rbd.solvers.projections.interior_point.pairs import begin
from rbd.solvers.projections.interior_point.workspace import InteriorPoint
from rbd.solvers.projections.row_groups import TWIST_SIZE, compute_twist
from rbd.solvers.scaling import UNBOUNDED
from rbd.solvers.weighted_factor import eliminate, factor_rows, reset_to_identity, substitute

ITERATIONS: Final = 24
"""Iterations, at most."""
_CONVERGED: Final = 5e-11
"""Largest product of a slack and its multiplier at which a lane is done."""
_FEASIBLE: Final = 1e-12
"""Share of the first infeasibilities that may be left then."""
_ZERO_MULTIPLIER: Final = 1e-12
"""A smaller multiplier counts as zero."""
_BOUNDARY_SHARE: Final = 0.995
"""Share of the way to the boundary that a step goes."""


def project_by_interior_point(w: InteriorPoint) -> int:
    """Find the point, its multipliers, and the rates of interval rows."""
    if some(w.needed[0] > 0.0):
        _iterate(w)
    return 0


def _iterate(w: InteriorPoint) -> None:
    """Iterate until all lanes are done."""
    begin(w)
    running = select(w.pair_count[0] > 0.0, select(w.needed[0] > 0.0, 1.0, 0.0), 0.0)
    w.infeasibility_share[0] = 1.0
    length = 0.0
    iterations = 0
    while iterations < ITERATIONS and some(running > 0.0):
        _move(w, length, running)
        open_lanes = select(w.infeasibility_share[0] > _FEASIBLE, running, 0.0)
        running = select(w.largest_product[0] > _CONVERGED, running, open_lanes)
        if some(running > 0.0):
            length = _choose_step(w)
            w.iterations[0] += running
        iterations += 1
    _store_multipliers(w)
    _store_intervals(w)


def _move(w: InteriorPoint, length: float, running: float) -> None:
    """Take a step in lanes that are running, and assemble I + U'DU at its end."""
    for i in range(w.n):
        w.point[i] = select(running > 0.0, fma(length, w.direction[i], w.point[i]), w.point[i])
    w.product_sum[0] = 0.0
    w.largest_product[0] = 0.0
    reset_to_identity(w)
    share = w.infeasibility_share[0]
    w.infeasibility_share[0] = select(running > 0.0, share * (1.0 - length), share)
    for g in range(w.groups):
        move_group(w, g, length, running)
        add_group_matrix(w, g)
    if some(w.interval_pair_count[0] > 0.0):
        move_intervals(w, length, running)


def _choose_step(w: InteriorPoint) -> float:
    """Compute the step of an iteration by predictor and corrector; return its length."""
    if some(w.interval_pair_count[0] > 0.0):
        factor_rows(w, w.grouped_columns, w.n)
    factor_rows(w, 0, w.grouped_columns)
    # the predictor, and the target that follows from the products it leaves
    _solve_for_direction(w, 0.0)
    for g in range(w.groups):
        compute_twist(w, g, w.direction, w.twist)
        predict_group(w, g)
    total = select(w.product_sum[0] > 0.0, w.product_sum[0], 1.0)
    length = divide(1.0, select(w.inverse_step_length[0] > 1.0, w.inverse_step_length[0], 1.0))
    after = divide(fma(length * length, w.step_product_sum[0], (1.0 - length) * total), total)
    target = after * after * after * divide(total, select(w.pair_count[0] > 0.0, w.pair_count[0], 1.0))
    # the corrector
    _solve_for_direction(w, target)
    for g in range(w.groups):
        compute_twist(w, g, w.direction, w.twist)
        correct_group(w, g, target)
    return divide(
        _BOUNDARY_SHARE, select(w.inverse_step_length[0] > _BOUNDARY_SHARE, w.inverse_step_length[0], _BOUNDARY_SHARE)
    )


def _solve_for_direction(w: InteriorPoint, target: float) -> None:
    """Solve for the direction towards products `target`; step interval rows along it."""
    _begin_right_side(w)
    for g in range(w.groups):
        add_group_forces(w, g, target)
    if some(w.interval_pair_count[0] > 0.0):
        add_interval_forces(w, target)
        eliminate(w, w.grouped_columns, w.n)
    eliminate(w, 0, w.grouped_columns)
    substitute(w, 0, w.grouped_columns)
    w.inverse_step_length[0] = 0.0
    w.step_product_sum[0] = 0.0
    if some(w.interval_pair_count[0] > 0.0):
        substitute(w, w.grouped_columns, w.n)
        step_intervals(w, target)
        step_interval_multipliers(w, target)


def _begin_right_side(w: InteriorPoint) -> None:
    """Set the right-hand side to minus the gradient of the distance from the free point."""
    for i in range(w.n):
        w.direction[i] = 0.0 - w.point[i]


def _store_multipliers(w: InteriorPoint) -> None:
    """Set the multipliers of rows in groups; zeros in lanes that are not needed."""
    least = select(w.needed[0] > 0.0, _ZERO_MULTIPLIER, UNBOUNDED)
    row = 0
    while row < w.m:
        w.multipliers[row] = select(w.multiplier[row] > least, w.multiplier[row], 0.0)
        row += 1


def _store_intervals(w: InteriorPoint) -> None:
    """Set rates and multipliers of interval rows: the sums of the forces of both bounds and of friction."""
    least = select(w.needed[0] > 0.0, _ZERO_MULTIPLIER, UNBOUNDED)
    for k in range(w.intervals):
        rate = 0.0 - w.interval_sides[k]
        for entry in range(w.row_ends[k], w.row_ends[k + 1]):
            rate = fma(w.rows[entry], w.point[w.row_columns[entry]], rate)
        w.rates[k] = select(w.needed[0] > 0.0, rate, 0.0)
        low = w.m + k
        high = low + w.intervals
        force = select(w.multiplier[low] > least, w.multiplier[low], 0.0)
        w.multipliers[low] = force - select(w.multiplier[high] > least, w.multiplier[high], 0.0)
    for i in range(w.sliders):
        first = w.m + 2 * w.intervals + 2 * i
        force = 0.5 * (w.slack[first] - w.slack[first + 1])
        force = select(w.friction[i] > 0.0, force, 0.0)
        w.multipliers[w.m + w.slider_rows[i]] += select(w.needed[0] > 0.0, force, 0.0)


def operations(*sizes: int) -> int:
    """Bound the operations by those of the largest number of iterations."""
    of = InteriorPoint.layout.sizes_by_name(sizes)
    n, fill = of["n"], of["fill"]
    pairs = of["m"] + 2 * of["intervals"] + 2 * of["sliders"]
    factor = n + fill * (n + 2)
    products = of["entries"] + 2 * TWIST_SIZE * of["map_entries"]
    assembly = products * (n + 1) + 2 * TWIST_SIZE * of["wrench_entries"] + 2 * n + fill
    turn = 4 * (of["entries"] + of["map_entries"] + of["wrench_entries"]) + 5 * n + 4 * fill + of["map_columns"]
    turn += 30 * (pairs + TWIST_SIZE * of["groups"])
    return (ITERATIONS + 2) * (
        2 * factor + 2 * assembly + 2 * turn + 30 * pairs + of["chunk"] + of["grouped_columns"] + 40
    )


PROJECT_BY_INTERIOR_POINT: Final = Intrinsic(
    name="project_by_interior_point",
    workspace=InteriorPoint,
    function=project_by_interior_point,
    operations=operations,
    specialised=True,
    guarded=True,
    derivative=zero_tangents,
    adjoint=zero_cotangents,
)
