"""Surfaces, colours and sizes of the shapes of collision models."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from rbd.contact import Box, Capsule, CollisionModel, ConvexHull, Cylinder, Ellipsoid, HeightField, Sphere
from rbd.contact.geometry.shape_kinds import bounding_radius
from rbd.contact.geometry.shapes import Shape
from rbd.spatial.half_space import HalfSpace
from rbd.viz import surfaces
from rbd.viz.poses import transformed_points
from rbd.viz.surfaces import Surface

PALETTE: Final = ("#7f9cb8", "#d9a066", "#8fb996", "#c08497", "#9a8fbf", "#c9b458", "#6aa6a6", "#b58a7a")
"""Colours of bodies, in turn."""


def largest_radius(model: CollisionModel) -> float:
    """Return the largest radius of the bounding spheres of all shapes but half-spaces, 1 if there are no others."""
    return max((bounding_radius(s) for s in model.shapes if not isinstance(s, HalfSpace)), default=1.0)


def surface_of(shape: Shape, reach: float, cells: int = 1) -> Surface:
    """Return the surface of a shape; of a half-space a square with edges of length twice `reach`.

    Edges of boxes have so many `cells`, those of squares twice as many.
    """
    if isinstance(shape, HalfSpace):
        flat, pose = surfaces.square(reach, 2 * cells), surfaces.plane_pose(shape.point.xyz, shape.normal.xyz)
        return Surface(transformed_points(pose, flat.vertices), flat.faces)
    if isinstance(shape, Box):
        return surfaces.box(shape.size, cells)
    return _SURFACES[type(shape)](shape)


_SURFACES: Final[dict[type[Any], Callable[[Any], Surface]]] = {
    Sphere: lambda shape: surfaces.sphere(shape.radius),
    Capsule: lambda shape: surfaces.capsule(shape.radius, shape.length),
    ConvexHull: lambda shape: surfaces.rounded_hull(shape.points, shape.radius),
    Cylinder: lambda shape: surfaces.cylinder(shape.radius, shape.length),
    Ellipsoid: lambda shape: surfaces.ellipsoid(shape.radii),
    HeightField: lambda shape: surfaces.height_field(shape.size, shape.heights),
}
