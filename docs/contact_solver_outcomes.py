"""What methods of the comparison of solvers return, and what limits them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from docs.contact_solver_cases import Projection
from rbd.scalars.arrays import Array

ACCURATE, SWEEPS = 1e-9, 2000


class Outcome(NamedTuple):
    """Point, multipliers, iterations, and multiply-adds in thousands."""

    z: Array
    weights: Array
    iterations: int
    cost: float


Method = Callable[[Projection], Outcome | None]
"""None where a method is not used."""


def newton_cost(U: Array) -> float:
    """Return the multiply-adds of I + A'A, its sparse factor, a solution, and three products with the rows."""
    n = U.shape[1]
    pattern = (np.abs(U.T) @ np.abs(U) > 0) | np.eye(n, dtype=bool)
    cost = 0.0
    for k in reversed(range(n)):
        left = np.flatnonzero(pattern[k, :k])
        pattern[np.ix_(left, left)] = True
        cost += len(left) * (len(left) + 1) / 2 + 2 * len(left)
    entries = np.count_nonzero(U, axis=1)
    return float(cost + (entries * (entries + 1) / 2).sum() + 3 * entries.sum())
