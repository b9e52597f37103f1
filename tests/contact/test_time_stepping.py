"""Time stepping with friction: rest, sticking, sliding, stacks, energies, KKT conditions."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

import rbd
from rbd.contact import Box, Capsule, CollisionModel, ContactSimulator, HalfSpace, Sphere, contact_step
from rbd.errors import ArgumentError, ShapeError
from rbd.spatial.half_space import HalfSpace as SameHalfSpace

ACROSS = [[1, 0, 0], [0, 0, 1], [0, -1, 0]]  # a capsule's axis along y
MU = 0.5


def incline(angle: float, *shapes: str, gap: float = 0.0) -> tuple[rbd.MechanismState, CollisionModel]:
    """Return free bodies stacked on a plane, with gravity turned instead of the plane."""
    mechanism = rbd.Mechanism(gravity=(9.81 * np.sin(angle), 0, -9.81 * np.cos(angle)))
    model = CollisionModel(mechanism)
    root = mechanism.root_frame
    below: HalfSpace | Box = model.add("world", HalfSpace(rbd.Point(root, (0, 0, 0)), rbd.FreeVector(root, (0, 0, 1))))
    top, q = 0.0, list[float]()
    for k, kind in enumerate(shapes):
        body = rbd.RigidBody(
            f"body{k}", rbd.SpatialInertia(rbd.Frame(f"body{k}"), mass=1.5, moment_about_com=np.eye(3) / 100)
        )
        mechanism.attach(mechanism.root_body, body, rbd.Joint(f"joint{k}", rbd.QuaternionFloating()))
        if kind == "box":
            shape, half = Box(body.default_frame, (0.3, 0.3, 0.2)), 0.1
        else:
            lying = body.add_frame(rbd.Transform(rbd.Frame("lying"), body.default_frame, ACROSS))
            shape, half = Capsule(lying, 0.3, 0.05), 0.05
        model.add_pair(model.add(body, shape), below)
        below, middle = shape, top + half + gap * (k + 1)
        top, q = top + 2 * half, [*q, 1, 0, 0, 0, 0, 0, middle]
    return rbd.MechanismState(mechanism, q), model


def run(
    state: rbd.MechanismState, model: CollisionModel, time: float, dt: float = 2e-3
) -> rbd.contact.ContactTrajectory:
    return ContactSimulator(state.mechanism, model, None, dt, friction=MU).run(state, time)


@pytest.mark.parametrize("kind", ["box", "capsule"])
def test_bodies_on_a_floor_come_to_rest(kind: str) -> None:
    state, model = incline(0.0, kind, gap=0.05)
    run(state, model, 1.0)
    assert np.abs(state.v).max() < 1e-9
    assert state.q[6] == pytest.approx(0.1 if kind == "box" else 0.05, abs=1e-5)
    assert abs(state.q[0]) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("kind", ["box", "capsule"])
def test_no_sliding_below_the_friction_angle(kind: str) -> None:
    state, model = incline(np.arctan(MU) - 0.05, "box") if kind == "box" else _across_the_slope(np.arctan(MU) - 0.05)
    run(state, model, 1.0)
    assert np.abs(state.v).max() < 1e-9
    assert abs(state.q[4]) < 1e-3


@pytest.mark.parametrize("kind", ["box", "capsule"])
def test_sliding_beyond_the_friction_angle_obeys_coulombs_law(kind: str) -> None:
    angle = np.arctan(MU) + 0.1
    state, model = incline(angle, "box") if kind == "box" else _across_the_slope(angle)
    run(state, model, 1.0, 1e-3)
    body = state.mechanism.bodies[-1]
    speed = state.twist(body).point_velocity(
        state.transform(rbd.Point.origin(body.default_frame), state.mechanism.root_frame)
    )
    assert speed.xyz[0] == pytest.approx(9.81 * (np.sin(angle) - MU * np.cos(angle)), rel=2e-3)
    assert abs(state.q[6] - (0.1 if kind == "box" else 0.05)) < 2e-3


def _across_the_slope(angle: float) -> tuple[rbd.MechanismState, CollisionModel]:
    """A capsule lying along the slope, which cannot roll."""
    state, model = incline(angle, "capsule")
    turned = state.q.copy()
    turned[:4] = [np.sqrt(0.5), 0, 0, np.sqrt(0.5)]  # a quarter turn about z: the axis points down the slope
    state.set_configuration(turned)
    return state, model


def test_a_stack_of_three_boxes_stands_for_ten_seconds() -> None:
    state, model = incline(0.0, "box", "box", "box", gap=1e-3)
    trajectory = run(state, model, 10.0, 5e-3)
    heights = state.q[6::7]
    np.testing.assert_allclose(heights, [0.1, 0.3, 0.5], rtol=0, atol=1e-4)
    assert np.abs(state.q.reshape(3, 7)[:, 4:6]).max() < 1e-6
    assert np.abs(trajectory.v[-1]).max() < 1e-8


def test_skewed_stack_stands_and_top_heavy_stack_falls() -> None:
    state, model = incline(0.0, "box", "box", gap=1e-3)
    for overhang, falls in ((0.13, False), (0.17, True)):  # half the box is 0.15
        q = np.array([1.0, 0, 0, 0, 0, 0, 0.101, np.cos(0.2), 0, 0, np.sin(0.2), 0, 0, 0.302])
        q[7:11] = [1, 0, 0, 0] if overhang else q[7:11]
        q[11] = overhang
        state.set_configuration(q)
        state.set_velocity(np.zeros(12))
        run(state, model, 1.5)
        assert (state.q[13] < 0.25) == falls


def test_boxes_turned_against_each_other_rest() -> None:
    state, model = incline(0.0, "box", "box", gap=1e-3)
    q = state.q.copy()
    q[7:11] = [np.cos(np.pi / 8), 0, 0, np.sin(np.pi / 8)]
    state.set_configuration(q)
    run(state, model, 2.0)
    assert np.abs(state.v).max() < 1e-6
    assert state.q[13] == pytest.approx(0.3, abs=1e-3)


def test_a_tumbling_box_settles_on_a_face() -> None:
    state, model = incline(0.0, "box", gap=0.4)
    rng = np.random.default_rng(0)
    quaternion = rng.normal(size=4)
    state.set_configuration([*quaternion / np.linalg.norm(quaternion), 0, 0, 0.5])
    state.set_velocity([1.0, -2.0, 0.5, 0.3, 0.0, 0.0])
    run(state, model, 4.0)
    assert np.abs(state.v).max() < 1e-4
    assert min(abs(state.q[6] - half) for half in (0.1, 0.15)) < 1e-3


@pytest.mark.parametrize("seed", range(5))
def test_contacts_without_overlap_never_add_kinetic_energy(seed: int) -> None:
    state, model = incline(0.0, "box", gap=1e-5)
    rng = np.random.default_rng(seed)
    state.set_velocity([*rng.normal(size=3) / 5, *rng.normal(size=2), -0.5 - rng.exponential()])
    found = contact_step(state, model, np.zeros(6), 5e-3, friction=MU)
    assert found.energy_change <= 1e-12
    assert found.kkt_residual < 1e-10
    assert found.impulses[0] > 0
    assert found.active[0] == 1


def test_impulses_balance_the_change_of_momentum() -> None:
    """Impulses and velocities agree: M (v - free) = J' impulses."""
    state, model = incline(0.0, "box")
    dt = 2e-3
    found = contact_step(state, model, np.zeros(6), dt, friction=MU)
    assert found.impulses[0] == pytest.approx(1.5 * 9.81 * dt, rel=1e-10)  # it stands: weight times time
    forced = (found.v - state.v) / dt - rbd.forward_dynamics(state, np.zeros(6))
    assert (rbd.mass_matrix(state) @ forced)[5] * dt == pytest.approx(found.impulses[0], rel=1e-10)


