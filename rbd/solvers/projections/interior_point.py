"""Interior-point method for projections onto polyhedra with many redundant rows, for many problems side by side.

Mehrotra's predictor-corrector method (SIAM Journal on Optimization 2, 1992) for the point z of U z >= c nearest to
zero, with slacks s = U z - c and multipliers lam: Newton's method on z = U'lam and s lam = target, whose steps stay
inside s, lam > 0. One iteration factors I + U'DU, D = lam / s, and solves twice. Rows that depend on each other share
their load, and need no more iterations than others.

Rows come in groups, U = W T: what the contact points of two bodies do depends on the relative twist T z, so that W has
at most six columns, and W'DW is small. Where no interval row of any lane has a multiplier (`interior_point_workspace`),
they are skipped, with the columns that only they touch; what is skipped would add zeros. The loops have the same course
in all lanes; lanes that are done stay as they are.
"""

from __future__ import annotations

from typing import Final

from rbd.intrinsics.language import divide, fma, select, some
from rbd.solvers.projections.interior_point_intervals import (
    add_interval_forces,
    change_intervals,
    change_weights,
    weigh_intervals,
)
from rbd.solvers.projections.interior_point_workspace import LARGEST_RATIO, InteriorPoint, begin
from rbd.solvers.weighted_factor import eliminate, factor_rows, reset_to_identity, substitute

ITERATIONS: Final = 24
"""Iterations, at most."""
WIDEST: Final = 6
"""Columns of W, at most."""
_CONVERGED: Final = 5e-11
"""Largest product of a slack and its multiplier at which a lane is done."""
_NOTHING: Final = 1e-12
"""Multipliers below are zero."""
_INFINITE: Final = 1e300
_CLOSED: Final = 1e-12
"""Share of the first gaps that may be left then."""
_SHARE: Final = 0.995
"""Share of the way to the boundary that a step goes."""


def _sum_group(w: InteriorPoint, g: int, length: float, running: float) -> None:
    """Go a step in the pairs of a group; compute W'DW there, and the wrench of its forces."""
    size = w.group_sizes[g]
    for a in range(size):
        w.wrench[6 * g + a] = 0.0
        w.wrench_of_target[6 * g + a] = 0.0
        w.wrench_of_push[6 * g + a] = 0.0
        for b in range(a + 1):
            w.inner[6 * a + b] = 0.0
    row = w.group_ends[g]
    start = w.wrench_starts[g]
    while row < w.group_ends[g + 1]:
        _weigh_rows(w, row, length, running)
        for part in range(w.chunk):
            first = start + part * size
            ratio = w.ratio[row + part]
            force = -ratio * (w.left[0] * w.gap[row + part])
            for a in range(size):
                scaled = ratio * w.wrenches[first + a]
                w.wrench[6 * g + a] = fma(force, w.wrenches[first + a], w.wrench[6 * g + a])
                for b in range(a + 1):
                    w.inner[6 * a + b] = fma(scaled, w.wrenches[first + b], w.inner[6 * a + b])
        row += w.chunk
        start += w.chunk * size


def _weigh_rows(w: InteriorPoint, row: int, length: float, running: float) -> None:
    """Go a step in the pairs of some rows; compute inverses, ratios and products. One division is for all of them."""
    total = w.total[0]
    largest = w.largest[0]
    every = 1.0
    for part in range(w.chunk):
        slack = w.slack[row + part]
        weight = w.weight[row + part]
        slack = select(running > 0.0, fma(length, w.slack_step[row + part], slack), slack)
        weight = select(running > 0.0, fma(length, w.weight_step[row + part], weight), weight)
        product = slack * weight
        w.slack[row + part] = slack
        w.weight[row + part] = weight
        w.by_slack[row + part] = every
        total += product
        largest = select(product > largest, product, largest)
        product = select(product > 0.0, product, 1.0)
        w.by_weight[row + part] = product
        every *= product
    w.total[0] = total
    w.largest[0] = largest
    every = divide(1.0, every)
    for back in range(w.chunk):
        part = w.chunk - 1 - back
        inverse = every * w.by_slack[row + part]
        every *= w.by_weight[row + part]
        by_slack = w.weight[row + part] * inverse
        ratio = w.weight[row + part] * by_slack
        w.by_slack[row + part] = by_slack
        w.by_weight[row + part] = w.slack[row + part] * inverse
        w.ratio[row + part] = select(ratio > LARGEST_RATIO, LARGEST_RATIO, ratio)


def _map_group(w: InteriorPoint, g: int) -> None:
    """Add T'(W'DW)T of a group to the matrix."""
    size = w.group_sizes[g]
    width = w.column_ends[g + 1] - w.column_ends[g]
    for i in range(width):
        _map_column(w, g, i)
        for j in range(i + 1):
            entry = w.places[w.columns[w.column_ends[g] + i] * w.n + w.columns[w.column_ends[g] + j]]
            x = w.matrix[entry]
            for a in range(size):
                x = fma(w.twist[a], w.maps[w.map_starts[g] + a * width + j], x)
            w.matrix[entry] = x


