"""Contact points of convex hulls: corners of faces, regions that two faces cover, stacks, derivatives, bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.spatial import ConvexHull as Polygon

import rbd
from rbd.contact import Box, Capsule, CollisionModel, ContactSimulator, ConvexHull, HalfSpace, contact_step
from rbd.contact.geometry.face_contacts import face_contacts
from rbd.contact.geometry.separations import UNUSED_DISTANCE
from rbd.contact.geometry.support_polygons import support_polygon
from rbd.native.compiled_program import CompiledProgram
from rbd.program.graph import Graph
from rbd.program.program import Program
from rbd.scalars.arrays import Array
from rbd.spatial.linalg import Vec3
from tests.contact.samples import rotation
from tests.contact.test_convex_hulls import G, corners, free_body, vectors
from tests.native.programs import assert_same_bits, native_rows, native_singles, reference

Found = list[tuple[float, Array, Array]]


def contacts(a: Array, b: Array, n: Array) -> Found:
    """Return distance and points of the contacts that are there."""
    x, y, z = n.tolist()
    found = face_contacts(vectors(a), vectors(b), (x, y, z))
    near = [point for point in found if float(point.phi) < float(UNUSED_DISTANCE)]
    return [(float(point.phi), np.array(point.p_a, float), np.array(point.p_b, float)) for point in near]


def clipped(polygon: Array, by: Array) -> Array:
    """Return the intersection of two convex polygons, whose corners are counterclockwise (Sutherland, Hodgman 1974)."""
    found = list(polygon)
    for p, q in zip(by, np.roll(by, -1, axis=0), strict=True):
        inside = [float((q - p)[0] * (x - p)[1] - (q - p)[1] * (x - p)[0]) for x in found]
        kept = list[Array]()
        for k, (x, side) in enumerate(zip(found, inside, strict=True)):
            before, last = found[k - 1], inside[k - 1]
            if (side >= 0) != (last >= 0):
                kept.append(before + (x - before) * last / (last - side))
            if side >= 0:
                kept.append(x)
        found = kept
    return np.array(found).reshape(-1, 2)


def area(points: Array) -> float:
    return float(Polygon(points, qhull_options="QJ Pp").volume) if len(points) > 2 else 0.0


def prism(rng: np.random.Generator) -> Array:
    """Return the corners of a prism with a face of three to six corners at z = 0, above which the others are."""
    turns = np.arange(count := int(rng.integers(3, 7))) * 2 * np.pi / count + rng.uniform(0, 0.8 / count, count)
    base = np.column_stack([np.cos(turns), np.sin(turns)]) * rng.uniform(0.05, 0.4, 2) + rng.uniform(-0.1, 0.1, 2)
    return np.vstack([np.column_stack([base, np.full(count, z)]) for z in (0.0, 0.2)])


@given(st.integers(0, 10**6))
def test_contact_points_are_the_corners_of_the_region_that_two_faces_cover(seed: int) -> None:
    rng = np.random.default_rng(seed)
    upper, lower, gap = prism(rng), prism(rng) * [1, 1, -1], rng.uniform(0, 0.01)
    faces = [points[: len(points) // 2, :2] for points in (upper, lower)]
    region = clipped(*(face[Polygon(face).vertices] for face in faces))
    turn = rotation(rng)
    found = contacts((upper + [0, 0, gap]) @ turn.T, lower @ turn.T, turn[:, 2])
    for phi, p_a, p_b in found:
        assert phi == pytest.approx(gap, abs=1e-14)
        np.testing.assert_allclose(p_a - p_b, phi * turn[:, 2], rtol=0, atol=1e-14)
    flat = np.array([p_b @ turn for _, _, p_b in found]).reshape(-1, 3)[:, :2]
    assert all(min(np.linalg.norm(region - point, axis=1)) < 3e-3 for point in flat)
    lost = 4e-3 if len(region) <= 8 else 2e-2
    assert area(flat) == pytest.approx(area(region), abs=lost * max(area(face) for face in faces) + 1e-6)


def test_gaps_of_tilted_faces_are_those_between_the_surfaces() -> None:
    """A cube tilted about its lowest edge: the gaps of its corners, and of corners of the table under it, are exact."""
    angle, table = 0.03, corners(np.array([0.1, 0.5, 0.2]))
    c, s = np.cos(angle), np.sin(angle)
    turned = (corners(np.full(3, 0.2)) - [-0.1, 0, -0.1]) @ np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    found = contacts(turned + [-0.04, 0, 0.1], table, np.array([0.0, 0.0, 1.0]))
    assert len(found) == 4
    for phi, p_a, _ in found:
        assert phi == pytest.approx(np.tan(angle) * (p_a[0] + 0.04), abs=1e-15)
    assert sorted(round(p_a[0], 12) for _, p_a, _ in found) == [-0.04, -0.04, 0.05, 0.05]


def ridge(ends: Array, slope: float, side: float) -> Array:
    """Return the corners of a roof whose ridge is along x, above it or, if `side` is -1, below."""
    edge = [(x, 0.0, slope * x) for x in ends]
    return np.array([*edge, *((x, y, side * 0.5) for x in ends for y in (0.3, -0.3))])


@given(st.integers(0, 10**6))
def test_parallel_edges_touch_at_the_ends_of_their_overlap(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = (np.sort(rng.uniform(-0.5, 0.5, 2)) for _ in range(2))
    ends = max(first[0], second[0]), min(first[1], second[1])
    assume(ends[1] - ends[0] > 0.02 and min(np.ptp(first), np.ptp(second)) > 0.1)
    (up, down), gap, turn = rng.uniform(-0.02, 0.02, 2), rng.uniform(0, 0.01), rotation(rng)
    upper, lower = ridge(first, up, 1) + [0, 0, gap], ridge(second, down, -1)
    found = contacts(upper @ turn.T, lower @ turn.T, turn[:, 2])
    assert len(found) == 2
    for x, (phi, p_a, p_b) in zip(ends, sorted(found, key=lambda each: (each[1] @ turn)[0]), strict=True):
        assert phi == pytest.approx(gap + (up - down) * x, abs=1e-14)
        np.testing.assert_allclose(p_a @ turn, [x, 0, gap + up * x], rtol=0, atol=1e-14)
        np.testing.assert_allclose(p_b @ turn, [x, 0, down * x], rtol=0, atol=1e-14)


@pytest.mark.parametrize("length", [0.2, 1.0])
def test_an_edge_along_that_of_a_table_touches_at_both_ends_of_their_overlap(length: float) -> None:
    table = corners(np.array([0.6, 0.4, 0.2])) - [0, 0.2, 0.1]
    found = contacts(ridge(np.array([-length / 2, length / 2]), 0.0, 1), table, np.array([0.0, 0.0, 1.0]))
    expected = min(length / 2, 0.3)
    points = sorted(tuple(point) for _, point, _ in found)
    np.testing.assert_allclose(points, [[-expected, 0, 0], [expected, 0, 0]], rtol=0, atol=1e-14)
    assert [phi for phi, _, _ in found] == [0, 0]


@pytest.mark.parametrize("width", [1.0, 0.2, 0.05])
def test_faces_have_their_corners_whatever_their_shape(width: float) -> None:
    """All four corners of a rhombus, among many points above and inside the face."""
    rng = np.random.default_rng(1)
    rhombus = np.array([[1.0, 0, 0], [0, width, 0], [-1.0, 0, 0], [0, -width, 0]])
    inside = rng.dirichlet(np.ones(4), 40) @ rhombus
    points = np.vstack([inside + [0, 0, 0.3], rhombus, inside])
    turn = rotation(rng)
    x, y, z = turn[:, 2].tolist()
    polygon = support_polygon(vectors(points @ turn.T), (x, y, z), 1)
    found = np.array(polygon.corners[: int(float(polygon.present))], dtype=float) @ turn
    assert len(found) == 4
    for corner in rhombus:
        assert np.linalg.norm(found - corner, axis=1).min() < 1e-14


def stack(shapes: list[Any]) -> tuple[rbd.MechanismState, CollisionModel]:
    """Return cubes of 0.2 m above each other with small gaps, each made by a function of its frame."""
    mechanism = rbd.Mechanism(gravity=(0, 0, -G))
    model, root, q = CollisionModel(mechanism), mechanism.root_frame, list[float]()
    below: Any = model.add("world", HalfSpace(rbd.Point(root, (0, 0, 0)), rbd.FreeVector(root, (0, 0, 1))))
    for k, shape_of in enumerate(shapes):
        inertia = rbd.SpatialInertia(rbd.Frame(f"cube{k}"), mass=1.5, moment_about_com=0.01 * np.eye(3))
        body = rbd.RigidBody(f"cube{k}", inertia)
        mechanism.attach("world", body, rbd.Joint(f"free{k}", rbd.QuaternionFloating()))
        shape = model.add(body, shape_of(body.default_frame))
        model.add_pair(shape, below)
        below = shape
        q += [1, 0, 0, 0, 0.01 * k, -0.02 * k, 0.1 + 0.2 * k + 1e-4 * (k + 1)]
    return rbd.MechanismState(mechanism, q), model


def rounded_cube(frame: Any) -> ConvexHull[Any]:
    return ConvexHull(frame, corners(np.full(3, 0.19)), 0.005)


def cube(frame: Any) -> Box[Any]:
    return Box(frame, (0.2, 0.2, 0.2))


@pytest.mark.parametrize("shapes", [[rounded_cube] * 2, [rounded_cube, cube, rounded_cube]], ids=["hulls", "mixed"])
def test_a_stack_of_cubes_stands_still_and_carries_its_weight(shapes: list[Any]) -> None:
    state, model = stack(shapes)
    before = state.q.reshape(-1, 7).copy()
    run = ContactSimulator(state.mechanism, model, None, 5e-3, friction=0.5).run(state, 3.0)
    assert np.abs(run.v[-1]).max() < 1e-12
    assert np.abs(run.distances[-1]).max() < 1e-6
    np.testing.assert_allclose(state.q.reshape(-1, 7)[:, :6], before[:, :6], rtol=0, atol=1e-6)
    after = contact_step(state, model, None, 5e-3, friction=0.5)
    np.testing.assert_allclose(after.impulses, 5e-3 * 1.5 * G * np.arange(len(shapes), 0, -1), rtol=1e-9)


def test_a_tilted_hull_settles_on_a_box_as_a_box_does() -> None:
    """Both bodies end at rest, flat, with all their weight on the box."""
    for shape_of in (rounded_cube, cube):
        state, model = free_body(shape_of, lambda root: Box(root, (0.15, 0.5, 0.2)))
        state.set_configuration([np.cos(0.1), 0, np.sin(0.1), 0, 0.02, 0, 0.23])
        ContactSimulator(state.mechanism, model, None, 2e-3, friction=0.5).run(state, 1.5)
        assert np.abs(state.v).max() < 1e-9
        assert state.q[6] == pytest.approx(0.2, abs=1e-6)
        assert np.abs(state.q[1:4]).max() < 1e-5


def test_a_hull_of_many_points_stands_on_the_corners_of_its_face() -> None:
    """A drum with a ring of 32 points at each end and 30 points inside: nine contact points hold it upright."""
    turns = np.arange(32) * np.pi / 16
    ring = 0.1 * np.column_stack([np.cos(turns), np.sin(turns)])
    inside = np.random.default_rng(0).uniform(-0.05, 0.05, (30, 3))
    drum = np.vstack([np.column_stack([ring, np.full(32, z)]) for z in (-0.095, 0.095)] + [inside])
    state, model = free_body(lambda frame: ConvexHull(frame, drum, 0.005))
    state.set_configuration([np.cos(0.02), np.sin(0.02), 0, 0, 0, 0, 0.11])
    ContactSimulator(state.mechanism, model, None, 2e-3, friction=0.5).run(state, 1.5)
    assert state.q[6] == pytest.approx(0.1, abs=1e-6)
    assert np.abs(state.v).max() < 1e-8
    after = contact_step(state, model, None, 2e-3, friction=0.5)
    assert after.impulses.sum() == pytest.approx(2.0 * G * 2e-3, rel=1e-8)


def test_a_capsule_lies_on_a_hull_with_both_ends() -> None:
    lying = [np.cos(np.pi / 4), 0, np.sin(np.pi / 4), 0]
    state, model = free_body(
        lambda frame: Capsule(frame, 0.2, 0.05),
        lambda root: ConvexHull(root, corners(np.array([0.5, 0.5, 0.19])), 0.005),
    )
    state.set_configuration([*lying, 0, 0, 0.1501])
    ContactSimulator(state.mechanism, model, None, 2e-3, friction=0.5).run(state, 1.0)
    assert np.abs(state.v).max() < 1e-9
    np.testing.assert_allclose(state.q, [*lying, 0, 0, 0.15], rtol=0, atol=1e-6)


def faces_program(points: int) -> Program:
    """Return a program of the contact points of two hulls along the z-axis."""
    graph = Graph()
    a, b = graph.input("a", (3 * points,)), graph.input("b", (24,))
    first, second = (
        [(flat[k], flat[k + 1], flat[k + 2]) for k in range(0, count, 3)] for flat, count in ((a, 3 * points), (b, 24))
    )
    up: Vec3 = (0.0, 0.0, 1.0)
    found = face_contacts(first, second, up)
    outputs = {"phi": tuple(p.phi for p in found), "p_a": tuple(x for p in found for x in p.p_a)}
    return Program.of(graph, "faces", outputs)


@pytest.mark.optimised
def test_lanes_threads_and_the_interpreter_give_the_same_bits() -> None:
    rng, count = np.random.default_rng(3), 21
    program, upper, lower = faces_program(12), list[Array](), list[Array]()
    for _ in range(count):
        points = prism(rng)
        upper.append(np.vstack([points, rng.uniform(0.1, 0.2, (12 - len(points), 3))]) + [0, 0, 1e-3])
        lower.append(corners(rng.uniform(0.1, 0.4, 3)))
    arrays = [np.array(upper).reshape(count, -1), np.array(lower).reshape(count, -1)]
    expected = reference(program, arrays, count)
    assert_same_bits(native_singles(CompiledProgram(program, 1), arrays, count), expected)
    for lanes in (2, 8):
        assert_same_bits(native_rows(CompiledProgram(program, lanes), arrays, count), expected)
    assert_same_bits(native_rows(CompiledProgram(program, 8), arrays, count, threads=2), expected)


@pytest.mark.optimised
@pytest.mark.parametrize("count", [2, pytest.param(3, marks=pytest.mark.deep)])
def test_rows_of_batches_of_steps_have_the_bits_of_live_states(count: int) -> None:
    """Hulls and boxes on each other, shifted, so that other corners and crossings bear in each row."""
    state, model = stack([rounded_cube, cube, rounded_cube][:count])

    def step(at: rbd.ScalarState, tau: Any) -> Any:
        after = contact_step(at, model, tau, 2e-3, friction=0.5)
        return after.q, after.v

    nv = 6 * count
    function, rng, rows = rbd.record(step, state.mechanism, tau=nv), np.random.default_rng(7), 11
    q = np.tile(state.q, (rows, 1))
    q.reshape(rows, count, 7)[:, :, 4:6] += rng.uniform(-0.08, 0.08, (rows, count, 2))
    v = rng.normal(size=(rows, nv)) * 0.1
    batch = function(q, v, np.zeros(nv), threads=2)
    for k in range(rows):
        alone = contact_step(rbd.MechanismState(state.mechanism, q[k], v[k]), model, None, 2e-3, friction=0.5)
        np.testing.assert_array_equal(batch[0][k], alone.q)
        np.testing.assert_array_equal(batch[1][k], alone.v)


def test_derivatives_of_steps_through_faces_are_those_of_differences() -> None:
    """A hull that slides, tilted, over the edges of a box: crossings and corners of both bodies bear it."""
    state, model = free_body(
        lambda frame: ConvexHull(frame, corners(np.array([0.2, 0.15, 0.1])), 0.004),
        lambda root: Box(root, (0.17, 0.3, 0.2)),
    )
    state.set_configuration([0.9991875, 0.003, -0.002, 0.04, 0.01, 0.02, 0.1539], normalize=True)
    state.set_velocity([0.1, -0.2, 0.3, 0.4, 0.2, -0.8])
    found = rbd.contact.contact_step_derivatives(state, model, np.zeros(6), 2e-3, friction=0.3)
    differences, h = np.empty((6, 6)), 1e-7
    for k in range(6):
        ends = []
        for step in (h, -h):
            moved = state.mechanism.joints[0].type.global_coordinates(state.q, step * np.eye(6)[k])
            other = rbd.MechanismState(state.mechanism, moved, state.v)
            ends.append(contact_step(other, model, np.zeros(6), 2e-3, friction=0.3).v)
        differences[:, k] = (ends[0] - ends[1]) / (2 * h)
    np.testing.assert_allclose(found.v_by_q, differences, rtol=0, atol=2e-5 * np.abs(differences).max())
