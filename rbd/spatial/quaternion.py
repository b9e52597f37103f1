"""Quaternions (w, x, y, z): products, rates, and the ways to and from rotations, rotation vectors and MRPs.

A unit quaternion rotates vectors from the frame after to the frame before; angular velocities are those of the frame
after with respect to the frame before, expressed in the frame after ("body").
"""

from __future__ import annotations

from typing import TypeAlias

from rbd.scalars import (
    Condition,
    Scalar,
    Vector,
    atan2,
    both,
    const,
    either,
    greater_equal,
    less,
    sqrt,
    to_float,
    where,
)
from rbd.scalars.norms import scaled_into_range
from rbd.spatial.linalg import Mat3, Vec3, add3, cross3, dot3, scale3, scale33, scaled_down3
from rbd.spatial.stumpff import Series, polynomial, stumpff

Vec4: TypeAlias = tuple[Scalar, Scalar, Scalar, Scalar]
Quaternion: TypeAlias = Vec4

_HALF: Scalar = const(1, 2)
_QUARTER: Scalar = const(1, 4)
_SIXTEENTH: Scalar = const(1, 16)
_SMALL = to_float(_SIXTEENTH)
_ARCTANGENT = Series(const((-1) ** j, 2 * j + 1) for j in range(10))  # of sqrt(u), over sqrt(u), for u < 0.017


def as_quaternion(q: Vector) -> Quaternion:
    """Return four scalars as a quaternion."""
    w, x, y, z = q
    return w, x, y, z


def quaternion_product(p: Quaternion, q: Quaternion) -> Quaternion:
    """Return p q: first the rotation q, then p."""
    a, b, c, d = p
    w, x, y, z = q
    return (
        a * w - b * x - c * y - d * z,
        a * x + b * w + c * z - d * y,
        a * y - b * z + c * w + d * x,
        a * z + b * y - c * x + d * w,
    )


def quaternion_conjugate(q: Quaternion) -> Quaternion:
    """Return the inverse of a unit quaternion."""
    return q[0], -q[1], -q[2], -q[3]


def quaternion_square_norm(q: Quaternion) -> Scalar:
    """Return |q|^2."""
    w, x, y, z = q
    return w * w + x * x + y * y + z * z


def quaternion_normalized(q: Quaternion) -> Quaternion:
    """Return q / |q|; not finite for the zero quaternion."""
    w, x, y, z = scaled = _rescaled(q)[0]
    inverse = 1 / sqrt(quaternion_square_norm(scaled))
    return w * inverse, x * inverse, y * inverse, z * inverse


def unnormalized_quaternion_to_rotation(q: Quaternion) -> Mat3:
    """Return the rotation matrix of q / |q|, the square of the length divided out: no root."""
    w, x, y, z = scaled = _rescaled(q)[0]
    scale = 2 / quaternion_square_norm(scaled)
    return _rotation((w, x, y, z), (scale * x, scale * y, scale * z))


def _rescaled(q: Quaternion) -> tuple[Quaternion, Scalar]:
    """Return q times a power of two, so that its square neither overflows nor underflows, and that power.

    The power is one for all ordinary q.
    """
    (w, x, y, z), scale = scaled_into_range(q)
    return (w, x, y, z), scale


def quaternion_rotate(q: Quaternion, v: Vec3) -> Vec3:
    """Return v rotated by the unit quaternion q."""
    axis = q[1], q[2], q[3]
    twice = scale3(cross3(axis, v), 2)
    return add3(add3(v, scale3(twice, q[0])), cross3(axis, twice))


def quaternion_to_rotation(q: Quaternion) -> Mat3:
    """Return the rotation matrix of a unit quaternion."""
    _, x, y, z = q
    return _rotation(q, (2 * x, 2 * y, 2 * z))


