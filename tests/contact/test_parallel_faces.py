"""Distances of boxes and capsules whose faces are parallel, against all pairs of edges."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from rbd.contact import Box, Capsule
from rbd.scalars.arrays import Array
from rbd.spatial import Frame
from tests.contact.samples import between, numbers, pose

LYING = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])  # the capsule's axis along x
TURNS = (0.0, np.pi / 4, np.pi / 2, np.pi)
Solid = tuple[Array, Array, Array]
"""Half sizes, axes as columns, and centre."""


def about_z(angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def corners_of(solid: Solid) -> Array:
    half, axes, center = solid
    return center + np.array(list(product((-1, 1), repeat=3))) * half @ axes.T


def edges_of(solid: Solid) -> Array:
    """Return the ends of the edges, (edges, 2, 3): all twelve, some of them of length zero for a segment."""
    corners = corners_of(solid)
    numbers = [(i, i | bit) for i in range(8) for bit in (1, 2, 4) if not i & bit]
    return corners[numbers]


def by_all_edges(a: Solid, b: Solid) -> float:
    """Return the distance of two solids that are apart: of each corner to the other solid, and of all edges."""
    found = []
    for one, other in ((a, b), (b, a)):
        half, axes, center = other
        local = (corners_of(one) - center) @ axes
        found.append(np.linalg.norm(np.maximum(np.abs(local) - half, 0), axis=1).min())
    found += [crossing(p, q) for p, q in product(edges_of(a), edges_of(b))]
    return float(min(found))


def crossing(p: Array, q: Array) -> float:
    """Return the distance of two segments where their common perpendicular meets both; infinity elsewhere."""
    d, e, between = p[1] - p[0], q[1] - q[0], q[0] - p[0]
    normal = np.cross(d, e)
    if np.linalg.norm(normal) <= 1e-10 * np.linalg.norm(d) * np.linalg.norm(e):
        return float("inf")
    s, t, height = np.linalg.solve(np.column_stack([d, -e, normal]), between)
    return abs(height) * float(np.linalg.norm(normal)) if 0 <= s <= 1 and 0 <= t <= 1 else float("inf")


def numbers_of(rng: np.random.Generator) -> tuple[float, float, Array]:
    """Return the gap between two parallel faces, a turn about z, and where the second solid is along them."""
    turn = float(rng.choice([*TURNS, rng.uniform(-4, 4)]))
    at = rng.choice([-1.2, -0.6, -0.15, 0.0, 0.15, 0.6, 1.2], size=2) * rng.choice([1.0, rng.uniform(0, 1.5)])
    return float(rng.choice([1e-6, 1e-3, 0.05])), turn, at


def sizes(rng: np.random.Generator) -> Array:
    """Return half sizes: cubes, beams and plates."""
    return rng.choice([0.05, 0.2, 1.0, rng.uniform(0.02, 1)], size=3)


@pytest.mark.parametrize("seed", range(8))
def test_boxes_on_parallel_faces(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(40):
        half_a, half_b = sizes(rng), sizes(rng)
        gap, turn, at = numbers_of(rng)
        first, whole = about_z(float(rng.choice(TURNS))), whole_turn(rng)
        center = np.array([*at, half_a[2] + half_b[2] + gap])
        solids = [(half_a, whole @ first, np.zeros(3)), (half_b, whole @ about_z(turn), whole @ center)]
        require_distance(*solids, *(Box(Frame("box"), 2 * half) for half in (half_a, half_b)), 0.0)


@pytest.mark.parametrize("seed", range(4))
def test_capsules_along_a_face(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(40):
        half, length, radius = sizes(rng), float(rng.choice([0.3, 1.0, 4.0])), 0.1
        gap, turn, at = numbers_of(rng)
        center, whole = np.array([*at, half[2] + gap]), whole_turn(rng)
        segment = (np.array([0, 0, length / 2]), whole @ about_z(turn) @ LYING, whole @ center)
        shapes = Box(Frame("box"), 2 * half), Capsule(Frame("capsule"), length, radius)
        require_distance((half, whole, np.zeros(3)), segment, *shapes, radius)


def whole_turn(rng: np.random.Generator) -> Array:
    """Return a turn of both solids: none, or one whose rounding errors decide between equal edges."""
    about_x = np.array([[1.0, 0, 0], [0, np.cos(0.3), -np.sin(0.3)], [0, np.sin(0.3), np.cos(0.3)]])
    return about_x if rng.integers(2) else np.eye(3)


def require_distance(a: Solid, b: Solid, shape_a: Box[str], shape_b: Box[str] | Capsule[str], radius: float) -> None:
    places = (pose(shape_a, a[1], a[2]), pose(shape_b, b[1], b[2]))
    value, on_a, on_b, normal = numbers(between(shape_a, places[0], shape_b, places[1]))
    assert value + radius == pytest.approx(by_all_edges(a, b), rel=0, abs=1e-11)
    np.testing.assert_allclose(on_a - on_b, value * normal, rtol=0, atol=1e-13)


def test_a_capsule_across_a_corner_of_the_face_below() -> None:
    """The capsule crosses the edges x = 1 and y = 1 of the top, and no middle line of it."""
    box, capsule = Box(Frame("box"), (2.0, 2.0, 2.0)), Capsule(Frame("capsule"), 3.0, 0.1)
    place = pose(capsule, about_z(-np.pi / 4) @ LYING, np.array([0.75, 0.75, 1.15]))
    value, _, _, normal = numbers(between(capsule, place, box, pose(box, np.eye(3), np.zeros(3))))
    assert value == pytest.approx(0.05, abs=1e-14)
    np.testing.assert_allclose(normal, [0, 0, 1], rtol=0, atol=1e-12)


def test_a_corner_that_reaches_across_a_beam() -> None:
    """The corner of a box that is turned by 45 degrees lies beyond a narrow beam: edges cross, no corner is above."""
    beam, box = Box(Frame("beam"), (4.0, 0.1, 0.1)), Box(Frame("box"), (1.0, 1.0, 0.2))
    place = pose(box, about_z(np.pi / 4), np.array([0.3, 0.5**0.5 - 0.2, 0.16]))
    value, _, _, normal = numbers(between(box, place, beam, pose(beam, np.eye(3), np.zeros(3))))
    assert value == pytest.approx(0.01, abs=1e-14)
    np.testing.assert_allclose(normal, [0, 0, 1], rtol=0, atol=1e-12)
