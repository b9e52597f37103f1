"""Painlevé's rod: with large friction there may be no solution of Coulomb's law, or several."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rbd
from rbd.contact import Capsule, CollisionModel, HalfSpace, contact_step, solve_contact
from rbd.errors import SolverError

LENGTH, MASS, GRAVITY = 1.0, 2.0, 9.81
BACKWARDS = -1.0
"""The way in which sliding presses a rod into the floor whose lower end is behind."""


def rod(angle: float, spin: float, speed: float) -> tuple[rbd.MechanismState, CollisionModel]:
    """A thin rod in a plane whose lower end slides on the floor, behind its centre; `angle` is that to the floor."""
    mechanism, radius = rbd.Mechanism(), 1e-6
    parent = mechanism.root_body
    kinds = {"x": rbd.Prismatic([1, 0, 0]), "z": rbd.Prismatic([0, 0, 1]), "turn": rbd.Revolute([0, 1, 0])}
    moment = np.diag([MASS * LENGTH**2 / 12, MASS * LENGTH**2 / 12, 1e-9])
    for name, kind in kinds.items():
        inertia = rbd.SpatialInertia(rbd.Frame(name), mass=MASS, moment_about_com=moment) if name == "turn" else None
        body = rbd.RigidBody(name, inertia)
        mechanism.attach(parent, body, rbd.Joint(name, kind))
        parent = body
    model, root = CollisionModel(mechanism), mechanism.root_frame
    floor = model.add("world", HalfSpace(rbd.Point(root, (0, 0, 0)), rbd.FreeVector(root, (0, 0, 1))))
    model.add_pair(model.add(parent, Capsule(parent.default_frame, LENGTH, radius)), floor)
    half, tilt = LENGTH / 2, np.pi / 2 - angle
    # The rod's axis (sin tilt, 0, cos tilt) points from its centre up and forwards: the lower end is behind.
    q = [0, half * np.cos(tilt) + radius, tilt]
    v = [speed + half * np.cos(tilt) * spin, half * np.sin(tilt) * -spin, spin]
    state = rbd.MechanismState(mechanism, q, v)
    assert np.allclose(model.jacobian(state) @ state.v, 0, atol=1e-5)
    return state, model


def answer(angle: float, mu: float) -> float:
    """Return by how much the end accelerates upwards per force, times its mass, when it slides against the rod."""
    return 1 + 3 * math.cos(angle) * (math.cos(angle) - mu * math.sin(angle))


@pytest.mark.parametrize("speed", [1.0, -1.0])
def test_painleve_little_friction_has_one_solution(speed: float) -> None:
    state, model = rod(1.0, 0.0, speed)
    found = solve_contact(state, model, np.zeros(3), friction=0.3)
    against = answer(1.0, 0.3 * np.sign(speed) * BACKWARDS)
    assert found.multipliers[0] == pytest.approx(MASS * GRAVITY / against, rel=1e-5)
    assert found.contact_torques[0] == pytest.approx(-0.3 * np.sign(speed) * found.multipliers[0], rel=1e-9)


def test_painleve_without_solution_raises_and_time_steps_continue() -> None:
    angle, mu = 1.0, 2.0
    assert answer(angle, mu) < 0
    state, model = rod(angle, 0.0, BACKWARDS)
    with pytest.raises(SolverError, match=r"Painlevé's paradox.*contact_step") as caught:
        solve_contact(state, model, np.zeros(3), friction=mu)
    assert caught.value.status == "friction"
    assert np.isfinite(contact_step(state, model, np.zeros(3), 1e-3, friction=mu).v).all()
    state.set_velocity(-state.v)  # the other way it slides as well as ever
    assert solve_contact(state, model, np.zeros(3), friction=mu).kkt_residual < 1e-9


def test_painleve_of_two_solutions_returns_the_one_without_force() -> None:
    """Spinning so fast that its end leaves the floor, a rod could as well be held by a force that pulls it down."""
    angle, mu, spin = 1.0, 2.0, 8.0
    state, model = rod(angle, spin, BACKWARDS)
    leaving = LENGTH / 2 * np.sin(angle) * spin**2 - GRAVITY
    assert leaving > 0
    held = -leaving * MASS / answer(angle, mu)
    assert held > 0
    row, along = model.jacobian(state)[0], np.array([1, 0, -LENGTH / 2 * np.sin(angle)])
    vd = np.linalg.solve(rbd.mass_matrix(state), held * (row + mu * along) - rbd.dynamics_bias(state))
    assert row @ vd + model.bias(state)[0] == pytest.approx(0, abs=1e-4)
    found = solve_contact(state, model, np.zeros(3), friction=mu)
    assert not found.multipliers.any()
    np.testing.assert_allclose(found.vd, [0, -GRAVITY, 0], rtol=0, atol=1e-9)
