"""Results of live states as numbers for comparison, shared by tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from rbd import MechanismState
from rbd.recorder.kernel_cache import kernel_cache

from ..algorithms.catalog import ALGORITHMS, flat


def values(state: Any) -> dict[str, list[Any]]:
    return {name: flat(algorithm(state)) for name, algorithm in ALGORITHMS.items()}


def numbers(result: list[Any]) -> np.ndarray:
    return np.array(result, dtype=float)


def assert_close(one: dict[str, list[Any]], two: dict[str, list[Any]]) -> None:
    for name, result in one.items():
        a, b = numbers(result), numbers(two[name])
        size = max(1.0, np.abs(a).max(initial=0), np.abs(b).max(initial=0))
        assert np.abs(a - b).max(initial=0) <= 1e-12 * size, name


def entries(state: MechanismState) -> list[Any]:
    return list(kernel_cache(state.mechanism)._kernels.values())
