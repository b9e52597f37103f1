"""Inertias of solid bodies of uniform density (internal).

Masses and sizes may be scalars of any family. Zeros are exact, so that programs have no multiplications by them.
`SpatialInertia.box` and `.cylinder` multiply in another order: with them the programs of robots would have other bits.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from rbd.scalars import Scalar, const
from rbd.spatial import Frame, SpatialInertia
from rbd.spatial.linalg import Vec3

Axis: TypeAlias = Literal["x", "y", "z"]


def box_inertia(frame: Frame, *, mass: Scalar, size: Vec3, center: Vec3 = (0, 0, 0)) -> SpatialInertia:
    """Return the inertia of a box in `frame`: edge lengths `size` along its axes, centre at `center`."""
    xx, yy, zz = (const(1, 12) * mass * edge * edge for edge in size)
    return _about_center(frame, mass, center, (yy + zz, xx + zz, xx + yy))


def cylinder_inertia(
    frame: Frame, *, mass: Scalar, radius: Scalar, length: Scalar, axis: Axis = "z", center: Vec3 = (0, 0, 0)
) -> SpatialInertia:
    """Return the inertia of a cylinder in `frame`: its axis along `axis`, centre at `center`."""
    axial = const(1, 2) * mass * radius * radius
    transverse = const(1, 2) * axial + const(1, 12) * mass * length * length
    return _about_center(frame, mass, center, _along(axis, axial, transverse))


def capsule_inertia(
    frame: Frame, *, mass: Scalar, radius: Scalar, length: Scalar, axis: Axis = "z", center: Vec3 = (0, 0, 0)
) -> SpatialInertia:
    """Return the inertia of a capsule in `frame`: a cylinder of `length` along `axis` with two hemispheres."""
    tube = mass * length / (length + const(4, 3) * radius)
    caps = mass - tube
    square = radius * radius
    axial = const(1, 2) * tube * square + const(2, 5) * caps * square
    transverse = tube * (const(1, 12) * length * length + const(1, 4) * square) + caps * (
        const(2, 5) * square + const(1, 4) * length * length + const(3, 8) * length * radius
    )
    return _about_center(frame, mass, center, _along(axis, axial, transverse))


def _along(axis: Axis, axial: Scalar, transverse: Scalar) -> Vec3:
    first, second, third = (axial if name == axis else transverse for name in "xyz")
    return first, second, third


def _about_center(frame: Frame, mass: Scalar, center: Vec3, principal: Vec3) -> SpatialInertia:
    xx, yy, zz = principal
    moment = ((xx, 0, 0), (0, yy, 0), (0, 0, zz))
    return SpatialInertia(frame, mass=mass, com=center, moment_about_com=moment)
