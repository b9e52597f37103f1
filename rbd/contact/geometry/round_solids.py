"""`Cylinder` and `Ellipsoid`."""

from __future__ import annotations

import math
from typing import Any, Final, Generic, final

import attrs
import numpy as np

from rbd.contact.geometry.convex_hulls import checked_hull_points
from rbd.scalars.arrays import Array, float_array
from rbd.scalars.number_checks import above_zero
from rbd.spatial import Frame
from rbd.spatial.frame import F, require_frame

_set = object.__setattr__
DEFAULT_HULL_POINTS: Final = 32
"""Corners of the polyhedra that stand for round solids, unless told otherwise."""
_ROUNDING: Final = 1 / 20
"""Radius of the edges of a prism, as a share of the smaller of the radius and half the length of its cylinder."""
_CURVATURE: Final = 3 / 4
"""Radius of the corners of the polyhedron of an ellipsoid, as a share of the smallest radius of curvature."""
_COVERING: Final = 2.74
"""Angle from any direction to one of a number of directions, at most, times the square root of their number."""


@final
@attrs.frozen(eq=False, init=False)
class Cylinder(Generic[F]):
    """Cylinder with flat ends: its axis is the z-axis of `frame`, of length `length` around the origin.

    It stands on the rim of its ends and rolls on its side and on its rim. Distances from half-spaces and spheres are
    exact. Those from other shapes are of a prism inside it, with `hull_points` corners, from 4 to 128 (rounded down to
    an even number, six at least), and edges of the radius `rounding`, up to which it overlaps others; one of its side
    edges faces the other shape. With None there are no such pairs. Raises ArgumentError.

    >>> import rbd
    >>> drum = Cylinder(rbd.Frame("drum"), length=0.3, radius=0.1)
    >>> drum.rounding, round(drum.hull_error, 4)
    (0.005, 0.0039)
    """

    frame: Frame[F]
    length: float
    radius: float
    hull_points: int | None

    def __init__(
        self, frame: Frame[F], length: float, radius: float, *, hull_points: int | None = DEFAULT_HULL_POINTS
    ) -> None:
        _set(self, "frame", require_frame(frame, "frame"))
        _set(self, "length", above_zero(length, "length"))
        _set(self, "radius", above_zero(radius, "radius"))
        _set(self, "hull_points", _hull_points(hull_points))

    @property
    def rounding(self) -> float:
        """Radius of the edges of the prism that stands for it (m)."""
        return _ROUNDING * min(self.length / 2, self.radius)

    @property
    def hull_error(self) -> float:
        """Largest distance of the surface of the cylinder from that prism (m); 0 without a prism."""
        if self.hull_points is None:
            return 0.0
        between_edges = (self.radius - self.rounding) * (1 - math.cos(math.pi / _sides(self)))
        return between_edges + self.rounding * (math.sqrt(2) - 1)


@final
@attrs.frozen(eq=False, init=False)
class Ellipsoid(Generic[F]):
    """Ellipsoid around the origin of `frame`, whose semi-axes along x, y and z are `radii`.

    Distances from half-spaces and spheres are exact. Those from other shapes are of a rounded polyhedron inside it,
    with `hull_points` corners, from 4 to 128, of the radius `rounding`, and two more that face the other shape
    (one, where this is a height field). It overlaps others up to that radius. With None there are no such pairs. Raises
    ShapeError, NotFiniteError and ArgumentError.

    >>> import rbd
    >>> egg = Ellipsoid(rbd.Frame("egg"), radii=(0.03, 0.03, 0.04))
    >>> round(egg.rounding, 4), round(egg.hull_error, 4)
    (0.0169, 0.0035)
    """

    frame: Frame[F]
    radii: tuple[float, float, float]
    hull_points: int | None

    def __init__(
        self,
        frame: Frame[F],
        radii: Array | list[float] | tuple[float, ...],
        *,
        hull_points: int | None = DEFAULT_HULL_POINTS,
    ) -> None:
        x, y, z = (above_zero(radius, "radii") for radius in float_array(radii, (3,), "radii").tolist())
        _set(self, "frame", require_frame(frame, "frame"))
        _set(self, "radii", (x, y, z))
        _set(self, "hull_points", _hull_points(hull_points))

    @property
    def rounding(self) -> float:
        """Radius of the corners of the polyhedron that stands for it (m)."""
        return _CURVATURE * min(self.radii) * (min(self.radii) / max(self.radii))

    @property
    def hull_error(self) -> float:
        """Largest distance of the surface from that polyhedron without the last two corners (m); 0 without it."""
        if self.hull_points is None:
            return 0.0
        least, most = min(self.radii), max(self.radii)
        angle = _COVERING / math.sqrt(self.hull_points)
        return (most - self.rounding * (least / most) ** 2) * (1 - math.cos(angle))


def ring_of(cylinder: Cylinder[Any]) -> Array:
    """Return cosines and sines of the side edges of the prism that stands for a cylinder; none without pairs by it."""
    turns = 2 * np.pi / _sides(cylinder) * np.arange(0 if cylinder.hull_points is None else _sides(cylinder))
    return np.column_stack([np.cos(turns), np.sin(turns)])


def corners_of(ellipsoid: Ellipsoid[Any]) -> Array:
    """Return the centres of the corners of the polyhedron that stands for an ellipsoid; none without pairs by it."""
    directions, radii = _directions(ellipsoid.hull_points or 0), np.array(ellipsoid.radii)
    normals = directions / radii
    inwards = ellipsoid.rounding * normals / np.linalg.norm(normals, axis=1, keepdims=True)
    return np.asarray(directions * radii - inwards, dtype=np.float64)


def _sides(cylinder: Cylinder[Any]) -> int:
    return max(3, (cylinder.hull_points or DEFAULT_HULL_POINTS) // 2)


def _directions(count: int) -> Array:
    """Return points spread over the unit sphere (Fibonacci's lattice)."""
    k = np.arange(count) + 0.5
    z, turns = 1 - 2 * k / max(count, 1), np.pi * (1 + 5**0.5) * k
    return np.column_stack([np.sqrt(1 - z * z) * np.cos(turns), np.sqrt(1 - z * z) * np.sin(turns), z])


def _hull_points(points: object) -> int | None:
    return None if points is None else checked_hull_points(points, "hull_points")