def _rotation(q: Quaternion, twice: Vec3) -> Mat3:
    """Return the rotation matrix of q, given its vector times two over the square of its length."""
    (w, x, y, z), (x2, y2, z2) = q, twice
    xx, yy, zz = x * x2, y * y2, z * z2
    xy, xz, yz = x * y2, x * z2, y * z2
    wx, wy, wz = w * x2, w * y2, w * z2
    return (
        (1 - (yy + zz), xy - wz, xz + wy),
        (xy + wz, 1 - (xx + zz), yz - wx),
        (xz - wy, yz + wx, 1 - (xx + yy)),
    )


def rotation_to_quaternion(r: Mat3) -> Quaternion:
    """Return the unit quaternion of a rotation with w >= 0; a large component comes first (Shepperd, 1978)."""
    (a, b, c), (d, e, f), (g, h, i) = r
    x, y, z = h - f, c - g, d - b  # 4 w times the vector part
    xy, xz, yz = b + d, c + g, f + h
    by_w = (1 + a + e + i, x, y, z)
    by_x = (x, 1 + a - e - i, xy, xz)
    by_y = (y, xy, 1 - a + e - i, yz)
    by_z = (z, xz, yz, 1 - a - e + i)
    w_will_do = greater_equal(by_w[0], 1)
    if w_will_do is True:
        return scale4(by_w, 1 / (2 * sqrt(by_w[0])))
    x_largest = both(greater_equal(by_x[1], by_y[2]), greater_equal(by_x[1], by_z[3]))
    y_largest = greater_equal(by_y[2], by_z[3])
    scaled = _where4(w_will_do, by_w, _where4(x_largest, by_x, _where4(y_largest, by_y, by_z)))
    pivot = where(w_will_do, by_w[0], where(x_largest, by_x[1], where(y_largest, by_y[2], by_z[3])))
    factor = 1 / (2 * sqrt(pivot))  # the pivot is at least one
    return canonical_quaternion((scaled[0] * factor, scaled[1] * factor, scaled[2] * factor, scaled[3] * factor))


def canonical_quaternion(q: Quaternion) -> Quaternion:
    """Return q or -q, the same rotation, with w >= 0."""
    return _where4(less(q[0], 0), (-q[0], -q[1], -q[2], -q[3]), q)


def _where4(condition: Condition, p: Quaternion, q: Quaternion) -> Quaternion:
    if type(condition) is bool:
        return p if condition else q
    return (
        where(condition, p[0], q[0]),
        where(condition, p[1], q[1]),
        where(condition, p[2], q[2]),
        where(condition, p[3], q[3]),
    )


def quaternion_exp(phi: Vec3) -> Quaternion:
    """Return the unit quaternion of the rotation vector phi, of any length."""
    c = stumpff(_QUARTER * dot3(phi, phi))
    x, y, z = scale3(phi, _HALF * c.c1)
    return c.c0, x, y, z


def quaternion_log(q: Quaternion) -> Vec3:
    """Return the rotation vector, of length at most pi, of a unit quaternion."""
    w, x, y, z = canonical_quaternion(q)
    v = x, y, z
    return scale3(v, _angle_over_half_sine(w, dot3(v, v)))


def _angle_over_half_sine(w: Scalar, n2: Scalar) -> Scalar:
    """Return theta / sin(theta/2) of w = cos(theta/2) and n2 = sin^2(theta/2)."""
    if type(n2) is float:
        return _by_series(w, n2) if n2 < _SMALL else _by_arctangent(w, n2)
    small = less(n2, _SIXTEENTH)
    direct, series = _by_arctangent(w, where(small, 1, n2)), _by_series(w, n2, small)
    return where(small, series, direct)


def _by_arctangent(w: Scalar, n2: Scalar) -> Scalar:
    n = sqrt(n2)
    return 2 * atan2(n, w) / n


def _by_series(w: Scalar, n2: Scalar, small: Condition = True) -> Scalar:
    quarter = 1 / (1 + w)  # tan(theta/4) is sqrt(n2) times this
    return 4 * quarter * polynomial(_ARCTANGENT, where(small, n2, 0) * quarter * quarter)


