"""`ConvexHull`: the convex hull of points, with rounded edges."""

from __future__ import annotations

from typing import Final, Generic, final

import attrs
import numpy as np
from numpy.typing import ArrayLike
from typing_extensions import override

from rbd.arguments import whole_number
from rbd.errors import ArgumentError
from rbd.scalars.arrays import Array, float_array
from rbd.scalars.number_checks import above_zero
from rbd.spatial import Frame
from rbd.spatial.frame import F, require_frame

_set = object.__setattr__
MAX_HULL_POINTS: Final = 128
"""Points of a hull, at most."""
MIN_HULL_POINTS: Final = 4
"""Points of a hull that stands for a mesh or a round solid, at least."""
_MIN_RELATIVE_RADIUS: Final = 1e-9
"""Share of the extent of the points that the radius is, at least: of less, rounding leaves nothing."""


@final
@attrs.frozen(eq=False, init=False, repr=False)
class ConvexHull(Generic[F]):
    """Rounded convex body: all within `radius` of the convex hull of `points`, (k, 3), in `frame`.

    Points inside the hull are allowed. Hulls overlap other bodies by up to their radius and that of the other one:
    where a hull without its rounding meets a box, the axis of a capsule, the centre of a sphere or another hull without
    its rounding, the distance raises SolverError. Hulls rest on planes, boxes and each other with the corners of their
    faces, eight at most. Raises ShapeError, ArgumentError and NotFiniteError.

    >>> import rbd
    >>> rbd.contact.ConvexHull(rbd.Frame("wedge"), [(0, 0, 0), (0.2, 0, 0), (0, 0.1, 0), (0, 0, 0.1)], radius=0.005)
    <convex hull: 4 points, radius 0.005>
    """

    frame: Frame[F]
    points: Array
    radius: float

    def __init__(self, frame: Frame[F], points: ArrayLike, radius: float) -> None:
        found = np.array(float_array(points, (None, 3), "points"))
        if not 1 <= len(found) <= MAX_HULL_POINTS:
            wanted = f"1 to {MAX_HULL_POINTS} points"
            message = f"points has {len(found)} rows, needs {wanted}"
            raise ArgumentError(message, argument="points", value=len(found), allowed=wanted)
        found.flags.writeable = False
        _set(self, "frame", require_frame(frame, "frame"))
        _set(self, "points", found)
        _set(self, "radius", _radius(radius, found))

    @override
    def __reduce__(self) -> tuple[object, ...]:
        """Copy and pickle as arguments: arrays of pickles can be written."""
        return ConvexHull, (self.frame, self.points, self.radius)

    @override
    def __repr__(self) -> str:
        return f"<convex hull: {len(self.points)} points, radius {self.radius:g}>"


def checked_hull_points(points: object, argument: str) -> int:
    """Return the number of points of a hull that stands for a mesh or a round solid; raise ArgumentError naming it."""
    return whole_number(points, argument, MIN_HULL_POINTS, MAX_HULL_POINTS)


def least_radius(points: Array) -> float:
    """Return the least radius of a hull of these points."""
    return float(np.ptp(_MIN_RELATIVE_RADIUS * points, axis=0).max())


def _radius(radius: float, points: Array) -> float:
    """Return a radius; raise ArgumentError unless it is above zero, and above rounding for these points."""
    checked = above_zero(radius, "radius")
    least = least_radius(points)
    if checked < least:
        share = f"{_MIN_RELATIVE_RADIUS:g} times the extent of the points"
        message = f"radius is {checked:g}, needs {least:g}, which is {share}, or more"
        raise ArgumentError(message, argument="radius", value=radius, allowed=f"at least {least:g}")
    return checked
