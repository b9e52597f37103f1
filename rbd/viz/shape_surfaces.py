"""Surfaces of the shapes of collision models."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from rbd.contact import Box, Capsule, ConvexHull, Cylinder, Ellipsoid, HeightField, Sphere
from rbd.contact.geometry.shapes import Shape
from rbd.spatial.half_space import HalfSpace
from rbd.viz import surfaces
from rbd.viz.poses import applied
from rbd.viz.surfaces import Surface


def surface_of(shape: Shape, reach: float, cells: int = 1) -> Surface:
    """Return the surface of a shape; of a half-space a square with edges of length twice `reach`.

    Edges of boxes have so many `cells`, those of squares twice as many.
    """
    if isinstance(shape, HalfSpace):
        flat, pose = surfaces.square(reach, 2 * cells), surfaces.plane_pose(shape.point.xyz, shape.normal.xyz)
        return Surface(applied(pose, flat.vertices), flat.faces)
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
