"""Cylinders and ellipsoids against boxes, capsules, hulls, height fields and each other, as hulls that face these."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import ConvexHull as Polyhedron

import rbd
from rbd.contact import (
    Box,
    Capsule,
    CollisionModel,
    ContactSimulator,
    ConvexHull,
    Cylinder,
    Ellipsoid,
    HeightField,
    Shape,
    contact_step,
)
from rbd.contact.geometry.contact_points import contact_points
from rbd.contact.geometry.facing_hulls import facing_hulls
from rbd.contact.geometry.placed_shapes import PlacedHull
from rbd.contact.geometry.round_solids import corners_of
from rbd.contact.geometry.shape_kinds import place
from rbd.errors import ArgumentError, SolverError
from rbd.scalars.arrays import Array
from rbd.spatial import Frame
from tests.contact.samples import between, numbers, pose, rotation
from tests.contact.test_convex_hulls import G, _moved, corners, free_body
from tests.contact.test_round_solids import Round, check_step_derivatives, drawn, excess, reach

LYING = [np.cos(np.pi / 4), np.sin(np.pi / 4), 0, 0]
KINDS = pytest.mark.parametrize("kind", ["cylinder", "ellipsoid"])
OTHERS: dict[str, Callable[[Any], Shape]] = {
    "box": lambda root: Box(root, (0.3, 0.4, 0.2)),
    "capsule": lambda root: Capsule(root, 0.3, 0.1),
    "hull": lambda root: ConvexHull(root, corners(np.array([0.3, 0.2, 0.1])), 0.01),
    "cylinder": lambda root: Cylinder(root, 0.3, 0.1),
    "ellipsoid": lambda root: Ellipsoid(root, (0.2, 0.1, 0.15)),
}


def table(root: Any) -> Box[Any]:
    return Box(root, (1.0, 1.0, 0.2))


def body_of(kind: str, points: int = 32) -> Callable[[Any], Round]:
    """Return what makes a cylinder or ellipsoid in a frame."""
    if kind == "cylinder":
        return lambda frame: Cylinder(frame, 0.2, 0.1, hull_points=points)
    return lambda frame: Ellipsoid(frame, (0.1, 0.12, 0.07), hull_points=points)


def run_on(ground: Callable[[Any], Shape], shape: Callable[[Any], Shape], q: Any, v: Any = (0,) * 6) -> Array:
    """Let a body move for a second; it carries its weight if it began at rest. Return its coordinates and velocity."""
    state, model = free_body(shape, ground)
    state.set_configuration(q)
    state.set_velocity(v)
    ContactSimulator(state.mechanism, model, None, 1e-3, friction=0.5).run(state, 1.0)
    if not any(v):
        assert np.abs(state.v).max() < 1e-9
        after = contact_step(state, model, None, 1e-3, friction=0.5)
        assert after.impulses.sum() == pytest.approx(2.0 * G * 1e-3, rel=1e-9)
    return np.array([*state.q, *state.v])


@KINDS
@given(st.integers(0, 10**6))
def test_hulls_are_inside_and_no_farther_from_the_surface_than_their_error(kind: str, seed: int) -> None:
    """Support functions in random directions; towards the other shape an ellipsoid and the side of a cylinder reach
    as far as their hulls.
    """
    rng = np.random.default_rng(seed)
    shape, box = drawn(kind, rng), Box(Frame("box"), (0.1, 0.2, 0.3))
    turn, there = rotation(rng), pose(box, rotation(rng), rng.normal(size=3) + [3, 0, 0])
    hull, _ = facing_hulls(place(shape, pose(shape, turn, np.zeros(3))), place(box, there))
    assert isinstance(hull, PlacedHull)
    points = np.array(hull.points, dtype=float) @ turn
    for direction in rng.normal(size=(50, 3)):
        n = direction / np.linalg.norm(direction)
        lost = reach(shape, n) - float((points @ n).max() + hull.radius)
        assert -1e-12 < lost <= shape.hull_error
    assert max(excess(shape, point) for point in points) < 0


@pytest.mark.parametrize("points", [4, 5, 9, 19, 32, 77, 128])
def test_corners_of_ellipsoids_leave_no_larger_gaps_than_their_error_says(points: int) -> None:
    """Of a ball, the deepest places between corners are in the middle of faces of their convex hull."""
    ball = Ellipsoid(Frame("ball"), (1.0, 1.0, 1.0), hull_points=points)
    faces = Polyhedron(corners_of(ball)).equations
    lost = 1 - (ball.rounding - float(faces[:, 3].max()))
    assert lost < ball.hull_error < 1.1 * lost


@KINDS
def test_shapes_without_a_hull_have_no_error_of_it(kind: str) -> None:
    shape = OTHERS[kind](Frame("a"))
    assert isinstance(shape, (Cylinder, Ellipsoid))
    exact = (
        Cylinder(shape.frame, shape.length, shape.radius, hull_points=None)
        if isinstance(shape, Cylinder)
        else Ellipsoid(shape.frame, shape.radii, hull_points=None)
    )
    assert exact.hull_error == 0 < shape.hull_error


@pytest.mark.peers
@KINDS
@pytest.mark.parametrize("other", ["box", "capsule", "cylinder", "ellipsoid"])
def test_distances_are_those_of_coal_up_to_the_stated_error(kind: str, other: str) -> None:
    """Never less, and more by 0.035 of the radius of a cylinder and 0.015 of the longest semi-axis at most."""
    coal = pytest.importorskip("coal")
    theirs: dict[str, Callable[[Any], Any]] = {
        "box": lambda s: coal.Box(np.array(s.size)),
        "capsule": lambda s: coal.Capsule(s.radius, s.length),
        "cylinder": lambda s: coal.Cylinder(s.radius, s.length),
        "ellipsoid": lambda s: coal.Ellipsoid(np.array(s.radii)),
    }
    rng, request, apart = np.random.default_rng(8), coal.DistanceRequest(), 0
    request.gjk_tolerance = 1e-10
    for _ in range(200):
        a, b = drawn(kind, rng), OTHERS[other](Frame("b"))
        there = [(rotation(rng), rng.normal(size=3) / 2) for _ in range(2)]
        poses = [coal.Transform3s(*place) for place in there]
        result = coal.DistanceResult()
        wanted = coal.distance(theirs[kind](a), poses[0], theirs[other](b), poses[1], request, result)
        if wanted < 1e-3:
            continue
        found = numbers(between(a, pose(a, *there[0]), b, pose(b, *there[1])))[0]  # type: ignore[arg-type]  # any shape
        errors = [
            min(shape.hull_error, 0.035 * shape.radius if isinstance(shape, Cylinder) else 0.015 * max(shape.radii))
            for shape in (a, b)
            if isinstance(shape, (Cylinder, Ellipsoid))
        ]
        assert -1e-8 < found - wanted < sum(errors)
        apart += 1
    assert apart > 60


@KINDS
@given(st.integers(0, 10**6))
def test_distances_from_faces_are_exact_up_to_the_rounding_of_the_rim(kind: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape, box = drawn(kind, rng), Box(Frame("box"), (9.0, 9.0, 2.0))
    turn, height = rotation(rng), rng.uniform(0.5, 1)
    there = pose(box, np.eye(3), np.array([0, 0, -1]))
    phi, p_a, p_b, n = numbers(between(shape, pose(shape, turn, np.array([0, 0, height])), box, there))
    lowest = reach(shape, turn.T @ [0, 0, -1])
    rim = 0.0
    if isinstance(shape, Cylinder):
        rim = shape.rounding * (abs(turn[2, 2]) + float(np.hypot(*turn[2, :2])) - 1)
    assert phi == pytest.approx(height - lowest + rim, abs=1e-12)
    np.testing.assert_allclose(p_a - p_b, phi * n, rtol=0, atol=1e-13)
    np.testing.assert_allclose(n, [0, 0, 1], rtol=0, atol=1e-12)


@KINDS
@pytest.mark.parametrize("other", OTHERS)
def test_the_order_of_two_shapes_does_not_matter_and_no_contact_is_deeper_than_the_distance(
    kind: str, other: str
) -> None:
    rng = np.random.default_rng(4)
    for _ in range(20):
        a, b = drawn(kind, rng), OTHERS[other](Frame("b"))
        away = rng.normal(size=3)
        there = pose(a, rotation(rng), away / np.linalg.norm(away)), pose(b, rotation(rng), np.zeros(3))  # type: ignore[arg-type]  # any shape
        one, two = place(a, there[0]), place(b, there[1])
        found, swapped = contact_points(one, two), contact_points(two, one)
        phi, p_a, _, n = numbers(found[0])
        assert float(swapped[0].phi) == pytest.approx(phi, abs=1e-12)
        np.testing.assert_allclose(numbers(swapped[0])[2], p_a, rtol=0, atol=1e-6)
        np.testing.assert_allclose(numbers(swapped[0])[3], -n, rtol=0, atol=1e-7)
        assert min(float(point.phi) for point in found) >= phi - 1e-9


@KINDS
@pytest.mark.parametrize("other", OTHERS)
def test_jacobian_and_bias_are_derivatives_of_the_distance(kind: str, other: str) -> None:
    """The points of the hulls slide over the bodies, which the derivatives follow."""
    rng, (state, model) = np.random.default_rng(6), free_body(body_of(kind), OTHERS[other])
    for _ in range(8):
        away = rng.normal(size=3)
        state.set_configuration([*rng.normal(size=4), *away / np.linalg.norm(away) / 2], normalize=True)
        state.set_velocity(rng.normal(size=6))
        run = [_moved(state, model, h) for h in (-8e-5, -4e-5, 0.0, 4e-5, 8e-5)]
        first = (run[0] - 8 * run[1] + 8 * run[3] - run[4]) / 48e-5
        second = (-run[0] + 16 * run[1] - 30 * run[2] + 16 * run[3] - run[4]) / 192e-10
        assert (model.jacobian(state) @ state.v)[0] == pytest.approx(first, abs=1e-9)
        assert model.bias(state)[0] == pytest.approx(second, abs=1e-5)


@pytest.mark.parametrize("height", [0.301, 0.0])
def test_bias_of_cylinders_end_to_end_and_side_by_side(height: float) -> None:
    """The relative motion of the end is along it; that of the sides is 0.3 m/s across, and a turn about one axis."""
    state, model = free_body(OTHERS["cylinder"], OTHERS["cylinder"])
    state.set_configuration([1, 0, 0, 0, 0.0 if height else 0.201, 0, height])
    state.set_velocity([0, 0, 3.0, 0.0 if height else 0.4, 0.3, 0.1])
    expected = 0.0 if height else 0.3**2 / 0.201 - 3.0 * 0.3
    assert model.bias(state)[0] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("offset", [0.0, 0.05, -0.2])
def test_cylinders_that_meet_side_by_side_do_not_turn_when_the_overlap_is_in_the_middle(offset: float) -> None:
    """The upper one is shorter, and moves along its axis by less than the other is longer: no moment is left."""
    state, model = free_body(lambda frame: Cylinder(frame, 0.3, 0.1), lambda root: Cylinder(root, 1.0, 0.1))
    state.set_configuration([1, 0, 0, 0, 0.2, 0, offset])
    state.set_velocity([0, 0, 0, -1.0, 0, 0])
    found = contact_step(state, model, None, 1e-3, friction=0.0)
    assert found.impulses.sum() == pytest.approx(2.0, rel=1e-9)
    np.testing.assert_allclose(found.v, [0, 0, 0, 0, 0, -G * 1e-3], rtol=0, atol=1e-9)


def test_a_cylinder_falls_onto_its_end_and_stands() -> None:
    q = run_on(table, body_of("cylinder"), [np.cos(0.1), np.sin(0.1) * 0.6, np.sin(0.1) * 0.8, 0, 0, 0, 0.24])
    assert q[6] == pytest.approx(0.2, abs=1e-9)
    assert np.abs(q[1:3]).max() < 1e-7


def test_a_cylinder_lies_on_its_side_and_rolls_for_ever() -> None:
    """On a box as on a plane: no side of the prism brakes it."""
    resting = run_on(table, body_of("cylinder"), [*LYING, 0.1, 0, 0.2])
    np.testing.assert_allclose(resting[:7], [*LYING, 0.1, 0, 0.2], rtol=0, atol=1e-12)
    rolling = run_on(table, body_of("cylinder"), [*LYING, -0.2, 0, 0.2], [0, 0, -3.0, 0.3, 0, 0])
    np.testing.assert_allclose(rolling[4:7], [0.1, 0, 0.2], rtol=0, atol=1e-12)
    assert rolling[9] == pytest.approx(-3.0, abs=1e-12)


def test_an_ellipsoid_rocks_on_a_box_as_on_a_plane() -> None:
    q = [np.cos(0.2), np.sin(0.2), 0, 0, 0, 0, 0.085]
    ends = []
    for ground, height in ((table, 0.1), (None, 0.0)):
        state, model = free_body(body_of("ellipsoid"), ground)
        state.set_configuration([*q[:6], q[6] + height])
        ContactSimulator(state.mechanism, model, None, 1e-3, friction=0.5).run(state, 0.5)
        ends.append([*state.q[:6], state.q[6] - height, *state.v])
    np.testing.assert_allclose(ends[0], ends[1], rtol=0, atol=1e-9)


def test_a_capsule_lies_across_a_cylinder_and_a_cylinder_stands_on_another() -> None:
    across = [np.cos(np.pi / 4), 0, np.sin(np.pi / 4), 0]
    found = run_on(lambda root: Cylinder(root, 0.3, 0.15), lambda f: Capsule(f, 0.2, 0.05), [*across, 0, 0, 0.2001])
    np.testing.assert_allclose(found[:7], [*across, 0, 0, 0.2], rtol=0, atol=1e-6)
    found = run_on(OTHERS["cylinder"], body_of("cylinder"), [1, 0, 0, 0, 0.03, 0, 0.2501])
    np.testing.assert_allclose(found[:7], [1, 0, 0, 0, 0.03, 0, 0.25], rtol=0, atol=1e-6)


@KINDS
def test_round_solids_rest_on_height_fields(kind: str) -> None:
    field = np.zeros((9, 9))
    q = [*LYING, 0, 0, 0.1] if kind == "cylinder" else [1, 0, 0, 0, 0, 0, 0.07]
    found = run_on(lambda root: HeightField(root, (2.0, 2.0), field), body_of(kind, 8), q)
    np.testing.assert_allclose(found[:7], q, rtol=0, atol=1e-9)


@pytest.mark.parametrize("kind", ["cylinder", "ball"])
def test_round_solids_roll_down_slopes_of_height_fields(kind: str) -> None:
    """The hull faces the slope, not what is below: it does not stick on two of its edges."""
    heights, slope = -0.2 * np.linspace(-2, 2, 9)[:, None] * np.ones(9), np.arctan(0.2)
    shape = body_of("cylinder", 8) if kind == "cylinder" else lambda frame: Ellipsoid(frame, (0.1,) * 3, hull_points=8)
    q = [*LYING, -1, 0, 0.2 + 0.1 / np.cos(slope)]
    moved = run_on(lambda root: HeightField(root, (4.0, 4.0), heights), shape, q, (0, 0, -1e-9, 0, 0, 0))
    inertia = 2.0 * 0.1**2
    wanted = G * np.sin(slope) / (1 + 1 / 50 / inertia)
    assert np.linalg.norm(moved[10:]) == pytest.approx(wanted, rel=1e-3)
    assert abs(moved[5]) < 1e-6


@pytest.mark.optimised
@KINDS
def test_round_solids_that_tumble_over_edges_gain_no_energy(kind: str) -> None:
    """Beyond what the removal of overlaps lifts them: a fifth of an overlap in each step."""
    state, model = free_body(body_of(kind), lambda root: Box(root, (0.3, 0.1, 0.2)))

    def energy(q: Array, v: Array) -> float:
        at = rbd.MechanismState(state.mechanism, q, v)
        return float(rbd.kinetic_energy(at) + rbd.gravitational_potential_energy(at))

    state.set_configuration([0.5, 0.3, -0.6, 0.7, 0.02, 0, 0.4], normalize=True)
    state.set_velocity([3.0, -2.0, 4.0, 0, 0, 0])
    run = ContactSimulator(state.mechanism, model, None, 1e-3, friction=0.5).run(state, 0.5)
    energies = np.array([energy(q, v) for q, v in zip(run.q, run.v, strict=True)])
    lifts = 2.0 * G * np.maximum(-run.distances[:, 0], 0) / 5
    assert run.distances.min() < 0
    assert np.all(np.diff(energies) <= lifts + 1e-12)
    assert energies[-1] < energies[0] - 0.5


@KINDS
def test_rows_of_batches_of_steps_have_the_bits_of_live_states(kind: str) -> None:
    state, model = free_body(body_of(kind), OTHERS["cylinder"])

    def step(at: rbd.ScalarState) -> Any:
        after = contact_step(at, model, None, 2e-3, friction=0.5)
        return after.q, after.v

    rng, count = np.random.default_rng(7), 9
    q = np.column_stack([rng.normal(size=(count, 4)), rng.uniform(-0.1, 0.1, (count, 2)), np.full(count, 0.3)])
    q[:, :4] /= np.linalg.norm(q[:, :4], axis=1, keepdims=True)
    v = rng.normal(size=(count, 6)) * 0.1
    batch = rbd.record(step, state.mechanism)(q, v, threads=2)
    for k in range(count):
        alone = contact_step(rbd.MechanismState(state.mechanism, q[k], v[k]), model, None, 2e-3, friction=0.5)
        np.testing.assert_array_equal(batch[0][k], alone.q)
        np.testing.assert_array_equal(batch[1][k], alone.v)


@KINDS
def test_derivatives_of_steps_are_those_of_differences(kind: str) -> None:
    state, model = free_body(body_of(kind, 16), table)
    height = 0.215 if kind == "cylinder" else 0.173
    state.set_configuration([np.cos(0.1), np.sin(0.1) * 0.8, np.sin(0.1) * 0.6, 0, 0, 0, height])
    state.set_velocity([0.3, -0.2, 0.5, 0.4, 0.2, -2.0])
    check_step_derivatives(state, model)


def test_overlaps_deeper_than_the_rounding_raise() -> None:
    state, model = free_body(body_of("cylinder"), table)
    state.set_configuration([*LYING, 0, 0, 0.1955])
    assert model.distances(state)[0].value == pytest.approx(-0.0045, abs=1e-12)
    state.set_configuration([*LYING, 0, 0, 0.1945])
    with pytest.raises(SolverError, match="begin where they overlap less"):
        model.distances(state)


@KINDS
def test_points_of_hulls_are_checked_and_none_leaves_pairs_out(kind: str) -> None:
    def made(points: Any) -> Round:
        frame = Frame("round")
        if kind == "cylinder":
            return Cylinder(frame, 0.2, 0.1, hull_points=points)
        return Ellipsoid(frame, (0.1, 0.2, 0.3), hull_points=points)

    for wrong in (3, 129, 8.0, "many"):
        with pytest.raises(ArgumentError, match="hull_points"):
            made(wrong)
    assert made(128).hull_error < made(32).hull_error < made(4).hull_error
    state, model = free_body(body_of(kind))
    box = model.add("world", table(state.mechanism.root_frame))
    model.add_all_pairs(neighbours=True)
    assert [pair.b for pair in model.pairs][1:] == [box]
    assert isinstance(model, CollisionModel)