def test_without_friction_a_box_keeps_sliding() -> None:
    state, model = incline(0.0, "box")
    state.set_velocity([0, 0, 0, 1.0, 0, 0])
    ContactSimulator(state.mechanism, model, None, 1e-3, friction=0.0).run(state, 0.5)
    assert state.v[3] == pytest.approx(1.0, abs=1e-9)


def test_steps_of_scalar_states() -> None:
    state, model = incline(0.1, "capsule")
    live = contact_step(state, model, np.zeros(6), 1e-3, friction=MU)
    scalar = contact_step(state.with_scalars(), model, np.zeros(6), 1e-3, friction=MU)
    np.testing.assert_allclose(live.v, np.array(scalar.v, dtype=float), rtol=0, atol=1e-10)
    np.testing.assert_allclose(live.q, np.array(scalar.q, dtype=float), rtol=0, atol=1e-10)


def test_a_wheel_rolls_after_it_slid() -> None:
    mechanism = rbd.Mechanism()
    radius, parent = 0.1, mechanism.root_body
    for name, kind in (
        ("along", rbd.Prismatic([1, 0, 0])),
        ("up", rbd.Prismatic([0, 0, 1])),
        ("spin", rbd.Revolute([0, 1, 0])),
    ):
        inertia = rbd.SpatialInertia(rbd.Frame(name), mass=1, moment_about_com=np.eye(3) * 0.4 * radius**2)
        body = rbd.RigidBody(name, inertia if name == "spin" else None)
        mechanism.attach(parent, body, rbd.Joint(name, kind))
        parent = body
    model, root = CollisionModel(mechanism), mechanism.root_frame
    ground = model.add("world", HalfSpace(rbd.Point(root, (0, 0, 0)), rbd.FreeVector(root, (0, 0, 1))))
    model.add_pair(model.add(parent, Sphere(parent.default_frame, radius)), ground)
    state = rbd.MechanismState(mechanism, [0, radius, 0], [1.0, 0, 0])
    trajectory = run(state, model, 1.0, 1e-3)
    speed, _, spin = state.v
    assert spin * radius == pytest.approx(speed, abs=1e-9)
    assert speed == pytest.approx(5 / 7, abs=1e-9)  # what rolling keeps
    sliding = trajectory.v[:, 0] - radius * trajectory.v[:, 2] > 1e-6
    slowed = np.diff(trajectory.v[:, 0])[sliding[:-1]][:-1] / 1e-3
    assert slowed.mean() == pytest.approx(-MU * 9.81, rel=0.01)
    np.testing.assert_allclose(slowed[45:], -MU * 9.81, rtol=2e-3)  # gaps have settled by then
    assert np.abs(trajectory.q[:, 1] - radius).max() < 1e-4  # sliding does not lift it


