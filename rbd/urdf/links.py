"""Reader of `<link>` and `<inertial>`."""

from __future__ import annotations

from typing import Final

from rbd.errors import UrdfValueError
from rbd.files.pose import ZERO_MATRIX, FloatMat3, float_matrix
from rbd.files.xml import XmlElement
from rbd.spatial.congruence import congruence
from rbd.urdf.description import UrdfInertial, UrdfLink
from rbd.urdf.origins import read_origin
from rbd.urdf.reading import UrdfReading
from rbd.urdf.shapes import Colors, read_shapes

_MOMENTS: Final = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def read_link(reading: UrdfReading, node: XmlElement, colors: Colors) -> UrdfLink:
    """Return the link with its shapes."""
    reading.ignore_unknown(node, frozenset({"name"}), frozenset({"inertial", "visual", "collision"}))
    name = reading.name(node)
    inertial = reading.single_child(node, "inertial")
    inertia = None if inertial is None else _inertial(reading, inertial)
    return UrdfLink(node, name, inertia, list(read_shapes(reading, node, name, colors)))


def _inertial(reading: UrdfReading, node: XmlElement) -> UrdfInertial:
    reading.ignore_unknown(node, frozenset(), frozenset({"origin", "mass", "inertia"}))
    # not snapped: a centre of mass is a measured quantity, and no structural zero hangs on it
    pose = read_origin(reading, node, snap=False)
    mass, inertia = _mass(reading, node), reading.single_child(node, "inertia")
    moment = float_matrix(congruence(pose.rotation, _moment(reading, node, inertia)))
    if mass == 0.0 and any(map(any, moment)):
        reading.warn(node, "the link has moments of inertia but no mass")
    return UrdfInertial(node, inertia or node, mass, pose.translation, moment)


def _mass(reading: UrdfReading, inertial: XmlElement) -> float:
    node = reading.single_child(inertial, "mass")
    if node is None:
        reading.warn_or_refuse(inertial, "<mass> is missing", remedy="the mass is 0")
        return 0.0
    reading.ignore_unknown(node, frozenset({"value"}))
    mass = reading.quantity(node, "value")
    if mass < 0.0:
        raise reading.error(UrdfValueError, node, f"the mass {mass!r} is negative", attribute="value", value=mass)
    return mass


def _moment(reading: UrdfReading, inertial: XmlElement, node: XmlElement | None) -> FloatMat3:
    """Return the moment about the centre of mass, in the axes of the inertial's own origin."""
    if node is None:
        reading.warn_or_refuse(inertial, "<inertia> is missing", remedy="the moments of inertia are 0")
        return ZERO_MATRIX
    reading.ignore_unknown(node, frozenset(_MOMENTS))
    # products of inertia may be left out, as the format's later versions allow; moments may not
    xx, xy, xz, yy, yz, zz = (reading.quantity(node, m, None if m[1] == m[2] else 0.0) for m in _MOMENTS)
    return (xx, xy, xz), (xy, yy, yz), (xz, yz, zz)
