"""Newton's method of `polyhedral_projection.py`, for many problems side by side.

The point z of U z >= c nearest to zero is U' lam for multipliers lam >= 0 with lam (U z - c) = 0. In each round of the
method of multipliers, z is the minimum of |z|²/2 + sum of max(0, y)² / (2 rho), where y = lam + rho (c - U z); then lam
becomes max(0, y). The function is convex and piecewise quadratic: Newton's method with an exact line search finds the
minimum after few steps (Li, Sun, Toh 2018; Hermans, Themelis, Patrinos 2022). One step solves with I + rho A'A for the
rows A with y > 0, whose pivots are at least 1. Rows may depend on each other. The step changes y and z together, so
that the large rho costs no digits.

Interval rows have two bounds and dry friction f: |z|²/2 + f |u| is minimised for u = U z - c, which is between bounds.
Such a row rests at u = 0, is at a bound, or slides with a friction of ±f. During a round of multipliers it does one of
these: it is an equation, in A, or a constant force. Then the proximal operator of f |u| and the bounds says what it
does next (a primal-dual active set, Hintermüller, Ito, Kunisch 2003).

All loops have the same course in all lanes: sparsity is known from tables, and lanes that are done stay as they are.
"""

from __future__ import annotations

from typing import Final

from rbd.intrinsics.language import Floats, divide, fma, select, some
from rbd.intrinsics.workspace import floats, operand, result, scratch, table
from rbd.solvers.weighted_factor import WeightedFactor, eliminate, factor_rows, reset_to_identity, substitute

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
TRIALS: Final = 8
"""Evaluations of the line search, at most."""
_EAGER: Final = 2.0
"""Steps after which interval rows change what they do at the end of a round of multipliers only."""
_FLAT: Final = 1e-3
"""Slope, relative to that at the beginning, at which the line search ends."""
_FAR: Final = 1e300


class Projection(WeightedFactor):
    """The rows U with their sides c, the point z with the multipliers, and the matrix I + rho A'A with its factor."""

    m: int
    intervals: int
    """How many of the m rows have two bounds; they come last."""
    entries: int
    products: int
    """Entries of the lower triangles of all rows' products with themselves."""
    eliminations: int
    """Multiply-adds of the factor."""
    warm: int
    """1 if point and multipliers near the solution are given, the warm start, else 0."""
    row_ends = table("m + 1")
    row_columns = table("entries")
    rows = operand("entries")
    sides = operand("m")
    """c; of interval rows u0."""
    lower = operand("intervals")
    """Bounds of U z - u0."""
    upper = operand("intervals")
    friction = operand("intervals")
    begin = operand("intervals")
    """U z - u0, less the multiplier, near that of the solution."""
    start_point = operand("warm * n")
    start_multipliers = operand("warm * m")
    point = result("n")
    multipliers = result("m")
    pieces = result("intervals")
    """What interval rows do: 2 at the lower bound, -2 at the upper, 0 at rest, else the sign of the friction."""
    residual = result("1")
    steps = result("1")
    slack = scratch("m")
    """c - U z, which is positive where violated."""
    trial = scratch("m")
    """y, and zero where it is negative; of interval rows y, or the friction of those that slide."""
    estimates = scratch("intervals")
    """Multipliers of interval rows after the last step."""
    weights = floats("m")
    """rho for the rows A of the factor that there is, else zero."""
    rates = scratch("m")
    """U d for the step d."""
    gradient = scratch("n")
    search = scratch("4")
    """Of the line search: the length of the step, slope and curvature of |z|²/2 at its beginning, and the curvature of
    the whole function after the last trial."""
    penalty = floats("1")
    """rho."""
    settled = floats("1")
    """1 if the last step ended a round of multipliers."""
    last = floats("1")
    """The residual after the last round of multipliers."""


def _proximal(low: float, y: float, high: float, friction: float) -> float:
    """Return the multiplier of an interval row from lam - u for u less the lower bound, u, and u less the upper."""
    x = select(y > friction, friction, y)
    x = select(x < -friction, -friction, x)
    x = select(x > high, high, x)
    return select(x < low, low, x)