def _map_column(w: InteriorPoint, g: int, i: int) -> None:
    """Multiply W'DW with a column of T."""
    size = w.group_sizes[g]
    width = w.column_ends[g + 1] - w.column_ends[g]
    for a in range(size):
        x = 0.0
        for b in range(a + 1):
            x = fma(w.inner[6 * a + b], w.maps[w.map_starts[g] + b * width + i], x)
        for b in range(a + 1, size):
            x = fma(w.inner[6 * b + a], w.maps[w.map_starts[g] + b * width + i], x)
        w.twist[a] = x


def _advance(w: InteriorPoint, length: float, running: float) -> None:
    """Go a step in lanes that are running, and assemble the matrix there."""
    for i in range(w.n):
        w.point[i] = select(running > 0.0, fma(length, w.direction[i], w.point[i]), w.point[i])
    w.total[0] = 0.0
    w.largest[0] = 0.0
    reset_to_identity(w)
    w.left[0] = select(running > 0.0, w.left[0] * (1.0 - length), w.left[0])
    for g in range(w.groups):
        _sum_group(w, g, length, running)
        _map_group(w, g)
    if some(w.awake[0] > 0.0):
        weigh_intervals(w, length, running)


def _add_group_forces(w: InteriorPoint, g: int, target: float) -> None:
    """Add the forces of a group, that slacks which stay have for products `target`, to the right-hand side."""
    width = w.column_ends[g + 1] - w.column_ends[g]
    for a in range(w.group_sizes[g]):
        force = fma(target, w.wrench_of_target[6 * g + a], w.wrench[6 * g + a]) - w.wrench_of_push[6 * g + a]
        for i in range(width):
            column = w.columns[w.column_ends[g] + i]
            w.direction[column] = fma(w.maps[w.map_starts[g] + a * width + i], force, w.direction[column])


def _begin_direction(w: InteriorPoint) -> None:
    """Set the right-hand side to minus the gradient of the distance from the free point."""
    for i in range(w.n):
        w.direction[i] = 0.0 - w.point[i]


def _solve(w: InteriorPoint, target: float) -> None:
    """Solve for the direction towards products `target`."""
    _begin_direction(w)
    for g in range(w.groups):
        _add_group_forces(w, g, target)
    if some(w.awake[0] > 0.0):
        add_interval_forces(w, target)
        eliminate(w, w.body, w.n)
    eliminate(w, 0, w.body)
    substitute(w, 0, w.body)
    w.worst[0] = 0.0
    w.second[0] = 0.0
    if some(w.awake[0] > 0.0):
        substitute(w, w.body, w.n)
        change_intervals(w, target)
        change_weights(w, target)


def _find_twist(w: InteriorPoint, g: int) -> None:
    """Compute the twist of a group along the direction."""
    width = w.column_ends[g + 1] - w.column_ends[g]
    for a in range(w.group_sizes[g]):
        x = 0.0
        for i in range(width):
            x = fma(w.maps[w.map_starts[g] + a * width + i], w.direction[w.columns[w.column_ends[g] + i]], x)
        w.twist[a] = x


def _change_slacks(w: InteriorPoint, g: int, row: int, start: int) -> None:
    """Compute the changes of the slacks of some rows of a group along the direction."""
    size = w.group_sizes[g]
    for part in range(w.chunk):
        change = w.left[0] * w.gap[row + part]
        for a in range(size):
            change = fma(w.wrenches[start + part * size + a], w.twist[a], change)
        w.slack_step[row + part] = change


def _predict_group(w: InteriorPoint, g: int) -> None:
    """Compute what the changes of a group's pairs towards zero mean: step, products of changes, wrenches."""
    size = w.group_sizes[g]
    worst = w.worst[0]
    second = w.second[0]
    row = w.group_ends[g]
    start = w.wrench_starts[g]
    while row < w.group_ends[g + 1]:
        _change_slacks(w, g, row, start)
        for part in range(w.chunk):
            first = start + part * size
            change = w.slack_step[row + part]
            by_slack = w.by_slack[row + part]
            step = fma(-w.ratio[row + part], change, -w.weight[row + part])
            share = -change * by_slack
            worst = select(share > worst, share, worst)
            share = -step * w.by_weight[row + part]
            worst = select(share > worst, share, worst)
            second = fma(change, step, second)
            push = change * step * by_slack
            w.push[row + part] = push
            for a in range(size):
                w.wrench_of_target[6 * g + a] = fma(by_slack, w.wrenches[first + a], w.wrench_of_target[6 * g + a])
                w.wrench_of_push[6 * g + a] = fma(push, w.wrenches[first + a], w.wrench_of_push[6 * g + a])
        row += w.chunk
        start += w.chunk * size
    w.worst[0] = worst
    w.second[0] = second


