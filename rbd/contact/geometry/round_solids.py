"""`Cylinder` and `Ellipsoid`."""

from __future__ import annotations

from typing import Generic, final

import attrs

from rbd.scalars.arrays import Array, float_array
from rbd.scalars.number_checks import above_zero
from rbd.spatial import Frame
from rbd.spatial.frame import F, require_frame

_set = object.__setattr__


@final
@attrs.frozen(eq=False, init=False)
class Cylinder(Generic[F]):
    """Cylinder with flat ends: its axis is the z-axis of `frame`, of length `length` around the origin.

    It stands on the rim of its ends and rolls on its side and on its rim, on half-spaces. Raises ArgumentError.

    >>> import rbd
    >>> Cylinder(rbd.Frame("drum"), length=0.3, radius=0.1).length
    0.3
    """

    frame: Frame[F]
    length: float
    radius: float

    def __init__(self, frame: Frame[F], length: float, radius: float) -> None:
        _set(self, "frame", require_frame(frame, "frame"))
        _set(self, "length", above_zero(length, "length"))
        _set(self, "radius", above_zero(radius, "radius"))


@final
@attrs.frozen(eq=False, init=False)
class Ellipsoid(Generic[F]):
    """Ellipsoid around the origin of `frame`, whose semi-axes along x, y and z are `radii`.

    Raises ShapeError, NotFiniteError and ArgumentError.

    >>> import rbd
    >>> Ellipsoid(rbd.Frame("egg"), radii=(0.03, 0.03, 0.04)).radii
    (0.03, 0.03, 0.04)
    """

    frame: Frame[F]
    radii: tuple[float, float, float]

    def __init__(self, frame: Frame[F], radii: Array | list[float] | tuple[float, ...]) -> None:
        x, y, z = (above_zero(radius, "radii") for radius in float_array(radii, (3,), "radii").tolist())
        _set(self, "frame", require_frame(frame, "frame"))
        _set(self, "radii", (x, y, z))
