"""Distances of convex hulls: optimality of the nearest points, boxes as hulls, derivatives, motion, bits."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import nnls

import rbd
from rbd.contact import Box, Capsule, CollisionModel, ContactSimulator, ConvexHull, HalfSpace, HeightField, Sphere
from rbd.contact.geometry.hull_distance import nearest_of_hulls
from rbd.errors import ArgumentError, NotFiniteError, ShapeError, SolverError
from rbd.native.compiled_program import CompiledProgram
from rbd.program.graph import Graph
from rbd.program.program import Program
from rbd.scalars.arrays import Array
from rbd.spatial import Frame, FreeVector, Point, Transform
from rbd.spatial.linalg import Vec3
from tests.contact.samples import WORLD, between, numbers, rotation
from tests.native.programs import assert_same_bits, native_rows, native_singles, reference

G = 9.81


def hull(points: Array, radius: float = 0.01) -> ConvexHull[Any]:
    return ConvexHull(Frame("hull"), points, radius)


def corners(size: Array) -> Array:
    """Return the corners of a box."""
    return np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]) * size


def placed(shape: Any, turn: Array, at: Array) -> Transform[Any, Any]:
    return Transform(shape.frame, WORLD, turn, at)


def vectors(points: Array) -> list[Vec3]:
    return [(x, y, z) for x, y, z in points.tolist()]


@given(st.integers(0, 10**6))
def test_no_points_of_two_hulls_are_nearer(seed: int) -> None:
    """The nearest points are in the hulls, and planes through them at right angles to the normal separate these."""
    rng = np.random.default_rng(seed)
    a, b = (rng.normal(size=(rng.integers(1, 20), 3)) * rng.uniform(0, 0.5, 3) for _ in range(2))
    direction = rng.normal(size=3)
    direction /= np.linalg.norm(direction)
    b = b + direction * ((a @ direction).max() - (b @ direction).min() + rng.exponential(0.1))
    phi, p_a, p_b, n = numbers(nearest_of_hulls(vectors(a), vectors(b)))
    size = np.abs(a).max() + np.abs(b).max()
    np.testing.assert_allclose(p_a - p_b, phi * n, rtol=0, atol=1e-14 * size)
    assert (a @ n).min() == pytest.approx(p_a @ n, abs=1e-12 * size)
    assert (b @ n).max() == pytest.approx(p_b @ n, abs=1e-12 * size)
    for points, nearest in ((a, p_a), (b, p_b)):
        assert nnls(np.vstack([points.T, np.ones(len(points))]), np.append(nearest, 1))[1] < 1e-12 * size


@pytest.mark.parametrize("kind", ["sphere", "capsule", "box", "half-space"])
def test_boxes_as_hulls_have_the_distances_of_boxes(kind: str) -> None:
    """A hull has round edges: distances are those of the box inside, less its radius."""
    rng = np.random.default_rng(3)
    compared = 0
    for _ in range(60):
        size, radius = rng.uniform(0.05, 0.3, 3), 0.02
        box, rounded = Box(Frame("box"), size), hull(corners(size), radius)
        other: Any = {
            "sphere": Sphere(Frame("s"), 0.03),
            "capsule": Capsule(Frame("c"), 0.2, 0.03),
            "box": Box(Frame("b"), (0.1, 0.2, 0.3)),
            "half-space": HalfSpace(Point(plane := Frame("p"), (0, 0, 0)), FreeVector(plane, (0, 0, 1))),
        }[kind]
        turn, at = rotation(rng), rng.normal(size=3) / 4
        there = placed(other, rotation(rng), rng.normal(size=3) / 4)
        exact = numbers(between(box, placed(box, turn, at), other, there))
        if kind != "half-space" and exact[0] + getattr(other, "radius", 0) < 1e-3:
            continue
        found = numbers(between(rounded, placed(rounded, turn, at), other, there))
        swapped = numbers(between(other, there, rounded, placed(rounded, turn, at)))
        assert found[0] == pytest.approx(exact[0] - radius, abs=1e-12)
        assert swapped[0] == pytest.approx(found[0], abs=1e-13)
        np.testing.assert_allclose(found[3], exact[3], rtol=0, atol=1e-9)
        np.testing.assert_allclose(swapped[3], -found[3], rtol=0, atol=1e-9)
        compared += 1
    assert compared > 30


@pytest.mark.peers
def test_distances_agree_with_coal() -> None:
    coal = pytest.importorskip("coal")
    rng, worst, apart = np.random.default_rng(7), 0.0, 0
    request = coal.DistanceRequest()
    request.gjk_tolerance = 1e-12
    for _ in range(1000):
        sides = [rng.normal(size=(rng.integers(4, 30), 3)) * rng.uniform(0.05, 0.4, 3) for _ in range(2)]
        places = [(rotation(rng), rng.normal(size=3)) for _ in range(2)]
        shapes = [hull(points, 0.02) for points in sides]
        theirs = []
        for points in sides:
            cloud = coal.StdVec_Vec3s()
            for point in points:
                cloud.append(point)
            theirs.append(coal.Convex.convexHull(cloud, True, "Qt"))
        there = [coal.Transform3s(*place) for place in places]
        wanted = coal.distance(theirs[0], there[0], theirs[1], there[1], request, coal.DistanceResult())
        if wanted > 1e-3:
            found = between(shapes[0], placed(shapes[0], *places[0]), shapes[1], placed(shapes[1], *places[1]))
            worst, apart = max(worst, abs(float(found.phi) - (wanted - 0.04))), apart + 1
    assert apart > 500
    assert worst < 1e-9


def free_body(shape_of: Any, ground_of: Any = None) -> tuple[rbd.MechanismState, CollisionModel]:
    """Return a floating body with a shape, and a floor or another shape of the world, as a pair."""
    mechanism = rbd.Mechanism(gravity=(0, 0, -G))
    body = rbd.RigidBody("body", rbd.SpatialInertia(rbd.Frame("b"), mass=2.0, moment_about_com=np.eye(3) / 50))
    mechanism.attach("world", body, rbd.Joint("free", rbd.QuaternionFloating()))
    model, root = CollisionModel(mechanism), mechanism.root_frame
    floor = HalfSpace(rbd.Point(root, (0, 0, 0)), rbd.FreeVector(root, (0, 0, 1)))
    ground = model.add("world", floor if ground_of is None else ground_of(root))
    model.add_pair(model.add(body, shape_of(body.default_frame)), ground)
    return rbd.MechanismState(mechanism, [1, 0, 0, 0, 0, 0, 0.3]), model


WEDGE = np.array([[0.1, 0.1, -0.05], [-0.1, 0.1, -0.05], [0.1, -0.1, -0.05], [-0.1, -0.1, -0.05], [0, 0, 0.1]])


def test_jacobian_and_bias_are_derivatives_of_the_distance() -> None:
    state, model = free_body(
        lambda frame: ConvexHull(frame, WEDGE, 0.02), lambda root: ConvexHull(root, -WEDGE[:, [1, 2, 0]], 0.03)
    )
    rng = np.random.default_rng(2)
    for _ in range(10):
        q = np.array([*rng.normal(size=4), *rng.normal(size=3) / 20 + [0.3, 0.1, 0.2]])
        q[:4] /= np.linalg.norm(q[:4])
        state.set_configuration(q)
        state.set_velocity(rng.normal(size=6))
        run = [_moved(state, model, h) for h in (-2e-4, -1e-4, 0.0, 1e-4, 2e-4)]
        first = (run[0] - 8 * run[1] + 8 * run[3] - run[4]) / 12e-4
        second = (-run[0] + 16 * run[1] - 30 * run[2] + 16 * run[3] - run[4]) / 12e-8
        assert (model.jacobian(state) @ state.v)[0] == pytest.approx(first, abs=1e-9)
        assert model.bias(state)[0] == pytest.approx(second, abs=1e-5)


def _moved(state: rbd.MechanismState, model: CollisionModel, h: float) -> float:
    """Return the distance after a time with constant coordinate velocities."""
    moved = state.mechanism.joints[0].type.global_coordinates(state.q, h * np.array(state.v))
    return float(model.distances(rbd.MechanismState(state.mechanism, moved))[0].value)


def test_hulls_rest_with_all_corners_and_carry_their_weight() -> None:
    state, model = free_body(lambda frame: ConvexHull(frame, WEDGE, 0.02))
    state.set_configuration([1, 0, 0, 0, 0, 0, 0.071])
    run = ContactSimulator(state.mechanism, model, None, 2e-3, friction=0.5).run(state, 0.5)
    assert run.q[-1, 6] == pytest.approx(0.07, abs=1e-6)
    assert np.abs(run.v[-1]).max() < 1e-8
    after = rbd.contact.contact_step(state, model, None, 2e-3, friction=0.5)
    assert after.impulses.sum() == pytest.approx(2.0 * G * 2e-3, rel=1e-8)


def test_hulls_rest_on_hills_as_the_spheres_of_their_corners() -> None:
    heights = np.random.default_rng(0).uniform(0, 0.02, (9, 9))
    _, model = free_body(
        lambda frame: ConvexHull(frame, WEDGE, 0.02), lambda root: HeightField(root, (1.0, 1.0), heights)
    )
    found = model.distances(rbd.MechanismState(model.mechanism, [1, 0, 0, 0, 0, 0, 0.08]))[0].value
    singles = []
    for corner in WEDGE:
        _, one = free_body(lambda frame: Sphere(frame, 0.02), lambda root: HeightField(root, (1.0, 1.0), heights))
        q = [1, 0, 0, 0, *(corner + [0, 0, 0.08])]
        singles.append(one.distances(rbd.MechanismState(one.mechanism, q))[0].value)
    assert found == pytest.approx(min(singles), abs=1e-12)


def test_cores_that_overlap_raise_and_name_the_remedy() -> None:
    state, model = free_body(lambda frame: ConvexHull(frame, WEDGE, 0.02), lambda root: Box(root, (0.3, 0.3, 0.3)))
    state.set_configuration([1, 0, 0, 0, 0, 0, 0.201])
    assert model.distances(state)[0].value == pytest.approx(-0.019)
    state.set_configuration([1, 0, 0, 0, 0, 0, 0.199])
    with pytest.raises(SolverError, match="deeper than their radii"):
        model.distances(state)


@pytest.mark.optimised
def test_lanes_threads_and_the_interpreter_give_the_same_bits() -> None:
    graph, count, rng = Graph(), 21, np.random.default_rng(1)
    a, b = graph.input("a", (15,)), graph.input("b", (12,))
    first = [(a[k], a[k + 1], a[k + 2]) for k in range(0, 15, 3)]
    found = nearest_of_hulls(first, [(b[k], b[k + 1], b[k + 2]) for k in range(0, 12, 3)])
    program = Program.of(graph, "hulls", {"phi": (found.phi,), "n": found.n, "p_a": found.p_a})
    arrays = [rng.normal(size=(count, 15)), rng.normal(size=(count, 12)) + np.tile([4.0, 1.0, 0.0], 4)]
    expected = reference(program, arrays, count)
    assert_same_bits(native_singles(CompiledProgram(program, 1), arrays, count), expected)
    for lanes in (2, 8):
        assert_same_bits(native_rows(CompiledProgram(program, lanes), arrays, count), expected)
    assert_same_bits(native_rows(CompiledProgram(program, 8), arrays, count, threads=2), expected)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_copies_cannot_be_written_either(copied: Any) -> None:
    found = copied(hull(WEDGE)), copied(HeightField(Frame("hills"), (1.0, 2.0), np.eye(3)))
    for array, expected in zip((found[0].points, found[1].heights), (WEDGE, np.eye(3)), strict=True):
        assert np.array_equal(array, expected)
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = np.nan
    assert (found[0].radius, found[1].size, found[1].frame.name) == (0.01, (1.0, 2.0), "hills")


def test_wrong_hulls_are_refused() -> None:
    frame = Frame("f")
    with pytest.raises(ShapeError, match="points"):
        ConvexHull(frame, [[0.0, 1.0]], 0.1)
    with pytest.raises(NotFiniteError, match="points"):
        ConvexHull(frame, [[0.0, 1.0, np.nan]], 0.1)
    with pytest.raises(ArgumentError, match="1 to 128"):
        ConvexHull(frame, np.zeros((129, 3)), 0.1)
    with pytest.raises(ArgumentError, match="radius"):
        ConvexHull(frame, [[0.0, 0.0, 0.0]], 0.0)
    with pytest.raises(ArgumentError, match=r"needs 2e\+299"):
        ConvexHull(frame, [[1e308, 0.0, 0.0], [-1e308, 0.0, 0.0]], 1.0)
