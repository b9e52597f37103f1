"""Compliant pairs beside hard ones in one step: closed forms of one step, rest, limits, bits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rbd
from rbd.contact import Box, CollisionModel, Compliance, ContactSimulator, HalfSpace, Sphere, contact_step
from rbd.errors import ArgumentError
from rbd.rollout import Worlds

MASS, G = 1.5, 9.81


def balls(*laws: Compliance | None) -> tuple[rbd.MechanismState, CollisionModel]:
    """Return balls of radius 0.1 on a floor that move along x and z, each with its own compliance."""
    mechanism = rbd.Mechanism()
    model, root = CollisionModel(mechanism), mechanism.root_frame
    floor = model.add("world", HalfSpace(rbd.Point(root, (0, 0, 0)), rbd.FreeVector(root, (0, 0, 1))))
    for k, law in enumerate(laws):
        carriage = rbd.RigidBody(f"carriage{k}")
        mechanism.attach("world", carriage, rbd.Joint(f"along{k}", rbd.Prismatic([1, 0, 0])))
        inertia = rbd.SpatialInertia(rbd.Frame(f"ball{k}"), mass=MASS, moment_about_com=np.eye(3))
        ball = rbd.RigidBody(f"ball{k}", inertia)
        mechanism.attach(carriage, ball, rbd.Joint(f"up{k}", rbd.Prismatic([0, 0, 1])))
        model.add_pair(model.add(ball, Sphere(ball.default_frame, 0.1)), floor, compliance=law)
    return rbd.MechanismState(mechanism), model


def crate(compliance: Compliance, offset: float) -> tuple[rbd.MechanismState, CollisionModel]:
    """Return a box with its centre of mass off the middle."""
    mechanism = rbd.Mechanism()
    box = rbd.RigidBody(
        "box", rbd.SpatialInertia(rbd.Frame("box"), mass=MASS, com=(offset, 0, 0), moment_about_com=0.02 * np.eye(3))
    )
    mechanism.attach("world", box, rbd.Joint("free", rbd.QuaternionFloating()))
    model, root = CollisionModel(mechanism), mechanism.root_frame
    floor = model.add("world", HalfSpace(rbd.Point(root, (0, 0, 0)), rbd.FreeVector(root, (0, 0, 1))))
    model.add_pair(model.add(box, Box(box.default_frame, (0.4, 0.2, 0.2))), floor, compliance=compliance)
    return rbd.MechanismState(mechanism, [1, 0, 0, 0, 0, 0, 0.1]), model


@given(
    st.floats(-0.02, 0.009),
    st.floats(-3, 3),
    st.floats(2, 8),
    st.floats(0, 200),
    st.sampled_from([1e-3, 1e-2]),
)
def test_a_step_is_that_of_the_implicit_spring_and_damper(
    phi: float, v: float, exponent: float, damping: float, dt: float
) -> None:
    k = 10**exponent
    state, model = balls(Compliance(k, damping))
    state.set_configuration([0, 0.1 + phi])
    state.set_velocity([0, v])
    found = contact_step(state, model, None, dt)
    phi = 0.1 + phi - 0.1  # as rounded
    d = damping if phi < 0 else 0.0
    free = v - dt * G
    held = (MASS * free - dt * k * phi) / (MASS + dt * dt * k + dt * d)
    force = -k * (phi + dt * held) - d * held
    assert found.v[1] == pytest.approx(held if force > 0 else free, rel=1e-9, abs=1e-9)
    assert found.impulses[0] == pytest.approx(max(0.0, dt * force), rel=1e-7, abs=1e-9)
    assert found.kkt_residual < 1e-9 * max(1.0, dt * abs(force))


def test_compliant_and_hard_pairs_are_in_one_step() -> None:
    soft = Compliance(2000.0, 50.0)
    state, model = balls(None, soft, None, Compliance(100.0))
    state.set_configuration([0, 0.1] * 4)
    state.set_velocity([1.0, -0.5] * 4)
    together = contact_step(state, model, None, 1e-3, friction=0.4)
    for k, law in enumerate((None, soft, None, Compliance(100.0))):
        one, alone = balls(law)
        one.set_configuration([0, 0.1])
        one.set_velocity([1.0, -0.5])
        single = contact_step(one, alone, None, 1e-3, friction=0.4)
        np.testing.assert_allclose(together.v[2 * k : 2 * k + 2], single.v, rtol=0, atol=1e-11)
        assert together.impulses[k] == pytest.approx(single.impulses[0], abs=1e-11)


def test_balls_rest_at_the_depth_of_their_weight_and_slide_as_coulomb_says() -> None:
    stiffness = np.array([500.0, 5e3, 5e6])
    state, model = balls(*(Compliance(k, 60.0) for k in stiffness))
    state.set_configuration([0, 0.1] * 3)
    simulator = ContactSimulator(state.mechanism, model, None, 1e-3, friction=0.3)
    simulator.run(state, 2.0)
    np.testing.assert_allclose(0.1 - state.q[1::2], MASS * G / stiffness, rtol=1e-9, atol=0)
    state.set_velocity([1.0, 0] * 3)
    simulator.run(state, 0.2)
    # Bounds are corrected for speeds before a step: the depth changes by about mu² g dt (dt + d / k), and oscillates.
    np.testing.assert_allclose(state.v[::2], 1 - 0.2 * 0.3 * G, rtol=0, atol=1e-4)


def test_corners_of_a_box_share_its_weight_by_their_depths() -> None:
    k, offset = 4e3, 0.05
    state, model = crate(Compliance(k, 100.0), offset)
    ContactSimulator(state.mechanism, model, None, 1e-3, friction=0.5).run(state, 3.0)
    mean, tilt = MASS * G / (4 * k), MASS * G * offset / (4 * k * 0.2**2)  # four corners, 0.2 m from the middle
    assert 0.1 - state.q[6] == pytest.approx(mean, rel=1e-3)
    assert 2 * np.arcsin(state.q[2]) == pytest.approx(tilt, rel=1e-2)  # the lever changes by the angle
    assert np.abs(state.v).max() < 1e-8


def test_stiff_pairs_are_as_hard_ones() -> None:
    results = []
    for law in (None, Compliance(1e16)):
        state, model = balls(law)
        state.set_configuration([0, 0.1005])
        state.set_velocity([0.7, -2.0])
        results.append(contact_step(state, model, None, 1e-3, friction=0.4).v)
    np.testing.assert_allclose(*results, rtol=0, atol=1e-9)


def test_springs_lose_energy_and_never_pull() -> None:
    state, model = balls(Compliance(1e4))
    state.set_configuration([0, 0.4])
    run = ContactSimulator(state.mechanism, model, None, 1e-4, friction=0.0).run(state, 0.6)
    depth = np.maximum(0.0, 0.1 - run.q[:, 1])
    energy = MASS * G * run.q[:, 1] + MASS * run.v[:, 1] ** 2 / 2 + 1e4 * depth**2 / 2
    assert depth.max() > 0.02
    assert np.diff(energy).max() < MASS * G * 3.0 * 1e-4  # a step of the switch between air and spring
    assert run.q[-1, 1] > 0.2
    air = run.distances[:, 0] > 1e-3
    np.testing.assert_allclose(np.diff(run.v[:, 1])[air], -G * 1e-4, rtol=0, atol=1e-12)


def test_energies_of_trajectories_include_the_springs_of_pairs() -> None:
    state, model = balls(Compliance(1e4), None)
    state.set_configuration([0, 0.4, 0, 0.1])
    mechanism = state.mechanism
    run = ContactSimulator(mechanism, model, None, 1e-4, friction=0.0).run(state, 0.6)
    trajectory = rbd.Trajectory(run.t, run.q, run.v)
    without, found = trajectory.energies(mechanism), trajectory.energies(mechanism, collision_model=model)
    depth = np.maximum(0.0, 0.1 - run.q[:, 1])
    np.testing.assert_allclose(found.elastic, 1e4 * depth**2 / 2, rtol=0, atol=1e-12)  # the hard pair stores nothing
    np.testing.assert_array_equal(found.total, without.total + found.elastic)
    assert np.ptp(without.total) > 4.0
    assert 0 < np.ptp(found.total) < 0.2  # implicit springs take energy of the order of the step


def test_energies_need_the_collision_model_of_the_mechanism() -> None:
    hand, _ = rbd.robots.hand()
    other, model = rbd.robots.hand()
    run = rbd.simulate(rbd.MechanismState(hand), 0.01, dt=0.01)
    with pytest.raises(rbd.errors.ArgumentError, match="another mechanism") as caught:
        run.energies(hand, collision_model=model)
    assert (caught.value.argument, caught.value.value, model.mechanism) == ("collision_model", model, other)


def test_every_contact_point_of_a_pair_has_a_spring() -> None:
    state, model = crate(Compliance(4e3, 100.0), 0.0)
    run = ContactSimulator(state.mechanism, model, None, 1e-3, friction=0.5).run(state, 3.0)
    elastic = rbd.Trajectory(run.t, run.q, run.v).energies(state.mechanism, collision_model=model).elastic
    assert elastic[-1] == pytest.approx(4 * 4e3 * (MASS * G / 16e3) ** 2 / 2, rel=1e-6)


def test_energies_refuse_models_of_other_mechanisms() -> None:
    state, model = balls(Compliance(1e4))
    trajectory = rbd.Trajectory([0.0], state.q[None], state.v[None])
    with pytest.raises(ArgumentError, match="collision_model is of another mechanism"):
        trajectory.energies(state.mechanism, collision_model=balls(None)[1])
    with pytest.raises(ArgumentError, match="collision_model must be a CollisionModel"):
        trajectory.energies(state.mechanism, collision_model=model.pairs)  # type: ignore[arg-type]  # a wrong argument
    empty = CollisionModel(state.mechanism)
    np.testing.assert_array_equal(trajectory.energies(state.mechanism, collision_model=empty).elastic, [0.0])


@pytest.mark.optimised
def test_worlds_have_the_bits_of_single_ones() -> None:
    state, model = balls(None, Compliance(2000.0, 50.0))
    rng = np.random.default_rng(0)
    q, v = rng.uniform(-0.005, 0.005, (5, 4)) + [0, 0.1, 0, 0.1], rng.normal(size=(5, 4))
    many, one = (Worlds(state.mechanism, model, count=n, dt=1e-3, friction=0.5) for n in (5, 1))
    many.reset(None, q=q, v=v)
    many.step(steps=40)
    for k in range(5):
        one.reset(None, q=q[k : k + 1], v=v[k : k + 1])
        one.step(steps=40)
        np.testing.assert_array_equal(many.v[k], one.v[0])
        np.testing.assert_array_equal(many.contact_forces[k], one.contact_forces[0])


def test_invalid_compliances_are_refused_and_change_nothing() -> None:
    _, model = balls(None)
    ball, floor = model.pairs[0].a, model.pairs[0].b
    with pytest.raises(ArgumentError, match="stiffness is 0, must be"):
        Compliance(0.0)
    with pytest.raises(ArgumentError, match="damping is -1"):
        Compliance(1.0, -1.0)
    with pytest.raises(ArgumentError, match="the pair is compliant: its spring lets it rebound"):
        model.add_pair(ball, floor, restitution=0.5, compliance=Compliance(1e3))
    with pytest.raises(ArgumentError, match="compliance"):
        model.add_pair(ball, floor, compliance=1e3)  # type: ignore[arg-type]  # a wrong argument
    assert len(model.pairs) == 1
