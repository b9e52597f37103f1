"""Three-vectors and three-by-three matrices as tuples of scalars, written out by hand.

Nothing here knows frames.

Matrices are tuples of rows. Zero and one are Python ints, which combine exactly with every kind of scalar.
"""

from __future__ import annotations

from typing import TypeAlias

from rbd.scalars import Scalar, sqrt
from rbd.scalars.lengths import length, lowered, rescaled

Vec3: TypeAlias = tuple[Scalar, Scalar, Scalar]
Mat3: TypeAlias = tuple[Vec3, Vec3, Vec3]
Pair: TypeAlias = tuple[Scalar, Scalar]

_ZERO3: Vec3 = (0, 0, 0)
_ZERO33: Mat3 = (_ZERO3, _ZERO3, _ZERO3)
_IDENTITY3: Mat3 = ((1, 0, 0), (0, 1, 0), (0, 0, 1))


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


def dot3(a: Vec3, b: Vec3) -> Scalar:
    """Return the inner product; no conjugation, so that complex steps pass."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross3(a: Vec3, b: Vec3) -> Vec3:
    """Return a x b."""
    ax, ay, az = a
    bx, by, bz = b
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


def norm3(v: Vec3) -> Scalar:
    """Return the length of v. Its derivative at zero is infinite: guard v where that matters."""
    return length(v)


def lowered3(v: Vec3) -> tuple[Vec3, Scalar]:
    """Return v and one, both times a power of two: below one where powers of v's length might overflow."""
    (x, y, z), scale = lowered(v)
    return (x, y, z), scale


def unit3(v: Vec3) -> Vec3:
    """Return v / |v|; not finite for the zero vector."""
    (x, y, z), _ = rescaled(v)
    return scale3((x, y, z), 1 / sqrt(dot3((x, y, z), (x, y, z))))


def matvec(m: Mat3, v: Vec3) -> Vec3:
    """Return m v."""
    (a, b, c), (d, e, f), (g, h, i) = m
    x, y, z = v
    return a * x + b * y + c * z, d * x + e * y + f * z, g * x + h * y + i * z


def tmatvec(m: Mat3, v: Vec3) -> Vec3:
    """Return the transpose of m times v."""
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
    """Return the transpose of m."""
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
    """Return a times b transposed."""
    x, y, z = a
    return scale3(b, x), scale3(b, y), scale3(b, z)


def symmetric(xx: Scalar, xy: Scalar, xz: Scalar, yy: Scalar, yz: Scalar, zz: Scalar) -> Mat3:
    """Return the symmetric matrix with this upper triangle."""
    return (xx, xy, xz), (xy, yy, yz), (xz, yz, zz)


def congruence(r: Mat3, a: Mat3) -> Mat3:
    """Return r a r^T for a rotation r and a symmetric `a`; the result is symmetric to the last bit."""
    turn = _turn(r)
    if turn is not None:
        return _turned(r, a, *turn)
    p, q, s = matmul(r, a)
    x, y, z = r
    return symmetric(dot3(p, x), dot3(p, y), dot3(p, z), dot3(q, y), dot3(q, z), dot3(s, z))


def similarity(r: Mat3, a: Mat3) -> Mat3:
    """Return r a r^T for a rotation r."""
    turn = _turn(r)
    return matmul(matmul(r, a), transpose3(r)) if turn is None else _turned(r, a, *turn)


def _turn(r: Mat3) -> tuple[int, int] | None:
    """Return row and column of the lone 1 or -1 of a rotation that turns a plane of coordinate axes, else None.

    Such are rotations about coordinate axes, also after exchanges of axes. Only plain numbers are looked at.
    """
    lone = [(m, k) for m, row in enumerate(r) for k, x in enumerate(row) if _is_number(x) and (x == 1 or x == -1)]
    if len(lone) != 1:
        return None  # three of them: an exchange of axes alone, which costs nothing anyway
    m, k = lone[0]
    (i, j), (p, q) = _OTHERS[m], _OTHERS[k]
    return (m, k) if all(_is_number(x) and x == 0 for x in (r[m][p], r[m][q], r[i][k], r[j][k])) else None


def _is_number(x: Scalar) -> bool:
    return isinstance(x, (int, float))


def _turned(r: Mat3, a: Mat3, m: int, k: int) -> Mat3:
    """Return r a r^T where row m and column k of the rotation r are zero but for r[m][k].

    In the plane, cos^2 + sin^2 = 1 saves a third of the operations: r's block ((c, s), (-s, c)) takes ((x, y), (z, t))
    to ((x + s w, c w - z), (c w - y, t - s w)) with w = s (t - x) + c (y + z); mirrored planes differ by a sign.
    """
    (i, j), (p, q), lone = _OTHERS[m], _OTHERS[k], r[m][k]
    mirrored = lone if (m + k) % 2 == 0 else -lone
    c, s = r[i][p], r[i][q]
    x, y, z, t = a[p][p], a[p][q], a[q][p], a[q][q]
    w = s * (t - x) + c * (y + z)
    sw, cw = s * w, c * w
    block = ((x + sw, mirrored * (cw - z)), (mirrored * (cw - y), t - sw))
    column, row = (lone * a[p][k], lone * a[q][k]), (lone * a[k][p], lone * a[k][q])
    down = (c * column[0] + s * column[1], r[j][p] * column[0] + r[j][q] * column[1])
    along = (c * row[0] + s * row[1], r[j][p] * row[0] + r[j][q] * row[1])
    return _bordered(m, a[k][k], down, along, block)


_OTHERS = ((1, 2), (0, 2), (0, 1))


def _bordered(m: int, corner: Scalar, column: Pair, row: Pair, block: tuple[Pair, Pair]) -> Mat3:
    """Return the matrix with this column and row crossing at entry (m, m), and `block` in the other places."""
    (a, b), (d, e) = block
    if m == 0:
        return (corner, row[0], row[1]), (column[0], a, b), (column[1], d, e)
    if m == 1:
        return (a, column[0], b), (row[0], corner, row[1]), (d, column[1], e)
    return (a, b, column[0]), (d, e, column[1]), (row[0], row[1], corner)
