"""The system of Newton's method on second-order cones (Fukushima, Luo, Tseng 2002) and interval rows.

Newton's method on lam + dlam = P(lam + theta dlam - rho (s + ds)) for a theta below 1 means in each eigenvector of the
derivative of P (`rows.py`), with the eigenvalue v,

    dlam = (P - lam - rho v ds) / (1 - theta v)

and stationarity z + dz = A'(lam + dlam) becomes a system with the matrix I + A'DA, D = rho v / (1 - theta v), whose
pivots are at least 1.
"""

from __future__ import annotations

from typing import Final

from rbd.intrinsics.language import divide, fma, select, some
from rbd.solvers.cones.rows import add_products
from rbd.solvers.cones.workspace import ConeProjection
from rbd.solvers.weighted_factor import eliminate, factor_rows, reset_to_identity, substitute

_HALF: Final = 0.5


def compute_stiffness(w: ConeProjection, penalty: float, theta: float) -> None:
    """Compute D and the changes of multipliers at the point."""
    full = divide(1.0, 1.0 - theta)
    for k in range(w.blocks):
        first = select(w.eigenvalues[3 * k] > 0.0, full, 1.0)
        second = select(w.eigenvalues[3 * k + 1] > 0.0, full, 1.0)
        third = divide(1.0, fma(-theta, w.eigenvalues[3 * k + 2], 1.0))
        _set_multiplier_changes(w, k, _HALF * (first + second), _HALF * (first - second), third)
        first *= penalty * w.eigenvalues[3 * k]
        second *= penalty * w.eigenvalues[3 * k + 1]
        third *= penalty * w.eigenvalues[3 * k + 2]
        _set_stiffness(w, k, _HALF * (first + second), _HALF * (first - second), third)
    for k in range(w.intervals):
        row = 3 * w.blocks + k
        gain = select(w.eigenvalues[row] > 0.0, full, 1.0)
        w.multiplier_changes[row] = gain * (w.projected[row] - w.multipliers[row])
        w.stiffness[6 * w.blocks + k] = penalty * w.eigenvalues[row] * gain


def _set_multiplier_changes(w: ConeProjection, k: int, mean: float, half: float, across: float) -> None:
    """Set the changes of multipliers of block k at the point, from the gains of the eigenvectors."""
    x = w.radial_directions[2 * k]
    y = w.radial_directions[2 * k + 1]
    a = w.projected[3 * k] - w.multipliers[3 * k]
    b = w.projected[3 * k + 1] - w.multipliers[3 * k + 1]
    c = w.projected[3 * k + 2] - w.multipliers[3 * k + 2]
    along = fma(x, b, y * c)
    turn = across * fma(x, c, -(y * b))
    w.multiplier_changes[3 * k] = fma(mean, a, half * along)
    along = fma(half, a, mean * along)
    w.multiplier_changes[3 * k + 1] = fma(x, along, -(y * turn))
    w.multiplier_changes[3 * k + 2] = fma(y, along, x * turn)


def _set_stiffness(w: ConeProjection, k: int, mean: float, half: float, across: float) -> None:
    """Set D of block k, from its values for the eigenvectors."""
    x = w.radial_directions[2 * k]
    y = w.radial_directions[2 * k + 1]
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
        w.slack_changes[j] = 0.0
    add_products(w, w.direction, w.slack_changes)


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
