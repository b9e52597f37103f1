"""Collision model of the shapes of a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from rbd.contact import Box, Capsule, CollisionModel, Cylinder, Sphere
from rbd.files.shapes import SHAPES, FileShape, in_new_frame
from rbd.mechanism import Mechanism
from rbd.spatial import Frame

if TYPE_CHECKING:
    from rbd.contact import Shape
    from rbd.files.mesh_hulls import MeshHull
    from rbd.urdf.report import Geometry


def collision_model(
    mechanism: Mechanism, geometries: Sequence[Geometry], hull: Callable[[Geometry], MeshHull] | None
) -> CollisionModel:
    """Return the collision shapes of all links, and all pairs of bodies that no joint connects.

    Without `hull`, which makes hulls of meshes, these are left out.
    """
    model, shapes = CollisionModel(mechanism), list[FileShape]()
    for number, geometry in enumerate(geometries):
        make = _made(geometry, hull) if geometry.use == "collision" else None
        if make is not None:
            pose = (geometry.rotation, geometry.translation)
            shapes.append(in_new_frame(mechanism, geometry.link, f"{geometry.link}#shape{number}", pose, make))
    for shape in shapes:
        shape.add_to(model)
    model.add_all_pairs()
    return model


def _made(geometry: Geometry, hull: Callable[[Geometry], MeshHull] | None) -> Callable[[Frame[Any]], Shape] | None:
    """Return what makes the shape in a frame; None for one that is left out."""
    if geometry.shape == "mesh":
        return None if hull is None else hull(geometry).shape
    is_flat = geometry.shape in ("box", "cylinder") and 0.0 in geometry.size
    return partial(_shape, geometry) if geometry.shape in SHAPES and not is_flat else None


def _shape(geometry: Geometry, frame: Frame[Any]) -> Shape:
    if geometry.shape == "box":
        return Box(frame, geometry.size)
    if geometry.shape == "sphere":
        return Sphere(frame, geometry.size[0])
    radius, length = geometry.size
    if geometry.shape == "cylinder":
        return Cylinder(frame, length, radius)
    return Capsule(frame, length, radius)