def quaternion_rate_jacobian(q: Quaternion) -> tuple[Vec3, Vec3, Vec3, Vec3]:
    """Return G, 4 by 3: the derivative of q is G omega, for the body angular velocity omega."""
    w, x, y, z = scale4(q, _HALF)
    return (-x, -y, -z), (w, -z, y), (z, w, -x), (-y, x, w)


def scale4(q: Quaternion, s: Scalar) -> Quaternion:
    """Return s q."""
    return s * q[0], s * q[1], s * q[2], s * q[3]


def quaternion_velocity_jacobian(q: Quaternion) -> tuple[Vec4, Vec4, Vec4]:
    """Return the matrix from the derivative of q, of any length but zero, to the body angular velocity of q / |q|."""
    scaled, scale = _rescaled(q)
    w, x, y, z = scale4(scale4(scaled, scale), 2 / quaternion_square_norm(scaled))
    return (-x, w, z, -y), (-y, -z, w, x), (-z, y, -x, w)


def body_angular_velocity(q: Quaternion, qd: Quaternion) -> Vec3:
    """Return the body angular velocity of q / |q| when q, of any length but zero, changes at the rate qd."""
    (w, x, y, z), scale = _rescaled(q)
    a, b, c, d = scale4(qd, scale)
    factor = 2 / quaternion_square_norm((w, x, y, z))
    return (
        factor * (w * b - x * a + z * c - y * d),
        factor * (w * c - y * a + x * d - z * b),
        factor * (w * d - z * a + y * b - x * c),
    )


def mrp_to_quaternion(s: Vec3) -> Quaternion:
    """Return the unit quaternion of modified Rodrigues parameters: s = axis tan(theta / 4)."""
    scaled, scale = scaled_down3(s)  # the parameters times a power of two, and that power
    square, scale2 = dot3(scaled, scaled), scale * scale
    factor = 1 / (scale2 + square)
    x, y, z = scale3(scaled, 2 * scale * factor)
    return (scale2 - square) * factor, x, y, z


def principal_mrp(s: Vec3) -> Vec3:
    """Return s, or -s / |s|^2 where that is shorter: the same rotation."""
    scaled, scale = scaled_down3(s)
    square = dot3(scaled, scaled)
    outside = either(less(1, square), less(scale, 1))
    return scale3(scaled, where(outside, -scale / where(outside, square, 1), 1))


def quaternion_to_mrp(q: Quaternion) -> Vec3:
    """Return the modified Rodrigues parameters, of length at most one, of a unit quaternion."""
    w, x, y, z = canonical_quaternion(q)
    return scale3((x, y, z), 1 / (1 + w))


def mrp_rate_jacobian(s: Vec3) -> Mat3:
    """Return the matrix from the body angular velocity to the derivative of s."""
    return _mrp_matrix(s, _QUARTER)


def mrp_velocity_jacobian(s: Vec3) -> Mat3:
    """Return the matrix from the derivative of s to the body angular velocity, the inverse of `mrp_rate_jacobian`."""
    (x, y, z), scale = scaled_down3(s)
    scale2 = scale * scale
    length = scale2 + dot3((x, y, z), (x, y, z))
    return scale33(_mrp_matrix((-x, -y, -z), 4 / (length * length), scale), scale2)


def _mrp_matrix(s: Vec3, factor: Scalar, scale: Scalar = 1) -> Mat3:
    """Return factor ((scale^2 - s.s) 1 + 2 scale hat(s) + 2 s s^T); its transpose is the same with -s."""
    x, y, z = s
    diagonal = factor * (scale * scale - dot3(s, s))
    double = 2 * factor
    a, b, c = double * x, double * y, double * z
    p, q, r = scale * a, scale * b, scale * c
    return (
        (diagonal + a * x, a * y - r, a * z + q),
        (a * y + r, diagonal + b * y, b * z - p),
        (a * z - q, b * z + p, diagonal + c * z),
    )
