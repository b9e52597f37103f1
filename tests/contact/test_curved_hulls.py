"""Contact points of convex hulls whose faces are not flat: no point is deeper than the hulls are apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rbd
from rbd.contact import CollisionModel, ConvexHull, contact_step
from rbd.contact.geometry.contact_points import contact_points
from rbd.contact.geometry.placed_shapes import PlacedHull
from rbd.contact.geometry.separations import UNUSED_DISTANCE
from rbd.contact.geometry.support_polygons import support_polygon
from rbd.scalars.arrays import Array
from tests.contact.samples import rotation
from tests.contact.test_convex_hulls import G, corners, free_body, vectors
from tests.contact.test_hull_manifolds import contacts

MIRROR = np.array([1.0, 1.0, -1.0])
KEEL = np.array([[-0.3, 0, 0.015], [0.3, 0, 0.015], [0, 0, 0], [0, 0.1, 0.2], [0, -0.1, 0.2]])
STATIONS = np.linspace(-0.3, 0.3, 9)
BOAT = np.vstack(
    [
        np.column_stack([STATIONS, np.full(9, y), 0.15 * STATIONS**2 if y == 0 else np.full(9, 0.15)])
        for y in (0.0, 0.1, -0.1)
    ]
)
SIZES = st.sampled_from([0.0, 1e-14, 1e-9, 1e-6, 1e-4, 1e-2])


def gaps(a: Array, b: Array) -> Array:
    """Return the distance of two hulls, then the gaps of the contacts that are there."""
    found = contact_points(PlacedHull(tuple(vectors(a)), 0.0), PlacedHull(tuple(vectors(b)), 0.0))
    phi = np.array([float(point.phi) for point in found])
    return phi[phi < float(UNUSED_DISTANCE)]


def bowl(rng: np.random.Generator) -> Array:
    """Return points of a paraboloid, flat or narrow in some cases, and three points above."""
    base = rng.uniform(-1, 1, (int(rng.integers(6, 25)), 2)) * rng.uniform(0.02, 0.3, 2) * (rng.random(2) > 0.1)
    height = rng.choice([0.0, 0.05, 0.15, 0.5]) * (base**2).sum(axis=1)
    return np.vstack([np.column_stack([base, height]), [[0, 0.1, 0.2], [0, -0.1, 0.2], [0.1, 0, 0.2]]])


def tilted(points: Array, rng: np.random.Generator, angle: float) -> Array:
    """Return points turned by about an angle, about any axis."""
    x, y, z = rng.normal(size=3) * angle
    return points + np.cross([x, y, z], points)


@given(st.integers(0, 10**6), SIZES, SIZES)
def test_no_contact_of_curved_hulls_is_deeper_than_their_distance(seed: int, angle: float, offset: float) -> None:
    """Bowls above other bowls, and above their own mirror images."""
    rng = np.random.default_rng(seed)
    upper = bowl(rng)
    lower = (upper if rng.random() < 0.3 else bowl(rng)) * MIRROR
    upper = tilted(upper, rng, angle) + [*rng.normal(size=2) * offset, 0]
    upper[:, 2] += lower[:, 2].max() - upper[:, 2].min() + 0.003
    turn = rotation(rng)
    found = gaps(upper @ turn.T, lower @ turn.T)
    assert found.min() >= found[0] - 1e-8


@given(st.integers(0, 10**6), SIZES, SIZES)
def test_no_contact_of_a_boat_above_its_mirror_image_is_deeper_than_their_distance(
    seed: int, angle: float, offset: float
) -> None:
    rng = np.random.default_rng(seed)
    hull = (BOAT, KEEL)[seed % 2]
    upper = tilted(hull, rng, angle) + [*rng.normal(size=2) * offset, 0.003 + 2 * angle]
    found = gaps(upper, hull * MIRROR)
    assert found.min() >= found[0] - 1e-8


@given(st.integers(0, 10**6))
def test_faces_are_convex_polygons(seed: int) -> None:
    """Each corner is to the left of every edge, and lies beyond the line of its neighbours."""
    rng = np.random.default_rng(seed)
    polygon = support_polygon(vectors(bowl(rng)), (0.0, 0.0, 1.0), 1)
    x, y, _ = np.array(polygon.corners[: int(float(polygon.present))], float).T
    for k in range(len(x) if len(x) > 2 else 0):
        following = (k + 1) % len(x)
        along, across = x[following] - x[k], y[following] - y[k]
        sides = np.delete(along * (y - y[k]) - across * (x - x[k]), [k, following])
        assert sides.min() > 0


@pytest.mark.parametrize("slope", [0.02, 0.034, 0.04, 0.048])
def test_a_shallow_pyramid_on_a_box_keeps_four_corners(slope: float) -> None:
    base = np.array([[1.0, 0, slope], [0, 1, slope], [-1, 0, slope], [0, -1, slope], [0, 0, 0]])
    found = contacts(np.vstack([base, [[0, 0, 1]]]) + [0, 0, 0.01], corners(np.full(3, 0.2)), np.array([0.0, 0, 1]))
    places = {(round(p_b[0], 9), round(p_b[1], 9)) for _, _, p_b in found}
    assert places >= {(x, y) for x in (-0.1, 0.1) for y in (-0.1, 0.1)}


def above_its_mirror_image(points: Array, offset: float) -> tuple[rbd.MechanismState, CollisionModel]:
    """Return a hull 5 mm above its mirror image."""
    state, model = free_body(
        lambda frame: ConvexHull(frame, points, 0.01), lambda root: ConvexHull(root, points * MIRROR, 0.01)
    )
    state.set_configuration([1, 0, 0, 0, 0, offset, 0.025])
    return state, model


@pytest.mark.parametrize("offset", [0.0, 1e-9, 1e-5, 1e-4])
@pytest.mark.parametrize("points", [KEEL, BOAT], ids=["keel", "boat"])
def test_a_hull_falls_freely_above_its_mirror_image(points: Array, offset: float) -> None:
    state, model = above_its_mirror_image(points, offset)
    after = contact_step(state, model, None, 1e-3, friction=0.5)
    assert after.impulses.tolist() == [0.0]
    np.testing.assert_allclose(after.v, [0, 0, 0, 0, 0, -1e-3 * G], rtol=0, atol=1e-12)


@pytest.mark.parametrize("points", [KEEL, BOAT], ids=["keel", "boat"])
def test_aligned_keels_of_a_scalar_state_fall_freely(points: Array) -> None:
    state, model = above_its_mirror_image(points, 0.0)
    scalars: Any = rbd.ScalarState(state.mechanism, state.q.tolist(), state.v.tolist())
    after = contact_step(scalars, model, None, 1e-3, friction=0.5)
    assert float(after.v[5]) == pytest.approx(-1e-3 * G, abs=1e-12)
