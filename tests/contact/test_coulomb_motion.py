"""Motions that Coulomb's law determines: slide, stick, tip and roll; rest without penetration; energy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import rbd
from rbd.contact import Box, Capsule, CollisionModel, ContactSimulator, HalfSpace, Shape, Sphere
from rbd.scalars.arrays import Array
from tests.contact.test_time_stepping import incline

G, DT = 9.81, 1e-3
ACROSS = [[1, 0, 0], [0, 0, 1], [0, -1, 0]]  # a capsule's axis along y
DOWN = [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]  # along x


def on_slope(
    kind: str, angle: float, *, inertia: float | tuple[float, float, float] = 0.01
) -> tuple[rbd.MechanismState, CollisionModel]:
    """Return a body of 1 kg on a plane, with gravity turned instead of the plane; x points down the slope."""
    mechanism = rbd.Mechanism(gravity=(G * np.sin(angle), 0, -G * np.cos(angle)))
    moment = rbd.SpatialInertia(rbd.Frame("body"), mass=1.0, moment_about_com=np.diag(np.ones(3) * inertia))
    body = rbd.RigidBody("body", moment)
    mechanism.attach(mechanism.root_body, body, rbd.Joint("free", rbd.QuaternionFloating()))
    model, root = CollisionModel(mechanism), mechanism.root_frame
    lying = body.add_frame(rbd.Transform(rbd.Frame("lying"), body.default_frame, ACROSS))
    along = body.add_frame(rbd.Transform(rbd.Frame("along"), body.default_frame, DOWN))
    shapes: dict[str, tuple[Shape, float]] = {
        "sphere": (Sphere(body.default_frame, 0.1), 0.1),
        "capsule": (Capsule(lying, 0.3, 0.05), 0.05),
        "capsule down the slope": (Capsule(along, 0.1, 0.1), 0.1),
        "box": (Box(body.default_frame, (0.2, 0.2, 0.4)), 0.2),
    }
    shape, height = shapes[kind]
    plane = model.add("world", HalfSpace(rbd.Point(root, (0, 0, 0)), rbd.FreeVector(root, (0, 0, 1))))
    model.add_pair(model.add(body, shape), plane)
    return rbd.MechanismState(mechanism, [1, 0, 0, 0, 0, 0, height]), model


def run(
    state: rbd.MechanismState, model: CollisionModel, mu: float, time: float, dt: float = DT
) -> rbd.contact.ContactTrajectory:
    return ContactSimulator(state.mechanism, model, None, dt, friction=mu).run(state, time)


def speed_down(state: rbd.MechanismState) -> float:
    """Return the speed of the body's centre along x."""
    frame = state.mechanism.bodies[-1].default_frame
    return float(state.transform(rbd.FreeVector(frame, state.v[3:]), state.mechanism.root_frame).xyz[0])


@pytest.mark.parametrize(("kind", "radius", "inertia"), [("sphere", 0.1, 0.004), ("capsule", 0.05, 0.00125)])
@pytest.mark.parametrize("angle", [0.1, 0.5, 0.9])
def test_round_bodies_roll_until_friction_does_not_suffice(
    kind: str, radius: float, inertia: float, angle: float
) -> None:
    """Rolling takes a friction force of m g sin / (1 + m r² / I); beyond mu m g cos the body slides."""
    mu, ratio = 0.2, radius**2 / inertia
    rolls = np.sin(angle) / (1 + ratio) < mu * np.cos(angle)
    state, model = on_slope(kind, angle, inertia=inertia)
    run(state, model, mu, 0.2)
    speed = speed_down(state)
    assert (abs(speed - radius * float(state.v[1])) < 1e-9) == rolls
    force = np.sin(angle) / (1 + ratio) if rolls else mu * np.cos(angle)
    assert speed == pytest.approx(0.2 * G * (np.sin(angle) - force), rel=1e-9 if rolls else 1e-3)
    assert rolls == (angle < 0.6)


@pytest.mark.parametrize(("slope", "tips"), [(0.47, False), (0.53, True)])
def test_a_tall_box_tips_where_its_weight_leaves_its_face(slope: float, tips: bool) -> None:
    state, model = on_slope("box", float(np.arctan(slope)))  # half as wide as it is high: it tips beyond 1/2
    run(state, model, 1.0, 1.0)
    upright = abs(state.q[0]) > 1 - 1e-9
    assert upright == (not tips)
    if not tips:
        assert np.abs(state.v).max() < 1e-9


