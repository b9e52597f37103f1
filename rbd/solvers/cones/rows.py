"""Second-order cones and interval rows: their projections, and the matrix of Newton's method on them.

The blocks s = A z + b of three rows lie in the cone L = {s0 >= |(s1, s2)|}; a rate u = R z - u0 of an interval row is
between two bounds and costs friction f |u|. For each there are multipliers lam, which a projection P leaves as they are
at the solution: P(lam - rho s) = lam. That of L has a derivative with eigenvectors (1, w), (1, -w) and (0, w'), where w
is the direction of (y1, y2) and w' is across (Fukushima, Luo, Tseng 2002). That of an interval row is the proximal
operator of f |u| and the bounds, whose derivative is 0 where the row slides and 1 elsewhere.

Newton's method on lam + dlam = P(lam + theta dlam - rho (s + ds)) for a theta below 1 means in each eigenvector, with
the eigenvalue v,

    dlam = (P - lam - rho v ds) / (1 - theta v)

and stationarity z + dz = A'(lam + dlam) becomes a system with the matrix I + A'DA, D = rho v / (1 - theta v), whose
pivots are at least 1. All loops have the same course in all lanes: sparsity is known from tables.
"""

from __future__ import annotations

from typing import Final, final

from rbd.intrinsics.language import Floats, divide, fma, select, some, sqrt
from rbd.intrinsics.workspace import floats, operand, result, table
from rbd.solvers.weighted_factor import WeightedFactor, eliminate, factor_rows, reset_to_identity, substitute

_TINY: Final = 1e-150
_HALF: Final = 0.5


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
    trial = floats("3 * blocks + intervals")
    """P(y)."""
    eigenvalues = floats("3 * blocks + intervals")
    """Of the derivative of P, for (1, w), (1, -w) and (0, w')."""
    tangents = floats("2 * blocks")
    """w."""
    push = floats("3 * blocks + intervals")
    """Changes of multipliers at the point."""
    stiffness = floats("6 * blocks + intervals")
    """D: of a block the upper triangle, row by row."""
    rates = floats("3 * blocks + intervals")
    """Changes of s and u for the step."""
    penalty = floats("1")
    """rho of a round of multipliers."""
    growth = floats("1")
    """Ratio to the first one, now or when it last was larger."""
    best = floats("1")
    """The smallest residual after a round with the first rho."""
    age = floats("1")
    """Steps of this round."""
    length = floats("1")
    """Of a step."""


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
        a = fma(-penalty, fma(length, w.rates[3 * k], w.slacks[3 * k]), w.multipliers[3 * k])
        b = fma(-penalty, fma(length, w.rates[3 * k + 1], w.slacks[3 * k + 1]), w.multipliers[3 * k + 1])
        c = fma(-penalty, fma(length, w.rates[3 * k + 2], w.slacks[3 * k + 2]), w.multipliers[3 * k + 2])
        _project(w, k, a, b, c)
    for k in range(w.intervals):
        row = 3 * w.blocks + k
        rate = fma(length, w.rates[row], w.slacks[row])
        _project_interval(w, k, fma(-penalty, rate, w.multipliers[row]), penalty)


def _project(w: ConeProjection, k: int, a: float, b: float, c: float) -> None:
    """Store P(a, b, c) of block k, the eigenvalues of its derivative, and the tangent direction."""
    radius = sqrt(fma(b, b, c * c))
    round_part = select(radius > _TINY, radius, 1.0)
    inverse = divide(1.0, round_part)
    x = select(radius > _TINY, b * inverse, 1.0)
    y = select(radius > _TINY, c * inverse, 0.0)
    mean = _HALF * (a + radius)
    middle = select(mean > 0.0, mean, 0.0)
    inside = select(a < radius, 0.0, 1.0)
    w.trial[3 * k] = select(inside > 0.0, a, middle)
    w.trial[3 * k + 1] = select(inside > 0.0, b, middle * x)
    w.trial[3 * k + 2] = select(inside > 0.0, c, middle * y)
    w.eigenvalues[3 * k] = select(a + radius > 0.0, 1.0, inside)
    w.eigenvalues[3 * k + 1] = inside
    w.eigenvalues[3 * k + 2] = select(inside > 0.0, 1.0, middle * inverse)
    w.tangents[2 * k] = x
    w.tangents[2 * k + 1] = y


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
    w.trial[row] = select(x < low, low, x)
    w.eigenvalues[row] = held


