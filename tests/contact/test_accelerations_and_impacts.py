"""Accelerations and impacts with contacts: Gauss's principle, impact laws, errors."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

import rbd
from rbd.contact import Box, Capsule, CollisionModel, ContactSimulator, HalfSpace, Sphere, impact, solve_contact
from rbd.errors import ArgumentError, DivergedError, NotFiniteError, ShapeError, SolverError
from rbd.scalars.arrays import Array

LAWS = ["euclidean", "inelastic", "unilateral"]


def _curled(seed: int) -> tuple[rbd.MechanismState, CollisionModel]:
    mechanism, model = rbd.robots.hand()
    q = np.zeros(13)
    q[[2, 3, 5, 6, 8, 9]] = -1.2
    rng = np.random.default_rng(seed)
    return rbd.MechanismState(mechanism, q + rng.uniform(-0.2, 0.2, 13), rng.normal(size=13)), model


@pytest.mark.parametrize("bias", ["tutorial", "exact"])
@pytest.mark.parametrize("seed", range(6))
def test_accelerations_satisfy_gauss_principle(bias: str, seed: int) -> None:
    state, model = _curled(seed)
    torques = np.random.default_rng(seed).normal(size=13)
    found = solve_contact(state, model, torques, bias=bias, threshold=0.2)
    rows = model.jacobian(state)
    bound = -np.array([d.value for d in model.distances(state)], dtype=float)
    if bias == "exact":
        bound -= model.bias(state)
    slack = rows @ found.vd - bound
    balance = rbd.mass_matrix(state) @ found.vd + rbd.dynamics_bias(state) - torques - rows.T @ found.multipliers
    assert np.abs(balance).max() < 1e-10
    assert slack.min() > -1e-10
    assert found.multipliers.min() >= 0
    assert np.abs(slack * found.multipliers).max() < 1e-9
    assert found.kkt_residual < 1e-9
    assert found.energy_change == pytest.approx(found.multipliers @ (rows @ state.v), abs=1e-12)
    assert found.active.sum() > 0


def test_exact_bounds_hold_for_the_second_derivative_of_the_distance() -> None:
    """d'' >= -d along the motion that the accelerations begin, taken by differences."""
    state, model = _curled(3)
    pressing = np.zeros(13)
    pressing[[2, 3, 4, 5, 6, 7, 8, 9, 10]] = -5.0
    found = solve_contact(state, model, pressing, threshold=0.2)
    h, q, v = 1e-4, state.q.copy(), state.v.copy()

    def distances(t: float) -> Array:
        moved = rbd.MechanismState(state.mechanism, q + t * v + t * t / 2 * found.vd)
        return np.array([d.value for d in model.distances(moved)], dtype=float)

    second = (distances(h) - 2 * distances(0) + distances(-h)) / h**2
    held = found.active > 0
    assert held.any()
    np.testing.assert_allclose(second[held], -distances(0)[held], rtol=0, atol=1e-5)


def test_pairs_that_do_not_touch_do_not_push() -> None:
    state, model = _curled(1)
    torques = np.zeros(13)
    found = solve_contact(state, model, torques, threshold=-1.0)
    assert not found.multipliers.any()
    np.testing.assert_allclose(found.vd, rbd.forward_dynamics(state, torques), rtol=1e-10)


def test_accelerations_of_scalar_states() -> None:
    state, model = _curled(2)
    live = solve_contact(state, model, np.zeros(13), threshold=0.2)
    scalar = solve_contact(state.with_scalars(), model, np.zeros(13), threshold=0.2)
    np.testing.assert_allclose(live.vd, np.array(scalar.vd, dtype=float), rtol=0, atol=1e-10)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("seed", range(4))
def test_impacts_stop_approaching_pairs(law: str, seed: int) -> None:
    state, model = _curled(seed)
    rows = model.jacobian(state)
    hit = impact(state, model, law=law, active=range(4))
    rates = rows @ hit.v
    if law == "unilateral":
        assert rates.min() > -1e-11
        assert hit.impulses.min() >= 0
    else:
        assert np.abs(rates).max() < 1e-11
    matrix = rbd.mass_matrix(state)
    change = matrix @ (hit.v - state.v)
    if law != "euclidean":
        np.testing.assert_allclose(change, rows.T @ hit.impulses, rtol=0, atol=1e-10)
        assert hit.energy_change <= 1e-12
    energies = [v @ matrix @ v / 2 for v in (state.v, hit.v)]
    assert hit.energy_change == pytest.approx(energies[1] - energies[0], abs=1e-10)


def test_inelastic_law_loses_the_least_energy() -> None:
    state, model = _curled(5)
    losses = {law: -float(impact(state, model, law=law, active=range(4)).energy_change) for law in LAWS}
    matrix, v = rbd.mass_matrix(state), state.v
    distance = {law: float((d := impact(state, model, law=law, active=range(4)).v - v) @ matrix @ d) for law in LAWS}
    assert distance["unilateral"] <= distance["inelastic"] <= distance["euclidean"]
    assert losses["unilateral"] <= losses["inelastic"] + 1e-12


def _dropped(height: float, speed: float) -> tuple[rbd.MechanismState, CollisionModel]:
    """A ball above the ground, falling."""
    mechanism = rbd.Mechanism()
    ball = rbd.RigidBody("ball", rbd.SpatialInertia(rbd.Frame("ball"), mass=2, moment_about_com=np.eye(3) / 50))
    mechanism.attach(mechanism.root_body, ball, rbd.Joint("rail", rbd.Prismatic([0, 0, 1])))
    model = CollisionModel(mechanism)
    world = mechanism.root_frame
    ground = model.add("world", HalfSpace(rbd.Point(world, (0, 0, 0)), rbd.FreeVector(world, (0, 0, 1))))
    model.add_pair(model.add(ball, Sphere(ball.default_frame, 0.1)), ground)
    return rbd.MechanismState(mechanism, [height], [speed]), model


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_restitution_scales_the_rebound_speed(restitution: float) -> None:
    state, model = _dropped(0.1, -3.0)
    hit = impact(state, model, law="unilateral", restitution=restitution)
    assert hit.v[0] == pytest.approx(3.0 * restitution, abs=1e-13)
    assert hit.impulses[0] == pytest.approx(2 * 3.0 * (1 + restitution), abs=1e-12)
    assert hit.energy_change == pytest.approx(-9.0 * (1 - restitution**2), abs=1e-12)


def test_unilateral_law_does_not_change_separating_pairs() -> None:
    state, model = _dropped(0.1, 3.0)
    assert impact(state, model, law="unilateral", restitution=0.5).v[0] == 3.0


def test_no_impact_without_touching_pairs() -> None:
    state, model = _dropped(0.2, -3.0)
    for law in LAWS:
        assert impact(state, model, law=law).v[0] == -3.0


def test_a_ball_comes_to_rest() -> None:
    state, model = _dropped(0.5, 0.0)
    trajectory = ContactSimulator(state.mechanism, model, None, 1e-3).run(state, 1.0)
    assert [event.pairs for event in trajectory.events] == [(0,)]
    assert trajectory.events[0].time == pytest.approx(np.sqrt(2 * 0.4 / 9.81), abs=3e-3)
    assert abs(state.v[0]) < 1e-3
    assert 0.0985 < state.q[0] < 0.102


def test_rows_of_zeros_constrain_nothing() -> None:
    mechanism, model = rbd.robots.hand()  # in line: three rows are zero
    found = solve_contact(rbd.MechanismState(mechanism), model, np.zeros(13), threshold=0.2)
    assert np.isfinite(found.vd).all()


@pytest.mark.parametrize("moving", [False, True])
@pytest.mark.parametrize("solver", ["rbd", "daqp"])
@pytest.mark.parametrize("friction", [None, 0.5])
def test_overlaps_that_no_joint_changes_constrain_nothing(
    friction: float | None, solver: Literal["rbd", "daqp"], moving: bool
) -> None:
    """The accelerations are the free ones, of mechanisms without velocities there are none."""
    mechanism = rbd.robots.double_pendulum() if moving else rbd.Mechanism()
    post = rbd.RigidBody("post", rbd.SpatialInertia(rbd.Frame("post"), mass=1.0, moment_about_com=np.eye(3)))
    mechanism.attach("world", post, rbd.Joint("weld", rbd.Fixed()))
    model = CollisionModel(mechanism)
    ball = model.add(post, Sphere(post.default_frame, 0.1))
    model.add_pair(ball, model.add("world", Box(mechanism.root_frame, (0.1, 0.1, 0.1))))
    state = rbd.MechanismState(mechanism, q=[0.3, -0.2] if moving else [])
    assert model.distances(state)[0].value < 0
    found = solve_contact(state, model, None, friction=friction, solver=solver)
    np.testing.assert_allclose(found.vd, rbd.dynamics(state).vd, rtol=0, atol=1e-12)
    assert not found.multipliers.any()
    assert not found.active.any()


def test_errors_name_the_argument() -> None:
    state, model = _curled(0)
    mechanism = state.mechanism
    with pytest.raises(ShapeError, match="torques"):
        solve_contact(state, model, np.zeros(12))
    with pytest.raises(NotFiniteError, match="torques"):
        solve_contact(state, model, np.full(13, np.nan))
    with pytest.raises(ArgumentError, match="no bias is called 'guess'; there are exact, tutorial"):
        solve_contact(state, model, np.zeros(13), bias="guess")
    with pytest.raises(ArgumentError, match="no law is called 'elastic'"):
        impact(state, model, law="elastic")
    with pytest.raises(ArgumentError, match="has none"):
        impact(state, model, law="inelastic", restitution=0.5)
    with pytest.raises(ArgumentError, match="from 0 to 1"):
        impact(state, model, law="unilateral", restitution=1.5)
    with pytest.raises(ArgumentError, match="pair 7, there are 4 pairs"):
        impact(state, model, active=[7])
    with pytest.raises(ArgumentError, match="dt is 0"):
        ContactSimulator(mechanism, model, None, 0.0)
    with pytest.raises(ArgumentError, match="another mechanism"):
        ContactSimulator(rbd.robots.arm7(), model, None, 1e-3)
    before = state.q.copy()
    with pytest.raises(ShapeError, match=r"control has shape \(3,\), needs \(13,\)"):
        ContactSimulator(mechanism, model, lambda t, s: np.zeros(3), 1e-3).run(state, 0.01)
    with pytest.raises(ZeroDivisionError):
        ContactSimulator(mechanism, model, lambda t, s: 1 / (0.005 - t) if t > 0.0049 else np.zeros(13), 1e-3).run(
            state, 0.01
        )
    assert (state.q == before).all()


def test_diverging_simulations_raise_with_the_time() -> None:
    state, model = _dropped(5.0, 0.0)
    simulator = ContactSimulator(state.mechanism, model, lambda t, s: np.array([1e308 if t > 0.0025 else 0.0]), 10.0)
    with pytest.raises(DivergedError, match="t = 10") as caught:
        simulator.run(state, 100.0)
    assert caught.value.time == pytest.approx(10.0)
    assert state.q[0] == 5.0


def test_contradictory_contacts_raise() -> None:
    """A ball between two walls that exclude every motion."""
    mechanism = rbd.Mechanism()
    ball = rbd.RigidBody("ball", rbd.SpatialInertia(rbd.Frame("ball"), mass=1, moment_about_com=np.eye(3)))
    mechanism.attach(mechanism.root_body, ball, rbd.Joint("rail", rbd.Prismatic([0, 0, 1])))
    model, world = CollisionModel(mechanism), mechanism.root_frame
    shape = model.add(ball, Sphere(ball.default_frame, 1.0))
    for height, up in ((-0.5, 1), (0.5, -1)):
        wall = HalfSpace(rbd.Point(world, (0, 0, height)), rbd.FreeVector(world, (0, 0, up)))
        model.add_pair(shape, model.add("world", wall))
    with pytest.raises(SolverError, match="contradict"):
        solve_contact(rbd.MechanismState(mechanism), model, np.zeros(1))


def test_order_of_the_shapes_of_a_pair_does_not_matter() -> None:
    """The same motion whichever shape of a pair is named first."""
    mechanism = rbd.robots.double_pendulum()
    upper, lower = mechanism.bodies[1:]
    frames = [
        body.add_frame(rbd.Transform(rbd.Frame("rod"), body.default_frame, translation=(0, 0, -0.3)))
        for body in (upper, lower)
    ]
    rods = [Capsule(frame, 0.4, 0.1) for frame in frames]
    results = []
    for order in ((0, 1), (1, 0)):
        model = CollisionModel(mechanism)
        shapes = [model.add(body, rod) for body, rod in zip((upper, lower), rods, strict=True)]
        model.add_pair(shapes[order[0]], shapes[order[1]])
        state = rbd.MechanismState(mechanism, [0.3, 2.9], [0.1, 5.0])
        results.append(solve_contact(state, model, [0.0, 0.0], threshold=1.0))
    np.testing.assert_allclose(results[0].vd, results[1].vd, rtol=1e-10)
    assert results[0].multipliers[0] == pytest.approx(results[1].multipliers[0], rel=1e-10)
