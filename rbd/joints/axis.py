"""Axes of joints: validation, and rotation about an axis.

Axes are plain floats: the zeros of a coordinate axis are exact, and vanish from recorded programs.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rbd.errors import ArgumentError
from rbd.scalars import atan2, cos, lift, sin, to_float
from rbd.scalars.arrays import float_array
from rbd.spatial.linalg import cross3, dot3, matvec
from rbd.spatial.so3 import rotation_about

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike

    from rbd.scalars import Scalar, Vector
    from rbd.spatial.linalg import Mat3, Vec3

Axis = tuple[float, float, float]

_UNIT_TOLERANCE = 1 / 10**15  # a few units in the last place of 1: an axis this close to length one is left as it is
_ORTHOGONALITY_TOLERANCE = 1 / 10**9  # the largest cosine that still counts as zero


def unit_axis(value: ArrayLike, argument: str = "axis") -> Axis:
    """Return `value` scaled to length one; an axis of length one stays as it is.

    Raises ShapeError, NotFiniteError, or ArgumentError for a zero axis, each naming `argument`.
    """
    axis = _vector(float_array(value, (3,), argument))
    largest = max(abs(c) for c in axis)
    if largest == 0.0:
        message = f"{argument} is zero: it has no direction"
        raise ArgumentError(message, argument=argument, value=axis, allowed="a vector other than zero")
    if not 1 / 10**100 < largest < 10**100:  # squares would overflow or vanish
        axis = _vector(math.ldexp(c, -math.frexp(largest)[1]) for c in axis)
    length = math.hypot(*axis)
    return axis if abs(length - 1.0) <= _UNIT_TOLERANCE else _vector(c / length for c in axis)


def orthogonal_axis(value: ArrayLike, axis: Axis, argument: str, other: str) -> Axis:
    """Return `value` scaled to length one, orthogonalized against `axis`.

    Raises as `unit_axis` does, and ArgumentError when the angle to `axis` differs from a right angle by more than 1e-9.
    """
    unit = unit_axis(value, argument)
    along = math.fsum(a * b for a, b in zip(unit, axis, strict=True))
    if abs(along) > _ORTHOGONALITY_TOLERANCE:
        message = f"{argument} must be orthogonal to {other}; their cosine is {along:.3g}"
        raise ArgumentError(message, argument=argument, value=unit, allowed=f"an axis orthogonal to {other}")
    if abs(along) <= _UNIT_TOLERANCE:
        return unit
    return unit_axis([a - along * b for a, b in zip(unit, axis, strict=True)], argument)


def perpendicular_axes(axis: Axis) -> tuple[Axis, Axis]:
    """Return two unit vectors that are orthogonal to `axis` and to each other.

    For a coordinate axis they are the two other ones. The reference is the coordinate axis least aligned with `axis`:
    both are well-conditioned for every axis.
    """
    least = min(range(3), key=lambda k: abs(axis[k]))
    reference = [float(k == least) for k in range(3)]
    first = unit_axis([r - axis[least] * a for r, a in zip(reference, axis, strict=True)], "axis")
    return first, cross(axis, first)


def cross(a: Axis, b: Axis) -> Axis:
    """Return a × b of plain floats."""
    return _vector(map(to_float, cross3(a, b)))


def lifted(axis: Axis, like: Vector) -> Vec3:
    """Return `axis` as scalars that combine exactly with those of `like`."""
    if all(type(x) is float for x in like):
        return axis
    return lift(axis[0], like), lift(axis[1], like), lift(axis[2], like)


def rotation_by_angle(axis: Axis, angle: Scalar) -> Mat3:
    """Return the rotation about `axis` by `angle`."""
    return rotation_about(lifted(axis, (angle,)), cos(angle), sin(angle))


def nearest_rotation_sin_cos(rotation: Mat3, axis: Vec3) -> tuple[Scalar, Scalar]:
    """Return (sine, cosine) of the rotation about `axis` nearest to `rotation`, up to a common factor.

    The nearest rotation maximises the trace of the relative rotation. Both numbers are zero for a rotation by π
    about an orthogonal axis, which is equally far from every rotation about `axis`.
    """
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = rotation
    skew = (zy - yz, xz - zx, yx - xy)
    return dot3(axis, skew), xx + yy + zz - dot3(axis, matvec(rotation, axis))


def nearest_rotation_angle(rotation: Mat3, axis: Vec3) -> Scalar:
    """Return the angle of the rotation about `axis` nearest to `rotation`, from -π to π."""
    return atan2(*nearest_rotation_sin_cos(rotation, axis))


def unwrap_angle(angle: Scalar, near: Scalar) -> Scalar:
    """Return the angle equal to `angle` up to whole revolutions that is nearest to `near`."""
    difference = angle - near
    return near + atan2(sin(difference), cos(difference))


def _vector(values: Iterable[float]) -> Axis:
    x, y, z = (float(c) + 0.0 for c in values)  # -0.0 + 0.0 is 0.0
    return x, y, z


def negate_axis(axis: Axis) -> Axis:
    """Return the opposite axis."""
    return _vector(-c for c in axis)