def compute_stiffness(w: ConeProjection, penalty: float, theta: float) -> None:
    """Compute D and the changes of multipliers at the point."""
    full = divide(1.0, 1.0 - theta)
    for k in range(w.blocks):
        first = select(w.eigenvalues[3 * k] > 0.0, full, 1.0)
        second = select(w.eigenvalues[3 * k + 1] > 0.0, full, 1.0)
        third = divide(1.0, fma(-theta, w.eigenvalues[3 * k + 2], 1.0))
        _set_push(w, k, _HALF * (first + second), _HALF * (first - second), third)
        first *= penalty * w.eigenvalues[3 * k]
        second *= penalty * w.eigenvalues[3 * k + 1]
        third *= penalty * w.eigenvalues[3 * k + 2]
        _set_stiffness(w, k, _HALF * (first + second), _HALF * (first - second), third)
    for k in range(w.intervals):
        row = 3 * w.blocks + k
        gain = select(w.eigenvalues[row] > 0.0, full, 1.0)
        w.push[row] = gain * (w.trial[row] - w.multipliers[row])
        w.stiffness[6 * w.blocks + k] = penalty * w.eigenvalues[row] * gain


def _set_push(w: ConeProjection, k: int, mean: float, half: float, across: float) -> None:
    """Set the changes of multipliers of block k at the point, from the gains of the eigenvectors."""
    x = w.tangents[2 * k]
    y = w.tangents[2 * k + 1]
    a = w.trial[3 * k] - w.multipliers[3 * k]
    b = w.trial[3 * k + 1] - w.multipliers[3 * k + 1]
    c = w.trial[3 * k + 2] - w.multipliers[3 * k + 2]
    along = fma(x, b, y * c)
    turn = across * fma(x, c, -(y * b))
    w.push[3 * k] = fma(mean, a, half * along)
    along = fma(half, a, mean * along)
    w.push[3 * k + 1] = fma(x, along, -(y * turn))
    w.push[3 * k + 2] = fma(y, along, x * turn)


def _set_stiffness(w: ConeProjection, k: int, mean: float, half: float, across: float) -> None:
    """Set D of block k, from its values for the eigenvectors."""
    x = w.tangents[2 * k]
    y = w.tangents[2 * k + 1]
    w.stiffness[6 * k] = mean
    w.stiffness[6 * k + 1] = half * x
    w.stiffness[6 * k + 2] = half * y
    w.stiffness[6 * k + 3] = fma(mean * x, x, across * y * y)
    w.stiffness[6 * k + 4] = (mean - across) * x * y
    w.stiffness[6 * k + 5] = fma(mean * y, y, across * x * x)


def solve_newton_system(w: ConeProjection) -> None:
    """Solve for the direction, and compute the changes of s and u; rows without stiffness in all lanes are skipped."""
    reset_to_identity(w)
    for k in range(w.blocks):
        if some(w.stiffness[6 * k] > 0.0):
            _add_block(w, k)
    for k in range(w.intervals):
        if some(w.stiffness[6 * w.blocks + k] > 0.0):
            _add_interval(w, k)
    factor_rows(w, 0, w.n)
    eliminate(w, 0, w.n)
    substitute(w, 0, w.n)
    for j in range(3 * w.blocks + w.intervals):
        w.rates[j] = 0.0
    add_products(w, w.direction, w.rates)


def _add_block(w: ConeProjection, k: int) -> None:
    """Add A'DA of block k to the matrix."""
    aa = w.stiffness[6 * k]
    ab = w.stiffness[6 * k + 1]
    ac = w.stiffness[6 * k + 2]
    bb = w.stiffness[6 * k + 3]
    bc = w.stiffness[6 * k + 4]
    cc = w.stiffness[6 * k + 5]
    for e in range(w.block_ends[k], w.block_ends[k + 1]):
        x = w.cones[3 * e]
        y = w.cones[3 * e + 1]
        z = w.cones[3 * e + 2]
        a = fma(aa, x, fma(ab, y, ac * z))
        b = fma(ab, x, fma(bb, y, bc * z))
        c = fma(ac, x, fma(bc, y, cc * z))
        for other in range(w.block_ends[k], e + 1):
            place = w.places[w.block_columns[e] * w.n + w.block_columns[other]]
            total = fma(a, w.cones[3 * other], w.matrix[place])
            total = fma(b, w.cones[3 * other + 1], total)
            w.matrix[place] = fma(c, w.cones[3 * other + 2], total)


def _add_interval(w: ConeProjection, k: int) -> None:
    """Add R'DR of interval row k to the matrix."""
    for e in range(w.interval_ends[k], w.interval_ends[k + 1]):
        scaled = w.stiffness[6 * w.blocks + k] * w.rows[e]
        for other in range(w.interval_ends[k], e + 1):
            place = w.places[w.interval_columns[e] * w.n + w.interval_columns[other]]
            w.matrix[place] = fma(scaled, w.rows[other], w.matrix[place])


def compute_residual(w: ConeProjection) -> None:
    """Project with rho = 1, and compute the residual: of stationarity, and how far multipliers move."""
    compute_slacks(w)
    for j in range(3 * w.blocks + w.intervals):
        w.rates[j] = 0.0
    project_all(w, 1.0, 0.0)
    worst = compute_stationarity_error(w, w.multipliers)
    undefined = 0.0
    for j in range(3 * w.blocks + w.intervals):
        error = abs(w.trial[j] - w.multipliers[j])
        undefined = fma(0.0, error, undefined)
        worst = select(error > worst, error, worst)
    w.residual[0] = worst + undefined
