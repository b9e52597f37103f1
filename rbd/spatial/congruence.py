"""Congruence R A R^T of a 3x3 matrix by a rotation, with fewer operations for rotations about coordinate axes."""

from __future__ import annotations

from typing import TypeAlias

from rbd.scalars import Scalar
from rbd.spatial.linalg import Mat3, dot3, matmul, symmetric, transpose3

_Pair: TypeAlias = tuple[Scalar, Scalar]
_OTHERS = ((1, 2), (0, 2), (0, 1))


def congruence(r: Mat3, a: Mat3) -> Mat3:
    """Return r a r^T for a rotation r and a symmetric `a`; the result is symmetric to the last bit."""
    entry = _coordinate_axis_entry(r)
    if entry is not None:
        return _rotate_about_coordinate_axis(r, a, *entry)
    p, q, s = matmul(r, a)
    x, y, z = r
    return symmetric(dot3(p, x), dot3(p, y), dot3(p, z), dot3(q, y), dot3(q, z), dot3(s, z))


def similarity(r: Mat3, a: Mat3) -> Mat3:
    """Return r a r^T for a rotation r."""
    entry = _coordinate_axis_entry(r)
    return matmul(matmul(r, a), transpose3(r)) if entry is None else _rotate_about_coordinate_axis(r, a, *entry)


def _coordinate_axis_entry(r: Mat3) -> tuple[int, int] | None:
    """Return row and column of the only 1 or -1 of a rotation about a coordinate axis, else None.

    The axes may also be exchanged. Only plain numbers are inspected.
    """
    places = [(m, k) for m, row in enumerate(r) for k, x in enumerate(row) if _is_number(x) and (x == 1 or x == -1)]
    if len(places) != 1:
        return None  # three of them: only an exchange of axes, whose product folds
    m, k = places[0]
    (i, j), (p, q) = _OTHERS[m], _OTHERS[k]
    return (m, k) if all(_is_number(x) and x == 0 for x in (r[m][p], r[m][q], r[i][k], r[j][k])) else None


def _is_number(x: Scalar) -> bool:
    return isinstance(x, (int, float))


def _rotate_about_coordinate_axis(r: Mat3, a: Mat3, m: int, k: int) -> Mat3:
    """Return r a r^T where row m and column k of the rotation r are zero but for r[m][k].

    In the plane, cos^2 + sin^2 = 1 saves a third of the operations: r's block ((c, s), (-s, c)) takes ((x, y), (z, t))
    to ((x + s w, c w - z), (c w - y, t - s w)) with w = s (t - x) + c (y + z); mirrored planes differ by a sign.
    """
    (i, j), (p, q), sign = _OTHERS[m], _OTHERS[k], r[m][k]
    orientation = sign if (m + k) % 2 == 0 else -sign
    c, s = r[i][p], r[i][q]
    x, y, z, t = a[p][p], a[p][q], a[q][p], a[q][q]
    w = s * (t - x) + c * (y + z)
    sw, cw = s * w, c * w
    block = ((x + sw, orientation * (cw - z)), (orientation * (cw - y), t - sw))
    a_column, a_row = (sign * a[p][k], sign * a[q][k]), (sign * a[k][p], sign * a[k][q])
    column = (c * a_column[0] + s * a_column[1], r[j][p] * a_column[0] + r[j][q] * a_column[1])
    row = (c * a_row[0] + s * a_row[1], r[j][p] * a_row[0] + r[j][q] * a_row[1])
    return _assemble(m, a[k][k], column, row, block)


def _assemble(m: int, diagonal_entry: Scalar, column: _Pair, row: _Pair, block: tuple[_Pair, _Pair]) -> Mat3:
    """Return the matrix with this column and row crossing at entry (m, m), and `block` in the other places."""
    (a, b), (d, e) = block
    if m == 0:
        return (diagonal_entry, row[0], row[1]), (column[0], a, b), (column[1], d, e)
    if m == 1:
        return (a, column[0], b), (row[0], diagonal_entry, row[1]), (d, column[1], e)
    return (a, b, column[0]), (d, e, column[1]), (row[0], row[1], diagonal_entry)
