"""Overlaps that oppose each other are not removed along directions in which they hardly change."""

from __future__ import annotations

import numpy as np
import pytest

import rbd
from rbd.contact import CollisionModel, ContactSimulator, HalfSpace, Sphere
from rbd.contact.stepping.overlaps import Overlaps, position_correction
from rbd.scalars.arrays import pack
from rbd.solvers.intervals import NO_INTERVALS
from tests.contact.flat_feet import flat_feet
from tests.contact.test_projected_program import nested

OVERLAP, RADIUS = 1e-3, 0.1


@pytest.mark.parametrize("angle", [1e-1, 1e-2, 1e-3, 1e-6])
def test_a_wedge_moves_a_point_by_less_than_the_overlap(angle: float) -> None:
    rows = ((1.0, 0.0), (-1.0, angle))
    push = position_correction(Overlaps(rows, (OVERLAP, OVERLAP), (1.0, 1.0), NO_INTERVALS, ()), (0.0, 0.0))
    assert np.linalg.norm(np.array(push, dtype=float)) <= OVERLAP
    assert np.all(np.array(rows) @ np.array(push, dtype=float) >= -1e-18)


@pytest.mark.parametrize("angle", [1e-2, 1e-3])
def test_a_ball_between_walls_that_converge_moves_by_less_than_its_overlap(angle: float) -> None:
    mechanism = rbd.Mechanism(gravity=(0, 0, 0))
    root, model = mechanism.root_frame, CollisionModel(mechanism)
    body = rbd.RigidBody("ball", rbd.SpatialInertia.sphere(rbd.Frame("ball"), mass=1.0, radius=RADIUS))
    mechanism.attach("world", body, rbd.Joint("free", rbd.QuaternionFloating()))
    ball, depth = model.add(body, Sphere(body.default_frame, RADIUS)), RADIUS - OVERLAP
    for normal in ([1.0, 0.0, 0.0], [-np.cos(angle), 0.0, np.sin(angle)]):
        at = -depth * np.array(normal)
        model.add_pair(ball, model.add("world", HalfSpace(rbd.Point(root, at), rbd.FreeVector(root, normal))))
    state = rbd.MechanismState(mechanism)
    after = ContactSimulator(mechanism, model, None, 1e-3, friction=0.5).run(state, 1e-3)
    np.testing.assert_allclose(after.distances[0], -OVERLAP, rtol=0, atol=1e-12)
    assert np.linalg.norm(state.q[4:]) < OVERLAP


@pytest.mark.parametrize("seed", [4, 5, 8])
def test_products_are_moved_as_their_rows(seed: int) -> None:
    """Rows of two flat feet, which depend on each other, some of them with overlaps."""
    groups, rng = [group.cones for group in flat_feet(seed).groups], np.random.default_rng(seed)
    numbers = [j for group in groups for j in group.numbers]
    assert sorted(numbers) == list(range(len(numbers)))
    products = [np.array(group.wrenches) @ np.array(group.twist_map, dtype=float) for group in groups]
    J = np.concatenate(products)[np.argsort(numbers)]
    rates, G = rng.exponential(size=len(J)) * rng.choice([0, 1], len(J)), rng.uniform(0.1, 1, J.shape[1])
    by_rows = Overlaps(nested(J), tuple(rates.tolist()), tuple(G.tolist()), NO_INTERVALS, ())
    expected = pack(position_correction(by_rows, (0.0,) * len(G)))
    correction = pack(position_correction(by_rows._replace(groups=groups), (0.0,) * len(G)))
    assert np.abs(expected).max() > 0.1
    np.testing.assert_allclose(correction, expected, rtol=0, atol=1e-12)
