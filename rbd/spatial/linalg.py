"""Linear algebra of size three: vectors and matrices as tuples of scalars, written out; no frames.

Matrices are tuples of rows. Zero and one are Python ints, which combine exactly with every kind of scalar. Functions
ending in 6 are of pairs (angular, linear).
"""

from __future__ import annotations

from typing import TypeAlias

from rbd.scalars import Scalar, Vector, sqrt
from rbd.scalars.norms import norm, scaled_down, scaled_into_range

Vec3: TypeAlias = tuple[Scalar, Scalar, Scalar]
Mat3: TypeAlias = tuple[Vec3, Vec3, Vec3]
Vec6: TypeAlias = tuple[Vec3, Vec3]  # angular, linear

_ZERO3: Vec3 = (0, 0, 0)
_ZERO33: Mat3 = (_ZERO3, _ZERO3, _ZERO3)
_IDENTITY3: Mat3 = ((1, 0, 0), (0, 1, 0), (0, 0, 1))


def as_vec3(v: Vector) -> Vec3:
    """Return three scalars as a vector."""
    x, y, z = v
    return x, y, z


def as_vec6(v: Vector) -> Vec6:
    """Return six scalars as angular and linear part."""
    a, b, c, x, y, z = v
    return (a, b, c), (x, y, z)


def zero3() -> Vec3:
    """Return the zero vector."""
    return _ZERO3


def zero33() -> Mat3:
    """Return the zero matrix."""
    return _ZERO33


def identity3() -> Mat3:
    """Return the identity matrix."""
    return _IDENTITY3


def add3(a: Vec3, b: Vec3) -> Vec3:
    """Return a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def sub3(a: Vec3, b: Vec3) -> Vec3:
    """Return a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def neg3(a: Vec3) -> Vec3:
    """Return -a."""
    return -a[0], -a[1], -a[2]


def scale3(v: Vec3, s: Scalar) -> Vec3:
    """Return s v."""
    return s * v[0], s * v[1], s * v[2]


def add6(a: Vec6, b: Vec6) -> Vec6:
    """Return a + b."""
    return add3(a[0], b[0]), add3(a[1], b[1])


def neg6(a: Vec6) -> Vec6:
    """Return -a."""
    return neg3(a[0]), neg3(a[1])


def scale6(a: Vec6, s: Scalar) -> Vec6:
    """Return s a."""
    return scale3(a[0], s), scale3(a[1], s)


def dot3(a: Vec3, b: Vec3) -> Scalar:
    """Return the inner product; no conjugation, so that complex steps pass."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross3(a: Vec3, b: Vec3) -> Vec3:
    """Return a x b."""
    ax, ay, az = a
    bx, by, bz = b
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


def norm3(v: Vec3) -> Scalar:
    """Return |v|. The derivative at zero is infinite: guard v where that matters."""
    return norm(v)


def scaled_down3(v: Vec3) -> tuple[Vec3, Scalar]:
    """Return v times a power of two, and that power: below one where powers of v's length might overflow."""
    (x, y, z), scale = scaled_down(v)
    return (x, y, z), scale


def unit3(v: Vec3) -> Vec3:
    """Return v / |v|; not finite for the zero vector."""
    (x, y, z), _ = scaled_into_range(v)
    return scale3((x, y, z), 1 / sqrt(dot3((x, y, z), (x, y, z))))


def matvec(m: Mat3, v: Vec3) -> Vec3:
    """Return m v."""
    (a, b, c), (d, e, f), (g, h, i) = m
    x, y, z = v
    return a * x + b * y + c * z, d * x + e * y + f * z, g * x + h * y + i * z


def transform_motion(rotation: Mat3, translation: Vec3, motion: Vec6) -> Vec6:
    """Return a motion vector in the coordinates rotation x + translation, written out: Python's calls are slow."""
    (a, b, c), (d, e, f), (g, h, i) = rotation
    (x, y, z), (u, v, w), (px, py, pz) = *motion, translation
    x, y, z = a * x + b * y + c * z, d * x + e * y + f * z, g * x + h * y + i * z
    u, v, w = a * u + b * v + c * w, d * u + e * v + f * w, g * u + h * v + i * w
    lx, ly, lz = py * z - pz * y, pz * x - px * z, px * y - py * x
    return (x, y, z), (u + lx, v + ly, w + lz)


def transform_force(rotation: Mat3, translation: Vec3, force: Vec6) -> Vec6:
    """Return a force vector in the coordinates rotation x + translation."""
    linear = matvec(rotation, force[1])
    return add3(matvec(rotation, force[0]), cross3(translation, linear)), linear


def motion_cross(a: Vec6, b: Vec6) -> Vec6:
    """Return a x b, the motion cross product (Featherstone 2008, section 2.9)."""
    return cross3(a[0], b[0]), add3(cross3(a[0], b[1]), cross3(a[1], b[0]))


def tmatvec(m: Mat3, v: Vec3) -> Vec3:
    """Return m^T v."""
    (a, b, c), (d, e, f), (g, h, i) = m
    x, y, z = v
    return a * x + d * y + g * z, b * x + e * y + h * z, c * x + f * y + i * z


def matmul(p: Mat3, q: Mat3) -> Mat3:
    """Return p q."""
    (a, b, c), (d, e, f), (g, h, i) = p
    (j, k, l), (m, n, o), (r, s, t) = q
    return (
        (a * j + b * m + c * r, a * k + b * n + c * s, a * l + b * o + c * t),
        (d * j + e * m + f * r, d * k + e * n + f * s, d * l + e * o + f * t),
        (g * j + h * m + i * r, g * k + h * n + i * s, g * l + h * o + i * t),
    )


def transpose3(m: Mat3) -> Mat3:
    """Return m^T."""
    (a, b, c), (d, e, f), (g, h, i) = m
    return (a, d, g), (b, e, h), (c, f, i)


def add33(p: Mat3, q: Mat3) -> Mat3:
    """Return p + q."""
    return add3(p[0], q[0]), add3(p[1], q[1]), add3(p[2], q[2])


def sub33(p: Mat3, q: Mat3) -> Mat3:
    """Return p - q."""
    return sub3(p[0], q[0]), sub3(p[1], q[1]), sub3(p[2], q[2])


def scale33(m: Mat3, s: Scalar) -> Mat3:
    """Return s m."""
    return scale3(m[0], s), scale3(m[1], s), scale3(m[2], s)


def hat(v: Vec3) -> Mat3:
    """Return the matrix of the cross product with v."""
    x, y, z = v
    return (0, -z, y), (z, 0, -x), (-y, x, 0)


def outer(a: Vec3, b: Vec3) -> Mat3:
    """Return a b^T."""
    x, y, z = a
    return scale3(b, x), scale3(b, y), scale3(b, z)


def symmetric(xx: Scalar, xy: Scalar, xz: Scalar, yy: Scalar, yz: Scalar, zz: Scalar) -> Mat3:
    """Return the symmetric matrix with this upper triangle."""
    return (xx, xy, xz), (xy, yy, yz), (xz, yz, zz)
