"""Vectors and matrices of size three against NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rbd.spatial import linalg
from tests.spatial.helpers import Numbers, skew

Rng = np.random.Generator


def tuples(array: Numbers) -> Any:
    """Return an array as nested tuples."""
    return tuple(map(tuples, array)) if array.ndim else array.item()


def vectors(count: int) -> Callable[[Rng], tuple[Numbers, ...]]:
    return lambda rng: tuple(rng.normal(size=(count, 3)))


def matrix_and(*shapes: tuple[int, ...]) -> Callable[[Rng], tuple[Numbers, ...]]:
    return lambda rng: (rng.normal(size=(3, 3)), *(rng.normal(size=shape) for shape in shapes))


def pairs(*shapes: tuple[int, ...]) -> Callable[[Rng], tuple[Numbers, ...]]:
    return lambda rng: tuple(rng.normal(size=shape) for shape in shapes)


def _moved6(rotation: Numbers, translation: Numbers, motion: Numbers) -> Numbers:
    angular = rotation @ motion[0]
    return np.array([angular, rotation @ motion[1] + np.cross(translation, angular)])


Case = tuple[Callable[..., Any], Callable[..., Any], Callable[[Rng], tuple[Numbers, ...]]]
CASES: dict[str, Case] = {
    "add3": (linalg.add3, np.add, vectors(2)),
    "sub3": (linalg.sub3, np.subtract, vectors(2)),
    "neg3": (linalg.neg3, np.negative, vectors(1)),
    "scale3": (linalg.scale3, np.multiply, pairs((3,), ())),
    "add6": (linalg.add6, np.add, pairs((2, 3), (2, 3))),
    "neg6": (linalg.neg6, np.negative, pairs((2, 3))),
    "scale6": (linalg.scale6, np.multiply, pairs((2, 3), ())),
    "dot3": (linalg.dot3, np.dot, vectors(2)),
    "cross3": (linalg.cross3, np.cross, vectors(2)),
    "norm3": (linalg.norm3, np.linalg.norm, vectors(1)),
    "unit3": (linalg.unit3, lambda v: v / np.linalg.norm(v), vectors(1)),
    "matvec": (linalg.matvec, np.matmul, matrix_and((3,))),
    "tmatvec": (linalg.tmatvec, lambda m, v: m.T @ v, matrix_and((3,))),
    "transform_motion": (linalg.transform_motion, _moved6, matrix_and((3,), (2, 3))),
    "matmul": (linalg.matmul, np.matmul, matrix_and((3, 3))),
    "transpose3": (linalg.transpose3, np.transpose, matrix_and()),
    "add33": (linalg.add33, np.add, matrix_and((3, 3))),
    "sub33": (linalg.sub33, np.subtract, matrix_and((3, 3))),
    "scale33": (linalg.scale33, np.multiply, matrix_and(())),
    "hat": (linalg.hat, skew, vectors(1)),
    "outer": (linalg.outer, np.outer, vectors(2)),
}


@pytest.mark.parametrize("name", CASES)
def test_functions_agree_with_numpy(name: str) -> None:
    function, expected, draw = CASES[name]
    rng = np.random.default_rng(0)
    for _ in range(20):
        given = draw(rng)
        found = np.array(function(*map(tuples, given)))
        np.testing.assert_allclose(found, expected(*given), rtol=0, atol=1e-14)


def test_constants_and_conversions() -> None:
    np.testing.assert_array_equal(linalg.zero3(), np.zeros(3))
    np.testing.assert_array_equal(linalg.zero33(), np.zeros((3, 3)))
    np.testing.assert_array_equal(linalg.identity3(), np.eye(3))
    assert linalg.as_vec3((1, 2, 3)) == (1, 2, 3)
    assert linalg.as_vec6((1, 2, 3, 4, 5, 6)) == ((1, 2, 3), (4, 5, 6))
    assert linalg.symmetric(1, 2, 3, 4, 5, 6) == ((1, 2, 3), (2, 4, 5), (3, 5, 6))


@pytest.mark.parametrize(("size", "is_scaled"), [(1e-300, False), (1.0, False), (1e300, True)])
def test_lowered_vectors_have_powers_in_range(size: float, is_scaled: bool) -> None:
    lowered, scale = linalg.scaled_down3((3.0 * size, -4.0 * size, 0.0))
    np.testing.assert_array_equal(lowered, np.array([3.0, -4.0, 0.0]) * size * float(scale))
    assert np.isfinite(lowered[0] ** 4 + lowered[1] ** 4)
    assert (scale != 1) == is_scaled
    assert np.frexp(float(scale))[0] == 0.5  # a power of two
