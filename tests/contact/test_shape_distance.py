"""Distances of two shapes: properties of all distances, special positions, nearest points by projection."""

from __future__ import annotations

import numpy as np
import pytest

from rbd.contact import Box, Capsule, HalfSpace, Sphere
from rbd.scalars.arrays import Array
from rbd.spatial import Frame, FreeVector, Point
from tests.contact.samples import KINDS, PAIRS, Sample, between, numbers, pose, rotation

UPRIGHT = np.eye(3)
LYING = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])  # the capsule's axis along x


def _capsule(length: float = 2.0, radius: float = 0.1) -> Capsule:
    return Capsule(Frame("capsule"), length, radius)


def _outside(shape: Sample, tf_inverse: tuple[Array, Array], point: Array) -> float:
    """Return the signed distance of a point from a shape; an independent implementation for floats."""
    turn, at = tf_inverse
    local = turn.T @ (point - at)
    if isinstance(shape, Sphere):
        return float(np.linalg.norm(local)) - shape.radius
    if isinstance(shape, Capsule):
        nearest = np.array([0, 0, np.clip(local[2], -shape.length / 2, shape.length / 2)])
        return float(np.linalg.norm(local - nearest)) - shape.radius
    if isinstance(shape, Box):
        excess = np.abs(local) - np.array(shape.size) / 2
        return float(np.linalg.norm(np.maximum(excess, 0)) + min(excess.max(), 0))
    return float((local - shape.point.xyz) @ shape.normal.xyz)


@pytest.mark.parametrize("kinds", PAIRS, ids=" and ".join)
def test_witnesses_lie_on_the_surfaces_and_differ_by_the_distance_along_the_normal(kinds: tuple[str, str]) -> None:
    rng = np.random.default_rng(1)
    for _ in range(60):
        a, b = KINDS[kinds[0]](rng), KINDS[kinds[1]](rng)
        at_a, at_b = (rotation(rng), rng.normal(size=3) / 5), (rotation(rng), rng.normal(size=3) / 5)
        value, on_a, on_b, normal = numbers(between(a, pose(a, *at_a), b, pose(b, *at_b)))
        assert np.linalg.norm(normal) == pytest.approx(1, abs=1e-14)
        np.testing.assert_allclose(on_a - on_b, value * normal, rtol=0, atol=1e-14)
        if value > 0:
            assert abs(_outside(a, at_a, on_a)) < 1e-14
            assert abs(_outside(b, at_b, on_b)) < 1e-14
        # no shape reaches beyond the plane through its witness (for overlaps: the separating planes)
        for shape, place, witness, outward in ((a, at_a, on_a, -normal), (b, at_b, on_b, normal)):
            if value > 0 or "capsule" not in str(kinds):
                assert _reach(shape, place, outward) <= outward @ witness + 1e-13


def _reach(shape: Sample, place: tuple[Array, Array], outward: Array) -> float:
    """Return how far a shape extends in a direction."""
    turn, at = place
    local, middle = turn.T @ outward, float(outward @ at)
    if isinstance(shape, Sphere):
        return middle + shape.radius
    if isinstance(shape, Capsule):
        return middle + shape.radius + abs(local[2]) * shape.length / 2
    if isinstance(shape, Box):
        return middle + float(np.abs(local) @ np.array(shape.size)) / 2
    return float(outward @ (turn @ shape.point.xyz + at)) if local @ shape.normal.xyz > 1 - 1e-12 else np.inf


@pytest.mark.parametrize("kinds", PAIRS, ids=" and ".join)
def test_swapping_the_shapes_flips_the_normal(kinds: tuple[str, str]) -> None:
    rng = np.random.default_rng(2)
    for _ in range(20):
        a, b = KINDS[kinds[0]](rng), KINDS[kinds[1]](rng)
        tf_a, tf_b = (pose(x, rotation(rng), rng.normal(size=3) / 4) for x in (a, b))
        one, other = numbers(between(a, tf_a, b, tf_b)), numbers(between(b, tf_b, a, tf_a))
        assert one[0] == pytest.approx(other[0], abs=1e-15)
        np.testing.assert_allclose(one[3], -other[3], rtol=0, atol=1e-12)
        np.testing.assert_allclose(one[1], other[2], rtol=0, atol=1e-12)


