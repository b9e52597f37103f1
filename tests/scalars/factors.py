"""Sparse factors with the structure of trees, for tests."""

from __future__ import annotations

import numpy as np


def tree_factor(rng: np.random.Generator, size: int) -> tuple[list[list[tuple[int, float]]], list[float]]:
    """Return rows of L with entries where a random tree has ancestors, and 1 / D."""
    ancestors: list[list[int]] = []
    for k in range(size):
        parent = int(rng.integers(-1, k))
        ancestors.append([*ancestors[parent], parent] if parent >= 0 else [])
    return [[(j, float(rng.normal())) for j in row] for row in ancestors], rng.uniform(0.5, 2, size).tolist()
