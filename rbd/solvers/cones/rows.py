"""Second-order cones and interval rows: their products with a point, their projections, and the residual.

The blocks s = A z + b of three rows lie in the cone L = {s0 >= |(s1, s2)|}; a rate u = R z - u0 of an interval row is
between two bounds and costs friction f |u|. For each there are multipliers lam, which a projection P leaves as they are
at the solution: P(lam - rho s) = lam. That of L has a derivative with eigenvectors (1, w), (1, -w) and (0, w'), where w
is the direction of (y1, y2) and w' is across (Fukushima, Luo, Tseng 2002). That of an interval row is the proximal
operator of f |u| and the bounds, whose derivative is 0 where the row slides and 1 elsewhere. All loops have the same
course in all lanes: sparsity is known from tables.
"""

from __future__ import annotations

from typing import Final

from rbd.intrinsics.language import Floats, divide, fma, select, sqrt
from rbd.solvers.cones.workspace import ConeProjection

_TINY: Final = 1e-150
_HALF: Final = 0.5


def add_products(w: ConeProjection, x: Floats, image: Floats) -> None:
    """Add the products of all rows with x to the image."""
    for k in range(w.blocks):
        for e in range(w.block_ends[k], w.block_ends[k + 1]):
            for a in range(3):
                image[3 * k + a] = fma(w.cones[3 * e + a], x[w.block_columns[e]], image[3 * k + a])
    for k in range(w.intervals):
        for e in range(w.interval_ends[k], w.interval_ends[k + 1]):
            row = 3 * w.blocks + k
            image[row] = fma(w.rows[e], x[w.interval_columns[e]], image[row])


def add_forces(w: ConeProjection, forces: Floats) -> None:
    """Add A' times forces to the right-hand side."""
    for k in range(w.blocks):
        for e in range(w.block_ends[k], w.block_ends[k + 1]):
            column = w.block_columns[e]
            for a in range(3):
                w.direction[column] = fma(w.cones[3 * e + a], forces[3 * k + a], w.direction[column])
    for k in range(w.intervals):
        for e in range(w.interval_ends[k], w.interval_ends[k + 1]):
            column = w.interval_columns[e]
            w.direction[column] = fma(w.rows[e], forces[3 * w.blocks + k], w.direction[column])


def compute_slacks(w: ConeProjection) -> None:
    """Compute s and u."""
    for j in range(3 * w.blocks + w.intervals):
        w.slacks[j] = w.offsets[j]
    add_products(w, w.point, w.slacks)


def compute_stationarity_error(w: ConeProjection, forces: Floats) -> float:
    """Set the right-hand side to A'forces - z; return its largest entry, NaN if one is undefined."""
    worst = 0.0
    undefined = 0.0
    for i in range(w.n):
        w.direction[i] = -w.point[i]
    add_forces(w, forces)
    for i in range(w.n):
        error = abs(w.direction[i])
        undefined = fma(0.0, error, undefined)
        worst = select(error > worst, error, worst)
    return worst + undefined


def project_all(w: ConeProjection, penalty: float, length: float) -> None:
    """Project lam - penalty (s + length ds) for all rows."""
    for k in range(w.blocks):
        a = fma(-penalty, fma(length, w.slack_changes[3 * k], w.slacks[3 * k]), w.multipliers[3 * k])
        b = fma(-penalty, fma(length, w.slack_changes[3 * k + 1], w.slacks[3 * k + 1]), w.multipliers[3 * k + 1])
        c = fma(-penalty, fma(length, w.slack_changes[3 * k + 2], w.slacks[3 * k + 2]), w.multipliers[3 * k + 2])
        _project(w, k, a, b, c)
    for k in range(w.intervals):
        row = 3 * w.blocks + k
        rate = fma(length, w.slack_changes[row], w.slacks[row])
        _project_interval(w, k, fma(-penalty, rate, w.multipliers[row]), penalty)


def _project(w: ConeProjection, k: int, a: float, b: float, c: float) -> None:
    """Store P(a, b, c) of block k, the eigenvalues of its derivative, and the radial direction."""
    radius = sqrt(fma(b, b, c * c))
    divisor = select(radius > _TINY, radius, 1.0)
    inverse = divide(1.0, divisor)
    x = select(radius > _TINY, b * inverse, 1.0)
    y = select(radius > _TINY, c * inverse, 0.0)
    mean = _HALF * (a + radius)
    middle = select(mean > 0.0, mean, 0.0)
    inside = select(a < radius, 0.0, 1.0)
    w.projected[3 * k] = select(inside > 0.0, a, middle)
    w.projected[3 * k + 1] = select(inside > 0.0, b, middle * x)
    w.projected[3 * k + 2] = select(inside > 0.0, c, middle * y)
    w.eigenvalues[3 * k] = select(a + radius > 0.0, 1.0, inside)
    w.eigenvalues[3 * k + 1] = inside
    w.eigenvalues[3 * k + 2] = select(inside > 0.0, 1.0, middle * inverse)
    w.radial_directions[2 * k] = x
    w.radial_directions[2 * k + 1] = y


def _project_interval(w: ConeProjection, k: int, y: float, penalty: float) -> None:
    """Store P(y) of interval row k, and its derivative."""
    row = 3 * w.blocks + k
    friction = w.friction[k]
    low = fma(penalty, w.lower[k], y)
    high = fma(penalty, w.upper[k], y)
    x = select(y > friction, friction, y)
    x = select(x < -friction, -friction, x)
    held = select(abs(y) < friction, 1.0, 0.0)
    held = select(x > high, 1.0, held)
    x = select(x > high, high, x)
    held = select(x < low, 1.0, held)
    w.projected[row] = select(x < low, low, x)
    w.eigenvalues[row] = held


def compute_residual(w: ConeProjection) -> None:
    """Project with rho = 1, and compute the residual: of stationarity, and how far multipliers move."""
    compute_slacks(w)
    for j in range(3 * w.blocks + w.intervals):
        w.slack_changes[j] = 0.0
    project_all(w, 1.0, 0.0)
    worst = compute_stationarity_error(w, w.multipliers)
    undefined = 0.0
    for j in range(3 * w.blocks + w.intervals):
        error = abs(w.projected[j] - w.multipliers[j])
        undefined = fma(0.0, error, undefined)
        worst = select(error > worst, error, worst)
    w.residual[0] = worst + undefined