def _piece(low: float, y: float, high: float, friction: float) -> float:
    """Return the piece of a row with this multiplier, as in `Projection.pieces`."""
    piece = select(y < friction, 0.0, 1.0)
    x = select(y < friction, y, friction)
    piece = select(x > -friction, piece, -1.0)
    x = select(x > -friction, x, -friction)
    piece = select(x > high, -2.0, piece)
    x = select(x > high, high, x)
    return select(x < low, 2.0, piece)


def compute_residual(w: Projection) -> None:
    """Compute slacks, trial multipliers, the gradient, and the residual of the conditions of the minimum."""
    undefined = compute_slacks(w, w.rows, 0)
    worst = 0.0
    for j in range(w.m - w.intervals):
        trial = fma(w.penalty[0], w.slack[j], w.multipliers[j])
        w.trial[j] = select(trial > 0.0, trial, 0.0)
        worst = select(w.slack[j] > worst, w.slack[j], worst)
        product = abs(w.slack[j] * w.multipliers[j])
        worst = select(product > worst, product, worst)
    worst = interval_residual(w, worst)
    _add_forces(w)
    finish_residual(w, worst + undefined)


def finish_residual(w: Projection, worst: float) -> None:
    """Set the residual, what multipliers lack to the point included; NaN where something is not finite."""
    undefined = fma(0.0, worst, 0.0)
    for i in range(w.n):
        error = abs(w.direction[i])
        undefined = fma(0.0, error, undefined)
        worst = select(error > worst, error, worst)
    w.residual[0] = worst + undefined


def compute_slacks(w: Projection, rows: Floats, first: int) -> float:
    """Compute slacks of `rows`, those from one on; return zero, or NaN where one is not finite."""
    undefined = 0.0
    start = w.row_ends[first]
    for j in range(first, w.m):
        slack = w.sides[j]
        for k in range(w.row_ends[j], w.row_ends[j + 1]):
            slack = fma(-rows[k - start], w.point[w.row_columns[k]], slack)
        w.slack[j] = slack
        undefined = fma(0.0, slack, undefined)
    return undefined


def _add_forces(w: Projection) -> None:
    """Compute the gradient, and what multipliers lack to the point as the direction."""
    for i in range(w.n):
        w.gradient[i] = w.point[i]
        w.direction[i] = w.point[i]
    for j in range(w.m):
        for k in range(w.row_ends[j], w.row_ends[j + 1]):
            column = w.row_columns[k]
            w.gradient[column] = fma(-w.trial[j], w.rows[k], w.gradient[column])
            w.direction[column] = fma(-w.multipliers[j], w.rows[k], w.direction[column])


def interval_residual(w: Projection, worst: float) -> float:
    """Compute trial multipliers of interval rows; return the residual, theirs included: that of the proximal operator.

    It is how far a multiplier moves with rho = 1.
    """
    for k in range(w.intervals):
        j = w.m - w.intervals + k
        low = w.slack[j] + w.lower[k]
        high = w.slack[j] + w.upper[k]
        piece = w.pieces[k]
        violation = select(piece == 2.0, low, select(piece == -2.0, high, w.slack[j]))
        held = fma(w.penalty[0], violation, w.multipliers[j])
        w.trial[j] = select(abs(piece) == 1.0, w.friction[k] * piece, held)
        y = w.multipliers[j]
        error = abs(_proximal(low + y, w.slack[j] + y, high + y, w.friction[k]) - y)
        worst = select(error > worst, error, worst)
    return worst


def _choose_pieces(w: Projection, choosing: float) -> float:
    """Choose what interval rows do, in lanes that are `choosing`; return a positive number where that changes."""
    change = 0.0
    for k in range(w.intervals):
        j = w.m - w.intervals + k
        y = w.slack[j] + w.estimates[k]
        piece = _piece(y + w.lower[k], y, y + w.upper[k], w.friction[k])
        piece = select(choosing > 0.0, piece, w.pieces[k])
        change += abs(piece - w.pieces[k])
        w.pieces[k] = piece
    return change