def test_errors_name_the_argument() -> None:
    state, model = incline(0.0, "box")
    assert HalfSpace is SameHalfSpace
    with pytest.raises(ArgumentError, match="dt is 0, must be a finite number above 0"):
        contact_step(state, model, np.zeros(6), 0)
    with pytest.raises(ArgumentError, match="friction is -1"):
        contact_step(state, model, np.zeros(6), 1e-3, friction=-1)
    with pytest.raises(ArgumentError, match="friction is -1"):
        ContactSimulator(state.mechanism, model, None, 1e-3, friction=-1)
    with pytest.raises(ShapeError, match="torques"):
        contact_step(state, model, np.zeros(5), 1e-3)


@pytest.mark.parametrize("friction", [0.0, 0.5])
@pytest.mark.parametrize("cone", ["polyhedral", "round"])
def test_steps_of_mechanisms_without_velocities(cone: Literal["polyhedral", "round"], friction: float) -> None:
    """Nothing moves, and no contact has an impulse."""
    mechanism = rbd.Mechanism()
    post = rbd.RigidBody("post", rbd.SpatialInertia(rbd.Frame("post"), mass=1.0, moment_about_com=np.eye(3)))
    mechanism.attach("world", post, rbd.Joint("weld", rbd.Fixed()))
    model = CollisionModel(mechanism, friction_cone=cone)
    ball = model.add(post, Sphere(post.default_frame, 0.1))
    model.add_pair(ball, model.add("world", Box(mechanism.root_frame, (0.1, 0.1, 0.1))))
    state = rbd.MechanismState(mechanism)
    assert not contact_step(state, model, None, 1e-3, friction=friction).impulses.any()
    ContactSimulator(mechanism, model, None, 1e-3, friction=friction).run(state, 0.01)
