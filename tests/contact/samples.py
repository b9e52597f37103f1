"""Random shapes and poses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rbd.contact import Box, Capsule, Sphere
from rbd.contact.geometry.separations import Separation
from rbd.contact.geometry.shape_distance import nearest_points
from rbd.contact.geometry.shape_kinds import place
from rbd.scalars.arrays import Array
from rbd.spatial import Frame, FreeVector, Point, Transform
from rbd.spatial.half_space import HalfSpace
from rbd.spatial.linalg import Vec3
from rbd.spatial.quaternion import quaternion_to_rotation

WORLD = Frame("world")
Sample = Capsule[Any] | Sphere[Any] | Box[Any] | HalfSpace[Any]
KINDS: dict[str, Callable[[np.random.Generator], Sample]] = {
    "capsule": lambda rng: Capsule(Frame("capsule"), rng.uniform(0.01, 0.3), rng.uniform(0.01, 0.1)),
    "point-like capsule": lambda rng: Capsule(Frame("capsule"), 0.0, rng.uniform(0.01, 0.1)),
    "sphere": lambda rng: Sphere(Frame("sphere"), rng.uniform(0.01, 0.1)),
    "box": lambda rng: Box(Frame("box"), rng.uniform(0.02, 0.3, 3)),
    "half-space": lambda rng: _half_space(rng),
}
PAIRS = [(a, b) for a in KINDS for b in KINDS if (a, b) != ("half-space", "half-space")]


def _half_space(rng: np.random.Generator) -> HalfSpace[Any]:
    frame = Frame("half-space")
    return HalfSpace(Point(frame, rng.normal(size=3) / 5), FreeVector(frame, rng.normal(size=3)))


def rotation(rng: np.random.Generator) -> Array:
    """Return a random rotation."""
    w, x, y, z = rng.normal(size=4)
    n = float(np.sqrt(w * w + x * x + y * y + z * z))
    return np.array(quaternion_to_rotation((w / n, x / n, y / n, z / n)), dtype=float)


def pose(shape: Sample, turn: Array, at: Array) -> Transform[Any, Any]:
    """Return the pose of a shape in the world."""
    return Transform(shape.frame, WORLD, turn, at)


def between(
    a: Sample, tf_a: Transform[Any, Any], b: Sample, tf_b: Transform[Any, Any], previous: Vec3 = (0, 0, 0)
) -> Separation:
    """Return the nearest points of two shapes at these poses."""
    return nearest_points(place(a, tf_a), place(b, tf_b), previous)


def numbers(found: Separation) -> tuple[float, Array, Array, Array]:
    """Return a result as floats and arrays."""
    on_a, on_b, normal = (np.array(x, dtype=float) for x in (found.p_a, found.p_b, found.n))
    return float(found.phi), on_a, on_b, normal