def _correct_group(w: InteriorPoint, g: int, target: float) -> None:
    """Compute the changes of a group's pairs towards products `target`."""
    worst = w.worst[0]
    row = w.group_ends[g]
    start = w.wrench_starts[g]
    while row < w.group_ends[g + 1]:
        _change_slacks(w, g, row, start)
        for part in range(w.chunk):
            change = w.slack_step[row + part]
            by_slack = w.by_slack[row + part]
            step = fma(target, by_slack, -w.push[row + part]) - w.weight[row + part]
            step = fma(-w.ratio[row + part], change, step)
            share = -change * by_slack
            worst = select(share > worst, share, worst)
            share = -step * w.by_weight[row + part]
            worst = select(share > worst, share, worst)
            w.weight_step[row + part] = step
        row += w.chunk
        start += w.chunk * w.group_sizes[g]
    w.worst[0] = worst


def _choose_step(w: InteriorPoint) -> float:
    """Compute the changes of an iteration; return the length of its step."""
    if some(w.awake[0] > 0.0):
        factor_rows(w, w.body, w.n)
    factor_rows(w, 0, w.body)
    _solve(w, 0.0)
    for g in range(w.groups):
        _find_twist(w, g)
        _predict_group(w, g)
    total = select(w.total[0] > 0.0, w.total[0], 1.0)
    length = divide(1.0, select(w.worst[0] > 1.0, w.worst[0], 1.0))
    after = divide(fma(length * length, w.second[0], (1.0 - length) * total), total)
    target = after * after * after * divide(total, select(w.count[0] > 0.0, w.count[0], 1.0))
    _solve(w, target)
    for g in range(w.groups):
        _find_twist(w, g)
        _correct_group(w, g, target)
    return divide(_SHARE, select(w.worst[0] > _SHARE, w.worst[0], _SHARE))


def _finish(w: InteriorPoint) -> None:
    """Set rates and multipliers."""
    least = select(w.needed[0] > 0.0, _NOTHING, _INFINITE)
    row = 0
    while row < w.m:
        w.multipliers[row] = select(w.weight[row] > least, w.weight[row], 0.0)
        row += 1
    for k in range(w.intervals):
        rate = 0.0 - w.rest[k]
        for entry in range(w.row_ends[k], w.row_ends[k + 1]):
            rate = fma(w.rows[entry], w.point[w.row_columns[entry]], rate)
        w.rates[k] = select(w.needed[0] > 0.0, rate, 0.0)
        low = w.m + k
        high = low + w.intervals
        force = select(w.weight[low] > least, w.weight[low], 0.0)
        w.multipliers[low] = force - select(w.weight[high] > least, w.weight[high], 0.0)
    for i in range(w.sliders):
        first = w.m + 2 * w.intervals + 2 * i
        force = 0.5 * (w.slack[first] - w.slack[first + 1])
        force = select(w.friction[i] > 0.0, force, 0.0)
        w.multipliers[w.m + w.slider_rows[i]] += select(w.needed[0] > 0.0, force, 0.0)


def project_by_interior_point(w: InteriorPoint) -> int:
    """Find the point and its multipliers, as well as the method can."""
    if some(w.needed[0] > 0.0):
        _iterate(w)
    return 0


def _iterate(w: InteriorPoint) -> None:
    """Iterate until all lanes are done."""
    begin(w)
    running = select(w.count[0] > 0.0, select(w.needed[0] > 0.0, 1.0, 0.0), 0.0)
    w.left[0] = 1.0
    length = 0.0
    rounds = 0
    while rounds < ITERATIONS and some(running > 0.0):
        _advance(w, length, running)
        running = select(w.largest[0] > _CONVERGED, running, select(w.left[0] > _CLOSED, running, 0.0))
        if some(running > 0.0):
            length = _choose_step(w)
            w.iterations[0] += running
        rounds += 1
    _finish(w)


def operations(*sizes: int) -> int:
    """Bound the operations by those of the largest number of iterations."""
    of = InteriorPoint.layout.bind(sizes)
    n, fill = of["n"], of["fill"]
    pairs = of["m"] + 2 * of["intervals"] + 2 * of["sliders"]
    factor = n + fill * (n + 2)
    products = of["entries"] + 2 * WIDEST * of["map_entries"]
    assembly = products * (n + 1) + 2 * WIDEST * of["wrench_entries"] + 2 * n + fill
    turn = 4 * (of["entries"] + of["map_entries"] + of["wrench_entries"]) + 5 * n + 4 * fill + of["spans"]
    turn += 30 * (pairs + WIDEST * of["groups"])
    return (ITERATIONS + 2) * (2 * factor + 2 * assembly + 2 * turn + 30 * pairs + of["chunk"] + of["body"] + 40)
