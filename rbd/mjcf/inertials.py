"""Masses and inertias of bodies: `<inertial>`, or the sum of the geoms, and what `<compiler>` makes of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from rbd.errors import MjcfValueError
from rbd.files.pose import ZERO, ZERO_MATRIX, FloatMat3, Pose, matrix_of_array
from rbd.mjcf.description import MjcfBody, MjcfGeom, MjcfInertial
from rbd.mjcf.element import MjcfElement
from rbd.mjcf.orientation import read_rotation
from rbd.mjcf.reading import MjcfReading
from rbd.mjcf.schema import ORIENTATION
from rbd.scalars.arrays import Array

_MIN_MASS: Final = 1e-14


def read_inertial(element: MjcfElement, frame: Pose) -> MjcfInertial:
    """Return the mass and inertia of `<inertial>`, which is given in a `frame` of the body."""
    element.reading.check_attributes(element.node)
    for attribute in ("pos", "mass"):
        if not element.has(attribute):
            raise element.error(attribute, f"attribute {attribute!r} is missing")
    mass = element.quantity("mass")
    if mass < 0.0:
        raise element.error("mass", f"the mass {mass!r} is negative", value=mass)
    rotation = np.array(frame.rotation)
    moment = rotation @ np.array(_moment(element)) @ rotation.T
    return MjcfInertial(mass, frame.point(element.vector3("pos")), matrix_of_array(moment))


def _moment(element: MjcfElement) -> FloatMat3:
    if element.has("fullinertia"):
        other = next((word for word in (*ORIENTATION, "diaginertia") if element.has(word)), None)
        if other is not None:
            raise element.error(other, f"has both fullinertia and {other}")
        xx, yy, zz, xy, xz, yz = element.vector("fullinertia", (0.0,) * 6)
        return (xx, xy, xz), (xy, yy, yz), (xz, yz, zz)
    diagonal = np.diag(element.vector("diaginertia", ZERO))
    rotation = np.array(read_rotation(element))
    return matrix_of_array(rotation @ diagonal @ rotation.T)


def inertials_of_bodies(reading: MjcfReading, bodies: Sequence[MjcfBody]) -> dict[str, MjcfInertial]:
    """Return the mass and inertia of every body but the world, by name."""
    settings = reading.settings
    inertials = {body.name: _checked(reading, body, _inertial(body)) for body in bodies[1:]}
    total = sum(inertial.mass for inertial in inertials.values())
    if settings.total_mass <= 0.0 or total <= 0.0:
        return inertials
    return {name: _scaled(inertial, settings.total_mass / total) for name, inertial in inertials.items()}


def _inertial(body: MjcfBody) -> MjcfInertial:
    """Return the sum of the geoms of a body, which have mass where that counts, else its `<inertial>`, else zeros."""
    heavy = [geom for geom in body.geoms if geom.mass > _MIN_MASS]
    with np.errstate(over="ignore", invalid="ignore"):
        of_geoms = _sum(heavy)
    return of_geoms or body.inertial or MjcfInertial(0.0, ZERO, ZERO_MATRIX)


def _sum(geoms: Sequence[MjcfGeom]) -> MjcfInertial | None:
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
    return MjcfInertial(mass, (x, y, z), matrix_of_array(moment))


def _checked(reading: MjcfReading, body: MjcfBody, inertial: MjcfInertial) -> MjcfInertial:
    """Return an inertial within the bounds of `<compiler>`, with moments that a body can have if it asks for that."""
    if not np.isfinite([inertial.mass, *inertial.com, *sum(inertial.moment, ())]).all():
        raise reading.error(MjcfValueError, body.node, "the mass or inertia of the body is beyond floats")
    moments, axes = np.linalg.eigh(np.array(inertial.moment))
    bounded = _possible_moments(reading, body, moments)
    moment = matrix_of_array((axes * bounded) @ axes.T) if (bounded != moments).any() else inertial.moment
    return MjcfInertial(max(inertial.mass, reading.settings.min_mass), inertial.com, moment)


def _possible_moments(reading: MjcfReading, body: MjcfBody, moments: Array) -> Array:
    """Return principal moments within the bounds, balanced if the file asks for that; warn of impossible ones."""
    settings = reading.settings
    bounded = np.maximum(moments, settings.min_moment) if settings.min_moment > 0.0 else moments
    impossible = bounded[0] < 0.0 or bounded[0] + bounded[1] < bounded[2] * (1 - 1e-12)
    if not impossible:
        return bounded
    if settings.balance_inertia:
        return np.full(3, bounded.mean())
    message = f"no body has the principal moments {', '.join(f'{moment:.6g}' for moment in bounded)}"
    reading.warn_or_refuse(body.node, message, remedy="they are kept", moments=tuple(bounded.tolist()))
    return bounded


def _scaled(inertial: MjcfInertial, factor: float) -> MjcfInertial:
    return MjcfInertial(inertial.mass * factor, inertial.com, matrix_of_array(np.array(inertial.moment) * factor))
