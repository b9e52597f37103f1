"""Rotations of the orientations that MJCF has words for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from rbd.files.pose import IDENTITY, FloatMat3, FloatVec3, float_matrix, float_vector
from rbd.spatial.linalg import Mat3, cross3, dot3, matmul, scale3, sub3, transpose3
from rbd.spatial.quaternion import quaternion_to_rotation
from rbd.spatial.so3 import rotation_about

_AXES: Final = {"x": IDENTITY[0], "y": IDENTITY[1], "z": IDENTITY[2]}
_MIN_LENGTH: Final = 1e-14
"""Directions shorter than this have none."""


def unit(vector: Sequence[float]) -> FloatVec3 | None:
    """Return the direction of a vector; None if it is too short to have one."""
    length = math.hypot(*vector)
    if length < _MIN_LENGTH:
        return None
    x, y, z = (c / length for c in vector)
    return x, y, z


def rotation_of_axis_angle(axis: FloatVec3, angle: float) -> FloatMat3:
    """Return the rotation about a unit axis."""
    return float_matrix(rotation_about(axis, math.cos(angle), math.sin(angle)))


def rotation_of_quaternion(quaternion: Sequence[float]) -> FloatMat3 | None:
    """Return the rotation of a quaternion (w, x, y, z) of any length; None for a zero one."""
    length = math.hypot(*quaternion)
    if length < _MIN_LENGTH:
        return None
    w, x, y, z = (c / length for c in quaternion)
    return float_matrix(quaternion_to_rotation((w, x, y, z)))


def rotation_of_axes(xyaxes: Sequence[float]) -> FloatMat3 | None:
    """Return the rotation whose x axis is given, and its y axis up to a part along x."""
    x = unit(xyaxes[:3])
    if x is None:
        return None
    raw = (xyaxes[3], xyaxes[4], xyaxes[5])
    y = unit(float_vector(sub3(raw, scale3(x, dot3(x, raw)))))
    return None if y is None else float_matrix(transpose3((x, y, float_vector(cross3(x, y)))))


def rotation_of_z_axis(vector: Sequence[float]) -> FloatMat3 | None:
    """Return the least rotation that turns the z axis towards `vector`; half a turn about x if it points down."""
    z = unit(vector)
    if z is None:
        return None
    sine = math.hypot(z[0], z[1])
    axis: FloatVec3 = (1.0, 0.0, 0.0) if sine < 1e-10 else (-z[1] / sine, z[0] / sine, 0.0)
    return rotation_of_axis_angle(axis, math.atan2(sine, z[2]))


def rotation_of_euler(angles: Sequence[float], sequence: str) -> FloatMat3:
    """Return three turns: about moving axes for small letters, fixed ones for capitals."""
    total: Mat3 = IDENTITY
    for letter, angle in zip(sequence, angles, strict=True):
        turn = rotation_of_axis_angle(_AXES[letter.lower()], angle)
        total = matmul(total, turn) if letter.islower() else matmul(turn, total)
    return float_matrix(total)
