"""Collision model of the shapes of a file."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from rbd.contact import Box, Capsule, CollisionModel, Sphere
from rbd.files.shapes import SHAPES, add_shape
from rbd.mechanism import Mechanism
from rbd.spatial import Frame

if TYPE_CHECKING:
    from rbd.contact import Shape
    from rbd.urdf.report import Geometry


def collision_model(mechanism: Mechanism, geometries: Sequence[Geometry]) -> CollisionModel:
    """Return the collision shapes of all links, and all pairs of bodies that no joint connects."""
    model = CollisionModel(mechanism)
    for number, geometry in enumerate(geometries):
        is_flat = geometry.shape == "box" and 0.0 in geometry.size
        if geometry.use == "collision" and geometry.shape in SHAPES and not is_flat:
            name = f"{geometry.link}#shape{number}"
            pose = (geometry.rotation, geometry.translation)
            add_shape(model, mechanism, geometry.link, name, pose, partial(_shape, geometry))
    model.add_all_pairs()
    return model


def _shape(geometry: Geometry, frame: Frame[Any]) -> Shape:
    if geometry.shape == "box":
        return Box(frame, geometry.size)
    if geometry.shape == "sphere":
        return Sphere(frame, geometry.size[0])
    radius, length = geometry.size
    return Capsule(frame, length, radius)