@pytest.mark.parametrize("kinds", PAIRS, ids=" and ".join)
def test_nearest_points_agree_with_alternating_projections(kinds: tuple[str, str]) -> None:
    """Alternating projections onto two convex shapes that are apart end at their nearest points."""
    rng = np.random.default_rng(3)
    for _ in range(8):
        a, b = KINDS[kinds[0]](rng), KINDS[kinds[1]](rng)
        at_a, at_b = (rotation(rng), rng.normal(size=3)), (rotation(rng), -rng.normal(size=3))
        value = numbers(between(a, pose(a, *at_a), b, pose(b, *at_b)))[0]
        if value <= 0.05:
            continue
        x, before = _projected(b, at_b, at_a[1]), np.zeros(3)
        for _ in range(4000):
            if np.array_equal(x, before):
                break  # no projection moves it any more
            x, before = _projected(b, at_b, _projected(a, at_a, x)), x
        found = float(np.linalg.norm(_projected(a, at_a, x) - x))
        assert found == pytest.approx(value, abs=1e-6)
        assert found > value - 1e-13


def _projected(shape: Sample, place: tuple[Array, Array], point: Array) -> Array:
    """Return the point of a shape nearest to a point."""
    turn, at = place
    local = turn.T @ (point - at)
    core = np.zeros(3)
    if isinstance(shape, Capsule):
        core[2] = np.clip(local[2], -shape.length / 2, shape.length / 2)
    if isinstance(shape, (Capsule, Sphere)):
        away = local - core
        length = float(np.linalg.norm(away))
        return turn @ (core + away * min(1, shape.radius / max(length, 1e-300))) + at
    if isinstance(shape, Box):
        half = np.array(shape.size) / 2
        return turn @ np.clip(local, -half, half) + at
    above = float((local - shape.point.xyz) @ shape.normal.xyz)
    return turn @ (local - max(above, 0) * shape.normal.xyz) + at


# --- special positions ------------------------------------------------------------------------------------------------


def test_parallel_capsules_meet_in_the_middle_of_their_overlap() -> None:
    a, b = _capsule(), _capsule()
    value, on_a, on_b, normal = numbers(
        between(a, pose(a, UPRIGHT, np.array([0.0, 0, 0])), b, pose(b, UPRIGHT, np.array([0.5, 0, 1.2])))
    )
    assert value == pytest.approx(0.3, abs=1e-15)
    np.testing.assert_allclose(on_a, [0.1, 0, 0.6], rtol=0, atol=1e-15)
    np.testing.assert_allclose(on_b, [0.4, 0, 0.6], rtol=0, atol=1e-15)
    np.testing.assert_allclose(normal, [-1, 0, 0], rtol=0, atol=1e-15)


@pytest.mark.parametrize("turn", [UPRIGHT, np.diag([1.0, -1.0, -1.0])], ids=["same way", "opposite"])
def test_collinear_capsules_touch_with_their_ends(turn: Array) -> None:
    a, b = _capsule(), _capsule()
    value, on_a, on_b, _ = numbers(between(a, pose(a, UPRIGHT, np.zeros(3)), b, pose(b, turn, np.array([0.0, 0, 2.5]))))
    assert value == pytest.approx(0.3, abs=1e-15)
    np.testing.assert_allclose((on_a, on_b), [[0, 0, 1.1], [0, 0, 1.4]], rtol=0, atol=1e-15)


