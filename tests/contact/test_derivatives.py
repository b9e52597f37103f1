"""Derivatives at the active set: against finite differences, one-sided at a switch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs
import numpy as np
import pytest

import rbd
from rbd.contact import (
    Box,
    CollisionModel,
    Compliance,
    HalfSpace,
    Sphere,
    contact_step,
    contact_step_derivatives,
    solve_contact,
)
from rbd.errors import ArgumentError, TopologyError
from rbd.program.graph import Graph
from rbd.program.program import Program
from rbd.scalars.arrays import Array
from rbd.solvers.quadratic.quadratic_program import solve_quadratic_program

Made = tuple[rbd.MechanismState, CollisionModel, Array]


def hand(seed: int) -> Made:
    mechanism, model = rbd.robots.hand()
    rng = np.random.default_rng(seed)
    q = rng.uniform(-0.2, 0.2, 13)
    q[[2, 3, 5, 6, 8, 9]] -= 1.2
    return rbd.MechanismState(mechanism, q, rng.normal(size=13)), model, rng.normal(size=13) - 3


def free_body(shape: str, q: list[float], v: list[float], **laws: Any) -> Made:
    mechanism = rbd.Mechanism()
    body = rbd.RigidBody(
        "body", rbd.SpatialInertia(rbd.Frame("body"), mass=1.5, moment_about_com=np.diag([0.01, 0.02, 0.025]))
    )
    mechanism.attach(mechanism.root_body, body, rbd.Joint("free", rbd.QuaternionFloating()))
    model, root = CollisionModel(mechanism), mechanism.root_frame
    floor = model.add("world", HalfSpace(rbd.Point(root, (0, 0, 0)), rbd.FreeVector(root, (0, 0, 1))))
    solid = Sphere(body.default_frame, 0.1) if shape == "ball" else Box(body.default_frame, (0.3, 0.2, 0.2))
    model.add_pair(model.add(body, solid), floor, **laws)
    return rbd.MechanismState(mechanism, q, v), model, np.zeros(6)


TILTED = [np.cos(0.2), np.sin(0.2) * 0.6, np.sin(0.2) * 0.8, 0.0]
DEEP = [1.0, 0, 0, 0, 0, 0, 0.095]
SPRING = Compliance(3e3, 20.0)
TURNING = {"torsional_friction": 0.01, "rolling_friction": 0.005}
CASES: dict[str, tuple[Callable[[], Made], float, float]] = {  # what, dt, friction
    "hand": (lambda: hand(0), 0.3, 0.0),
    "hand with friction": (lambda: hand(1), 0.3, 0.4),
    "ball that sticks": (lambda: free_body("ball", [1, 0, 0, 0, 0, 0, 0.0998], [0.3, 0.1, 0.2, 0.1, 0, -1]), 0.01, 0.9),
    "ball that slides": (lambda: free_body("ball", [1, 0, 0, 0, 0, 0, 0.0998], [0, 0, 0.3, 2.0, 1.0, -1]), 0.01, 0.1),
    "box on its corner": (lambda: free_body("box", [*TILTED, 0, 0, 0.155], [0.1, 0.2, 0.3, 1.0, 0, -2]), 0.01, 0.3),
    "ball on a spring": (lambda: free_body("ball", DEEP, [0.3, 0.1, 0.2, 2.0, 1.0, -1], compliance=SPRING), 0.01, 0.2),
    "box on springs": (
        lambda: free_body("box", [*TILTED, 0, 0, 0.155], [0.1, 0.2, 0.3, 1.0, 0, -2], compliance=SPRING),
        0.01,
        0.3,
    ),
    "ball that spins and rolls": (
        lambda: free_body("ball", [1, 0, 0, 0, 0, 0, 0.0998], [3.0, 4.0, 9.0, 2.0, 1.0, -1], **TURNING),
        0.01,
        0.3,
    ),
    "ball in the air": (lambda: free_body("ball", [*TILTED, 0, 0, 0.5], [0.1, 0.2, 0.3, 1.0, 0, -2]), 0.01, 0.3),
}


def after(state: rbd.MechanismState, model: CollisionModel, torques: Array, dt: float, mu: float) -> tuple[Array, ...]:
    found = contact_step(state, model, torques, dt, friction=mu, margin=0.2)
    return np.array(found.q), np.array(found.v)


def moved(state: rbd.MechanismState, dq: Array, dv: Array) -> rbd.MechanismState:
    there = rbd.MechanismState(state.mechanism, state.q, state.v + dv)
    there.global_coordinates(state.q, dq)
    return there


def difference(
    made: Made, dt: float, mu: float, unit: Array, which: str, steps: tuple[float, float]
) -> tuple[Array, Array]:
    """Return the differences of q, along velocities, and of v between two steps along a direction."""
    state, model, torques = made
    zero, ends = np.zeros_like(unit), []
    for h in steps:
        there = moved(state, h * unit if which == "q" else zero, h * unit if which == "v" else zero)
        ends.append(after(there, model, torques + (h * unit if which == "torques" else 0), dt, mu))
    apart = rbd.MechanismState(state.mechanism, ends[1][0]).local_coordinates(ends[0][0])[0]
    span = steps[1] - steps[0]
    # Coordinates around the lower end, which for small steps are motions along velocities.
    return np.asarray(apart) / span, (ends[1][1] - ends[0][1]) / span


@pytest.mark.parametrize("case", [pytest.param("hand", marks=pytest.mark.deep), *list(CASES)[1:]])
def test_derivatives_of_steps_agree_with_finite_differences(case: str) -> None:
    make, dt, mu = CASES[case]
    made = make()
    state, model, torques = made
    derivatives = contact_step_derivatives(state, model, torques, dt, friction=mu, margin=0.2)
    assert derivatives.undecided == ()
    if "air" not in case:
        assert contact_step(state, model, torques, dt, friction=mu, margin=0.2).active.any()
    for which in ("q", "v", "torques"):
        by_q, by_v = getattr(derivatives, f"q_by_{which}"), getattr(derivatives, f"v_by_{which}")
        for k, unit in enumerate(np.eye(state.v.size)):
            q, v = difference(made, dt, mu, unit, which, (-1e-6, 1e-6))
            scale = 1 + np.abs(by_v).max()
            np.testing.assert_allclose(by_v[:, k], v, rtol=0, atol=2e-7 * scale)
            np.testing.assert_allclose(by_q[:, k], q, rtol=0, atol=2e-7 * scale)


def test_derivatives_at_a_switch_are_one_sided() -> None:
    """A ball falls so fast that its gap just closes: a slower one is free, the floor stops a faster one."""
    dt, gap = 0.01, 0.002
    speed = gap / dt - 9.81 * dt
    made = free_body("ball", [1, 0, 0, 0, 0, 0, 0.1 + gap], [0, 0, 0, 0, 0, -speed])
    state, model, torques = made
    derivatives = contact_step_derivatives(state, model, torques, dt)
    assert derivatives.undecided == (0,)
    down = np.array([0, 0, 0, 0, 0, -1.0])
    sides = [difference(made, dt, 0.0, down, "v", steps)[1][5] for steps in ((-1e-5, 0), (0, 1e-5))]
    np.testing.assert_allclose(sides, [-1.0, 0.0], rtol=0, atol=1e-9)
    assert min(abs(derivatives.v_by_v[5] @ down - side) for side in sides) < 1e-10
    for faster, wanted in ((1e-6, 0.0), (-1e-6, 1.0)):  # off the switch there is no doubt
        beside = contact_step_derivatives(moved(state, 0 * down, faster * down), model, torques, dt)
        assert beside.undecided == ()
        assert beside.v_by_v[5, 5] == pytest.approx(wanted, abs=1e-12)


def test_a_gap_of_zero_is_a_switch() -> None:
    state, model, torques = free_body("ball", [1, 0, 0, 0, 0, 0, 0.1], [0, 0, 0, 0, 0, -1])
    assert contact_step_derivatives(state, model, torques, 0.01).undecided == (0,)


@pytest.mark.parametrize(
    ("height", "speed"), [(0.104, 0.4), (0.09, 0.0)], ids=["a gap that just closes", "an overlap that just rebounds"]
)
def test_a_point_that_begins_to_rebound_is_at_a_switch(height: float, speed: float) -> None:
    """At 0.4 m/s a gap of 4 mm closes in a step."""
    for faster, undecided in ((0.0, (0,)), (1e-3, ()), (-1e-3, ())):
        v = [0, 0, 0, 0, 0, -speed - faster]
        state, model, torques = free_body("ball", [1, 0, 0, 0, 0, 0, height], v, restitution=0.5)
        found = contact_step_derivatives(state, model, torques, 0.01)
        assert found.undecided == undecided


def test_derivatives_by_velocities_that_contacts_stop_are_zero() -> None:
    state, model, torques = free_body("ball", [1, 0, 0, 0, 0, 0, 0.1], [0, 0, 0, 1.0, 0, -3.0])
    derivatives = contact_step_derivatives(state, model, torques, 1e-3)
    turned = 1e-3 * np.eye(6)[1]  # v_z is that along an axis which turns out of the direction of motion
    np.testing.assert_allclose(derivatives.v_by_v[5], turned, rtol=0, atol=1e-12)
    np.testing.assert_allclose(derivatives.v_by_v[3], [0, 0, 0, 1, 0, 0], rtol=0, atol=1e-2)


def test_derivatives_of_scalar_states_are_those_of_live_ones() -> None:
    state, model, torques = CASES["ball that slides"][0]()
    live, scalar = (
        contact_step_derivatives(each, model, torques, 0.01, friction=0.1, margin=0.2)
        for each in (state, state.with_scalars())
    )
    for field in attrs.fields(type(live)):
        ours, theirs = getattr(live, field.name), getattr(scalar, field.name)
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-14, err_msg=field.name)
    assert repr(scalar) == repr(live) == "<derivatives of a contact step: six of shape (6, 6), undecided pairs ()>"


def test_derivatives_without_velocities_or_pairs_are_empty() -> None:
    for mechanism in (rbd.Mechanism(), rbd.robots.double_pendulum()):
        state = rbd.MechanismState(mechanism)
        found = contact_step_derivatives(state, CollisionModel(mechanism), None, 0.01)
        assert found.v_by_q.shape == (mechanism.nv, mechanism.nv)
        assert found.undecided == ()


def test_recorded_functions_with_contacts_are_differentiable() -> None:
    state, model, torques = hand(2)

    def accelerations(state: rbd.ScalarState, tau: Array) -> object:
        return solve_contact(state, model, tau, threshold=0.2).vd

    recorded = rbd.record(accelerations, state.mechanism, tau=13)
    for name, argument in (("q", 0), ("v", 1), ("tau", 2)):
        slope = np.asarray(recorded.derivative("result", name)(state.q, state.v, torques))
        for k, unit in enumerate(np.eye(13)):
            ends = []
            for h in (1e-6, -1e-6):
                arguments = [state.q.copy(), state.v.copy(), torques.copy()]
                arguments[argument] = arguments[argument] + h * unit
                ends.append(np.asarray(recorded(*arguments)))
            np.testing.assert_allclose(
                slope[:, k], (ends[0] - ends[1]) / 2e-6, rtol=0, atol=1e-6 * (1 + np.abs(slope).max())
            )


@pytest.mark.parametrize("seed", range(10))
def test_derivatives_of_quadratic_programs_agree_with_finite_differences(seed: int) -> None:
    """By all data, with repeated rows."""
    rng = np.random.default_rng(seed)
    n, m = 4, 6
    graph, shapes = Graph(), {"h": (n, n), "g": (n,), "a": (m, n), "b": (m,)}
    inputs = [graph.input(name, shape) for name, shape in shapes.items()]
    x, multipliers, *_ = solve_quadratic_program(*inputs)  # type: ignore[arg-type]  # nested tuples of scalars
    function = rbd.compiled.RecordedFunction(Program.of(graph, "qp", {"x": (*x, *multipliers)}))
    root = rng.normal(size=(n, n))
    data = [root @ root.T + np.eye(n), rng.normal(size=n), rng.normal(size=(m, n)), rng.exponential(size=m)]
    data[2][5], data[3][5] = 2 * data[2][1], 2 * data[3][1] - 1e-3  # says less than row 1
    for k, (name, shape) in enumerate(shapes.items()):
        derivative = function.derivative("x", name)
        slope = np.asarray(derivative(*data)).reshape(n + m, -1)
        np.testing.assert_array_equal(np.asarray(derivative.interpret(*data)).reshape(n + m, -1), slope)
        direction = rng.normal(size=shape)
        direction = direction + direction.T if name == "h" else direction
        lower = np.tril(direction) if name == "h" else direction  # its lower triangle is read
        ends = [
            np.asarray(function(*(d + h * direction if i == k else d for i, d in enumerate(data))))
            for h in (1e-6, -1e-6)
        ]
        wanted = (ends[0] - ends[1]) / 2e-6
        np.testing.assert_allclose(slope @ lower.ravel(), wanted, rtol=0, atol=1e-5 * (1 + np.abs(wanted).max()))


def test_errors_name_the_argument() -> None:
    state, model, torques = hand(0)
    with pytest.raises(ArgumentError, match="dt is 0"):
        contact_step_derivatives(state, model, torques, 0)
    looped = rbd.robots.four_bar()
    with pytest.raises(TopologyError):
        contact_step_derivatives(rbd.MechanismState(looped), CollisionModel(looped), np.zeros(looped.nv), 1e-3)
