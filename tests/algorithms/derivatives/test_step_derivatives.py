"""Derivatives of one step in time, by both rules, against complex steps of the steps themselves."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, get_args

import numpy as np
import pytest

import rbd
import rbd.testing
from rbd import Baumgarte, MechanismState
from rbd.algorithms.derivatives.step_stages import DIFFERENTIATED_STEPS
from rbd.algorithms.time_steps.fixed_step import FixedStepMethod
from rbd.algorithms.time_steps.steps import STEP_FUNCTIONS, step_function
from rbd.errors import ArgumentError, NotFiniteError, ShapeError
from rbd.kinematics.queries import State
from rbd.scalars import Vector
from rbd.spatial import so3

from ..helpers import JOINT_TYPES, RANDOM, STEP, Case, Numbers, case, close
from ..loops.linkages import sarrus
from ..loops.mechanisms import consistent, looped
from .test_derivatives import by_coordinates, by_position, by_velocity, mixed_wrenches

both_methods = pytest.mark.parametrize("rule", DIFFERENTIATED_STEPS)
Place = tuple[list[Any], list[Any]]


def moved(state: Any, phi: Any) -> list[Any]:
    """Return q at the coordinates `phi` around that of the state."""
    q: list[Any] = []
    for node in state.nodes:
        q += node.joint.type.global_coordinates(state.joint_q(node), tuple(phi[node.v_slice]))
    return q


def rates(state: Any, there: Any) -> Numbers:
    """Return the derivatives of the coordinates around the configuration of `state`."""
    found: list[Any] = []
    for node in state.nodes:
        found += node.joint.type.local_coordinates_rate(state.joint_q(node), there.joint_q(node), there.joint_v(node))
    return np.array(found)


def semi_implicit(state: Any, vd: Callable[[Any], Numbers], dt: float) -> Place:
    v = np.asarray(state.v) + dt * vd(state)
    return moved(state, dt * rates(state, state.with_scalars(state.q, v))), list(v)


def runge_kutta(state: Any, vd: Callable[[Any], Numbers], dt: float) -> Place:
    """Return q and v after the four stages, in coordinates around the beginning."""
    slopes: list[tuple[Numbers, Numbers]] = []
    for ahead in (0.0, dt / 2, dt / 2, dt):
        phid, here = slopes[-1] if slopes else (np.zeros(len(state.v)), np.zeros(len(state.v)))
        q = moved(state, ahead * phid) if slopes else state.q
        there = state.with_scalars(q, np.asarray(state.v) + ahead * here)
        slopes.append((rates(state, there), vd(there)))
    phid, mean = ((slopes[0][k] + 2 * slopes[1][k] + 2 * slopes[2][k] + slopes[3][k]) / 6 for k in (0, 1))
    return moved(state, dt * phid), list(np.asarray(state.v) + dt * mean)


TAKEN = {"semi-implicit-euler": semi_implicit, "munthe-kaas-rk4": runge_kutta}


def stepped(rule: str, state: Any, tau: Numbers, dt: float, push: Any = None, **named: Any) -> Place:
    """Return q and v after a step."""
    return TAKEN[rule](state, lambda s: np.asarray(rbd.forward_dynamics(s, tau, push, **named)), dt)


def local(state: State[Any], centre: Vector, q: list[Any]) -> list[Any]:
    """Return q as velocities around `centre`, to first order."""
    out: list[Any] = []
    for node in state.nodes:
        back = np.array(node.joint.type.velocity_jacobian(centre[node.q_slice]), dtype=complex)
        if node.joint.nv:
            out += list(back @ (np.array(q[node.q_slice]) - np.array(centre[node.q_slice])))
    return out


def check_step(rule: FixedStepMethod, a_case: Case, **named: Any) -> None:
    state, tau, dt, push = a_case.state, a_case.velocity(), 0.05, mixed_wrenches(a_case)
    after, nv = tuple(stepped(rule, state, tau, dt, push, **named)[0]), len(tau)

    def step(s: Any) -> Any:
        """Return q after the step as velocities around `after`, then v, then q as it is."""
        q, v = stepped(rule, s, tau, dt, push, **named)
        return np.array([*local(state, after, q), *v, *q])

    found = rbd.step_derivatives(state, tau, dt, push, integrator=rule, **named)
    by_q, by_v = by_position(state, step), by_velocity(state, step)
    close(found.q_by_q, by_q[:nv], 1e-11)
    close(found.q_by_v, by_v[:nv], 1e-11)
    close(found.v_by_q, by_q[nv : 2 * nv], 1e-11, scale=1e-2)
    close(found.v_by_v, by_v[nv : 2 * nv], 1e-11)
    still = state.with_scalars(state.q + 0j)
    pushed = [stepped(rule, still, tau + 1j * STEP * unit, dt, push, **named) for unit in np.eye(len(tau))]
    close(found.q_by_torques, np.imag([local(state, after, q) for q, _ in pushed]).T / STEP, 1e-11)
    close(found.v_by_torques, np.imag([v for _, v in pushed]).T / STEP, 1e-11)
    whole = rbd.step_derivatives(state, tau, dt, push, space="coordinates", integrator=rule, **named)
    by_each_q = by_coordinates(state, step)
    close(whole.q_by_q, by_each_q[2 * nv :], 1e-11)
    close(whole.v_by_q, by_each_q[nv : 2 * nv], 1e-11, scale=1e-2)
    close(whole.q_by_v, by_v[2 * nv :], 1e-11)
    close(whole.v_by_v, found.v_by_v, 1e-14)


@both_methods
@pytest.mark.parametrize("kind", [*RANDOM, *JOINT_TYPES])
def test_a_step(rule: FixedStepMethod, kind: str) -> None:
    check_step(rule, case(kind, seed=15, passive=True))


@pytest.mark.parametrize("kind", ["fixed", "spherical", "screw oblique"])
def test_a_step_with_a_loop(kind: str) -> None:
    check_step("semi-implicit-euler", looped(kind, 3))


def test_stages_with_a_loop() -> None:
    check_step("munthe-kaas-rk4", looped("spherical", 3))


@both_methods
@pytest.mark.parametrize("gains", [Baumgarte(), Baumgarte(0.02), None])
def test_a_step_with_an_open_loop(rule: FixedStepMethod, gains: Any) -> None:
    state = MechanismState(rbd.robots.four_bar(), [0.3, 0.5, -0.2], [1.0, -2.0, 0.5])
    check_step(rule, Case(state.mechanism, state, np.random.default_rng(4)), stabilization=gains)


@both_methods
def test_a_step_with_redundant_constraints(rule: FixedStepMethod) -> None:
    state = sarrus()
    state.set_velocity(np.linspace(1.0, 2.0, state.mechanism.nv))
    state.set_velocity(consistent(state))
    check_step(rule, Case(state.mechanism, state, np.random.default_rng(5)))


@both_methods
def test_trees_have_nothing_to_stabilise(rule: FixedStepMethod) -> None:
    state, tau = MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4], [1.0, 2.0]), [0.5, -0.5]
    usual = rbd.step_derivatives(state, tau, 0.1, integrator=rule)
    other = rbd.step_derivatives(state, tau, 0.1, integrator=rule, stabilization=None)
    assert np.array_equal(usual.q_by_q, other.q_by_q)


# --- the same steps as elsewhere -------------------------------------------------------------------------------------


def test_integrators_are_those_of_compiled_robots() -> None:
    assert set(DIFFERENTIATED_STEPS) == set(STEP_FUNCTIONS) == set(get_args(FixedStepMethod))
    robot = rbd.compile(rbd.robots.double_pendulum())
    for method in DIFFERENTIATED_STEPS:
        assert robot.step_derivatives([0.3, 0.4], [1.0, 2.0], None, 1e-3, integrator=method).q_by_q.shape == (2, 2)


@both_methods
def test_a_step_is_that_of_compiled_robots(rule: FixedStepMethod) -> None:
    a_case = case("floating tree", seed=16)
    state, tau, dt = a_case.state, a_case.velocity(), 0.01
    q, v = rbd.compile(a_case.mechanism).step(state.q, state.v, tau, dt, integrator=rule)
    expected = stepped(rule, state, tau, dt)
    close(q, expected[0], 1e-12)
    close(v, expected[1], 1e-11)


@both_methods
def test_a_step_of_a_linkage_is_that_of_compiled_robots(rule: FixedStepMethod) -> None:
    state, tau, dt = sarrus(), np.linspace(-1.0, 1.0, 5), 0.01
    robot = rbd.compile(state.mechanism)
    q, v = robot.step(state.q, state.v, tau, dt, integrator=rule, stabilization=Baumgarte(0.03))
    expected = stepped(rule, state, tau, dt, stabilization=Baumgarte(0.03))
    close(q, expected[0], 1e-12)
    close(v, expected[1], 1e-11)


@both_methods
def test_a_step_is_that_of_a_simulation(rule: FixedStepMethod) -> None:
    """Wrenches are held in the frames they are given in, from stage to stage."""
    a_case = case("floating tree", seed=17, passive=True)
    state, tau, dt, push = a_case.state, a_case.velocity(), 0.02, a_case.wrenches("body")
    expected = stepped(rule, state, tau, dt, push)
    moving = MechanismState(a_case.mechanism, state.q, state.v)
    rbd.simulate(moving, dt, lambda t, s: tau, dt=dt, integrator=rule, external=lambda t, s: push)
    close(moving.q, expected[0], 1e-12)
    close(moving.v, expected[1], 1e-11)


@both_methods
@pytest.mark.parametrize("kind", ["spherical", "universal oblique"])
def test_the_derivatives_of_a_recorded_step(rule: FixedStepMethod, kind: str) -> None:
    rng = np.random.default_rng(21)
    mechanism = rbd.testing.random_chain([JOINT_TYPES[kind], rbd.Revolute((0, 1, 0))], rng)
    state, dt = MechanismState(mechanism), 0.05
    state.randomize(rng)
    tau = rng.standard_normal(mechanism.nv)
    recorded = rbd.record(step_function(rule), mechanism, tau=len(tau), dt=())
    whole = rbd.step_derivatives(state, tau, dt, space="coordinates", integrator=rule)
    tangent = rbd.step_derivatives(state, tau, dt, integrator=rule)
    for output, x, found in (
        ("q_next", "v", whole.q_by_v),
        ("q_next", "tau", whole.q_by_torques),
        ("v_next", "q", tangent.v_by_q),  # recorded functions are differentiated along velocities
        ("v_next", "v", tangent.v_by_v),
        ("v_next", "tau", tangent.v_by_torques),
    ):
        close(found, recorded.derivative(output, x)(state.q, state.v, tau, dt), 1e-11)


@both_methods
@pytest.mark.parametrize("kind", ["floating tree", "MRP floating", "rotation vector spherical", "sin-cos oblique"])
def test_a_step_of_length_zero(rule: FixedStepMethod, kind: str) -> None:
    a_case = case(kind, seed=22, passive=True)
    nv = a_case.mechanism.nv
    found = rbd.step_derivatives(a_case.state, a_case.velocity(), 0.0, integrator=rule)
    for same in (found.q_by_q, found.v_by_v):
        close(same, np.eye(nv), 1e-14)
    for nothing in (found.q_by_v, found.q_by_torques, found.v_by_q, found.v_by_torques):
        assert not nothing.any()


# --- closed forms ----------------------------------------------------------------------------------------------------


def test_a_damped_mass_exactly() -> None:
    """Its velocity decays as the polynomial of the rule says: 1 + z + z²/2 + z³/6 + z⁴/24, z = -c dt / m."""
    mechanism = rbd.Mechanism(gravity=(0, 0, 0))
    frame = rbd.Frame("cart")
    cart = rbd.RigidBody("cart", rbd.SpatialInertia(frame, mass=2, com=(0, 0, 0), moment_about_com=np.eye(3)))
    mechanism.attach(mechanism.root_body, cart, rbd.Joint("rail", rbd.Prismatic((1, 0, 0)), damping=3.0))
    state = MechanismState(mechanism).with_scalars([Fraction(1, 3)], [Fraction(1, 5)])
    dt, z = Fraction(1, 4), Fraction(-3, 8)
    found = rbd.step_derivatives(state, [Fraction(1, 7)], dt, integrator="munthe-kaas-rk4")
    decay = 1 + z + z**2 / 2 + z**3 / 6 + z**4 / 24
    travel = 1 + z / 2 + z**2 / 6 + z**3 / 24
    assert found.v_by_v[0, 0] == decay
    assert found.q_by_v[0, 0] == dt * travel
    assert found.v_by_torques[0, 0] == dt * travel / 2
    assert found.q_by_torques[0, 0] == dt**2 / 2 * (Fraction(1, 2) + z / 6 + z**2 / 24)
    assert (found.q_by_q[0, 0], found.v_by_q[0, 0]) == (1, 0)


def test_a_step_of_a_ball_in_closed_form() -> None:
    """R+ = R Exp(dt w): a rotation of the ball before the step turns it after, seen from the ball, by Exp(dt w)^T."""
    a_case = case("rotation vector spherical", seed=18)
    state, tau, dt = a_case.state, a_case.velocity(), 0.05
    at, vd = slice(1, 4), rbd.forward_dynamics(state, tau)
    fast = state.v[at] + dt * vd[at]
    turn = tuple(float(x) for x in dt * fast)
    slopes = rbd.forward_dynamics_derivatives(state, tau)
    right, back = (np.array(f((turn[0], turn[1], turn[2]))) for f in (so3.right_jacobian, so3.rotation_exp))
    found = rbd.step_derivatives(state, tau, dt)
    close(found.q_by_v[at], dt * right @ (np.eye(len(tau)) + dt * slopes[1])[at], 1e-12)
    close(found.q_by_torques[at], dt * dt * right @ slopes[2][at], 1e-12)
    turned = dt * dt * right @ slopes[0][at]
    turned[:, at] += back.T
    close(found.q_by_q[at], turned, 1e-12)


def test_a_free_sphere_by_runge_kutta_in_closed_form() -> None:
    """Nothing turns faster or slower: R+ = R Exp(dt w)."""
    mechanism = rbd.Mechanism(gravity=(0, 0, 0))
    frame = rbd.Frame("ball")
    ball = rbd.RigidBody("ball", rbd.SpatialInertia(frame, mass=1.0, com=(0, 0, 0), moment_about_com=0.4 * np.eye(3)))
    mechanism.attach(mechanism.root_body, ball, rbd.Joint("j", rbd.QuaternionSpherical()))
    state = MechanismState(mechanism)
    state.randomize(3)
    x, y, z = (0.5 * float(w) for w in state.v)
    found = rbd.step_derivatives(state, [0.0] * 3, 0.5, integrator="munthe-kaas-rk4")
    close(found.q_by_q, np.array(so3.rotation_exp((x, y, z))).T, 1e-13)
    close(found.q_by_v, 0.5 * np.array(so3.right_jacobian((x, y, z))), 1e-13)
    close(found.v_by_v, np.eye(3), 1e-13)
    assert not found.v_by_q.any()


# --- errors ----------------------------------------------------------------------------------------------------------


def test_what_is_refused() -> None:
    state = MechanismState(rbd.robots.double_pendulum())
    for wrong in ("rk4", "Munthe-Kaas-RK4", None, 4, ["munthe-kaas-rk4"]):
        with pytest.raises(ArgumentError, match=r"munthe-kaas-rk4") as caught:
            rbd.step_derivatives(state, [0.0, 0.0], 0.1, integrator=wrong)  # type: ignore[arg-type]  # the error
        assert "semi-implicit-euler" in str(caught.value)
        assert caught.value.argument == "integrator"
    for rule in DIFFERENTIATED_STEPS:
        with pytest.raises(ArgumentError, match="space"):
            rbd.step_derivatives(state, [0.0, 0.0], 0.1, space="world", integrator=rule)  # type: ignore[arg-type]  # the error
        with pytest.raises(ArgumentError, match="stabilization"):
            rbd.step_derivatives(state, [0.0, 0.0], 0.1, integrator=rule, stabilization=2.0)  # type: ignore[arg-type]  # the error
        with pytest.raises(ShapeError):
            rbd.step_derivatives(state, [0.0], 0.1, integrator=rule)
        with pytest.raises(NotFiniteError):
            rbd.step_derivatives(state, [0.0, 0.0], float("nan"), integrator=rule)
