"""Bodies that approach by more than the margin in one step."""

from __future__ import annotations

import numpy as np
import pytest

import rbd
from rbd.contact import CollisionModel, ContactSimulator, ConvexHull, HalfSpace, HeightField, Sphere, contact_step
from rbd.contact import contact_step_derivatives as derivatives_of_step
from rbd.rollout import Worlds

RADIUS = 0.1
PLATE = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-0.1, 0.0)], dtype=float)


def falling(kind: str, height: float, speed: float = 0.0) -> tuple[rbd.MechanismState, CollisionModel]:
    """Return a body of 1 kg at a height above a floor, which falls at a speed."""
    mechanism = rbd.Mechanism()
    model, root = CollisionModel(mechanism), mechanism.root_frame
    inertia = rbd.SpatialInertia(rbd.Frame("body"), mass=1.0, moment_about_com=np.eye(3) / 100)
    body = rbd.RigidBody("body", inertia)
    mechanism.attach("world", body, rbd.Joint("free", rbd.QuaternionFloating()))
    if kind.startswith("ball"):
        plane = HalfSpace(rbd.Point(root, (0, 0, 0)), rbd.FreeVector(root, (0, 0, 1)))
        floor = model.add("world", HeightField(root, (1.0, 1.0), np.zeros((5, 5))) if kind.endswith("field") else plane)
        model.add_pair(model.add(body, Sphere(body.default_frame, RADIUS)), floor)
    else:
        size = np.array([0.1, 0.1, 1.0])
        plate = model.add(body, ConvexHull(body.default_frame, size * PLATE + [0, 0, 0.1 - RADIUS], 0.001))
        model.add_pair(plate, model.add("world", ConvexHull(root, PLATE, 0.001)))
    above = height + RADIUS + (0.002 if kind == "plate" else 0.0)
    return rbd.MechanismState(mechanism, [1, 0, 0, 0, 0, 0, above], [0, 0, 0, 0, 0, -speed]), model


@pytest.mark.parametrize(
    ("kind", "height", "dt", "friction"),
    [
        ("ball", 2.0, 0.01, 0.5),
        ("ball", 1.3, 0.005, 0.0),
        ("ball on a field", 1.3, 0.01, 0.5),
        ("plate", 1.3, 0.005, 0.5),
        ("plate", 1.3, 0.02, 0.0),
    ],
)
def test_bodies_that_fall_fast_stop_at_the_floor(kind: str, height: float, dt: float, friction: float) -> None:
    state, model = falling(kind, height)
    after = ContactSimulator(state.mechanism, model, None, dt, friction=friction).run(state, 1.0)
    assert after.distances.min() > -1e-9
    assert after.distances[-1, 0] < 1e-6


def test_worlds_stop_at_the_floor() -> None:
    state, model = falling("ball", 2.0)
    worlds = Worlds(state.mechanism, model, count=1, dt=0.01, friction=0.5)
    worlds.reset(q=[state.q])
    lowest = np.inf
    for _ in range(100):
        worlds.step()
        lowest = min(lowest, worlds.q[0, 6])
    assert lowest > RADIUS - 1e-9


@pytest.mark.parametrize("friction", [0.0, 0.5])
def test_a_step_closes_the_gap_of_a_fast_body_exactly(friction: float) -> None:
    state, model = falling("ball", 0.3, 100.0)
    after = contact_step(state, model, None, 5e-3, friction=friction, margin=0.0)
    assert after.q[6] == pytest.approx(RADIUS, abs=1e-12)
    assert after.active.tolist() == [1.0]


def test_slow_bodies_beyond_the_margin_are_free() -> None:
    state, model = falling("ball", 0.011, 0.5)
    after = contact_step(state, model, None, 1e-3)
    assert after.v[5] == pytest.approx(-0.5 - 9.81e-3, abs=1e-12)
    assert not after.active.any()


def test_derivatives_of_a_step_that_stops_a_fast_body() -> None:
    state, model = falling("ball", 0.3, 100.0)
    found = derivatives_of_step(state, model, None, 5e-3)
    assert found.v_by_v[5, 5] == pytest.approx(0, abs=1e-12)
    assert found.v_by_q[5, 5] == pytest.approx(-1 / 5e-3)
    assert found.undecided == ()
