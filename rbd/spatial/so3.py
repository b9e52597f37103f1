"""Rotations: exponential, logarithm, Jacobians, rates.

Every singularity of the library's rotations is treated here, in `stumpff.py` and in `quaternion.py`. Rotation vectors
phi have any length unless said otherwise; `hat(phi)` is written φ̂ below. "Left" is the frame before, "right" the frame
after:

    Exp(phi + d) = Exp(J_l d) Exp(phi) = Exp(phi) Exp(J_r d) to first order in d, and J_r(phi) = J_l(-phi).
"""

from __future__ import annotations

from rbd.scalars import Scalar, const, cos, less, sin, sqrt, where
from rbd.spatial.linalg import Mat3, Vec3, add3, cross3, dot3, neg3, scale3, sub3, unit3
from rbd.spatial.quaternion import (
    Quaternion,
    quaternion_log,
    quaternion_normalized,
    quaternion_to_rotation,
    rotation_to_quaternion,
)
from rbd.spatial.stumpff import Stumpff, inverse_jacobian_coefficient, stumpff

_HALF: Scalar = const(1, 2)
_PARALLEL: Scalar = const(1, 10**30)  # square of the sine below which two directions define no plane


def _rodrigues(phi: Vec3, first: Scalar, second: Scalar) -> Mat3:
    """Return 1 + first φ̂ + second φ̂²."""
    x, y, z = phi
    sx, sy, sz = second * x, second * y, second * z
    xx, yy, zz = sx * x, sy * y, sz * z
    xy, xz, yz = sx * y, sx * z, sy * z
    fx, fy, fz = first * x, first * y, first * z
    return (
        (1 - (yy + zz), xy - fz, xz + fy),
        (xy + fz, 1 - (xx + zz), yz - fx),
        (xz - fy, yz + fx, 1 - (xx + yy)),
    )


def rotation_exp(phi: Vec3) -> Mat3:
    """Return the rotation by |phi| about phi."""
    return rotation_of_series(phi, stumpff(dot3(phi, phi)))


def rotation_of_series(phi: Vec3, c: Stumpff) -> Mat3:
    """Return the rotation by |phi| about phi, given the Stumpff functions of the square of |phi|."""
    return _rodrigues(phi, c.c1, c.c2)


def rotation_log(r: Mat3) -> Vec3:
    """Return the rotation vector of r, at most pi long.

    At pi exactly, where two vectors fit, the one whose largest component is positive.
    """
    return quaternion_log(rotation_to_quaternion(r))


def left_jacobian(phi: Vec3) -> Mat3:
    """Return J_l: the derivative of phi times J_l is the angular velocity in the frame before."""
    c = stumpff(dot3(phi, phi))
    return _rodrigues(phi, c.c2, c.c3)


def right_jacobian(phi: Vec3) -> Mat3:
    """Return J_r: the derivative of phi times J_r is the angular velocity in the frame after."""
    return left_jacobian(neg3(phi))


def inverse_left_jacobian(phi: Vec3) -> Mat3:
    """Return the inverse of J_l; singular where |phi| is a multiple of 2 pi other than zero."""
    return _rodrigues(phi, -_HALF, inverse_jacobian_coefficient(dot3(phi, phi)))


def inverse_right_jacobian(phi: Vec3) -> Mat3:
    """Return the inverse of J_r; singular where |phi| is a multiple of 2 pi other than zero."""
    return inverse_left_jacobian(neg3(phi))


def rotation_vector_rate(phi: Vec3, omega: Vec3) -> Vec3:
    """Return the derivative of phi at the body angular velocity omega (Bortz, 1971); singular at one revolution."""
    once = cross3(phi, omega)
    twice = cross3(phi, once)
    return add3(omega, add3(scale3(once, _HALF), scale3(twice, inverse_jacobian_coefficient(dot3(phi, phi)))))


def rotation_about(axis: Vec3, c: Scalar, s: Scalar) -> Mat3:
    """Return the rotation about a unit axis by the angle with cosine c and sine s.

    Written so that components 0 and 1 of the axis leave exact zeros and ones in the matrix.
    """
    x, y, z = axis
    versine = 1 - c
    xx, yy, zz = x * x, y * y, z * z
    xy, xz, yz = x * y * versine, x * z * versine, y * z * versine
    return (
        (xx + (1 - xx) * c, xy - z * s, xz + y * s),
        (xy + z * s, yy + (1 - yy) * c, yz - x * s),
        (xz - y * s, yz + x * s, zz + (1 - zz) * c),
    )


def minimal_rotation(u: Vec3, v: Vec3) -> Mat3:
    """Return the rotation by the smallest angle that takes the direction of u to that of v.

    For opposite directions it is a rotation by pi about some perpendicular. Not finite when u or v is zero.
    """
    a, b = unit3(u), unit3(v)
    axis, cosine = cross3(a, b), dot3(a, b)
    acute = less(0, cosine)
    near = (1 + cosine, axis[0], axis[1], axis[2])
    far = _obtuse_quaternion(a, b, axis)
    w, x, y, z = (where(acute, p, q) for p, q in zip(near, far, strict=True))
    return quaternion_to_rotation(quaternion_normalized((w, x, y, z)))


def _obtuse_quaternion(a: Vec3, b: Vec3, axis: Vec3) -> Quaternion:
    """Return a quaternion from a to b, unit vectors more than a right angle apart; `axis` is a x b, perhaps zero."""
    opposite = less(dot3(axis, axis), _PARALLEL)
    spare = _perpendicular(a)
    n = (where(opposite, spare[0], axis[0]), where(opposite, spare[1], axis[1]), where(opposite, spare[2], axis[2]))
    n = unit3(sub3(n, scale3(a, dot3(n, a))))  # near opposition rounding tilts the axis towards a
    total, difference = add3(a, b), sub3(a, b)
    cosine2 = where(opposite, 0, dot3(total, total))
    cosine = where(opposite, 0, sqrt(where(opposite, 1, cosine2)))
    x, y, z = scale3(n, sqrt(where(less(0, dot3(a, b)), 1, dot3(difference, difference))))
    return cosine, x, y, z


def _perpendicular(a: Vec3) -> Vec3:
    """Return some vector perpendicular to the unit vector a, longer than a half."""
    flat = less(a[2] * a[2], _HALF)
    return where(flat, -a[1], 0), where(flat, a[0], -a[2]), where(flat, 0, a[1])


def linearized_rotation_vector(r: Mat3) -> Vec3:
    """Return half the vector of r - r^T: the rotation vector to first order, sin(theta) times the axis in general."""
    return _HALF * (r[2][1] - r[1][2]), _HALF * (r[0][2] - r[2][0]), _HALF * (r[1][0] - r[0][1])


def rpy_to_rotation(rpy: Vec3) -> Mat3:
    """Return Rz(yaw) Ry(pitch) Rx(roll) of rpy = (roll, pitch, yaw), as URDF means it."""
    roll, pitch, yaw = rpy
    sr, cr, sp, cp, sy, cy = sin(roll), cos(roll), sin(pitch), cos(pitch), sin(yaw), cos(yaw)
    return (
        (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
        (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
        (-sp, cp * sr, cp * cr),
    )
