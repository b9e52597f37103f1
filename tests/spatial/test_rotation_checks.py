"""Checks of rotations given as arrays, lists and tuples: which are accepted, and which error the others raise."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rbd.errors import NotFiniteError, RotationError, ShapeError
from rbd.scalars.arrays import Array
from rbd.spatial import Transform
from rbd.spatial.values import MatrixLike
from tests.spatial import helpers
from tests.spatial.helpers import HAND, WORLD, with_rng


@with_rng
def test_the_tolerance_of_rotations_is_that_of_products_of_rows(rng: np.random.Generator) -> None:
    good: Array = helpers.random_rotation(rng)
    outcomes: set[bool] = set()
    for size in np.logspace(-12, -7, 40):
        matrix: Array = good @ (np.eye(3) + size * rng.normal(size=(3, 3)))
        defect = float(np.abs(matrix @ matrix.T - np.eye(3)).max())
        if abs(defect - 1e-9) > 1e-15:
            outcomes.add(defect <= 1e-9)
            rows: list[list[float]] = matrix.tolist()
            for given in (matrix, rows, (rows[0], (*rows[1],), rows[2])):
                assert is_accepted(given) is (defect <= 1e-9)
    assert outcomes == {True, False}


def is_accepted(matrix: MatrixLike) -> bool:
    try:
        Transform(HAND, WORLD, matrix)
    except RotationError:
        return False
    return True


@pytest.mark.parametrize("entry", [math.nan, math.inf])
def test_rotations_with_entries_that_are_not_finite(entry: float) -> None:
    for i, j in np.ndindex(3, 3):
        matrix = np.eye(3)
        matrix[i, j] = entry
        with pytest.raises(NotFiniteError, match=rf"rotation\[{i}, {j}\]"):
            Transform(HAND, WORLD, matrix)


@pytest.mark.parametrize("row", [[1.0], [1.0, 0.0, 0.0, 0.0], (), 1.0, None, "abc"])
@pytest.mark.parametrize("k", range(3))
def test_rows_of_other_lengths_are_errors_of_shape(row: object, k: int) -> None:
    rows: list[object] = np.eye(3).tolist()
    rows[k] = row
    with pytest.raises(ShapeError, match="rotation"):
        Transform(HAND, WORLD, rows)  # type: ignore[arg-type]  # the point