def test_normal_of_crossing_axes_is_their_common_perpendicular_or_the_previous_one() -> None:
    a, b = _capsule(), _capsule()
    places = pose(a, UPRIGHT, np.zeros(3)), pose(b, LYING, np.zeros(3))
    value, on_a, on_b, normal = numbers(between(a, places[0], b, places[1]))
    assert value == pytest.approx(-0.2, abs=1e-15)
    np.testing.assert_allclose(np.abs(normal), [0, 1, 0], rtol=0, atol=1e-15)
    np.testing.assert_allclose(on_a - on_b, value * normal, rtol=0, atol=1e-15)
    kept = numbers(between(a, places[0], b, places[1], previous=(0.0, -1.0, 0.0)))[3]
    np.testing.assert_allclose(kept, [0, -1, 0], rtol=0, atol=0)


def test_normal_of_coincident_capsules_is_perpendicular_to_the_axis() -> None:
    a, b = _capsule(), _capsule()
    value, _, _, normal = numbers(between(a, pose(a, UPRIGHT, np.zeros(3)), b, pose(b, UPRIGHT, np.zeros(3))))
    assert value == pytest.approx(-0.2, abs=1e-15)
    assert np.linalg.norm(normal) == pytest.approx(1, abs=1e-15)
    assert normal[2] == pytest.approx(0, abs=1e-15)


def test_normal_of_concentric_spheres_is_the_previous_one() -> None:
    a, b = Sphere(Frame("a"), 0.2), Sphere(Frame("b"), 0.1)
    places = pose(a, UPRIGHT, np.ones(3)), pose(b, UPRIGHT, np.ones(3))
    value, _, _, normal = numbers(between(a, places[0], b, places[1], previous=(0.6, 0.8, 0.0)))
    assert value == pytest.approx(-0.3, abs=1e-15)
    np.testing.assert_allclose(normal, [0.6, 0.8, 0], rtol=0, atol=0)


def test_level_box_touches_a_plane_with_the_middle_of_its_face() -> None:
    box, world = Box(Frame("box"), (0.4, 0.2, 0.1)), Frame("world")
    floor = HalfSpace(Point(world, (0, 0, 0)), FreeVector(world, (0, 0, 1)))
    found = between(box, pose(box, UPRIGHT, np.array([3.0, 4.0, 0.3])), floor, pose(floor, UPRIGHT, np.zeros(3)))
    value, on_a, on_b, normal = numbers(found)
    assert value == pytest.approx(0.25, abs=1e-15)
    np.testing.assert_allclose((on_a, on_b, normal), [[3, 4, 0.25], [3, 4, 0], [0, 0, 1]], rtol=0, atol=1e-15)


def test_stacked_boxes_have_an_upright_normal() -> None:
    a, b = Box(Frame("a"), (0.2, 0.2, 0.2)), Box(Frame("b"), (0.2, 0.2, 0.2))
    for gap in (-0.01, 0.0, 0.01):
        found = between(a, pose(a, UPRIGHT, np.array([0.05, 0, 0.2 + gap])), b, pose(b, UPRIGHT, np.zeros(3)))
        value, _, _, normal = numbers(found)
        assert value == pytest.approx(gap, abs=1e-15)
        np.testing.assert_allclose(normal, [0, 0, 1], rtol=0, atol=1e-15)


def test_a_capsule_inside_a_box_is_pushed_out_of_the_nearest_face() -> None:
    box, rod = Box(Frame("box"), (1.0, 1.0, 1.0)), Capsule(Frame("rod"), 0.2, 0.05)
    found = between(rod, pose(rod, LYING, np.array([0.0, 0.3, 0.0])), box, pose(box, UPRIGHT, np.zeros(3)))
    value, on_a, on_b, normal = numbers(found)
    assert value == pytest.approx(-(0.2 + 0.05), abs=1e-15)
    np.testing.assert_allclose(normal, [0, 1, 0], rtol=0, atol=1e-15)
    np.testing.assert_allclose(on_a - on_b, value * normal, rtol=0, atol=1e-15)
