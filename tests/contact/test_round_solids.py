"""Cylinders and ellipsoids: distances from planes and spheres, rest, rolling, derivatives, bits, refused pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rbd
from rbd.contact import (
    Box,
    CollisionModel,
    ContactSimulator,
    Cylinder,
    Ellipsoid,
    HalfSpace,
    Sphere,
    contact_step,
    contact_step_derivatives,
)
from rbd.contact.geometry.contact_points import contact_points
from rbd.contact.geometry.placed_shapes import PlacedCylinder, PlacedEllipsoid, PlacedSphere
from rbd.contact.geometry.shape_distance import nearest_points
from rbd.contact.geometry.shape_kinds import place
from rbd.errors import ArgumentError, SolverError
from rbd.native.compiled_program import CompiledProgram
from rbd.program.graph import Graph
from rbd.program.program import Program
from rbd.scalars.arrays import Array
from rbd.spatial import Frame, FreeVector, Point
from tests.contact.samples import between, numbers, pose, rotation
from tests.contact.test_convex_hulls import G, free_body
from tests.native.programs import assert_same_bits, native_rows, native_singles, reference

Round = Cylinder[Any] | Ellipsoid[Any]


def drawn(kind: str, rng: np.random.Generator) -> Round:
    frame = Frame(kind)
    if kind == "cylinder":
        return Cylinder(frame, *rng.uniform(0.05, 0.4, 2))
    return Ellipsoid(frame, rng.uniform(0.05, 0.4, 3))


def reach(shape: Round, direction: Array) -> float:
    """Return how far a shape extends in a direction, in its frame (the support function)."""
    if isinstance(shape, Cylinder):
        return abs(direction[2]) * shape.length / 2 + shape.radius * float(np.hypot(direction[0], direction[1]))
    return float(np.linalg.norm(direction * np.array(shape.radii)))


def excess(shape: Round, point: Array) -> float:
    """Return how much a point in the frame of a shape is outside: zero on the surface."""
    if isinstance(shape, Cylinder):
        return max(abs(point[2]) - shape.length / 2, float(np.hypot(point[0], point[1])) - shape.radius)
    return float(np.linalg.norm(point / np.array(shape.radii))) - 1


@pytest.mark.parametrize("kind", ["cylinder", "ellipsoid"])
@given(st.integers(0, 10**6))
def test_nearest_points_of_spheres_are_on_both_surfaces_and_along_the_normals(kind: str, seed: int) -> None:
    """No point of a convex shape is beyond the plane through its witness: so no other points are nearer."""
    rng = np.random.default_rng(seed)
    shape, ball = drawn(kind, rng), Sphere(Frame("ball"), rng.uniform(0.01, 0.1))
    turn, at, there = rotation(rng), rng.normal(size=3), rng.normal(size=3)
    center = turn.T @ (there - at)
    phi, p_a, p_b, n = numbers(between(shape, pose(shape, turn, at), ball, pose(ball, np.eye(3), there)))
    np.testing.assert_allclose(p_a - p_b, phi * n, rtol=0, atol=1e-14)
    np.testing.assert_allclose(p_b, there + ball.radius * n, rtol=0, atol=1e-14)
    local, outwards = turn.T @ (p_a - at), -turn.T @ n
    assert excess(shape, local) == pytest.approx(0, abs=1e-12)
    if excess(shape, center) > 0:
        assert reach(shape, outwards) == pytest.approx(outwards @ local, abs=1e-13)
        assert phi > -ball.radius
    swapped = numbers(between(ball, pose(ball, np.eye(3), there), shape, pose(shape, turn, at)))
    assert swapped[0] == phi


@pytest.mark.parametrize("kind", ["cylinder", "ellipsoid"])
@given(st.integers(0, 10**6))
def test_distances_from_planes_are_those_of_the_support_function(kind: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape, turn, at = drawn(kind, rng), rotation(rng), rng.normal(size=3)
    if seed % 4 == 0:
        turn = turn @ np.diag([1.0, -1.0, -1.0]) if seed % 8 else np.eye(3)
    plane = HalfSpace(Point(frame := Frame("plane"), (0, 0, 0)), FreeVector(frame, turn[:, seed % 3]))
    placed = pose(shape, turn if seed % 5 else rotation(rng), at), pose(plane, np.eye(3), np.zeros(3))
    n = np.array(plane.normal.xyz)
    phi, p_a, _, _ = numbers(between(shape, placed[0], plane, placed[1]))
    local = placed[0].rotation.T @ n
    assert phi == pytest.approx(at @ n - reach(shape, local), abs=1e-14)
    assert excess(shape, placed[0].rotation.T @ (p_a - at)) == pytest.approx(0, abs=1e-13)
    points = contact_points(place(shape, placed[0]), place(plane, placed[1]))
    assert min(float(point.phi) for point in points) == pytest.approx(phi, abs=1e-14)
    for point in points:
        rim = placed[0].rotation.T @ (np.array(point.p_a, dtype=float) - at)
        assert excess(shape, rim) == pytest.approx(0, abs=1e-13)


def test_a_sphere_deep_inside_a_cylinder_is_pushed_out_of_the_nearest_side() -> None:
    drum, ball = Cylinder(Frame("drum"), 1.0, 0.3), Sphere(Frame("ball"), 0.05)
    for center, depth, normal in (((0.1, 0, 0.45), 0.05, (0, 0, -1)), ((0.2, 0, 0.1), 0.1, (-1, 0, 0))):
        there = pose(ball, np.eye(3), np.array(center))
        phi, _, _, n = numbers(between(drum, pose(drum, np.eye(3), np.zeros(3)), ball, there))
        assert phi == pytest.approx(-depth - 0.05, abs=1e-15)
        np.testing.assert_allclose(n, normal, rtol=0, atol=1e-15)


def test_a_sphere_in_the_middle_of_an_ellipsoid_raises() -> None:
    egg, ball = Ellipsoid(Frame("egg"), (0.3, 0.2, 0.1)), Sphere(Frame("ball"), 0.05)
    with pytest.raises(SolverError, match="so deep in an ellipsoid"):
        between(egg, pose(egg, np.eye(3), np.zeros(3)), ball, pose(ball, np.eye(3), np.zeros(3)))


@pytest.mark.parametrize("ground", ["plane", "sphere"])
@pytest.mark.parametrize("kind", ["cylinder", "ellipsoid"])
def test_jacobian_and_bias_are_derivatives_of_the_distance(kind: str, ground: str) -> None:
    rng = np.random.default_rng(5)
    shape = (lambda f: Cylinder(f, 0.2, 0.1)) if kind == "cylinder" else (lambda f: Ellipsoid(f, (0.1, 0.15, 0.07)))
    state, model = free_body(shape, None if ground == "plane" else lambda root: Sphere(root, 0.2))
    for _ in range(10):
        q = np.array([*rng.normal(size=4), *rng.normal(size=3) / 20 + [0.3, 0.1, 0.3]])
        q[:4] /= np.linalg.norm(q[:4])
        state.set_configuration(q)
        state.set_velocity(rng.normal(size=6))
        run = [_moved(state, model, h) for h in (-2e-4, -1e-4, 0.0, 1e-4, 2e-4)]
        first = (run[0] - 8 * run[1] + 8 * run[3] - run[4]) / 12e-4
        second = (-run[0] + 16 * run[1] - 30 * run[2] + 16 * run[3] - run[4]) / 12e-8
        assert (model.jacobian(state) @ state.v)[0] == pytest.approx(first, abs=1e-9)
        assert model.bias(state)[0] == pytest.approx(second, abs=1e-5)


def _moved(state: rbd.MechanismState, model: CollisionModel, h: float) -> float:
    moved = state.mechanism.joints[0].type.global_coordinates(state.q, h * np.array(state.v))
    return float(model.distances(rbd.MechanismState(state.mechanism, moved))[0].value)


def test_a_tilted_cylinder_settles_on_its_end_and_carries_its_weight() -> None:
    state, model = free_body(lambda frame: Cylinder(frame, 0.2, 0.1))
    state.set_configuration([np.cos(0.1), np.sin(0.1), 0, 0, 0, 0, 0.13])
    run = ContactSimulator(state.mechanism, model, None, 1e-3, friction=0.5).run(state, 1.5)
    assert np.abs(state.v).max() < 1e-12
    assert state.q[6] == pytest.approx(0.1, abs=1e-9)
    assert np.abs(run.distances[-1]).max() < 1e-9
    after = contact_step(state, model, None, 1e-3, friction=0.5)
    assert after.impulses.sum() == pytest.approx(2.0 * G * 1e-3, rel=1e-9)


def test_a_cylinder_rolls_on_its_side_for_ever() -> None:
    """Nothing of the rim that comes down brakes it: it keeps its speed and direction."""
    state, model = free_body(lambda frame: Cylinder(frame, 0.2, 0.1))
    state.set_configuration([np.cos(np.pi / 4), np.sin(np.pi / 4), 0, 0, 0, 0, 0.1])
    state.set_velocity([0, 0, -3.0, 0.3, 0, 0])
    run = ContactSimulator(state.mechanism, model, None, 1e-3, friction=0.5).run(state, 2.0)
    assert state.v[2] == pytest.approx(-3.0, abs=1e-9)
    np.testing.assert_allclose(state.q[4:], [0.6, 0, 0.1], rtol=0, atol=1e-9)
    assert run.distances.min() > -1e-9


def test_a_cylinder_rolls_down_a_slope_as_fast_as_its_inertia_lets_it() -> None:
    angle = 0.2
    state, model = free_body(
        lambda frame: Cylinder(frame, 0.2, 0.1),
        lambda root: HalfSpace(Point(root, (0, 0, 0)), FreeVector(root, (np.sin(angle), 0, np.cos(angle)))),
    )
    state.set_configuration([np.cos(np.pi / 4), np.sin(np.pi / 4), 0, 0, 0, 0, 0.1 / np.cos(angle)])
    ContactSimulator(state.mechanism, model, None, 1e-3, friction=0.5).run(state, 1.0)
    inertia = 2.0 * 0.1**2
    wanted = G * np.sin(angle) / (1 + 1 / 50 / inertia)
    assert np.linalg.norm(state.v[3:]) == pytest.approx(wanted, rel=1e-3)


def test_an_ellipsoid_rocks_about_its_flattest_side_and_gains_nothing() -> None:
    state, model = free_body(lambda frame: Ellipsoid(frame, (0.1, 0.12, 0.05)))
    state.set_configuration([np.cos(0.1), np.sin(0.1), 0, 0, 0, 0, 0.06])
    highest = []
    simulator = ContactSimulator(state.mechanism, model, None, 1e-3, friction=0.5)
    for _ in range(4):
        run = simulator.run(state, 1.0)
        highest.append(float(run.q[:, 6].max()))
        assert run.distances.min() > -2e-4
    assert highest == sorted(highest, reverse=True)


def check_step_derivatives(state: rbd.MechanismState, model: CollisionModel) -> None:
    """Check the derivatives of a step with a touch, by the configuration, against central differences."""
    found = contact_step_derivatives(state, model, np.zeros(6), 1e-2, friction=0.3)
    assert contact_step(state, model, np.zeros(6), 1e-2, friction=0.3).impulses.sum() > 0
    differences, h = np.empty((6, 6)), 1e-6
    for k in range(6):
        ends = []
        for step in (h, -h):
            moved = state.mechanism.joints[0].type.global_coordinates(state.q, step * np.eye(6)[k])
            other = rbd.MechanismState(state.mechanism, moved, state.v)
            ends.append(contact_step(other, model, np.zeros(6), 1e-2, friction=0.3).v)
        differences[:, k] = (ends[0] - ends[1]) / (2 * h)
    np.testing.assert_allclose(found.v_by_q, differences, rtol=0, atol=1e-6 * np.abs(differences).max())


@pytest.mark.parametrize("kind", ["cylinder", "ellipsoid"])
def test_derivatives_of_steps_are_those_of_differences(kind: str) -> None:
    shape = (lambda f: Cylinder(f, 0.2, 0.1)) if kind == "cylinder" else (lambda f: Ellipsoid(f, (0.1, 0.12, 0.09)))
    state, model = free_body(shape)
    height = 0.115 if kind == "cylinder" else 0.0925
    state.set_configuration([np.cos(0.1), np.sin(0.1) * 0.8, np.sin(0.1) * 0.6, 0, 0, 0, height])
    state.set_velocity([0.3, -0.2, 0.5, 0.4, 0.2, -2.0])
    check_step_derivatives(state, model)


@pytest.mark.optimised
@pytest.mark.parametrize("kind", ["cylinder", "ellipsoid"])
def test_lanes_threads_and_the_interpreter_give_the_same_bits(kind: str) -> None:
    rng, count, graph = np.random.default_rng(1), 21, Graph()
    center, x = graph.input("center", (3,)), graph.input("x", (3,))
    axes: Any = tuple(map(tuple, rotation(rng).tolist()))
    at, there = (center[0], center[1], center[2]), (x[0], x[1], x[2])
    shape = PlacedCylinder(at, axes, 0.1, 0.1) if kind == "cylinder" else PlacedEllipsoid(at, axes, (0.1, 0.3, 0.2))
    found = nearest_points(shape, PlacedSphere(there, 0.05))
    program = Program.of(graph, kind, {"phi": (found.phi,), "n": found.n, "p_a": found.p_a})
    arrays = [rng.normal(size=(count, 3)), rng.normal(size=(count, 3)) * 2]
    expected = reference(program, arrays, count)
    assert_same_bits(native_singles(CompiledProgram(program, 1), arrays, count), expected)
    for lanes in (2, 8):
        assert_same_bits(native_rows(CompiledProgram(program, lanes), arrays, count), expected)
    assert_same_bits(native_rows(CompiledProgram(program, 8), arrays, count, threads=2), expected)


def test_pairs_without_a_known_distance_are_refused_and_left_out() -> None:
    state, model = free_body(lambda frame: Cylinder(frame, 0.2, 0.1, hull_points=None))
    mechanism = state.mechanism
    drum, box = model.shapes[1], model.add("world", Box(mechanism.root_frame, (1, 1, 1)))
    with pytest.raises(
        ArgumentError,
        match="the distance of a Cylinder and a Box is not known; give cylinders and ellipsoids hull_points",
    ):
        model.add_pair(drum, box)
    before = model.pairs
    model.add_all_pairs(neighbours=True)
    assert model.pairs == before
    with pytest.raises(ArgumentError, match="cylinders or ellipsoids"):
        model.near(state, 0.1)
    egg = model.add("body", Ellipsoid(mechanism.bodies[1].default_frame, (0.1, 0.2, 0.3), hull_points=None))
    with pytest.raises(ArgumentError, match="the distance of an Ellipsoid and a Box is not known"):
        model.add_pair(egg, box)


@pytest.mark.peers
@pytest.mark.parametrize("kind", ["cylinder", "ellipsoid"])
def test_distances_agree_with_coal(kind: str) -> None:
    """Coal has closed forms of all but ellipsoid and sphere, whose distance it finds by GJK to 1e-7."""
    coal = pytest.importorskip("coal")
    rng, request = np.random.default_rng(3), coal.DistanceRequest()
    request.gjk_tolerance = 1e-12
    worst = {"plane": 0.0, "sphere": 0.0}
    for _ in range(500):
        shape, turn, at = drawn(kind, rng), rotation(rng), rng.normal(size=3)
        theirs = coal.Cylinder(shape.radius, shape.length) if isinstance(shape, Cylinder) else None
        theirs = theirs or coal.Ellipsoid(*shape.radii)  # type: ignore[union-attr]  # the other kind
        ball, there = Sphere(Frame("ball"), rng.uniform(0.01, 0.1)), rng.normal(size=3)
        n = rng.normal(size=3)
        n /= np.linalg.norm(n)
        plane = HalfSpace(Point(frame := Frame("plane"), (0, 0, 0)), FreeVector(frame, n))
        for name, other, their, place_of in (
            ("plane", plane, coal.Halfspace(n, 0.0), np.zeros(3)),
            ("sphere", ball, coal.Sphere(ball.radius), there),
        ):
            at_rest = coal.Transform3s(np.eye(3), place_of)
            result = coal.DistanceResult()
            wanted = coal.distance(theirs, coal.Transform3s(turn, at), their, at_rest, request, result)
            found = numbers(between(shape, pose(shape, turn, at), other, pose(other, np.eye(3), place_of)))[0]
            if wanted > 1e-3:
                worst[name] = max(worst[name], abs(found - wanted))
    assert worst["plane"] < 1e-9
    assert worst["sphere"] < (1e-9 if kind == "cylinder" else 1e-7)


@pytest.mark.peers
@pytest.mark.parametrize("kind", ["cylinder", "ellipsoid"])
def test_depths_in_planes_agree_with_mujoco(kind: str) -> None:
    mujoco = pytest.importorskip("mujoco")
    rng = np.random.default_rng(6)
    for _ in range(100):
        shape = drawn(kind, rng)
        size = (shape.radius, shape.length / 2) if isinstance(shape, Cylinder) else shape.radii
        model = mujoco.MjModel.from_xml_string(f"""<mujoco><worldbody><geom type="plane" size="9 9 1"/>
            <body><freejoint/><geom type="{kind}" size="{" ".join(map(repr, map(float, size)))}"/></body>
            </worldbody></mujoco>""")
        data = mujoco.MjData(model)
        quaternion = rng.normal(size=4)
        data.qpos[:] = [0, 0, 0.02, *(quaternion / np.linalg.norm(quaternion))]
        mujoco.mj_forward(model, data)
        turn = data.xmat[1].reshape(3, 3)
        plane = HalfSpace(Point(frame := Frame("plane"), (0, 0, 0)), FreeVector(frame, (0, 0, 1)))
        placed = pose(shape, turn, np.array([0, 0, 0.02])), pose(plane, np.eye(3), np.zeros(3))
        found = numbers(between(shape, placed[0], plane, placed[1]))[0]
        assert found == pytest.approx(data.contact.dist.min(), abs=1e-9)
