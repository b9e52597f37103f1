"""Reader of `<origin>` and `<axis>`, with snapping; axes of planar joints."""

from __future__ import annotations

import math
from typing import Final

from rbd.errors import UrdfValueError
from rbd.files.pose import ZERO, FloatMat3, FloatVec3, Pose, float_matrix
from rbd.files.xml import XmlElement
from rbd.joints.axis import unit_axis
from rbd.spatial.linalg import transpose3
from rbd.spatial.quaternion import quaternion_to_rotation
from rbd.spatial.so3 import minimal_rotation, rpy_to_rotation
from rbd.urdf.reading import UrdfReading
from rbd.urdf.report import Snappable, Snapped
from rbd.urdf.snapping import (
    ROUNDING_ERROR,
    largest_difference,
    snapped_angle,
    snapped_axis,
    snapped_rotation,
    snapped_translation,
)

PLACEMENT_ATTRIBUTES: Final = frozenset({"xyz", "rpy", "quat_xyzw"})
_UNIT_TOLERANCE: Final = 1e-6


def read_origin(reading: UrdfReading, node: XmlElement, *, snap: bool) -> Pose:
    """Return the pose in the `<origin>` child of `node`; the identity when there is none."""
    origin = reading.single_child(node, "origin")
    if origin is None:
        return Pose()
    reading.ignore_unknown(origin, PLACEMENT_ATTRIBUTES)
    return read_placement(reading, origin, snap=snap)


def read_placement(reading: UrdfReading, origin: XmlElement, *, snap: bool) -> Pose:
    """Return the pose in the attributes of an element."""
    x, y, z = reading.vector(origin, "xyz", ZERO)
    rotation, snapped_angles_rotation = _rotations(reading, origin)
    if not (snap and reading.snap):
        return Pose(rotation, (x, y, z))
    pose = Pose(snapped_rotation(snapped_angles_rotation), snapped_translation((x, y, z)))
    _record_snapping(reading, origin, "rotation", sum(rotation, ()), sum(pose.rotation, ()))
    _record_snapping(reading, origin, "translation", (x, y, z), pose.translation)
    return pose


def _rotations(reading: UrdfReading, origin: XmlElement) -> tuple[FloatMat3, FloatMat3]:
    """Return the rotation of the given angles, and that of the snapped angles."""
    if "quat_xyzw" in origin.attributes:
        rotation = _quaternion(reading, origin)
        return rotation, rotation
    roll, pitch, yaw = reading.vector(origin, "rpy", ZERO)
    snapped_angles = (snapped_angle(roll), snapped_angle(pitch), snapped_angle(yaw))
    return rotation_of_rpy((roll, pitch, yaw)), rotation_of_rpy(snapped_angles)


def _quaternion(reading: UrdfReading, origin: XmlElement) -> FloatMat3:
    if "rpy" in origin.attributes:
        raise reading.error(UrdfValueError, origin, "has both rpy and quat_xyzw", attribute="quat_xyzw")
    quaternion = reading.vector(origin, "quat_xyzw", (0.0, 0.0, 0.0, 1.0))
    x, y, z, w = _unit_quaternion(reading, origin, quaternion)
    return float_matrix(quaternion_to_rotation((w, x, y, z)))


def _unit_quaternion(reading: UrdfReading, origin: XmlElement, quaternion: tuple[float, ...]) -> tuple[float, ...]:
    length = math.hypot(*quaternion)
    if abs(length - 1.0) > _UNIT_TOLERANCE:
        message = f"quat_xyzw has length {length:.6g}, a rotation needs 1"
        if length < 0.5:
            raise reading.error(UrdfValueError, origin, message, attribute="quat_xyzw")
        reading.warn_or_refuse(origin, message, remedy="it is normalised", attribute="quat_xyzw")
    return tuple(c / length for c in quaternion)


def rotation_of_rpy(rpy: FloatVec3) -> FloatMat3:
    """Return the rotation of roll, pitch and yaw about the fixed x, y and z axes, in this order."""
    return float_matrix(rpy_to_rotation(rpy))


def _record_snapping(
    reading: UrdfReading, node: XmlElement, what: Snappable, old: tuple[float, ...], new: tuple[float, ...]
) -> None:
    if largest_difference(old, new) > (0.0 if what == "translation" else ROUNDING_ERROR):
        reading.snapped.append(Snapped(node.path, what, node.line, old, new))


def read_axis(reading: UrdfReading, node: XmlElement) -> FloatVec3:
    """Return the unit vector in the `<axis>` child of `node`; the x axis when there is none."""
    axis = reading.single_child(node, "axis")
    if axis is None:
        return (1.0, 0.0, 0.0)
    reading.ignore_unknown(axis, frozenset({"xyz"}))
    x, y, z = reading.vector(axis, "xyz", (1.0, 0.0, 0.0))
    unit = _unit_axis(reading, axis, (x, y, z))
    if not reading.snap:
        return unit
    snapped = snapped_axis(unit)
    _record_snapping(reading, axis, "axis", unit, snapped)
    return snapped


def _unit_axis(reading: UrdfReading, node: XmlElement, axis: FloatVec3) -> FloatVec3:
    if not any(axis):
        raise reading.error(UrdfValueError, node, "the axis is zero: it has no direction", attribute="xyz")
    length = math.hypot(*axis)
    if abs(length - 1.0) > _UNIT_TOLERANCE:
        reading.warn(node, f"the axis has length {length:.6g}; it is normalised")
    return unit_axis(axis, "xyz")


def planar_axes(normal: FloatVec3) -> tuple[FloatVec3, FloatVec3]:
    """Return the x and y axes of a planar joint: those of the frame that the least rotation turns to face `normal`."""
    columns = float_matrix(transpose3(minimal_rotation((0.0, 0.0, 1.0), normal)))
    x, y, _ = snapped_rotation(columns, tolerance=ROUNDING_ERROR)
    return x, y
