"""Derivatives of parts of the equation of motion, of Jacobians, and by parameters, gravity and wrenches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given

import rbd
from rbd import MechanismState, Point, Wrench, algorithms
from rbd.errors import ArgumentError, ShapeError, SingularError
from rbd.testing import random_chain

from ..helpers import JOINT_TYPES, RANDOM, Case, Numbers, case, cases, close, examples, rate
from ..loops.mechanisms import looped
from .test_derivatives import by_coordinates, by_position, by_velocity, mixed_wrenches

KINDS = ["chain", "tree", "floating tree", "universal oblique", "planar oblique", "rotation vector floating"]


@pytest.mark.parametrize("kind", [*RANDOM, *JOINT_TYPES])
def test_parts_of_the_equation_of_motion(kind: str) -> None:
    a_case = case(kind, seed=13, passive=True)
    state, x, push = a_case.state, a_case.velocity(), mixed_wrenches(a_case)

    def bias(s: Any) -> Any:
        return rbd.dynamics_bias(s, push)

    def product(s: Any) -> Any:
        return np.asarray(rbd.mass_matrix(s)) @ x

    def quotient(s: Any) -> Any:
        return np.asarray(rbd.inverse_mass_matrix(s)) @ x

    d_dq, d_dv = rbd.bias_derivatives(state, push)
    close(d_dq, by_position(state, bias), 1e-11, scale=1e-2)
    close(d_dv, by_velocity(state, bias), 1e-11, scale=1e-2)
    close(rbd.bias_derivatives(state, push, space="coordinates")[0], by_coordinates(state, bias), 1e-11, scale=1e-2)
    for function, reference in (
        (rbd.mass_matrix_product_derivatives, product),
        (rbd.inverse_mass_product_derivatives, quotient),
    ):
        close(function(state, x), by_position(state, reference), 1e-11, scale=1e-2)
        close(function(state, x, space="coordinates"), by_coordinates(state, reference), 1e-11, scale=1e-2)


def test_parts_of_mechanisms_with_loops_are_those_of_the_tree() -> None:
    state = looped("universal", 8).state
    x = np.linspace(-1.0, 1.0, state.mechanism.nv)
    d_dq, d_dv = rbd.bias_derivatives(state)
    close(d_dq, by_position(state, rbd.dynamics_bias), 1e-11)
    close(d_dv, by_velocity(state, rbd.dynamics_bias), 1e-11)
    for function, matrix in (
        (rbd.mass_matrix_product_derivatives, rbd.mass_matrix),
        (rbd.inverse_mass_product_derivatives, rbd.inverse_mass_matrix),
    ):
        close(function(state, x), by_position(state, lambda s, m=matrix: np.asarray(m(s)) @ x), 1e-11)


@examples(0.3)
@given(cases(bodies=6))
def test_the_velocity_terms_are_quadratic(a_case: Case) -> None:
    """d c / d v times v is twice the velocity terms; v^T dM/dt v / 2 is v^T times them."""
    state = a_case.state
    terms = rbd.dynamics_bias(state) - rbd.gravity_torques(state)
    _, d_dv = rbd.bias_derivatives(state)
    close(d_dv @ state.v, 2 * terms, 1e-10, scale=1e-2)
    slope = rate(state, rbd.mass_matrix, np.zeros_like(state.v))
    close(state.v @ slope @ state.v / 2, state.v @ terms, 1e-9, scale=1e-2)


def test_a_free_body_without_gravity_moves_the_same_everywhere() -> None:
    rng = np.random.default_rng(1)
    mechanism = random_chain([JOINT_TYPES["rotation vector floating"]], rng)
    mechanism.gravity = (0.0, 0.0, 0.0)
    state = MechanismState(mechanism)
    state.randomize(rng)
    assert np.abs(rbd.bias_derivatives(state)[0]).max() < 1e-14
    slopes = rbd.forward_dynamics_derivatives(state, np.zeros(6))
    assert np.abs(slopes[0]).max() < 1e-13


def test_gyroscopic_matrix_of_a_top() -> None:
    """c = w x J w - com x (m R^T g): its derivative by w is hat(w) J - hat(J w)."""
    rng = np.random.default_rng(2)
    mechanism = random_chain([JOINT_TYPES["rotation vector spherical"]], rng)
    state = MechanismState(mechanism)
    state.randomize(rng)
    inertia = mechanism.bodies[1].inertia
    assert inertia is not None
    J, w = inertia.moment, state.v

    def hat(a: Numbers) -> Numbers:
        return np.cross(a, np.eye(3)).T

    close(rbd.bias_derivatives(state)[1], hat(w) @ J - hat(J @ w), 1e-12)


def test_a_slider_with_a_pendulum_by_hand() -> None:
    """A cart of 2 kg on x carries a point of 3 kg at length 0.5: M = [[5, 3 l c], [3 l c, 3 l^2]]."""
    mechanism = rbd.Mechanism(gravity=(0, 0, -10))
    cart = rbd.RigidBody("cart", rbd.SpatialInertia(rbd.Frame("cart"), mass=2.0, moment=np.zeros((3, 3))))
    bob_inertia = rbd.SpatialInertia(
        rbd.Frame("bob"), mass=3.0, com=[0, 0, -0.5], moment_about_com=np.diag([1e-12, 1e-12, 1e-12])
    )
    bob = rbd.RigidBody("bob", bob_inertia)
    mechanism.attach(mechanism.root_body, cart, rbd.Joint("slide", rbd.Prismatic((1, 0, 0))))
    mechanism.attach(cart, bob, rbd.Joint("hinge", rbd.Revolute((0, -1, 0))))
    angle, speed, push, pull = 0.4, 1.5, 0.7, -0.3
    state = MechanismState(mechanism, [0.2, angle], [0.1, speed])
    d_dq, d_dv, d_dvd = rbd.inverse_dynamics_derivatives(state, [push, pull])
    c, s, ml = np.cos(angle), np.sin(angle), 1.5
    close(d_dvd, [[5.0, ml * c], [ml * c, ml * 0.5]], 1e-11)
    column = [-ml * s * pull - ml * c * speed**2, -ml * s * push + ml * 10 * c]
    close(d_dq, np.array([[0.0, 0.0], column]).T, 1e-11)
    close(d_dv, [[0.0, -2 * ml * s * speed], [0.0, 0.0]], 1e-11)


# --- parameters, gravity, wrenches -----------------------------------------------------------------------------------


@examples(0.3)
@given(cases(bodies=6))
def test_torques_are_linear_in_inertias_and_gravity(a_case: Case) -> None:
    state, vd, bodies = a_case.state, a_case.velocity(), a_case.mechanism.bodies[1:]
    p = np.array([x for body in bodies if body.inertia is not None for x in body.inertia.components], dtype=float)
    close(rbd.regressor(state, vd) @ p, rbd.inverse_dynamics(state, vd), 1e-10, scale=1e-2)
    slope = algorithms.gravity_derivatives(state)
    close(slope @ a_case.mechanism.gravity.xyz, rbd.gravity_torques(state), 1e-11, scale=1e-2)


def test_the_regressor_is_the_derivative_by_one_body() -> None:
    a_case = case("tree", seed=5)
    state, vd, mechanism = a_case.state, a_case.velocity(), a_case.mechanism
    Y, before = rbd.regressor(state, vd), rbd.inverse_dynamics(state, vd)
    body = mechanism.bodies[3]
    inertia = body.inertia
    assert inertia is not None
    extra = rbd.SpatialInertia(body.default_frame, mass=1.0, com=[0.1, 0.2, 0.3], moment_about_com=np.eye(3))
    body.set_inertia(inertia + extra)
    close(rbd.inverse_dynamics(state, vd) - before, Y[:, 20:30] @ np.array(extra.components, dtype=float), 1e-11)


@pytest.mark.parametrize("kind", KINDS[:3])
def test_derivatives_by_wrenches_are_the_transposed_jacobian(kind: str) -> None:
    a_case = case(kind, seed=6)
    state, mechanism, vd = a_case.state, a_case.mechanism, a_case.velocity()
    body, six = mechanism.bodies[-1], a_case.rng.standard_normal(6)
    for frame in (mechanism.root_frame, body.default_frame, mechanism.bodies[2].default_frame):
        push = {body: Wrench(frame, six[:3], six[3:])}
        change = rbd.inverse_dynamics(state, vd, push) - rbd.inverse_dynamics(state, vd)
        close(algorithms.external_wrench_derivatives(state, body, frame=frame) @ six, change, 1e-10, scale=1e-2)


# --- Jacobians -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_rates_of_jacobians(kind: str) -> None:
    a_case = case(kind, seed=8)
    state, mechanism = a_case.state, a_case.mechanism
    still = np.zeros_like(state.v)
    for source, target, place in ((0, -1, 0), (1, -1, 0), (-1, 1, 2), (0, 2, -1), (0, 0, 0)):
        path = mechanism.path(mechanism.bodies[source], mechanism.bodies[target])
        frame = mechanism.bodies[place].default_frame
        expected = rate(state, lambda s, p=path, f=frame: rbd.geometric_jacobian(s, p, frame=f).components, still)
        found = algorithms.geometric_jacobian_rate(state, path, frame=frame)
        close(found.matrix, expected, 1e-11, scale=1e-2)
        assert found.frame is frame


@pytest.mark.parametrize("kind", KINDS)
def test_rates_of_jacobians_of_points(kind: str) -> None:
    a_case = case(kind, seed=10)
    state, mechanism = a_case.state, a_case.mechanism
    still = np.zeros_like(state.v)
    for source, target, place in ((0, -1, 0), (1, -1, 0), (-1, 1, 2), (0, 2, -1), (0, -1, -1)):
        path = mechanism.path(mechanism.bodies[source], mechanism.bodies[target])
        frame, fixed = mechanism.bodies[place].default_frame, Point(path.target.default_frame, [0.3, -0.2, 0.5])

        def components(s: Any, p: Any = path, f: Any = frame, x: Any = fixed) -> Any:
            return rbd.point_jacobian(s, p, s.transform(x, f)).components

        found = algorithms.point_jacobian_rate(state, path, state.transform(fixed, frame))
        close(found.matrix, rate(state, components, still), 1e-11, scale=1e-2)
        assert found.frame is frame


def test_acceleration_of_a_point_from_its_jacobian_and_its_rate() -> None:
    a_case = case("floating tree", seed=12)
    state, mechanism, vd = a_case.state, a_case.mechanism, a_case.velocity()
    hand, root = mechanism.bodies[-1], mechanism.root_body
    path, fixed = mechanism.path(root, hand), Point(hand.default_frame, [0.3, -0.2, 0.5])
    here = state.transform(fixed, mechanism.root_frame)

    def velocity(s: Any) -> Any:
        now = s.transform(fixed, mechanism.root_frame)
        return s.twist(hand).point_velocity(now).xyz_components

    found = rbd.point_jacobian(state, path, here).matrix @ vd
    found += algorithms.point_jacobian_rate(state, path, here).matrix @ state.v
    close(found, rate(state, velocity, vd), 1e-11)


@pytest.mark.parametrize("kind", KINDS)
def test_the_jacobian_of_the_centre_of_mass(kind: str) -> None:
    state = case(kind, seed=9).state
    found = algorithms.center_of_mass_jacobian(state)
    close(found.matrix, by_position(state, lambda s: rbd.center_of_mass(s).components), 1e-11, scale=1e-2)


def test_no_mass_has_no_centre_of_mass() -> None:
    mechanism = rbd.Mechanism()
    mechanism.attach(mechanism.root_body, rbd.RigidBody("nothing"), rbd.Joint("j", rbd.Revolute((0, 0, 1))))
    with pytest.raises(SingularError):
        algorithms.center_of_mass_jacobian(MechanismState(mechanism))


@pytest.mark.parametrize("space", ["tangent", "coordinates"])
def test_derivatives_do_not_depend_on_the_pose_of_a_free_mechanism(space: Any) -> None:
    state = case("floating tree", seed=19).state
    before = rbd.bias_derivatives(state, space=space)
    q = state.q.copy()
    q[4:7] += [3.0, -2.0, 5.0]
    state.set_configuration(q)
    for a, b in zip(rbd.bias_derivatives(state, space=space), before, strict=True):
        close(a, b, 1e-13)


def test_what_is_refused() -> None:
    state = MechanismState(rbd.robots.double_pendulum())
    with pytest.raises(ArgumentError, match="point"):
        algorithms.point_jacobian_rate(state, state.mechanism.path("world", "lower_link"), [0.0, 0.0, 1.0])  # type: ignore[arg-type]  # the error
    for call in (
        lambda: rbd.bias_derivatives(state, space="world"),  # type: ignore[arg-type]  # the error
        lambda: rbd.mass_matrix_product_derivatives(state, [0.0, 0.0], space="world"),  # type: ignore[arg-type]  # the error
        lambda: rbd.inverse_mass_product_derivatives(state, [0.0, 0.0], space="world"),  # type: ignore[arg-type]  # the error
    ):
        with pytest.raises(ArgumentError, match="space"):
            call()
    for call in (
        lambda: rbd.mass_matrix_product_derivatives(state, [0.0]),
        lambda: rbd.inverse_mass_product_derivatives(state, [0.0]),
        lambda: rbd.regressor(state, [0.0]),
    ):
        with pytest.raises(ShapeError):
            call()
