"""Friction and restitution of single pairs in time steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rbd
from rbd.contact import (
    CollisionModel,
    Compliance,
    ContactSimulator,
    FrictionCone,
    HalfSpace,
    Sphere,
    contact_step,
    contact_step_derivatives,
)
from rbd.errors import ArgumentError
from rbd.rollout import Worlds

DT = 1e-3


def balls(*laws: dict[str, float], cone: FrictionCone = "polyhedral") -> tuple[rbd.MechanismState, CollisionModel]:
    """Return balls side by side above a floor, each with its own law; they do not turn."""
    mechanism = rbd.Mechanism()
    model, root = CollisionModel(mechanism, friction_cone=cone), mechanism.root_frame
    floor = model.add("world", HalfSpace(rbd.Point(root, (0, 0, 0)), rbd.FreeVector(root, (0, 0, 1))))
    for k, law in enumerate(laws):
        carriage = rbd.RigidBody(f"carriage{k}")
        mechanism.attach("world", carriage, rbd.Joint(f"along{k}", rbd.Prismatic([1, 0, 0])))
        inertia = rbd.SpatialInertia(rbd.Frame(f"ball{k}"), mass=1.5, moment_about_com=np.eye(3))
        ball = rbd.RigidBody(f"ball{k}", inertia)
        mechanism.attach(carriage, ball, rbd.Joint(f"up{k}", rbd.Prismatic([0, 0, 1])))
        model.add_pair(model.add(ball, Sphere(ball.default_frame, 0.1)), floor, **law)
    return rbd.MechanismState(mechanism), model


@pytest.mark.parametrize("friction", [0.0, 0.5])
def test_balls_rebound_with_the_restitution_of_their_pairs(friction: float) -> None:
    shares = (0.0, 0.4, 0.8, 1.0)
    state, model = balls(*({"restitution": share} for share in shares))
    state.set_configuration([0, 0.6] * len(shares))
    after = ContactSimulator(state.mechanism, model, None, DT, friction=friction).run(state, 0.45)
    vertical = after.v[:, 1::2]
    for k, share in enumerate(shares):
        hit = int(vertical[:, k].argmin())
        assert vertical[hit, k] == pytest.approx(-np.sqrt(2 * 9.81 * 0.5), rel=5e-3)
        assert vertical[hit + 1 :, k].max() == pytest.approx(-share * vertical[hit, k], abs=1e-12)
    energies = 9.81 * after.q[:, 1::2] + vertical**2 / 2
    assert np.diff(energies, axis=0).max() < 9.81 * 3.14 * DT  # a ball rebounds up to one step above the floor


def test_a_bouncing_ball_comes_to_rest() -> None:
    state, model = balls({"restitution": 0.5})
    state.set_configuration([0, 0.3])
    after = ContactSimulator(state.mechanism, model, None, DT, friction=0.0).run(state, 2.0)
    assert abs(state.v[1]) < 1e-9
    assert abs(after.distances[-1, 0]) < 1e-6
    assert after.distances.min() > -1e-9


def test_pairs_have_their_own_friction() -> None:
    state, model = balls({"friction": 0.1}, {"friction": 0.0}, {})
    state.set_configuration([0, 0.1] * 3)
    state.set_velocity([1.0, 0] * 3)
    ContactSimulator(state.mechanism, model, None, DT, friction=0.3).run(state, 0.2)
    np.testing.assert_allclose(state.v[::2], 1 - 0.2 * 9.81 * np.array([0.1, 0, 0.3]), rtol=0, atol=1e-9)


@pytest.mark.parametrize("cone", ["polyhedral", "round"])
def test_pairs_have_their_own_friction_in_steps_without(cone: Any) -> None:
    state, model = balls({"friction": 0.1}, {"friction": 0.0}, {}, cone=cone)
    start = [0, 0.1] * 3, [1.0, 0] * 3
    worlds = Worlds(state.mechanism, model, count=1, dt=DT)
    worlds.reset(q=[start[0]], v=[start[1]])
    worlds.step(steps=200)
    state.set_configuration(start[0])
    state.set_velocity(start[1])
    without, least = (contact_step(state, model, None, DT, friction=mu).v for mu in (0.0, 1e-12))
    np.testing.assert_allclose(without, least, rtol=0, atol=1e-12)
    ContactSimulator(state.mechanism, model, None, DT, friction=0.0).run(state, 0.2)
    np.testing.assert_allclose(state.v[::2], 1 - 0.2 * 9.81 * np.array([0.1, 0, 0]), rtol=0, atol=1e-9)
    np.testing.assert_allclose(worlds.v[0], state.v, rtol=0, atol=1e-12)


def test_derivatives_refuse_round_cones_of_pairs_with_friction() -> None:
    state, model = balls({"friction": 0.1}, cone="round")
    with pytest.raises(ArgumentError, match="polyhedral friction cones"):
        contact_step_derivatives(state, model, None, DT)
    state, model = balls({}, cone="round")
    assert contact_step_derivatives(state, model, None, DT).v_by_v.shape == (2, 2)


def test_invalid_coefficients_are_refused_and_change_nothing() -> None:
    _, model = balls({})
    ball, floor = model.pairs[0].a, model.pairs[0].b
    with pytest.raises(ArgumentError, match="friction is -1"):
        model.add_pair(ball, floor, friction=-1.0)
    with pytest.raises(ArgumentError, match=r"restitution is 1\.5, must be a number from 0 to 1"):
        model.add_pair(ball, floor, restitution=1.5)
    assert len(model.pairs) == 1


@pytest.mark.parametrize(
    "laws",
    [
        {"friction": 0.5},
        {"restitution": 0.5},
        {"compliance": Compliance(1e3, 1.0)},
        {"torsional_friction": 0.1},
        {"rolling_friction": 0.1},
    ],
    ids=str,
)
def test_simulators_without_friction_refuse_laws_that_their_steps_do_not_obey(laws: dict[str, Any]) -> None:
    state, model = balls({})
    mechanism, pair = state.mechanism, model.pairs[0]
    simulator = ContactSimulator(mechanism, model, None, 1e-3)
    model.add_pair(pair.a, pair.b, **laws)
    with pytest.raises(ArgumentError, match=r"pair 1 .*: friction=0\.0") as caught:
        ContactSimulator(mechanism, model, None, 1e-3)
    assert caught.value.argument == "friction"
    with pytest.raises(ArgumentError, match=r"pair 1 .*: friction=0\.0"):
        simulator.run(state, 0.01)
    assert not state.q.any()
    ContactSimulator(mechanism, model, None, 1e-3, friction=0.0)


@pytest.mark.parametrize("setting", [{"law": "euclidean"}, {"bias": "exact"}], ids=str)
def test_simulators_with_friction_refuse_settings_that_their_steps_do_not_obey(setting: dict[str, Any]) -> None:
    state, model = balls({})
    [(name, value)] = setting.items()
    ContactSimulator(state.mechanism, model, None, DT, **setting)
    with pytest.raises(ArgumentError, match=f"{name} is '{value}', for steps without friction") as caught:
        ContactSimulator(state.mechanism, model, None, DT, friction=0.5, **setting)
    assert caught.value.argument == name


def test_simulators_without_friction_refuse_round_friction_cones() -> None:
    mechanism, _ = rbd.robots.hand()
    with pytest.raises(ArgumentError, match=r"round friction cones.*: friction=0\.0"):
        ContactSimulator(mechanism, CollisionModel(mechanism, friction_cone="round"), None, 1e-3)
