"""Inertias as files give them, which may be such as no body has."""

from __future__ import annotations

from rbd.files.pose import FloatMat3, FloatVec3
from rbd.spatial import Frame, SpatialInertia
from rbd.spatial.linalg import add33, dot3, identity3, outer, scale3, scale33, sub33


def unchecked_inertia(frame: Frame, mass: float, com: FloatVec3, moment: FloatMat3) -> SpatialInertia:
    """Return the inertia in `frame` with that moment about the centre of mass (parallel axis theorem)."""
    squares = sub33(scale33(identity3(), dot3(com, com)), outer(com, com))
    return SpatialInertia.trusted(frame, add33(moment, scale33(squares, mass)), scale3(com, mass), mass)
