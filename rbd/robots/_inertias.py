"""Inertias of capsules (internal); those of boxes and cylinders are `SpatialInertia.box` and `.cylinder`."""

from __future__ import annotations

from rbd.scalars import Scalar, const
from rbd.spatial import Frame, SpatialInertia
from rbd.spatial.linalg import Vec3


def capsule_inertia(
    frame: Frame, *, mass: Scalar, radius: Scalar, length: Scalar, center: Vec3 = (0, 0, 0)
) -> SpatialInertia:
    """Return the inertia of a capsule along z in `frame`: a cylinder of `length` with two hemispheres."""
    tube = mass * length / (length + const(4, 3) * radius)
    caps = mass - tube
    square = radius * radius
    axial = const(1, 2) * tube * square + const(2, 5) * caps * square
    transverse = tube * (const(1, 12) * length * length + const(1, 4) * square) + caps * (
        const(2, 5) * square + const(1, 4) * length * length + const(3, 8) * length * radius
    )
    moment = ((transverse, 0, 0), (0, transverse, 0), (0, 0, axial))
    return SpatialInertia(frame, mass=mass, com=center, moment_about_com=moment)
