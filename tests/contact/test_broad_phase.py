"""Broad phase: bounding spheres, distances and Jacobian of chosen pairs."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import rbd
from rbd.contact import Box, Capsule, CollisionModel, ConvexHull, Distance, HalfSpace, Shape, Sphere
from rbd.errors import ArgumentError
from rbd.testing import random_tree

KINDS = [rbd.Revolute([0, 0, 1]), rbd.QuaternionFloating(), rbd.Prismatic([1, 1, 0]), rbd.QuaternionSpherical()]


def zoo(seed: int) -> tuple[rbd.MechanismState, CollisionModel]:
    """A random tree with a shape of every kind on its bodies and in the world, and all pairs."""
    rng = np.random.default_rng(seed)
    mechanism = random_tree([KINDS[k % 4] for k in range(5)], rng)
    model, world = CollisionModel(mechanism), mechanism.root_body
    plane = rbd.Point(world.default_frame, rng.normal(size=3)), rbd.FreeVector(world.default_frame, rng.normal(size=3))
    model.add(world, HalfSpace(*plane))
    for k, body in enumerate(mechanism.bodies):
        at = rng.normal(size=3) / 3
        frame = body.add_frame(rbd.Transform(rbd.Frame(f"shape{k}"), body.default_frame, translation=at))
        made = (Box(frame, (0.3, 0.2, 0.4)), Capsule(frame, 0.5, 0.1), Sphere(frame, 0.2), Capsule(frame, 0.0, 0.1))
        model.add(body, made[k % 4])
    model.add_all_pairs(neighbours=True)
    state = rbd.MechanismState(mechanism)
    state.randomize(rng)
    return state, model


@functools.cache
def zoo_and_distances(seed: int) -> tuple[rbd.MechanismState, CollisionModel, list[Distance]]:
    """The shared, constant model of all shapes, and the distances of all its pairs."""
    state, model = zoo(seed)
    return state, model, model.distances(state)


@pytest.mark.parametrize("seed", range(6))
def test_distances_of_chosen_pairs_equal_those_of_all_pairs(seed: int) -> None:
    state, model, everything = zoo_and_distances(seed)
    chosen = np.random.default_rng(seed).permutation(len(model.pairs))[:12]
    some = model.distances(state, pairs=chosen)
    for number, found in zip(chosen, some, strict=True):
        assert found.value == pytest.approx(everything[number].value, abs=1e-13)
        assert found.witness_a.isclose(everything[number].witness_a, atol=1e-9)
        assert found.normal.isclose(everything[number].normal, atol=1e-9)
    rows = model.jacobian(state)[chosen]
    np.testing.assert_allclose(model.jacobian(state, pairs=chosen), rows, rtol=0, atol=1e-10)
    out = np.empty_like(rows)
    assert model.jacobian(state, pairs=chosen, out=out) is out
    np.testing.assert_allclose(out, rows, rtol=0, atol=1e-10)


@pytest.mark.parametrize("margin", [-0.1, 0.0, 0.3, 1.0])
@pytest.mark.parametrize("seed", range(6))
def test_broad_phase_returns_all_pairs_within_the_margin(seed: int, margin: float) -> None:
    state, model, everything = zoo_and_distances(seed)
    near = set(model.near(state, margin).tolist())
    for number, distance in enumerate(everything):
        if distance.value < margin:
            assert number in near
    assert len(model.near(state, np.inf)) == len(model.pairs)


@functools.cache
def hulls_and_distances() -> tuple[rbd.MechanismState, CollisionModel, list[Distance]]:
    """Return free hulls of 1 to 40 points, away from the origins of their frames, and others, apart above a plane."""
    rng, mechanism = np.random.default_rng(8), rbd.Mechanism()
    model, root = CollisionModel(mechanism), mechanism.root_frame
    model.add("world", HalfSpace(rbd.Point(root, (0, 0, -0.5)), rbd.FreeVector(root, (0, 0.6, 0.8))))
    q = list[float]()
    for k, count in enumerate((1, 4, 8, 9, 40, 4, 0, 0, 0)):
        inertia = rbd.SpatialInertia(rbd.Frame(f"body{k}"), mass=1.0, moment_about_com=np.eye(3) / 100)
        body = rbd.RigidBody(f"body{k}", inertia)
        mechanism.attach("world", body, rbd.Joint(f"free{k}", rbd.QuaternionFloating()))
        frame, away = body.default_frame, rng.normal(size=3)
        others: tuple[Shape, ...] = Box(frame, (0.3, 0.2, 0.4)), Capsule(frame, 0.5, 0.1), Sphere(frame, 0.2)
        points = rng.uniform(-0.3, 0.3, (count, 3)) + away
        model.add(body, ConvexHull(frame, points, 0.01 * (k + 1)) if count else others[k - 6])
        turn = rng.normal(size=4)
        q += [*(turn / np.linalg.norm(turn)), 0.0, 0.0, 0.0]
    state = rbd.MechanismState(mechanism, q)
    for k, shape in enumerate(model.shapes[1:]):
        middle = shape.points.mean(axis=0) if isinstance(shape, ConvexHull) else np.zeros(3)
        at = state.relative_transform(shape.frame, root).rotation @ middle
        q[7 * k + 4 : 7 * k + 7] = [k % 3 * 1.2 - at[0], k // 3 * 1.2 - at[1], 0.3 - at[2]]
    model.add_all_pairs()
    state.set_configuration(q)
    return state, model, model.distances(state)


def test_distances_of_chosen_pairs_of_hulls_equal_those_of_all_pairs() -> None:
    state, model, everything = hulls_and_distances()
    chosen = np.random.default_rng(0).permutation(len(model.pairs))
    for number, found in zip(chosen, model.distances(state, pairs=chosen), strict=True):
        assert found.value == pytest.approx(everything[number].value, abs=1e-13)
        assert found.witness_b.isclose(everything[number].witness_b, atol=1e-9)
    rows = model.jacobian(state)[chosen]
    np.testing.assert_allclose(model.jacobian(state, pairs=chosen), rows, rtol=0, atol=1e-10)


@pytest.mark.parametrize("margin", [0.3, 0.6, 1.0, 1.5])
def test_broad_phase_returns_hulls_within_the_margin_and_leaves_out_far_ones(margin: float) -> None:
    state, model, everything = hulls_and_distances()
    near = set(model.near(state, margin).tolist())
    assert {number for number, distance in enumerate(everything) if distance.value < margin} <= near
    assert len(near) < len(model.pairs)


def test_broad_phase_leaves_out_far_pairs() -> None:
    mechanism, model = rbd.robots.hand()
    model.add_all_pairs()
    state = rbd.MechanismState(mechanism)
    near = model.near(state, 0.01)
    assert 0 < len(near) < len(model.pairs) / 2
    far = np.setdiff1d(np.arange(len(model.pairs)), near)
    assert min(d.value for d in model.distances(state, pairs=far)) > 0.01


def test_previous_normals_are_kept_for_chosen_pairs() -> None:
    state, model = zoo(1)
    chosen = [3, 1]
    before = model.distances(state, pairs=chosen)
    again = model.distances(state, before, pairs=chosen)
    assert [d.value for d in again] == [d.value for d in before]
    with pytest.raises(ArgumentError, match="previous holds 1"):
        model.distances(state, before[:1], pairs=chosen)


def test_add_all_pairs_leaves_out_neighbours_and_known_pairs() -> None:
    _, model = rbd.robots.hand()
    model.add_all_pairs()
    pairs = {frozenset((pair.body_a.name, pair.body_b.name)) for pair in model.pairs}
    assert frozenset(("finger11", "finger12")) not in pairs
    assert frozenset(("finger11", "finger13")) in pairs
    count = len(model.pairs)
    model.add_all_pairs()
    assert len(model.pairs) == count
    assert len({frozenset((id(pair.a), id(pair.b))) for pair in model.pairs}) == count
    model.add_all_pairs(neighbours=True)
    bodies = [model.body(shape).name for shape in model.shapes]
    assert len(model.pairs) == sum(a != b for k, a in enumerate(bodies) for b in bodies[:k])


def test_broad_phase_follows_new_shapes_and_edits() -> None:
    mechanism, model = rbd.robots.hand()
    state = rbd.MechanismState(mechanism)
    assert model.near(state, np.inf).tolist() == [0, 1, 2, 3]
    body = mechanism.body("finger13")
    model.add_pair(model.add(body, Sphere(body.default_frame, 0.02)), model.shapes[2])
    assert model.near(state, np.inf).size == 5
    assert len(model.distances(state, pairs=[4])) == 1


def test_models_without_pairs() -> None:
    mechanism, model = rbd.robots.hand()
    state = rbd.MechanismState(mechanism)
    assert model.distances(state, pairs=[]) == []
    assert model.jacobian(state, pairs=[]).shape == (0, 13)
    empty = CollisionModel(mechanism)
    assert empty.near(state, 1.0).size == 0
    assert empty.distances(state, pairs=[]) == []
    assert empty.jacobian(state, pairs=[]).shape == (0, 13)


def test_errors_name_the_argument() -> None:
    mechanism, model = rbd.robots.hand()
    state = rbd.MechanismState(mechanism)
    with pytest.raises(ArgumentError, match="pair 4, there are 4 pairs"):
        model.distances(state, pairs=[4])
    with pytest.raises(ArgumentError, match="pair -1"):
        model.jacobian(state, pairs=[-1])
    with pytest.raises(ArgumentError, match="margin is nan"):
        model.near(state, float("nan"))
    with pytest.raises(ArgumentError, match="live state"):
        model.distances(state.with_scalars(), pairs=[0])