def _guess_pieces(w: Projection) -> None:
    """Choose what interval rows do first."""
    for k in range(w.intervals):
        y = -w.begin[k]
        w.pieces[k] = _piece(y + w.lower[k], y, y + w.upper[k], w.friction[k])


def _switches(w: Projection) -> float:
    """Return a positive number if the factor that there is has other weights than it needs, and note those."""
    change = 0.0
    for j in range(w.m - w.intervals):
        weight = select(w.trial[j] > 0.0, w.penalty[0], 0.0)
        change += abs(weight - w.weights[j])
        w.weights[j] = weight
    for k in range(w.intervals):
        weight = select(abs(w.pieces[k]) == 1.0, 0.0, w.penalty[0])
        change += abs(weight - w.weights[w.m - w.intervals + k])
        w.weights[w.m - w.intervals + k] = weight
    return change


def _assemble(w: Projection) -> None:
    """Compute the lower triangle of I + rho A'A; interval rows that are nowhere in A are skipped."""
    reset_to_identity(w)
    for j in range(w.m):
        if j < w.m - w.intervals or some(w.weights[j] > 0.0):
            for k in range(w.row_ends[j], w.row_ends[j + 1]):
                scaled = w.weights[j] * w.rows[k]
                for other in range(w.row_ends[j], k + 1):
                    place = w.places[w.row_columns[k] * w.n + w.row_columns[other]]
                    w.matrix[place] = fma(scaled, w.rows[other], w.matrix[place])


def _solve_for_direction(w: Projection) -> None:
    """Solve for the direction: the matrix times it is minus the gradient."""
    for i in range(w.n):
        w.direction[i] = -w.gradient[i]
    eliminate(w, 0, w.n)
    substitute(w, 0, w.n)


def _prepare_search(w: Projection) -> float:
    """Compute rates, slope and curvature of the line search; return how many rows a full step switches."""
    slope = 0.0
    curvature = 0.0
    for i in range(w.n):
        slope = fma(w.point[i], w.direction[i], slope)
        curvature = fma(w.direction[i], w.direction[i], curvature)
    w.search[1] = slope
    w.search[2] = curvature
    switches = 0.0
    for j in range(w.m):
        rate = 0.0
        for k in range(w.row_ends[j], w.row_ends[j + 1]):
            rate = fma(w.rows[k], w.direction[w.row_columns[k]], rate)
        w.rates[j] = rate
    for j in range(w.m - w.intervals):
        before = fma(w.penalty[0], w.slack[j], w.multipliers[j])
        after = fma(-w.penalty[0], w.rates[j], before)
        switches += abs(select(before > 0.0, 1.0, 0.0) - select(after > 0.0, 1.0, 0.0))
    return switches


def _search(w: Projection, searching: float) -> None:
    """Find the minimum along the direction by Newton's method on the slope, inside a bracket."""
    low = 0.0
    high = _FAR
    length = 1.0
    first = 0.0
    open_lanes = searching
    for j in range(w.m):
        first = fma(-w.trial[j], w.rates[j], first)
    first = abs(first + w.search[1]) * _FLAT
    trials = 0
    while trials < TRIALS and some(open_lanes > 0.0):
        slope = _slope(w, length)
        open_lanes = select(abs(slope) > first, open_lanes, 0.0)
        high = select(slope > 0.0, length, high)
        low = select(slope > 0.0, low, length)
        following = length - divide(slope, w.search[3])
        middle = select(high < _FAR, 0.5 * (low + high), 2.0 * length)
        following = select(following > low, following, middle)
        following = select(following < high, following, middle)
        length = select(open_lanes > 0.0, following, length)
        trials += 1
    w.search[0] = length


def _slope(w: Projection, length: float) -> float:
    """Return the slope of the function after a part of the step, and note the curvature."""
    slope = fma(length, w.search[2], w.search[1])
    curvature = w.search[2]
    for j in range(w.m - w.intervals):
        y = fma(-w.penalty[0] * length, w.rates[j], fma(w.penalty[0], w.slack[j], w.multipliers[j]))
        rate = select(y > 0.0, w.rates[j], 0.0)
        slope = fma(-rate, y, slope)
        curvature = fma(w.penalty[0] * rate, rate, curvature)
    for j in range(w.m - w.intervals, w.m):
        y = fma(-w.weights[j] * length, w.rates[j], w.trial[j])
        slope = fma(-w.rates[j], y, slope)
        curvature = fma(w.weights[j] * w.rates[j], w.rates[j], curvature)
    w.search[3] = curvature
    return slope


