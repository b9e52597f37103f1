"""Distances against coal's closed form for capsules, and its iterations for boxes."""

from __future__ import annotations

import numpy as np
import pytest

from rbd.contact import Box, Capsule
from rbd.spatial import Frame
from tests.contact.samples import between, numbers, pose, rotation

pytestmark = pytest.mark.peers


@pytest.mark.parametrize("kind", ["capsule", "box"])
def test_distances_agree_with_coal(kind: str) -> None:
    coal = pytest.importorskip("coal")
    rng = np.random.default_rng(11)
    request = coal.DistanceRequest()
    request.enable_signed_distance = True
    count, tolerance = (20_000, 1e-14) if kind == "capsule" else (300, 1e-6)
    for k in range(count):
        shapes, theirs = [], []
        for _ in range(2):
            size = rng.uniform(0.02, 0.3, 3)
            shapes.append(Capsule(Frame("f"), size[0], size[1] / 3) if kind == "capsule" else Box(Frame("f"), size))
            theirs.append(coal.Capsule(size[1] / 3, size[0]) if kind == "capsule" else coal.Box(*size))
        turn_a = rotation(rng)
        places = (turn_a, rng.normal(size=3) / 5), (turn_a if k % 10 == 0 else rotation(rng), rng.normal(size=3) / 5)
        value = numbers(between(shapes[0], pose(shapes[0], *places[0]), shapes[1], pose(shapes[1], *places[1])))[0]
        there = [coal.Transform3s(*place) for place in places]
        wanted = coal.distance(theirs[0], there[0], theirs[1], there[1], request, coal.DistanceResult())
        assert abs(value - wanted) < tolerance
