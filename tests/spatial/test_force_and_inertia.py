"""Wrenches, momenta and inertias: duality with motion, and what does not depend on the frame."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy

from rbd.errors import ArgumentError, InertiaError, NotFiniteError, ScalarError, ShapeError, SingularError
from rbd.spatial import FreeVector, SpatialInertia, Wrench
from tests.spatial.helpers import (
    CAMERA,
    HAND,
    WORLD,
    acceleration,
    cross_matrix,
    force_matrix,
    free_vector,
    inertia,
    jacobian,
    moments,
    momentum,
    motion_matrix,
    point,
    skew,
    transform,
    twist,
    with_rng,
    wrench,
)

Rng = np.random.Generator


@with_rng
def test_transforms_of_forces_are_dual(rng: Rng) -> None:
    tf, w, h = transform(rng), wrench(rng, HAND), momentum(rng, HAND)
    np.testing.assert_allclose(w.transformed(tf).vector, force_matrix(tf) @ w.vector, rtol=0, atol=1e-12)
    np.testing.assert_allclose(h.transformed(tf).vector, force_matrix(tf) @ h.vector, rtol=0, atol=1e-12)
    assert w.transformed(tf).transformed(tf.inverse()).isclose(w)


@with_rng
def test_quotients_are_the_inverse_of_products(rng: Rng) -> None:
    for value in (wrench(rng), momentum(rng), acceleration(rng), twist(rng)):
        assert type(value / 4) is type(value)
        assert (value / 4 * 4).isclose(value, atol=0)
        with pytest.raises(ArgumentError, match=f"{type(value).__name__} / divisor: the divisor is zero"):
            _ = value / 0


@pytest.mark.parametrize(
    "zero", [Fraction(0), 0j, sympy.Integer(0), mpmath.mpf(0), mpmath.mpc(0), np.float32(0)], ids=repr
)
def test_divisors_of_any_family_are_not_zero(zero: Any) -> None:
    rng = np.random.default_rng(1)
    for value in (wrench(rng), twist(rng), point(rng), free_vector(rng)):
        with pytest.raises(ArgumentError, match="the divisor is zero"):
            _ = value / zero


@pytest.mark.parametrize(
    "huge", [10**400, Fraction(10**400), -Fraction(10**400, 3)], ids=["int", "Fraction", "negative"]
)
def test_factors_above_the_range_of_floats_are_refused(huge: Any) -> None:
    rng = np.random.default_rng(1)
    for value in (wrench(rng), twist(rng), point(rng), free_vector(rng)):
        for call in (lambda value=value: value * huge, lambda value=value: value / huge):
            with pytest.raises(NotFiniteError, match="the factor is too large") as caught:
                call()
            assert caught.value.argument == "factor"
    with pytest.raises(NotFiniteError, match="the factor is too large"):
        _ = inertia(rng) * abs(huge)


@pytest.mark.parametrize("huge", [10**400, Fraction(10**400)], ids=["int", "Fraction"])
def test_parts_of_inertias_above_the_range_of_floats_are_named(huge: Any) -> None:
    calls = {
        "mass": lambda: SpatialInertia(HAND, mass=huge, moment_about_com=np.eye(3)),
        "com": lambda: SpatialInertia(HAND, mass=1.0, com=(0, huge, 0), moment=np.eye(3)),
        "moment": lambda: SpatialInertia(HAND, mass=1.0, moment=[[1, 0, 0], [0, huge, 0], [0, 0, 1]]),
        "radius": lambda: SpatialInertia.sphere(HAND, mass=1.0, radius=huge),
        "components": lambda: SpatialInertia.from_components(HAND, [1, 0, 0, 1, 0, huge, 0, 0, 0, 1]),
    }
    for name, call in calls.items():
        with pytest.raises(NotFiniteError, match=f"^{name}") as caught:
            call()
        assert caught.value.argument == name


@with_rng
def test_power_does_not_depend_on_the_frame(rng: Rng) -> None:
    tf, w, v = transform(rng), wrench(rng, HAND), twist(rng, frame=HAND)
    power = w.dot(v)
    assert power == pytest.approx(w.vector @ v.vector, abs=1e-12)
    assert w.transformed(tf).dot(v.transformed(tf)) == pytest.approx(power, abs=1e-12)


@with_rng
def test_wrench_of_a_force(rng: Rng) -> None:
    """Its power is force times point velocity; a force alone at the point is the same wrench seen from there."""
    p, f, v = point(rng), free_vector(rng), twist(rng)
    w = Wrench.of_force(p, f)
    np.testing.assert_allclose(w.vector, [*np.cross(p.xyz, f.xyz), *f.xyz], rtol=0, atol=1e-14)
    assert w.dot(v) == pytest.approx(f.dot(v.point_velocity(p)), abs=1e-12)
    assert Wrench.of_force(p, FreeVector.zero(WORLD)).isclose(Wrench.zero(WORLD))


@with_rng
def test_linear_algebra_of_forces(rng: Rng) -> None:
    pairs: list[tuple[Any, Any]] = [(wrench(rng), wrench(rng)), (momentum(rng), momentum(rng))]
    for a, b in pairs:
        np.testing.assert_array_equal((a + b).vector, a.vector + b.vector)
        np.testing.assert_array_equal((a - b).vector, a.vector - b.vector)
        np.testing.assert_array_equal((-a * 2).vector, -2 * a.vector)
        assert type(a).zero(WORLD).isclose(a - a, atol=0)


@with_rng
def test_inertia_matrix(rng: Rng) -> None:
    """J about the origin by the parallel axis theorem; six by six as in the conventions."""
    mass, com, moment = rng.uniform(0.1, 2), rng.normal(size=3), moments(rng)
    body = SpatialInertia(HAND, mass=mass, com=com, moment_about_com=moment)
    about_origin = moment - mass * skew(com) @ skew(com)
    np.testing.assert_allclose(body.moment, about_origin, rtol=0, atol=1e-14)
    expected = np.block([[about_origin, mass * skew(com)], [mass * skew(com).T, mass * np.eye(3)]])
    np.testing.assert_allclose(body.matrix, expected, rtol=0, atol=1e-14)
    same = SpatialInertia(HAND, mass=mass, com=com, moment=about_origin)
    assert same.isclose(body)
    np.testing.assert_allclose(same.moment_about_com, moment, rtol=0, atol=1e-12)
    np.testing.assert_allclose(body.center_of_mass.xyz, com, rtol=0, atol=1e-14)
    np.testing.assert_allclose(body.principal_moments, np.linalg.eigvalsh(moment), rtol=0, atol=1e-12)
    np.testing.assert_array_equal(body.cross_part, mass * com)
    upper = [body.moment[i, j] for i in range(3) for j in range(i, 3)]
    np.testing.assert_array_equal(body.components, [*upper, *body.cross_part, mass])


@with_rng
def test_inertia_transform_is_a_congruence(rng: Rng) -> None:
    tf, body = transform(rng), inertia(rng)
    there = body.transformed(tf)
    x = motion_matrix(tf.inverse())
    np.testing.assert_allclose(there.matrix, x.T @ body.matrix @ x, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(there.moment, there.moment.T)
    assert there.transformed(tf.inverse()).isclose(body)
    assert there.center_of_mass.isclose(tf @ body.center_of_mass)
    np.testing.assert_allclose(there.principal_moments, body.principal_moments, rtol=0, atol=1e-12)


@with_rng
def test_inertias_add(rng: Rng) -> None:
    a, b = inertia(rng), inertia(rng)
    np.testing.assert_allclose((a + b).matrix, a.matrix + b.matrix, rtol=0, atol=1e-14)
    assert (a + SpatialInertia.zero(HAND)).isclose(a, atol=0)


@with_rng
def test_inertias_of_components(rng: Rng) -> None:
    a = inertia(rng)
    same = SpatialInertia.from_components(HAND, a.components)
    assert same.components == a.components
    assert same.frame is HAND


def test_impossible_components_raise() -> None:
    with pytest.raises(InertiaError, match="the two smaller ones add up to less"):
        SpatialInertia.from_components(HAND, [1, 0, 0, 1, 0, 3, 0, 0, 0, 1])
    with pytest.raises(InertiaError, match="negative"):
        SpatialInertia.from_components(HAND, [1, 0, 0, 1, 0, 1, 0, 0, 3, 2])  # about the centre it is -3.5
    with pytest.raises(InertiaError, match="mass is -1"):
        SpatialInertia.from_components(HAND, [1, 0, 0, 1, 0, 1, 0, 0, 0, -1])
    with pytest.raises(InertiaError, match="mass is 0, mass times centre of mass is not"):
        SpatialInertia.from_components(HAND, [1, 0, 0, 1, 0, 1, 0, 0.1, 0, 0])
    with pytest.raises(ShapeError, match=r"components has shape \(6,\), needs \(10,\)"):
        SpatialInertia.from_components(HAND, [1, 0, 0, 1, 0, 1])
    assert SpatialInertia.from_components(HAND, [1, 0, 0, 1, 0, 1, 0, 0, 0, 0]).mass == 0  # a rotor


@with_rng
def test_a_number_times_an_inertia_scales_mass_and_moment(rng: Rng) -> None:
    a = inertia(rng)
    for scaled in (1.5 * a, a * 1.5):
        np.testing.assert_allclose(scaled.matrix, 1.5 * a.matrix, rtol=1e-15)
        np.testing.assert_allclose(scaled.center_of_mass.xyz, a.center_of_mass.xyz, rtol=1e-14)
    assert (0 * a).isclose(SpatialInertia.zero(HAND), atol=0)
    with pytest.raises(InertiaError, match="the factor is -1, needs to be at least 0"):
        -1.0 * a
    with pytest.raises(ArgumentError, match=r"SpatialInertia \* factor: .* inertias and Jacobians are applied with @"):
        a * a  # type: ignore[operator]  # the error


@with_rng
def test_an_inertia_is_divided_by_positive_numbers(rng: Rng) -> None:
    a = inertia(rng)
    np.testing.assert_allclose((a / 4).components, np.array(a.components) / 4, rtol=0, atol=0)
    exact = SpatialInertia.point_mass(HAND, mass=Fraction(1, 3), at=(1, 0, 0)) / 7
    assert exact.mass == Fraction(1, 21)
    with pytest.raises(ArgumentError, match="SpatialInertia / divisor: the divisor is zero"):
        a / 0
    with pytest.raises(InertiaError, match="SpatialInertia / divisor: the divisor is -2, needs to be at least 0"):
        a / -2
    for value in ("2", [2.0], None, a):
        with pytest.raises((ArgumentError, ScalarError)):
            a / value  # type: ignore[operator]  # the error


@with_rng
def test_exact_negative_numbers_are_no_factors_of_inertias(rng: Rng) -> None:
    a, half = inertia(rng), Fraction(-1, 2)
    for make in (lambda: half * a, lambda: a / half, lambda: SpatialInertia.point_mass(HAND, mass=half, at=(0, 0, 0))):
        with pytest.raises(InertiaError, match=r"(mass|factor|divisor) is -0\.5, needs to be at least 0"):
            make()


@with_rng
def test_momentum_and_kinetic_energy(rng: Rng) -> None:
    body, v, tf = inertia(rng), twist(rng, frame=HAND), transform(rng)
    np.testing.assert_allclose((body @ v).vector, body.matrix @ v.vector, rtol=0, atol=1e-13)
    energy = body.kinetic_energy(v)
    assert energy == pytest.approx(v.vector @ body.matrix @ v.vector / 2, abs=1e-12)
    assert body.transformed(tf).kinetic_energy(v.transformed(tf)) == pytest.approx(energy, abs=1e-12)
    assert (body @ v).transformed(tf).isclose(body.transformed(tf) @ v.transformed(tf))


@with_rng
def test_newton_euler(rng: Rng) -> None:
    """I A + V x* I V, and the same wrench whatever the frame."""
    body, v, a, tf = inertia(rng), twist(rng, frame=HAND), acceleration(rng, frame=HAND), transform(rng)
    w = body.newton_euler(a, v)
    expected = body.matrix @ a.vector - cross_matrix(v.vector).T @ body.matrix @ v.vector
    np.testing.assert_allclose(w.vector, expected, rtol=0, atol=1e-12)
    there = body.transformed(tf).newton_euler(a.transformed(tf), v.transformed(tf))
    assert there.isclose(w.transformed(tf), atol=1e-11)


@with_rng
def test_momentum_matrix_of_an_inertia(rng: Rng) -> None:
    body, j = inertia(rng), jacobian(rng, frame=HAND)
    v = rng.normal(size=4)
    assert ((body @ j) @ v).isclose(body @ (j @ v))


def test_zero_mass() -> None:
    rotor = SpatialInertia(HAND, mass=0, moment=np.diag([0, 0, 1]) * 1e-3 + np.eye(3) * 1e-3)
    np.testing.assert_array_equal(rotor.principal_moments, np.sort([1e-3, 1e-3, 2e-3]))
    nothing = SpatialInertia(HAND, mass=0, moment=np.zeros((3, 3)))
    assert nothing.isclose(SpatialInertia.zero(HAND), atol=0)
    with pytest.raises(SingularError, match="mass"):
        _ = nothing.center_of_mass
    with pytest.raises(SingularError, match="mass"):
        _ = nothing.moment_about_com


def test_symmetric_moments_keep_their_bits() -> None:
    third = 1 / 3
    body = SpatialInertia(CAMERA, mass=1, moment=[[1, third / 7, 0], [third / 7, 1, third / 9], [0, third / 9, 1]])
    assert body.moment[0, 1] == body.moment[1, 0] == third / 7
    assert body.moment[1, 2] == third / 9