def _go(w: Projection, running: float, settled: float) -> None:
    """Go the step, and set the multipliers of lanes that are settled to those of its end."""
    for i in range(w.n):
        w.point[i] = select(running > 0.0, fma(w.search[0], w.direction[i], w.point[i]), w.point[i])
    for j in range(w.m - w.intervals):
        multiplier = fma(-w.penalty[0], w.rates[j], w.trial[j])
        multiplier = select(w.trial[j] > 0.0, multiplier, 0.0)
        multiplier = select(multiplier > 0.0, multiplier, 0.0)
        w.multipliers[j] = select(settled > 0.0, multiplier, w.multipliers[j])
    for j in range(w.m - w.intervals, w.m):
        # A row that slides keeps its friction; one that is held has that of the minimum.
        multiplier = fma(-w.weights[j] * w.search[0], w.rates[j], w.trial[j])
        w.estimates[j - w.m + w.intervals] = multiplier
        w.multipliers[j] = select(settled > 0.0, multiplier, w.multipliers[j])
    w.settled[0] = settled
    w.steps[0] += running


def _step(w: Projection, running: float, has_factor: int) -> None:
    """Go a step: without switches to the minimum, where the multipliers follow, else along the line search."""
    # Lanes whose rows are those of their factor get the same factor again if another lane needs a new one.
    stale = select(_switches(w) > 0.0, running, 0.0)
    if has_factor == 0 or some(stale > 0.0):
        _assemble(w)
        factor_rows(w, 0, w.n)
    _solve_for_direction(w)
    switches = _prepare_search(w)
    _search(w, select(switches > 0.0, running, 0.0))
    _go(w, running, select(switches > 0.0, 0.0, running))


def _review(w: Projection, running: float) -> float:
    """Return the lanes that are still running, and raise rho where a round of multipliers made no progress."""
    residual = w.residual[0]
    running = select(residual > _CONVERGED, running, 0.0)
    settled = select(running > 0.0, w.settled[0], 0.0)
    slow = select(residual > _PROGRESS * w.last[0], settled, 0.0)
    w.last[0] = select(settled > 0.0, residual, w.last[0])
    grows = select(w.penalty[0] < _LARGEST_PENALTY, slow, 0.0)
    stuck = select(residual > ACCEPTED, 0.0, slow - grows)
    w.penalty[0] = select(grows > 0.0, w.penalty[0] * _GROWTH, w.penalty[0])
    changed = _choose_pieces(w, select(w.steps[0] < _EAGER, running, settled))
    w.last[0] = select(changed > 0.0, _FAR, w.last[0])
    if some(grows + changed > 0.0):
        compute_residual(w)
    return select(stuck > 0.0, 0.0, running)


def project(w: Projection) -> int:
    """Find the point and its multipliers; the residual says whether they are found."""
    begin_warm(w)
    compute_residual(w)
    enough = _CONVERGED
    if w.warm > 0:
        enough = ACCEPTED
    iterate(w, select(w.residual[0] > enough, 1.0, 0.0))
    return 0


def begin_warm(w: Projection) -> None:
    """Begin with the point and the multipliers of the warm start, if there is one."""
    w.penalty[0] = _PENALTY
    w.last[0] = _FAR
    for i in range(w.warm * w.n):
        w.point[i] = w.start_point[i]
    for j in range(w.warm * w.m):
        w.multipliers[j] = w.start_multipliers[j]
    _guess_pieces(w)


def iterate(w: Projection, running: float) -> None:
    """Go Newton steps in lanes that are running."""
    rounds = 0
    while rounds < STEPS and some(running > 0.0):
        _step(w, running, rounds)
        compute_residual(w)
        running = _review(w, running)
        rounds += 1


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
