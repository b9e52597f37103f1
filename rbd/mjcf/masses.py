"""Masses and inertias of bodies: `<inertial>`, or the sum of the geoms, and what `<compiler>` makes of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from rbd.errors import MjcfValueError
from rbd.files.pose import ZERO, ZERO_MATRIX, Matrix3, Pose, matrix_of_array
from rbd.mjcf.description import MjcfBody, MjcfGeom, MjcfMass
from rbd.mjcf.element import MjcfElement
from rbd.mjcf.orientation import read_rotation
from rbd.mjcf.reading import MjcfReading
from rbd.mjcf.schema import ORIENTATION
from rbd.scalars.arrays import Array

_SMALLEST: Final = 1e-14


def read_inertial(element: MjcfElement, frame: Pose) -> MjcfMass:
    """Return the mass and inertia of `<inertial>`, which is given in a `frame` of the body."""
    reading = element.reading
    reading.check(element.node)
    for attribute in ("pos", "mass"):
        if not element.has(attribute):
            message = f"attribute {attribute!r} is missing"
            raise reading.error(MjcfValueError, element.node, message, attribute=attribute)
    mass = element.quantity("mass")
    if mass < 0.0:
        message = f"the mass {mass!r} is negative"
        raise reading.error(MjcfValueError, element.node, message, attribute="mass", value=mass)
    rotation = np.array(frame.rotation)
    moment = rotation @ np.array(_moment(element)) @ rotation.T
    return MjcfMass(mass, frame.point(element.triple("pos")), matrix_of_array(moment))


def _moment(element: MjcfElement) -> Matrix3:
    if element.has("fullinertia"):
        other = next((word for word in (*ORIENTATION, "diaginertia") if element.has(word)), None)
        if other is not None:
            message = f"has both fullinertia and {other}"
            raise element.reading.error(MjcfValueError, element.node, message, attribute=other)
        xx, yy, zz, xy, xz, yz = element.vector("fullinertia", (0.0,) * 6)
        return (xx, xy, xz), (xy, yy, yz), (xz, yz, zz)
    diagonal = np.diag(element.vector("diaginertia", ZERO))
    rotation = np.array(read_rotation(element))
    return matrix_of_array(rotation @ diagonal @ rotation.T)


def assign_masses(reading: MjcfReading, bodies: Sequence[MjcfBody]) -> None:
    """Give every body but the world its mass."""
    settings = reading.settings
    for body in bodies[1:]:
        with np.errstate(over="ignore", invalid="ignore"):
            of_geoms = _sum([geom for geom in body.geoms if geom.mass > _SMALLEST])
        use_geoms = settings.from_geoms == "true" or body.inertial is None
        mass = of_geoms if use_geoms and of_geoms is not None else body.inertial
        body.mass = _checked(reading, body, mass or MjcfMass(0.0, ZERO, ZERO_MATRIX))
    total = sum(body.mass.mass for body in bodies if body.mass is not None)
    if settings.total_mass > 0.0 and total > 0.0:
        for body in bodies[1:]:
            body.mass = _scaled(body.mass, settings.total_mass / total)


def _sum(geoms: Sequence[MjcfGeom]) -> MjcfMass | None:
    if not geoms:
        return None
    mass = sum(geom.mass for geom in geoms)
    centers = np.array([geom.pose.translation for geom in geoms])
    com = np.array([geom.mass for geom in geoms]) @ centers / mass
    moment = np.zeros((3, 3))
    for geom, offset in zip(geoms, centers - com, strict=True):
        rotation = np.array(geom.pose.rotation)
        moment += rotation @ np.array(geom.moment) @ rotation.T
        moment += geom.mass * (offset @ offset * np.eye(3) - np.outer(offset, offset))
    x, y, z = (float(c) for c in com)
    return MjcfMass(mass, (x, y, z), matrix_of_array(moment))


def _checked(reading: MjcfReading, body: MjcfBody, mass: MjcfMass) -> MjcfMass:
    """Return a mass within the bounds of `<compiler>`, with moments that a body can have if it asks for that."""
    if not np.isfinite([mass.mass, *mass.com, *sum(mass.moment, ())]).all():
        raise reading.error(MjcfValueError, body.node, "the mass or inertia of the body is beyond floats")
    moments, axes = np.linalg.eigh(np.array(mass.moment))
    bounded = _possible_moments(reading, body, moments)
    moment = matrix_of_array((axes * bounded) @ axes.T) if (bounded != moments).any() else mass.moment
    return MjcfMass(max(mass.mass, reading.settings.least_mass), mass.com, moment)


def _possible_moments(reading: MjcfReading, body: MjcfBody, moments: Array) -> Array:
    """Return principal moments within the bounds, balanced if the file asks for that; warn of impossible ones."""
    settings = reading.settings
    bounded = np.maximum(moments, settings.least_moment) if settings.least_moment > 0.0 else moments
    impossible = bounded[0] < 0.0 or bounded[0] + bounded[1] < bounded[2] * (1 - 1e-12)
    if not impossible:
        return bounded
    if settings.balance:
        return np.full(3, bounded.mean())
    message = f"no body has the principal moments {', '.join(f'{moment:.6g}' for moment in bounded)}"
    reading.warn_or_refuse(body.node, message, remedy="they are kept", moments=tuple(bounded.tolist()))
    return bounded


def _scaled(mass: MjcfMass | None, factor: float) -> MjcfMass | None:
    if mass is None:
        return None
    return MjcfMass(mass.mass * factor, mass.com, matrix_of_array(np.array(mass.moment) * factor))
