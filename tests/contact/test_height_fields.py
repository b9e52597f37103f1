"""Height fields: distances against all triangles, motion on slopes and in hollows, machine code, refusals."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rbd
from rbd.contact import (
    Box,
    Capsule,
    CollisionModel,
    ContactSimulator,
    HeightField,
    JointOptions,
    Sphere,
    contact_step,
    contact_step_derivatives,
    solve_contact,
)
from rbd.errors import ArgumentError, ShapeError
from rbd.rollout import Worlds
from rbd.scalars.arrays import Array

SIZE = (1.2, 0.9)


def hills(seed: int, columns: int = 9, rows: int = 7, rough: float = 0.04) -> Array:
    return np.random.default_rng(seed).uniform(-rough, rough, (columns, rows))


def on_field(
    heights: Array, *shapes: str, radius: float = 0.05, size: tuple[float, float] = SIZE
) -> tuple[rbd.MechanismState, CollisionModel]:
    """Return free bodies above a field in the world."""
    mechanism = rbd.Mechanism()
    model = CollisionModel(mechanism)
    ground = model.add("world", HeightField(mechanism.root_frame, size, heights))
    for k, kind in enumerate(shapes):
        body = rbd.RigidBody(
            f"body{k}", rbd.SpatialInertia(rbd.Frame(f"b{k}"), mass=1.5, moment_about_com=np.eye(3) / 100)
        )
        mechanism.attach("world", body, rbd.Joint(f"free{k}", rbd.QuaternionFloating()))
        made: Sphere | Capsule | Box = Sphere(body.default_frame, radius)
        if kind == "capsule":
            made = Capsule(body.default_frame, 0.2, radius)
        if kind == "box":
            made = Box(body.default_frame, (0.2, 0.15, 0.1))
        model.add_pair(model.add(body, made), ground)
    return rbd.MechanismState(mechanism), model


def triangles(heights: Array, size: tuple[float, float] = SIZE) -> Array:
    """Return the corners of all triangles, (triangles, 3, 3)."""
    columns, rows = heights.shape
    x, y = (np.linspace(-edge / 2, edge / 2, n) for edge, n in zip(size, heights.shape, strict=True))
    grid = np.stack([*np.meshgrid(x, y, indexing="ij"), heights], axis=-1)
    found = []
    for i, j in product(range(columns - 1), range(rows - 1)):
        a, b, c, d = grid[i, j], grid[i + 1, j], grid[i, j + 1], grid[i + 1, j + 1]
        found += [(a, b, c), (d, c, b)]
    return np.array(found)


def distances_to_triangles(p: Array, corners: Array) -> Array:
    """Return the distances of the best of many points of each triangle, refined around it."""
    center, reach = np.full((len(corners), 3), 1 / 3), 1.0
    steps = np.array(list(product(np.linspace(-1, 1, 9), repeat=2)))
    for _ in range(40):
        moves = np.column_stack([steps, -steps.sum(axis=1)]) * reach
        weights = np.clip(center[:, None] + moves, 0, None)
        weights /= weights.sum(axis=2, keepdims=True)
        squares = ((weights @ corners - p) ** 2).sum(axis=2)
        center = weights[np.arange(len(corners)), squares.argmin(axis=1)]
        reach *= 0.6
    return np.asarray(np.linalg.norm(np.einsum("ki,kij->kj", center, corners) - p, axis=1))


@settings(max_examples=60)
@given(st.integers(0, 10**6))
def test_distances_are_those_of_the_nearest_triangle(seed: int) -> None:
    rng = np.random.default_rng(seed)
    heights, radius = hills(seed), 0.05
    state, model = on_field(heights, "sphere", radius=radius)
    p = np.array([rng.uniform(-0.55, 0.55), rng.uniform(-0.4, 0.4), rng.uniform(-0.04, 0.09)])
    state.set_configuration([1, 0, 0, 0, *p])
    [near] = model.distances(state)
    every = triangles(heights)
    beside = every[np.abs(every.mean(axis=1)[:, :2] - p[:2]).max(axis=1) < 0.35]
    expected = float(distances_to_triangles(p, beside).min())
    height = near.value + radius
    if expected < radius + 0.01:  # farther away the field may have nearer points than those that were looked up
        assert abs(height) == pytest.approx(expected, abs=1e-6)
    assert abs(height) > expected - 1e-6
    if expected > 1e-6:
        assert (height < 0) == any(_under(p, corners) for corners in every)
    gap = near.witness_a - near.witness_b
    assert gap.isclose(near.normal * near.value, atol=1e-12)
    assert np.linalg.norm(near.normal.xyz) == pytest.approx(1, abs=1e-12)


def test_capsules_are_as_far_as_the_nearer_of_spheres_at_their_ends() -> None:
    rng = np.random.default_rng(2)
    state, model = on_field(hills(2), "capsule", "sphere", "sphere")
    for _ in range(30):
        turn, at = rng.normal(size=4), np.append(rng.uniform(-0.3, 0.3, 2), rng.uniform(0.0, 0.12))
        turn /= np.linalg.norm(turn)
        state.set_configuration([*turn, *at, *[1, 0, 0, 0, 0, 0, 1] * 2])
        axis = state.relative_transform(model.shapes[1].frame, state.mechanism.root_frame).rotation[:, 2]
        ends = [at + side * 0.1 * axis for side in (-1, 1)]
        state.set_configuration([*turn, *at, 1, 0, 0, 0, *ends[0], 1, 0, 0, 0, *ends[1]])
        capsule, *spheres = model.distances(state)
        nearer = min(spheres, key=lambda distance: distance.value)
        assert capsule.value == pytest.approx(nearer.value, abs=1e-14)
        assert capsule.witness_b.isclose(nearer.witness_b, atol=1e-12)
        assert capsule.normal.isclose(nearer.normal, atol=1e-11)


def _under(p: Array, corners: Array) -> bool:
    """Whether a point is below a triangle that covers it."""
    weights = np.linalg.solve(np.vstack([corners[:, :2].T, np.ones(3)]), [p[0], p[1], 1.0])
    return bool((weights >= 0).all() and p[2] < weights @ corners[:, 2])


def resting(heights: Array, q: list[float], *shapes: str, time: float = 1.0, mu: float = 0.8) -> rbd.MechanismState:
    state, model = on_field(heights, *shapes)
    state.set_configuration(q)
    ContactSimulator(state.mechanism, model, None, 2e-3, friction=mu).run(state, time)
    return state


def slope(angle: float) -> Array:
    x = np.linspace(-SIZE[0] / 2, SIZE[0] / 2, 9)
    return np.broadcast_to(-np.tan(angle) * x[:, None], (9, 7))


@pytest.mark.parametrize("kind", ["sphere", "capsule", "box"])
def test_a_flat_field_is_a_plane(kind: str) -> None:
    state = resting(np.full((9, 7), 0.3), [1, 0, 0, 0, 0.03, 0.02, 0.5], kind)
    height = {"sphere": 0.05, "capsule": 0.15, "box": 0.05}[kind]
    assert state.q[6] == pytest.approx(0.3 + height, abs=1e-6)
    assert np.abs(state.v).max() < 1e-6


def test_a_box_slides_down_a_slope_as_coulomb_says() -> None:
    angle, mu = 0.5, 0.3
    state, model = on_field(slope(angle), "box")
    turn = [np.cos(angle / 2), 0, np.sin(angle / 2), 0]
    n = np.array([np.sin(angle), 0, np.cos(angle)])
    state.set_configuration([*turn, *(np.array([-0.35, 0.01, np.tan(angle) * 0.35]) + 0.05 * n)])
    ContactSimulator(state.mechanism, model, None, 1e-3, friction=mu).run(state, 0.3)
    assert state.v[3] == pytest.approx(0.3 * 9.81 * (np.sin(angle) - mu * np.cos(angle)), rel=2e-3)
    assert np.abs(state.v[[0, 1, 2, 4, 5]]).max() < 2e-3


def test_a_ball_crosses_edges_of_a_flat_field_without_a_bump() -> None:
    """It slides without friction over cells and their diagonals."""
    state, model = on_field(np.zeros((25, 19)), "sphere")
    state.set_configuration([1, 0, 0, 0, -0.5, -0.33, 0.05])
    state.set_velocity([0, 0, 0, 1.0, 0.61, 0])
    after = ContactSimulator(state.mechanism, model, None, 1e-3, friction=0.0).run(state, 1.0)
    np.testing.assert_allclose(after.v[:, 3:], np.broadcast_to([1.0, 0.61, 0], after.v[:, 3:].shape), rtol=0, atol=1e-9)


def test_a_ball_rests_in_a_gutter_on_both_its_sides() -> None:
    x = np.linspace(-SIZE[0] / 2, SIZE[0] / 2, 9)
    gutter = np.broadcast_to(np.abs(x)[:, None], (9, 7))  # two slopes of 45 degrees meet at x = 0
    state = resting(gutter, [1, 0, 0, 0, 0.01, 0.02, 0.2], "sphere", time=1.5, mu=0.0)
    assert state.q[4] == pytest.approx(0, abs=1e-6)
    assert state.q[6] == pytest.approx(0.05 * np.sqrt(2), abs=1e-5)
    assert np.abs(state.v[3:]).max() < 1e-6


def test_a_ball_rolls_over_a_ridge_without_a_jump() -> None:
    x = np.linspace(-SIZE[0] / 2, SIZE[0] / 2, 9)
    ridge = np.broadcast_to(-0.5 * np.abs(x)[:, None], (9, 7))
    _, model = on_field(ridge, "sphere")
    centers = np.array([[1, 0, 0, 0, t, 0.04, 0.06] for t in np.linspace(-0.03, 0.03, 200)])
    values = np.asarray(model.recorded("distances")(centers, np.zeros(6)))[:, 0, 0]
    assert np.abs(np.diff(values)).max() < 0.06 / 200 * 0.5
    assert values[100] == pytest.approx(0.06 - 0.05, abs=1e-4)  # the ridge itself is nearest


@pytest.mark.optimised
def test_worlds_on_a_field_have_the_bits_of_single_ones() -> None:
    state, model = on_field(hills(4, 40, 30, 0.02), "sphere", "box")
    rng = np.random.default_rng(0)
    q = np.tile([1.0, 0, 0, 0, -0.2, 0, 0.08, 1, 0, 0, 0, 0.2, 0, 0.1], (9, 1))
    q[:, [4, 5, 11, 12]] += rng.uniform(-0.2, 0.2, (9, 4))
    many, one = (Worlds(state.mechanism, model, count=n, dt=2e-3, friction=0.5) for n in (9, 1))
    many.reset(None, q=q)
    many.step(steps=60)
    assert (many.contact_forces[:, :, 2] > 0).any(axis=1).all()
    for k in range(9):
        one.reset(None, q=q[k : k + 1])
        one.step(steps=60)
        np.testing.assert_array_equal(many.q[k], one.q[0])


def test_derivatives_of_steps_on_a_field_agree_with_differences() -> None:
    state, model = on_field(hills(3), "sphere")
    state.set_configuration([1, 0, 0, 0, 0.04, 0.06, 0.1])
    state.set_configuration([1, 0, 0, 0, 0.04, 0.06, 0.1 - model.distances(state)[0].value - 1e-3])
    state.set_velocity([0.1, 0.2, 0.3, 0.5, 0.2, -1.0])
    found = contact_step_derivatives(state, model, None, 1e-2, friction=0.3)
    assert found.undecided == ()
    for k, unit in enumerate(np.eye(6)):
        ends = []
        for h in (1e-6, -1e-6):
            there = rbd.MechanismState(state.mechanism, state.q, state.v)
            there.global_coordinates(state.q, h * unit)
            ends.append(contact_step(there, model, None, 1e-2, friction=0.3).v)
        np.testing.assert_allclose(found.v_by_q[:, k], (ends[0] - ends[1]) / 2e-6, rtol=0, atol=1e-5)


def test_second_derivatives_of_distances_from_a_field() -> None:
    state, model = on_field(hills(5), "sphere")
    state.set_configuration([1, 0, 0, 0, 0.1, 0.05, 0.1])
    state.set_velocity([0, 0, 0, 0.4, -0.3, 0.2])

    def distance(t: float) -> float:
        moved = state.q.copy()
        moved[4:] += t * state.v[3:]
        return float(model.distances(rbd.MechanismState(state.mechanism, moved))[0].value)

    h = 1e-4
    rate, second = (distance(h) - distance(-h)) / (2 * h), (distance(h) - 2 * distance(0) + distance(-h)) / h**2
    assert float((model.jacobian(state) @ state.v)[0]) == pytest.approx(rate, abs=1e-7)
    assert float(model.bias(state)[0]) == pytest.approx(second, abs=1e-5)


def test_fields_that_make_no_sense_are_refused() -> None:
    frame = rbd.Frame("field")
    with pytest.raises(ArgumentError, match="heights has shape"):
        HeightField(frame, (1.0, 1.0), [[0.0, 1.0]])
    with pytest.raises(
        ArgumentError, match="heights has entries up to 100000 in size, allowed are -4000 to 4000"
    ) as refused:
        HeightField(frame, (1.0, 1.0), [[0.0, 1.0], [0.0, -1e5]])
    assert refused.value.argument == "heights"
    with pytest.raises(ArgumentError, match="size is 0, must be"):
        HeightField(frame, (1.0, 0.0), np.zeros((3, 3)))
    with pytest.raises(ShapeError, match="heights"):
        HeightField(frame, (1.0, 1.0), np.zeros(3))
    state, model = on_field(np.zeros((3, 3)), "sphere")
    with pytest.raises(
        ArgumentError,
        match=r"near\(\) is not for models with height fields, cylinders or ellipsoids; use",
    ) as refused:
        model.near(state, 0.1)
    assert refused.value.argument == "state"
    for call in (model.distances, model.jacobian):
        with pytest.raises(
            ArgumentError,
            match="pairs is not for models with height fields, cylinders or ellipsoids; leave",
        ) as refused:
            call(state, pairs=[0])
        assert refused.value.argument == "pairs"
    other = model.add("body0", HeightField(state.mechanism.bodies[1].default_frame, (1.0, 1.0), np.zeros((3, 3))))
    with pytest.raises(ArgumentError, match="distance of a HeightField and a HeightField is not known"):
        model.add_pair(model.shapes[0], other)


def test_distances_from_which_fields_are_not_seen_are_refused() -> None:
    state, model = on_field(hills(0), "ball")
    mechanism = state.mechanism
    with pytest.raises(ArgumentError, match=r"margin is 0\.02, .* height fields .* 0\.01 m"):
        contact_step(state, model, None, 1e-3, margin=0.02)
    with pytest.raises(ArgumentError, match=r"threshold is 0\.02, .* height fields .* 0\.01 m"):
        ContactSimulator(mechanism, model, None, 1e-3, friction=0.5, threshold=0.02)
    with pytest.raises(ArgumentError, match=r"threshold is 0\.02"):
        solve_contact(state, model, None, threshold=0.02)
    later = CollisionModel(mechanism)
    simulator = ContactSimulator(mechanism, later, None, 1e-3, friction=0.5, threshold=0.02)
    field = later.add("world", HeightField(mechanism.root_frame, SIZE, hills(0)))
    later.add_pair(later.add("body0", Sphere(mechanism.body("body0").default_frame, 0.05)), field)
    with pytest.raises(ArgumentError, match=r"threshold is 0\.02"):
        simulator.run(state, 0.01)
    contact_step(state, model, None, 1e-3, margin=0.01)


def test_a_quadruped_stands_on_rough_ground_and_carries_its_weight() -> None:
    robot = rbd.robots.quadruped()
    rough = HeightField(robot.root_frame, (2.0, 2.0), hills(1, 41, 41, 0.01))
    feet, standing = rbd.robots.quadruped_collision_model(robot, rough), rbd.robots.quadruped_configuration()

    def control(t: float, state: rbd.MechanismState) -> Array:
        return np.concatenate([np.zeros(6), 300 * (standing[7:] - state.q[7:]) - 5 * state.v[6:]])

    state = rbd.MechanismState(robot, standing)
    options = JointOptions(stiffness=300.0, damping=5.0)
    ContactSimulator(robot, feet, control, 2e-3, friction=0.8, joints=options).run(state, 5.0)
    assert np.abs(state.v).max() < 1e-5
    after = contact_step(state, feet, control(0.0, state), 2e-3, friction=0.8, joints=options)
    assert np.abs(after.v - state.v).max() < 1e-6  # feet bear the weight, which would add 0.02 m/s
    assert after.active.sum() >= 3
    assert (after.impulses >= 0).all()
    touching = [near.value for near in feet.distances(state) if near.value < 1e-3 / 2]
    assert len(touching) >= 3
    assert np.abs(touching).max() < 1e-6
