"""Rows in groups U = W T: their share of the matrix, of the right-hand side, and of the step.

W'DW is six by six, and W'(...) a wrench, so that a pass over the rows of a group costs as many multiply-adds as W has
entries, and the rest does not depend on their number. The limit of a step is written out for each pair: calls of a
function for it, one per pair, would cost a twelfth of a step with contact.
"""

from __future__ import annotations

from rbd.intrinsics.language import fma, select
from rbd.solvers.projections.interior_point.pairs import move_rows
from rbd.solvers.projections.interior_point.workspace import InteriorPoint


def move_group(w: InteriorPoint, g: int, length: float, running: float) -> None:
    """Take a step in the pairs of a group; compute W'DW at its end, and the wrench of forces for products of zero."""
    size = w.twist_sizes[g]
    for a in range(size):
        w.wrench[6 * g + a] = 0.0
        w.wrench_of_target[6 * g + a] = 0.0
        w.wrench_of_correction[6 * g + a] = 0.0
        for b in range(a + 1):
            w.weighted_gram[6 * a + b] = 0.0
    row = w.group_ends[g]
    start = w.wrench_starts[g]
    while row < w.group_ends[g + 1]:
        move_rows(w, row, length, running)
        for k in range(w.chunk):
            first = start + k * size
            ratio = w.ratio[row + k]
            force = -ratio * (w.infeasibility_share[0] * w.infeasibility[row + k])
            for a in range(size):
                scaled = ratio * w.wrenches[first + a]
                w.wrench[6 * g + a] = fma(force, w.wrenches[first + a], w.wrench[6 * g + a])
                for b in range(a + 1):
                    w.weighted_gram[6 * a + b] = fma(scaled, w.wrenches[first + b], w.weighted_gram[6 * a + b])
        row += w.chunk
        start += w.chunk * size


def add_group_matrix(w: InteriorPoint, g: int) -> None:
    """Add T'(W'DW)T of a group to the matrix."""
    size = w.twist_sizes[g]
    width = w.column_ends[g + 1] - w.column_ends[g]
    for i in range(width):
        _multiply_column(w, g, i)
        for j in range(i + 1):
            entry = w.places[w.columns[w.column_ends[g] + i] * w.n + w.columns[w.column_ends[g] + j]]
            x = w.matrix[entry]
            for a in range(size):
                x = fma(w.twist[a], w.maps[w.map_starts[g] + a * width + j], x)
            w.matrix[entry] = x


def _multiply_column(w: InteriorPoint, g: int, i: int) -> None:
    """Multiply W'DW with a column of T."""
    size = w.twist_sizes[g]
    width = w.column_ends[g + 1] - w.column_ends[g]
    for a in range(size):
        x = 0.0
        for b in range(a + 1):
            x = fma(w.weighted_gram[6 * a + b], w.maps[w.map_starts[g] + b * width + i], x)
        for b in range(a + 1, size):
            x = fma(w.weighted_gram[6 * b + a], w.maps[w.map_starts[g] + b * width + i], x)
        w.twist[a] = x


def add_group_forces(w: InteriorPoint, g: int, target: float) -> None:
    """Add T' times the wrench of a group, for slacks that stay and products `target`, to the right-hand side."""
    width = w.column_ends[g + 1] - w.column_ends[g]
    for a in range(w.twist_sizes[g]):
        force = fma(target, w.wrench_of_target[6 * g + a], w.wrench[6 * g + a]) - w.wrench_of_correction[6 * g + a]
        for i in range(width):
            column = w.columns[w.column_ends[g] + i]
            w.direction[column] = fma(w.maps[w.map_starts[g] + a * width + i], force, w.direction[column])


def predict_group(w: InteriorPoint, g: int) -> None:
    """Predictor of a group: steps towards products of zero, how long they may be, corrections and their wrench."""
    size = w.twist_sizes[g]
    inverse_length = w.inverse_step_length[0]
    products = w.step_product_sum[0]
    row = w.group_ends[g]
    start = w.wrench_starts[g]
    while row < w.group_ends[g + 1]:
        _step_slacks(w, g, row, start)
        for k in range(w.chunk):
            first = start + k * size
            change = w.slack_step[row + k]
            inverse_slack = w.inverse_slack[row + k]
            # the step of the multiplier, and the longest step for which both stay positive
            step = fma(-w.ratio[row + k], change, -w.multiplier[row + k])
            share = -change * inverse_slack
            inverse_length = select(share > inverse_length, share, inverse_length)
            share = -step * w.inverse_multiplier[row + k]
            inverse_length = select(share > inverse_length, share, inverse_length)
            # what the corrector needs: the sum of products, and the wrenches for a target and for the correction
            products = fma(change, step, products)
            correction = change * step * inverse_slack
            w.correction[row + k] = correction
            for a in range(size):
                w.wrench_of_target[6 * g + a] = fma(inverse_slack, w.wrenches[first + a], w.wrench_of_target[6 * g + a])
                w.wrench_of_correction[6 * g + a] = fma(
                    correction, w.wrenches[first + a], w.wrench_of_correction[6 * g + a]
                )
        row += w.chunk
        start += w.chunk * size
    w.inverse_step_length[0] = inverse_length
    w.step_product_sum[0] = products


def correct_group(w: InteriorPoint, g: int, target: float) -> None:
    """Corrector of a group: steps towards products `target`, with the corrections, and how long they may be."""
    inverse_length = w.inverse_step_length[0]
    row = w.group_ends[g]
    start = w.wrench_starts[g]
    while row < w.group_ends[g + 1]:
        _step_slacks(w, g, row, start)
        for k in range(w.chunk):
            change = w.slack_step[row + k]
            inverse_slack = w.inverse_slack[row + k]
            step = fma(target, inverse_slack, -w.correction[row + k]) - w.multiplier[row + k]
            step = fma(-w.ratio[row + k], change, step)
            share = -change * inverse_slack
            inverse_length = select(share > inverse_length, share, inverse_length)
            share = -step * w.inverse_multiplier[row + k]
            inverse_length = select(share > inverse_length, share, inverse_length)
            w.multiplier_step[row + k] = step
        row += w.chunk
        start += w.chunk * w.twist_sizes[g]
    w.inverse_step_length[0] = inverse_length


def _step_slacks(w: InteriorPoint, g: int, row: int, start: int) -> None:
    """Compute the steps of the slacks of the rows of a chunk, from the group's twist along the direction."""
    size = w.twist_sizes[g]
    for k in range(w.chunk):
        change = w.infeasibility_share[0] * w.infeasibility[row + k]
        for a in range(size):
            change = fma(w.wrenches[start + k * size + a], w.twist[a], change)
        w.slack_step[row + k] = change
