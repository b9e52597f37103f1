"""Volume and inertia of simple shapes, solid and as shells; sizes are half lengths.

The moment is for unit mass. A shell's "volume" is its area.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final, NamedTuple

from rbd.files.pose import ZERO, FloatVec3

_LAYER: Final = 1e-6
"""Thickness of shells that are the difference of two solids (m), as in MuJoCo."""
_RELATIVE_LAYER: Final = 1e-9
"""Their least thickness per size: MuJoCo's vanishes beside large sizes."""


class GeomInertia(NamedTuple):
    """Volume of a solid or area of a shell, and the moments of inertia about its centre, for unit mass."""

    volume: float
    moments: FloatVec3


def _sphere(size: FloatVec3, shell: bool) -> GeomInertia:
    r = size[0]
    if shell:
        return GeomInertia(4 * math.pi * r**2, _isotropic(2 * r**2 / 3))
    return GeomInertia(4 * math.pi * r**3 / 3, _isotropic(2 * r**2 / 5))


def _capsule(size: FloatVec3, shell: bool) -> GeomInertia:
    r, h = size[0], 2 * size[1]
    ball, tube = (4 * math.pi * r**2, 2 * math.pi * r * h) if shell else (4 * math.pi * r**3 / 3, math.pi * r**2 * h)
    m = 2 * r / (2 * r + h) if shell else 4 * r / (4 * r + 3 * h)  # of the two half balls, of mass one
    if shell:
        across = (1 - m) * (6 * r**2 + h**2) / 12 + m * (2 * r**2 / 3 + h / 2 * (h / 2 + r))
        along = (1 - m) * r**2 + 2 * m * r**2 / 3
    else:
        across = (1 - m) * (3 * r**2 + h**2) / 12 + m * (2 * r**2 / 5 + h * (3 * r + 2 * h) / 8)
        along = (1 - m) * r**2 / 2 + 2 * m * r**2 / 5
    return GeomInertia(ball + tube, (across, across, along))


def _cylinder(size: FloatVec3, shell: bool) -> GeomInertia:
    r, h = size[0], 2 * size[1]
    if not shell:
        across = (3 * r**2 + h**2) / 12
        return GeomInertia(math.pi * r**2 * h, (across, across, r**2 / 2))
    area, lids, side = 2 * math.pi * r * (r + h), r / (r + h), h / (r + h)
    across = side * (6 * r**2 + h**2) / 12 + lids * (r**2 + h**2) / 4
    return GeomInertia(area, (across, across, side * r**2 + lids * r**2 / 2))


def _ellipsoid(size: FloatVec3, shell: bool) -> GeomInertia:
    if not shell:
        a, b, c = size
        return GeomInertia(4 * math.pi * a * b * c / 3, _moments(size, 5))
    a, b, c = size
    p = 1.6075  # Thomsen's approximation
    area = 4 * math.pi * (((a * b) ** p + (b * c) ** p + (c * a) ** p) / 3) ** (1 / p)
    layer = max(_LAYER, _RELATIVE_LAYER * max(size))
    outer = (a + layer, b + layer, c + layer)
    inside, outside = math.prod(size), math.prod(outer)
    within, without = _moments(size, 5), _moments(outer, 5)
    x, y, z = ((outside * o - inside * i) / (outside - inside) for o, i in zip(without, within, strict=True))
    return GeomInertia(area, (x, y, z))


def _box(size: FloatVec3, shell: bool) -> GeomInertia:
    if not shell:
        return GeomInertia(8 * math.prod(size), _moments(size, 3))
    a, b, c = (s / max(size) for s in size)  # so that not all faces vanish
    faces = (b * c, c * a, a * b)  # across x, y and z
    total = sum(faces)
    x, y, z = (_plates(size, k, [face / total for face in faces]) for k in range(3))
    return GeomInertia(8 * total * max(size) ** 2, (x, y, z))


def _plates(size: FloatVec3, axis: int, masses: list[float]) -> float:
    """Return the moment about an axis of the six faces of a box; `masses` are those of opposite pairs."""
    moment = 0.0
    for normal, m in enumerate(masses):
        for k in range(3):
            if k != axis:
                moment += m * size[k] ** 2 * (1 if k == normal else 1 / 3)
    return moment


def _moments(size: FloatVec3, divisor: int) -> FloatVec3:
    x, y, z = (s**2 / divisor for s in size)
    return y + z, x + z, x + y


def _isotropic(moment: float) -> FloatVec3:
    return moment, moment, moment


def _without_volume(size: FloatVec3, shell: bool) -> GeomInertia:
    return GeomInertia(0.0, ZERO)


_INERTIAS: Final[dict[str, Callable[[FloatVec3, bool], GeomInertia]]] = {
    "sphere": _sphere,
    "capsule": _capsule,
    "cylinder": _cylinder,
    "ellipsoid": _ellipsoid,
    "box": _box,
    "hfield": _box,
    "plane": _without_volume,
}


def geom_inertia(shape: str, size: FloatVec3, *, shell: bool) -> GeomInertia:
    """Return the inertia of a simple shape."""
    return _INERTIAS[shape](size, shell)
