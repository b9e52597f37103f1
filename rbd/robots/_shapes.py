"""Inertias of solid bodies of uniform density (internal).

Masses and sizes may be any scalars (SymPy symbols included); zeros stay exact, so that nothing is multiplied by them
later.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from rbd.scalars import Scalar, const
from rbd.spatial import Frame, SpatialInertia

Triple: TypeAlias = tuple[Scalar, Scalar, Scalar]
Axis: TypeAlias = Literal["x", "y", "z"]


def box_inertia(
    frame: Frame, *, mass: Scalar, size: tuple[Scalar, Scalar, Scalar], center: Triple = (0, 0, 0)
) -> SpatialInertia:
    """Return the inertia of a box in `frame`: edges of length `size` along its axes, the middle at `center`."""
    xx, yy, zz = (const(1, 12) * mass * edge * edge for edge in size)
    return _about_center(frame, mass, center, (yy + zz, xx + zz, xx + yy))


def cylinder_inertia(
    frame: Frame, *, mass: Scalar, radius: Scalar, length: Scalar, axis: Axis = "z", center: Triple = (0, 0, 0)
) -> SpatialInertia:
    """Return the inertia of a cylinder in `frame`: its axis along `axis`, the middle at `center`."""
    axial = const(1, 2) * mass * radius * radius
    transverse = const(1, 2) * axial + const(1, 12) * mass * length * length
    return _about_center(frame, mass, center, _along(axis, axial, transverse))


def capsule_inertia(
    frame: Frame, *, mass: Scalar, radius: Scalar, length: Scalar, axis: Axis = "z", center: Triple = (0, 0, 0)
) -> SpatialInertia:
    """Return the inertia of a capsule in `frame`: a cylinder of `length` along `axis` between two half-balls."""
    tube = mass * length / (length + const(4, 3) * radius)
    caps = mass - tube
    square = radius * radius
    axial = const(1, 2) * tube * square + const(2, 5) * caps * square
    transverse = tube * (const(1, 12) * length * length + const(1, 4) * square) + caps * (
        const(2, 5) * square + const(1, 4) * length * length + const(3, 8) * length * radius
    )
    return _about_center(frame, mass, center, _along(axis, axial, transverse))


def _along(axis: Axis, axial: Scalar, transverse: Scalar) -> Triple:
    first, second, third = (axial if name == axis else transverse for name in "xyz")
    return first, second, third


def _about_center(frame: Frame, mass: Scalar, center: Triple, principal: Triple) -> SpatialInertia:
    xx, yy, zz = principal
    moment = ((xx, 0, 0), (0, yy, 0), (0, 0, zz))
    return SpatialInertia(frame, mass=mass, com=center, moment_about_com=moment)
