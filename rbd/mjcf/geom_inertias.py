"""Volume and inertia of simple shapes, solid and as shells; sizes are half lengths.

The moment is for unit mass. A shell's "volume" is its area.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from rbd.files.pose import ZERO, Triple

_Extent = tuple[float, Triple]
_THIN: Final = 1e-6


def _sphere(size: Triple, shell: bool) -> _Extent:
    r = size[0]
    if shell:
        return 4 * math.pi * r**2, _isotropic(2 * r**2 / 3)
    return 4 * math.pi * r**3 / 3, _isotropic(2 * r**2 / 5)


def _capsule(size: Triple, shell: bool) -> _Extent:
    r, h = size[0], 2 * size[1]
    ball, tube = (4 * math.pi * r**2, 2 * math.pi * r * h) if shell else (4 * math.pi * r**3 / 3, math.pi * r**2 * h)
    m = ball / (ball + tube)  # of the two half balls, of mass one
    if shell:
        across = (1 - m) * (6 * r**2 + h**2) / 12 + m * (2 * r**2 / 3 + h / 2 * (h / 2 + r))
        along = (1 - m) * r**2 + 2 * m * r**2 / 3
    else:
        across = (1 - m) * (3 * r**2 + h**2) / 12 + m * (2 * r**2 / 5 + h * (3 * r + 2 * h) / 8)
        along = (1 - m) * r**2 / 2 + 2 * m * r**2 / 5
    return ball + tube, (across, across, along)


def _cylinder(size: Triple, shell: bool) -> _Extent:
    r, h = size[0], 2 * size[1]
    if not shell:
        across = (3 * r**2 + h**2) / 12
        return math.pi * r**2 * h, (across, across, r**2 / 2)
    disk, tube = math.pi * r**2, 2 * math.pi * r * h
    area = 2 * disk + tube
    lids, side = 2 * disk / area, tube / area
    across = side * (6 * r**2 + h**2) / 12 + lids * (r**2 + h**2) / 4
    return area, (across, across, side * r**2 + lids * r**2 / 2)


def _ellipsoid(size: Triple, shell: bool) -> _Extent:
    if not shell:
        a, b, c = size
        return 4 * math.pi * a * b * c / 3, _moments(size, 5)
    a, b, c = size
    p = 1.6075  # Thomsen's approximation
    area = 4 * math.pi * (((a * b) ** p + (b * c) ** p + (c * a) ** p) / 3) ** (1 / p)
    outer = (a + _THIN, b + _THIN, c + _THIN)
    inside, outside = math.prod(size), math.prod(outer)
    within, without = _moments(size, 5), _moments(outer, 5)
    x, y, z = ((outside * o - inside * i) / (outside - inside) for o, i in zip(without, within, strict=True))
    return area, (x, y, z)


def _box(size: Triple, shell: bool) -> _Extent:
    if not shell:
        return 8 * math.prod(size), _moments(size, 3)
    a, b, c = size
    faces = (b * c, c * a, a * b)  # across x, y and z
    total = sum(faces)
    x, y, z = (_plates(size, k, [face / total for face in faces]) for k in range(3))
    return 8 * total, (x, y, z)


def _plates(size: Triple, axis: int, masses: list[float]) -> float:
    """Return the moment about an axis of the six faces of a box; `masses` are those of opposite pairs."""
    moment = 0.0
    for normal, m in enumerate(masses):
        for k in range(3):
            if k != axis:
                moment += m * size[k] ** 2 * (1 if k == normal else 1 / 3)
    return moment


def _moments(size: Triple, divisor: int) -> Triple:
    x, y, z = (s**2 / divisor for s in size)
    return y + z, x + z, x + y


def _isotropic(moment: float) -> Triple:
    return moment, moment, moment


def _nothing(size: Triple, shell: bool) -> _Extent:
    return 0.0, ZERO


_EXTENTS: Final[dict[str, Callable[[Triple, bool], _Extent]]] = {
    "sphere": _sphere,
    "capsule": _capsule,
    "cylinder": _cylinder,
    "ellipsoid": _ellipsoid,
    "box": _box,
    "hfield": _box,
    "plane": _nothing,
}


def extent(shape: str, size: Triple, *, shell: bool) -> _Extent:
    """Return the volume of a shape and the moments of inertia about its centre, for unit mass."""
    return _EXTENTS[shape](size, shell)
