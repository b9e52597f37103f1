"""Shapes: capsules, spheres, boxes and others, each in a frame. `HalfSpace` is a value of `rbd.spatial`."""

from __future__ import annotations

import math
from typing import Any, Generic, TypeAlias, final

import attrs

from rbd.contact.geometry.convex_hulls import ConvexHull
from rbd.contact.geometry.height_fields import HeightField
from rbd.contact.geometry.round_solids import Cylinder, Ellipsoid
from rbd.errors import ArgumentError, NotFiniteError
from rbd.scalars.arrays import Array, float_array
from rbd.scalars.number_checks import any_number
from rbd.spatial import Frame
from rbd.spatial.frame import F, require_frame
from rbd.spatial.half_space import HalfSpace

_set = object.__setattr__


@final
@attrs.frozen(eq=False, init=False)
class Capsule(Generic[F]):
    """Capsule: all points within `radius` of a segment of length `length` on the z-axis of `frame`, around the origin.

    With length zero it is a sphere. Raises ArgumentError or NotFiniteError for a length or radius that is negative or
    not finite.

    >>> import rbd
    >>> Capsule(rbd.Frame("forearm"), length=0.2, radius=0.04).radius
    0.04
    """

    frame: Frame[F]
    length: float
    radius: float

    def __init__(self, frame: Frame[F], length: float, radius: float) -> None:
        _set(self, "frame", require_frame(frame, "frame"))
        _set(self, "length", _size(length, "length"))
        _set(self, "radius", _size(radius, "radius"))


@final
@attrs.frozen(eq=False, init=False)
class Sphere(Generic[F]):
    """Sphere: all points within `radius` of the origin of `frame`. Raises ArgumentError, NotFiniteError.

    >>> import rbd
    >>> Sphere(rbd.Frame("ball"), radius=0.1).radius
    0.1
    """

    frame: Frame[F]
    radius: float

    def __init__(self, frame: Frame[F], radius: float) -> None:
        _set(self, "frame", require_frame(frame, "frame"))
        _set(self, "radius", _size(radius, "radius"))


@final
@attrs.frozen(eq=False, init=False)
class Box(Generic[F]):
    """Box centred at the origin of `frame`, with edges of lengths `size` along its axes.

    Raises ShapeError, ArgumentError, NotFiniteError.

    >>> import rbd
    >>> Box(rbd.Frame("crate"), size=(0.4, 0.3, 0.2)).size
    (0.4, 0.3, 0.2)
    """

    frame: Frame[F]
    size: tuple[float, float, float]

    def __init__(self, frame: Frame[F], size: Array | list[float] | tuple[float, ...]) -> None:
        x, y, z = (_size(edge, "size", positive=True) for edge in float_array(size, (3,), "size").tolist())
        _set(self, "frame", require_frame(frame, "frame"))
        _set(self, "size", (x, y, z))


Solid: TypeAlias = "Capsule[Any] | Sphere[Any] | Box[Any] | ConvexHull[Any] | Cylinder[Any] | Ellipsoid[Any]"
"""The convex shapes, with an end in all directions."""
Shape: TypeAlias = "Solid | HalfSpace[Any] | HeightField[Any]"
"""The shapes of a collision model."""


def is_ground(shape: Shape) -> bool:
    """Return whether a shape is a half-space or a height field, which have no distance of each other."""
    return isinstance(shape, (HalfSpace, HeightField))


def _size(value: object, name: str, *, positive: bool = False) -> float:
    number = any_number(value, name)
    if not math.isfinite(number):
        raise NotFiniteError(f"{name} is {number}", argument=name)
    if number < 0 or (positive and number == 0):
        wanted = "must be positive" if positive else "must not be negative"
        raise ArgumentError(f"{name} is {number:g}, {wanted}", argument=name, value=value, allowed=wanted)
    return number
