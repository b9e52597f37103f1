"""Projection onto second-order cones, for many problems side by side: a semismooth Newton method.

The point z nearest to zero for which every block s = A z + b of three rows lies in the cone L = {s0 >= |(s1, s2)|} is
A' lam for multipliers lam in L with lam's = 0. In each round of the method of multipliers, z is the minimum of
|z|²/2 + sum of |P(y)|² / (2 rho), where y = lam - rho s and P is the projection onto L; then lam becomes P(y). The
function is convex and once differentiable. P has eigenvectors (1, w) and (1, -w), w the direction of (y1, y2), and
(0, w'): in terms of these each block adds three rows to the matrix of Newton's method (Fukushima, Luo, Tseng 2002).

All loops have the same course in all lanes; lanes that are done stay as they are.
"""

from __future__ import annotations

from typing import Final

from rbd.intrinsics.intrinsic import Intrinsic
from rbd.intrinsics.language import divide, fma, select, some, sqrt
from rbd.intrinsics.workspace import Workspace, floats, operand, result

_PENALTY: Final = 1e5
"""rho, for blocks of length one: small enough that rounding of s does not show in y."""
_GROWTH: Final = 100.0
"""Growth of rho, for one round, where rounds make no progress because blocks are nearly dependent."""
_LARGEST_GROWTH: Final = 1e5
_PROGRESS: Final = 0.2
_SETTLED: Final = 2e-16
"""Gradient, relative to rho, at which a round of multipliers ends."""
_LONGEST: Final = 20.0
"""Steps of a round, at most."""
_CONVERGED: Final = 1e-10
"""Residual at which a lane is done."""
STEPS: Final = 150
"""Newton steps, at most."""
TRIALS: Final = 20
"""Evaluations of a line search, at most."""
_FLAT: Final = 0.05
"""Slope, relative to that at the beginning, at which the line search ends."""
_TINY: Final = 1e-150
_HALF: Final = 0.5
_ROOT: Final = 0.7071067811865476


class ConeProjection(Workspace):
    """The blocks, the point with the multipliers, and Newton's system."""

    n: int
    blocks: int
    rows = operand("3 * blocks", "n")
    """A."""
    offsets = operand("3 * blocks")
    """b."""
    point = result("n")
    multipliers = result("3 * blocks")
    residual = result("1")
    steps = result("1")
    trial = floats("3 * blocks")
    """P(y)."""
    weights = floats("3 * blocks")
    """Eigenvalues of the derivative of P, for (1, w), (1, -w) and (0, w')."""
    tangent = floats("2 * blocks")
    """w."""
    row = floats("n")
    matrix = floats("n", "n")
    gradient = floats("n")
    direction = floats("n")
    rates = floats("3 * blocks")
    """A d for the step d."""
    slacks = floats("3 * blocks")
    """s."""
    length = floats("1")
    penalty = floats("1")
    """rho of this round."""
    growth = floats("1")
    """How much larger it is than the first, or was when it was last."""
    best = floats("1")
    """The smallest residual after a round with the first rho."""
    age = floats("1")
    """Steps of this round."""


def _project(w: ConeProjection, k: int, a: float, b: float, c: float) -> None:
    """Store P(a, b, c) of block k, the eigenvalues of its derivative, and the tangent direction."""
    radius = sqrt(fma(b, b, c * c))
    round_part = select(radius > _TINY, radius, 1.0)
    x = select(radius > _TINY, divide(b, round_part), 1.0)
    y = select(radius > _TINY, divide(c, round_part), 0.0)
    mean = _HALF * (a + radius)
    middle = select(mean > 0.0, mean, 0.0)
    inside = select(a < radius, 0.0, 1.0)
    w.trial[3 * k] = select(inside > 0.0, a, middle)
    w.trial[3 * k + 1] = select(inside > 0.0, b, middle * x)
    w.trial[3 * k + 2] = select(inside > 0.0, c, middle * y)
    w.weights[3 * k] = select(a + radius > 0.0, 1.0, inside)
    w.weights[3 * k + 1] = inside
    turning = select(mean > 0.0, divide(mean, round_part), 0.0)
    w.weights[3 * k + 2] = select(inside > 0.0, 1.0, turning)
    w.tangent[2 * k] = x
    w.tangent[2 * k + 1] = y


def _compute_slacks(w: ConeProjection) -> None:
    for j in range(3 * w.blocks):
        slack = w.offsets[j]
        for i in range(w.n):
            slack = fma(w.rows[j][i], w.point[i], slack)
        w.slacks[j] = slack