@pytest.mark.parametrize(("slope", "tips"), [(0.47, False), (0.53, True)])
def test_a_capsule_tips_over_its_end_where_its_weight_leaves_it(slope: float, tips: bool) -> None:
    """Its ends are half as far from the middle as the middle is above the ground: it tips beyond 1/2."""
    state, model = on_slope("capsule down the slope", float(np.arctan(slope)))
    run(state, model, 1.0, 0.3)
    assert (abs(state.q[0]) < 1 - 1e-6) == tips
    if not tips:
        assert np.abs(state.v).max() < 1e-9


@pytest.mark.parametrize(("mu", "slides"), [(0.38, True), (0.42, False)])
def test_a_capsule_down_the_slope_slides_beyond_the_friction_angle(mu: float, slides: bool) -> None:
    state, model = on_slope("capsule down the slope", float(np.arctan(0.4)))
    run(state, model, mu, 0.3)
    wanted = 0.3 * G * np.cos(np.arctan(0.4)) * (0.4 - mu) if slides else 0.0
    assert speed_down(state) == pytest.approx(wanted, rel=1e-6, abs=1e-9)
    assert abs(state.q[0]) > 1 - 1e-9


@pytest.mark.parametrize("dt", [4e-3, 1e-3])
@pytest.mark.parametrize(("kind", "radius", "inertia"), [("sphere", 0.1, 0.004), ("capsule", 0.05, 0.00125)])
def test_what_rolls_on_a_floor_keeps_its_speed_and_does_not_slip(
    kind: str, radius: float, inertia: float, dt: float
) -> None:
    """The path, too, is exact: the speed is constant, and so is the height of the centre."""
    state, model = on_slope(kind, 0.0, inertia=inertia)
    state.set_velocity([0, 2.0 / radius, 0, 2.0, 0, 0])
    after = run(state, model, 0.3, 1.0, dt)
    assert speed_down(state) == pytest.approx(2.0, abs=1e-9)
    np.testing.assert_allclose(after.v[:, 1], 2.0 / radius, rtol=1e-9)
    np.testing.assert_allclose(after.q[:, 4], 2.0 * after.t, rtol=0, atol=1e-9)
    assert np.abs(after.distances).max() < 1e-9


@pytest.mark.parametrize(("mu", "slides"), [(0.38, True), (0.42, False)])
def test_a_box_slides_beyond_the_friction_angle(mu: float, slides: bool) -> None:
    state, model = on_slope("box", float(np.arctan(0.4)))
    run(state, model, mu, 1.0)
    wanted = G * np.cos(np.arctan(0.4)) * (0.4 - mu) if slides else 0.0
    assert speed_down(state) == pytest.approx(wanted, rel=1e-6, abs=1e-9)
    assert abs(state.q[0]) > 1 - 1e-9


@pytest.mark.parametrize("kind", ["sphere", "capsule", "box"])
def test_bodies_at_rest_do_not_penetrate(kind: str) -> None:
    state, model = on_slope(kind, 0.0)
    state.set_configuration(state.q + 0.03 * np.eye(7)[6])
    after = run(state, model, 0.5, 1.0)
    assert np.abs(state.v).max() < 1e-9
    assert after.distances.min() > -1e-6
    assert abs(after.distances[-1]).max() < 1e-6


def figures_at_rest(state: rbd.MechanismState, after: rbd.contact.ContactTrajectory) -> str:
    """Return the largest velocity and the largest gap or overlap at the end of a motion, as text."""
    return (
        f"velocities below {np.abs(state.v).max():.0e}, gaps below {np.abs(after.distances[-1]).max():.0e} m at the end"
    )


@pytest.mark.deep
def test_a_stack_of_ten_boxes_stands_for_ten_seconds(record_property: Callable[[str, object], None]) -> None:
    state, model = incline(0.0, *["box"] * 10, gap=1e-3)
    after = ContactSimulator(state.mechanism, model, None, 5e-3, friction=0.5).run(state, 10.0)
    record_property("count", f"2,000 steps: {figures_at_rest(state, after)}")
    np.testing.assert_allclose(state.q[6::7], 0.1 + 0.2 * np.arange(10), rtol=0, atol=1e-6)
    assert np.abs(state.v).max() < 1e-9
    assert abs(after.distances[-1]).max() < 1e-6


def energies(mechanism: rbd.Mechanism, after: rbd.contact.ContactTrajectory) -> Array:
    """Return kinetic and potential energy after every step."""
    states = (rbd.MechanismState(mechanism, q, v) for q, v in zip(after.q, after.v, strict=True))
    return np.array([rbd.kinetic_energy(s) + rbd.gravitational_potential_energy(s) for s in states])
