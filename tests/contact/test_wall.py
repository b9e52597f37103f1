"""Walls of boxes, each on two others: they stand, and rest without overlap."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import rbd
from rbd.contact import Box, CollisionModel, ContactSimulator, HalfSpace
from tests.contact.test_coulomb_motion import figures_at_rest

SIZE = (0.3, 0.1, 0.2)
GAP_WIDTH = 1e-3
"""Width of the gaps between neighbours."""


def wall(courses: list[int], gap: float) -> tuple[rbd.MechanismState, CollisionModel, list[float]]:
    """Return a wall in running bond, from the bottom to the top, with gaps below each course, and its heights at rest.

    Each course has one box less than that below, and begins half a box further: so every box rests on two.
    """
    mechanism = rbd.Mechanism()
    model, root = CollisionModel(mechanism), mechanism.root_frame
    floor = model.add("world", HalfSpace(rbd.Point(root, (0, 0, 0)), rbd.FreeVector(root, (0, 0, 1))))
    moment = 1.5 / 12 * np.diag([SIZE[1] ** 2 + SIZE[2] ** 2, SIZE[0] ** 2 + SIZE[2] ** 2, SIZE[0] ** 2 + SIZE[1] ** 2])
    below, q, heights = list[tuple[Box, float]](), list[float](), list[float]()
    for row, count in enumerate(courses):
        placed = list[tuple[Box, float]]()
        for k in range(count):
            name, x = f"box{row}.{k}", (row / 2 + k) * (SIZE[0] + GAP_WIDTH)
            body = rbd.RigidBody(name, rbd.SpatialInertia(rbd.Frame(name), mass=1.5, moment_about_com=moment))
            mechanism.attach(mechanism.root_body, body, rbd.Joint(f"free {name}", rbd.QuaternionFloating()))
            box = model.add(body, Box(body.default_frame, SIZE))
            for other in [floor] if row == 0 else [other for other, at in below if abs(at - x) < SIZE[0]]:
                model.add_pair(box, other)
            placed.append((box, x))
            heights.append(SIZE[2] * (row + 0.5))
            q += [1, 0, 0, 0, x, 0, heights[-1] + gap * (row + 1)]
        below = placed
    return rbd.MechanismState(mechanism, q), model, heights


def require_rest(courses: list[int], gap: float, time: float) -> str:
    """Let a wall stand for so long; return velocities and gaps at the end as text."""
    state, model, heights = wall(courses, gap)
    before = state.q.copy().reshape(-1, 7)
    after = ContactSimulator(state.mechanism, model, None, 5e-3, friction=0.5).run(state, time)
    boxes = state.q.reshape(-1, 7)
    assert np.abs(state.v).max() < 1e-9
    assert np.abs(after.distances[-1]).max() < 1e-6
    np.testing.assert_allclose(boxes[:, 6], heights, rtol=0, atol=1e-6)
    np.testing.assert_allclose(boxes[:, :6], before[:, :6], rtol=0, atol=1e-6)
    return figures_at_rest(state, after)


@pytest.mark.parametrize(("courses", "gap"), [([2, 1], 1e-4), ([2, 1], 0.0), ([3, 2, 1], 1e-5)])
def test_a_small_wall_stands(courses: list[int], gap: float) -> None:
    require_rest(courses, gap, 2.0)


@pytest.mark.deep
def test_a_wall_of_thirty_boxes_stands_for_ten_seconds(record_property: Callable[[str, object], None]) -> None:
    record_property("count", f"2,000 steps: {require_rest([11, 10, 9], 1e-5, 10.0)}")