def _project_all(w: ConeProjection, penalty: float, length: float) -> None:
    """Project lam - penalty (s + length A d) for all blocks."""
    for k in range(w.blocks):
        a = fma(-penalty, fma(length, w.rates[3 * k], w.slacks[3 * k]), w.multipliers[3 * k])
        b = fma(-penalty, fma(length, w.rates[3 * k + 1], w.slacks[3 * k + 1]), w.multipliers[3 * k + 1])
        c = fma(-penalty, fma(length, w.rates[3 * k + 2], w.slacks[3 * k + 2]), w.multipliers[3 * k + 2])
        _project(w, k, a, b, c)


def _measure(w: ConeProjection) -> None:
    """Compute the residual: of the stationarity of lam, and how far it moves in a projection with rho = 1."""
    worst = 0.0
    undefined = 0.0
    for i in range(w.n):
        error = w.point[i]
        for j in range(3 * w.blocks):
            error = fma(-w.multipliers[j], w.rows[j][i], error)
        undefined = fma(0.0, error, undefined)
        worst = select(abs(error) > worst, abs(error), worst)
    _project_all(w, 1.0, 0.0)
    for j in range(3 * w.blocks):
        error = abs(w.trial[j] - w.multipliers[j])
        undefined = fma(0.0, error, undefined)
        worst = select(error > worst, error, worst)
    w.residual[0] = worst + undefined


def _compute_gradient(w: ConeProjection) -> float:
    """Compute the gradient at P(y); return its largest entry."""
    worst = 0.0
    for i in range(w.n):
        entry = w.point[i]
        for j in range(3 * w.blocks):
            entry = fma(-w.trial[j], w.rows[j][i], entry)
        w.gradient[i] = entry
        worst = select(abs(entry) > worst, abs(entry), worst)
    return worst


def _add_square(w: ConeProjection, weight: float) -> None:
    """Add a multiple of row' row to the lower triangle of the matrix."""
    for i in range(w.n):
        scaled = weight * w.row[i]
        for j in range(i + 1):
            w.matrix[i][j] = fma(scaled, w.row[j], w.matrix[i][j])


def _assemble(w: ConeProjection) -> None:
    for i in range(w.n):
        for j in range(i + 1):
            w.matrix[i][j] = 0.0
        w.matrix[i][i] = 1.0
    for k in range(w.blocks):
        x = w.tangent[2 * k]
        y = w.tangent[2 * k + 1]
        for i in range(w.n):
            w.row[i] = _ROOT * fma(x, w.rows[3 * k + 1][i], fma(y, w.rows[3 * k + 2][i], w.rows[3 * k][i]))
        _add_square(w, w.penalty[0] * w.weights[3 * k])
        for i in range(w.n):
            w.row[i] = _ROOT * fma(-x, w.rows[3 * k + 1][i], fma(-y, w.rows[3 * k + 2][i], w.rows[3 * k][i]))
        _add_square(w, w.penalty[0] * w.weights[3 * k + 1])
        for i in range(w.n):
            w.row[i] = fma(-y, w.rows[3 * k + 1][i], x * w.rows[3 * k + 2][i])
        _add_square(w, w.penalty[0] * w.weights[3 * k + 2])


def _factor(w: ConeProjection) -> None:
    """Factor the matrix by Cholesky's method, with inverse diagonal; pivots are at least 1."""
    for k in range(w.n):
        pivot = w.matrix[k][k]
        root = sqrt(select(pivot < 1.0, 1.0, pivot))
        inverse = divide(1.0, root)
        w.matrix[k][k] = inverse
        for i in range(k + 1, w.n):
            w.matrix[i][k] = w.matrix[i][k] * inverse
        for i in range(k + 1, w.n):
            for j in range(k + 1, i + 1):
                w.matrix[i][j] = fma(-w.matrix[i][k], w.matrix[j][k], w.matrix[i][j])


def _solve(w: ConeProjection) -> None:
    """Solve for the direction: the matrix times it is minus the gradient."""
    for i in range(w.n):
        x = -w.gradient[i]
        for j in range(i):
            x = fma(-w.matrix[i][j], w.direction[j], x)
        w.direction[i] = x * w.matrix[i][i]
    for back in range(w.n):
        i = w.n - 1 - back
        x = w.direction[i]
        for j in range(i + 1, w.n):
            x = fma(-w.matrix[j][i], w.direction[j], x)
        w.direction[i] = x * w.matrix[i][i]


