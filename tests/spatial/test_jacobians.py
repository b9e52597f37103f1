"""Matrices of columns: they act as their columns do, one by one."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rbd.errors import NotFiniteError, ShapeError
from rbd.spatial import GeometricJacobian, MomentumMatrix, PointJacobian, WrenchMatrix
from rbd.spatial.recursions.column_operations import (
    add_columns,
    force_cross_columns,
    motion_cross_columns,
    scale_columns,
    transpose_product,
)
from tests.spatial.helpers import (
    HAND,
    WORLD,
    cross_matrix,
    force_matrix,
    free_vector,
    jacobian,
    momentum_matrix,
    motion_matrix,
    point,
    point_jacobian,
    transform,
    twist,
    with_rng,
    wrench,
    wrench_matrix,
)

Rng = np.random.Generator


@with_rng
def test_products_of_columns_are_those_of_matrices(rng: Rng) -> None:
    a, b, A = jacobian(rng), jacobian(rng), wrench_matrix(rng)
    v, f = twist(rng), wrench(rng)
    np.testing.assert_allclose(add_columns(a, b).matrix, a.matrix + b.matrix, rtol=0, atol=1e-15)
    np.testing.assert_allclose(scale_columns(a, 2.5).matrix, 2.5 * a.matrix, rtol=0, atol=1e-15)
    np.testing.assert_allclose(motion_cross_columns(v, a).matrix, cross_matrix(v.vector) @ a.matrix, rtol=0, atol=1e-13)
    expected = np.array([-cross_matrix(column).T @ f.vector for column in a.matrix.T]).T
    np.testing.assert_allclose(force_cross_columns(a, f).matrix, expected, rtol=0, atol=1e-13)
    np.testing.assert_allclose(transpose_product(a, A), a.matrix.T @ A.matrix, rtol=0, atol=1e-13)


@with_rng
def test_geometric_jacobian(rng: Rng) -> None:
    n = int(rng.integers(0, 5))
    j, v, w, tf = jacobian(rng, n), rng.normal(size=n), wrench(rng), transform(rng, WORLD, HAND)
    np.testing.assert_array_equal(j.matrix, np.vstack([j.angular, j.linear]))
    assert j.matrix.shape == (6, n)
    np.testing.assert_allclose((j @ v).vector, j.matrix @ v, rtol=0, atol=1e-13)
    assert ((j @ v).body, (j @ v).base, (j @ v).frame) == (HAND, WORLD, WORLD)
    np.testing.assert_allclose(j.acceleration(tuple(v)).vector, j.matrix @ v, rtol=0, atol=1e-13)
    np.testing.assert_allclose(j.torque(w), j.matrix.T @ w.vector, rtol=0, atol=1e-13)
    assert j.torque(w).tolist() == list(j.torque_components(w))
    np.testing.assert_allclose(j.transformed(tf).matrix, motion_matrix(tf) @ j.matrix, rtol=0, atol=1e-12)
    assert (j.transformed(tf) @ v).isclose((j @ v).transformed(tf))
    np.testing.assert_array_equal((-j).matrix, -j.matrix)
    assert ((-j).body, (-j).base) == (WORLD, HAND)
    np.testing.assert_array_equal(np.array(j.components, dtype=float).reshape(6, n), j.matrix)


@with_rng
def test_torque_is_dual_to_velocity(rng: Rng) -> None:
    """tau.v is the power of the wrench, in every frame."""
    j, v, w, tf = jacobian(rng), rng.normal(size=4), wrench(rng), transform(rng, WORLD, HAND)
    assert j.torque(w) @ v == pytest.approx(w.dot(j @ v), abs=1e-12)
    np.testing.assert_allclose(j.transformed(tf).torque(w.transformed(tf)), j.torque(w), rtol=0, atol=1e-11)


@with_rng
def test_point_jacobian(rng: Rng) -> None:
    n = int(rng.integers(0, 5))
    j, v, f, tf = point_jacobian(rng, n), rng.normal(size=n), free_vector(rng), transform(rng, WORLD, HAND)
    assert j.matrix.shape == (3, n)
    np.testing.assert_allclose((j @ v).xyz, j.matrix @ v, rtol=0, atol=1e-13)
    np.testing.assert_allclose(j.torque(f), j.matrix.T @ f.xyz, rtol=0, atol=1e-13)
    np.testing.assert_allclose(j.transformed(tf).matrix, tf.rotation @ j.matrix, rtol=0, atol=1e-13)
    np.testing.assert_array_equal(np.array(j.components, dtype=float).reshape(3, n), j.matrix)


@with_rng
def test_point_jacobian_from_the_geometric_one(rng: Rng) -> None:
    g, p, v = jacobian(rng), point(rng), rng.normal(size=4)
    matrix = g.linear + np.cross(g.angular, p.xyz, axis=0)
    assert (PointJacobian(WORLD, matrix) @ v).isclose((g @ v).point_velocity(p))


@with_rng
def test_momentum_and_wrench_matrices(rng: Rng) -> None:
    n = int(rng.integers(0, 5))
    x, tf, v = rng.normal(size=n), transform(rng, WORLD, HAND), twist(rng)
    a, t = momentum_matrix(rng, n), wrench_matrix(rng, n)
    both: list[Any] = [a, t]
    for matrix in both:
        np.testing.assert_allclose((matrix @ x).vector, matrix.matrix @ x, rtol=0, atol=1e-13)
        np.testing.assert_allclose(matrix.transformed(tf).matrix, force_matrix(tf) @ matrix.matrix, rtol=0, atol=1e-12)
        assert (matrix.transformed(tf) @ x).isclose((matrix @ x).transformed(tf))
    np.testing.assert_allclose(a.rate(x).vector, a.matrix @ x, rtol=0, atol=1e-13)
    np.testing.assert_allclose(t.power(v), t.matrix.T @ v.vector, rtol=0, atol=1e-13)
    np.testing.assert_allclose(t.transformed(tf).power(v.transformed(tf)), t.power(v), rtol=0, atol=1e-11)


@pytest.mark.parametrize("kind", [MomentumMatrix, WrenchMatrix])
def test_parts_must_fit_each_other(kind: type[MomentumMatrix] | type[WrenchMatrix]) -> None:
    with pytest.raises(ShapeError, match="linear"):
        kind(WORLD, np.zeros((3, 2)), np.zeros((3, 3)))
    with pytest.raises(ShapeError, match="angular"):
        kind(WORLD, np.zeros((2, 3)), np.zeros((3, 3)))


def test_shapes_are_checked() -> None:
    with pytest.raises(ShapeError, match="linear"):
        GeometricJacobian(HAND, WORLD, WORLD, np.zeros((3, 2)), np.zeros((3, 1)))
    with pytest.raises(ShapeError, match="matrix"):
        PointJacobian(WORLD, np.zeros((4, 2)))
    rng = np.random.default_rng(1)
    for matrix in (jacobian(rng, 4), point_jacobian(rng, 4), momentum_matrix(rng, 4), wrench_matrix(rng, 4)):
        for wrong in ([1.0, 2.0, 3.0], (1.0, 2.0, 3.0), np.zeros(5), np.zeros((4, 1))):
            with pytest.raises(ShapeError):
                matrix @ wrong


@pytest.mark.parametrize("kind", [tuple, list, np.array])
def test_factors_are_checked_whatever_holds_them(kind: Callable[[list[object]], Any]) -> None:
    rng = np.random.default_rng(1)
    matrices = (jacobian(rng, 2), point_jacobian(rng, 2), momentum_matrix(rng, 2), wrench_matrix(rng, 2))
    for multiply in (*(matrix.__matmul__ for matrix in matrices), matrices[0].acceleration, matrices[2].rate):
        with pytest.raises(NotFiniteError, match=r"\[1\] is nan"):
            multiply(kind([1.0, math.nan]))
        with pytest.raises(ShapeError, match=r"needs numbers|needs a number"):
            multiply(kind([1.0, "2"]))