def _slope(w: ConeProjection, length: float) -> float:
    """Return the slope along the direction after a part of the step."""
    _project_all(w, w.penalty[0], length)
    slope = 0.0
    for i in range(w.n):
        slope = fma(fma(length, w.direction[i], w.point[i]), w.direction[i], slope)
    for j in range(3 * w.blocks):
        slope = fma(-w.trial[j], w.rates[j], slope)
    return slope


def _search(w: ConeProjection, running: float) -> None:
    """Find a part of the step with a small slope: the whole one, else by false position inside a bracket."""
    for j in range(3 * w.blocks):
        rate = 0.0
        for i in range(w.n):
            rate = fma(w.rows[j][i], w.direction[i], rate)
        w.rates[j] = rate
    low = 0.0
    first = _slope(w, 0.0)
    low_slope = first
    high = 1.0
    high_slope = _slope(w, 1.0)
    length = 1.0
    searching = select(high_slope > -_FLAT * first, running, 0.0)
    trials = 0
    while trials < TRIALS and some(searching > 0.0):
        middle = fma(divide(-low_slope, high_slope - low_slope), high - low, low)
        inner = fma(0.1, high - low, low)
        outer = fma(0.9, high - low, low)
        middle = select(middle > inner, middle, inner)
        middle = select(middle < outer, middle, outer)
        slope = _slope(w, middle)
        length = select(searching > 0.0, middle, length)
        high_slope = select(slope > 0.0, slope, high_slope)
        high = select(slope > 0.0, middle, high)
        low_slope = select(slope > 0.0, low_slope, slope)
        low = select(slope > 0.0, low, middle)
        searching = select(abs(slope) > -_FLAT * first, searching, 0.0)
        trials += 1
    w.length[0] = length


def _begin(w: ConeProjection) -> float:
    """Compute slacks, P(y) and the gradient; return the largest entry of that."""
    for j in range(3 * w.blocks):
        w.rates[j] = 0.0
    _compute_slacks(w)
    _project_all(w, w.penalty[0], 0.0)
    return _compute_gradient(w)


def _end_round(w: ConeProjection, settled: float) -> None:
    """Set the multipliers of lanes that are settled, and choose rho: after a large one it is the first again."""
    for j in range(3 * w.blocks):
        w.multipliers[j] = select(settled > 0.0, w.trial[j], w.multipliers[j])
    _measure(w)
    usual = select(w.penalty[0] > _PENALTY, 0.0, settled)
    stalls = select(w.residual[0] > _PROGRESS * w.best[0], usual, 0.0)
    smaller = select(w.residual[0] < w.best[0], w.residual[0], w.best[0])
    w.best[0] = select(usual > 0.0, smaller, w.best[0])
    grown = select(w.growth[0] < _LARGEST_GROWTH, w.growth[0] * _GROWTH, _LARGEST_GROWTH)
    w.growth[0] = select(stalls > 0.0, grown, w.growth[0])
    following = select(stalls > 0.0, _PENALTY * w.growth[0], _PENALTY)
    w.penalty[0] = select(settled > 0.0, following, w.penalty[0])
    w.age[0] = select(settled > 0.0, 0.0, w.age[0] + 1.0)


def _project_on_cones(w: ConeProjection) -> int:
    running = 1.0
    w.penalty[0] = _PENALTY
    w.growth[0] = 1.0
    w.best[0] = 1e300
    steps = 0
    while steps < STEPS and some(running > 0.0):
        worst = _begin(w)
        settled = select(worst > _SETTLED * w.penalty[0], select(w.age[0] < _LONGEST, 0.0, running), running)
        _end_round(w, settled)
        running = select(w.residual[0] > _CONVERGED, running, 0.0)
        _begin(w)
        _assemble(w)
        _factor(w)
        _solve(w)
        _search(w, running)
        for i in range(w.n):
            moved = fma(w.length[0], w.direction[i], w.point[i])
            w.point[i] = select(running > 0.0, moved, w.point[i])
        w.steps[0] += running
        steps += 1
    return 0


def _operations(n: int, blocks: int) -> int:
    rows = 3 * blocks
    step = 2 * rows * n * n + n**3 // 3 + 8 * rows * n + TRIALS * 40 * rows
    return STEPS * step


PROJECT_ON_CONES: Final = Intrinsic(
    name="project_on_cones", workspace=ConeProjection, function=_project_on_cones, operations=_operations
)
