"""Snapping: rotations and axes within a printing error of coordinate-aligned ones are made exact.

Writers of robot files print 1.5707963 for a right angle. The cosine of that is 2.7e-8, not 0, and every structural zero
that recording could have dropped is lost. Angles are snapped as they are printed: to multiples of a right angle that
seven decimals cannot tell apart. Entries of the matrix are snapped after that, which covers quaternions, and angles
that only together make a right one.
"""

from __future__ import annotations

import math
from typing import Final

from rbd.files.pose import FloatMat3, FloatVec3, float_vector
from rbd.spatial.linalg import cross3

ANGLE_TOLERANCE: Final = 5e-8
TOLERANCE: Final = 1e-8
ROUNDING_ERROR: Final = 1e-15
"""Changes no larger than this are the rounding of sine and cosine, and are not reported."""


def snapped_angle(angle: float) -> float:
    """Return `angle`, or the multiple of a right angle within the tolerance."""
    right = round(angle / (math.pi / 2)) * (math.pi / 2)
    return right if abs(angle - right) <= ANGLE_TOLERANCE else angle


def snapped_axis(axis: FloatVec3) -> FloatVec3:
    """Return the unit vector `axis` with components within the tolerance of 0 set to zero, and normalised."""
    rounded = _near(axis, TOLERANCE)
    return axis if rounded == axis else _unit(rounded)


def snapped_translation(translation: FloatVec3) -> FloatVec3:
    """Return `translation` with components within the tolerance of 0 set to zero."""
    x, y, z = (0.0 if abs(c) <= TOLERANCE else c for c in translation)
    return x, y, z


def snapped_rotation(rows: FloatMat3, tolerance: float = TOLERANCE) -> FloatMat3:
    """Return the rotation matrix `rows` with entries close to 0 or ±1 made exact, and the other entries adjusted.

    An entry of ±1 fixes its row and column, and leaves the angle about one axis. A single entry of 0 keeps its row in a
    coordinate plane; the other rows are made orthogonal to it.
    """
    rounded = (_near(rows[0], tolerance), _near(rows[1], tolerance), _near(rows[2], tolerance))
    if rounded == rows:
        return rounded
    entries = [(abs(rounded[i][j]), i, j) for i in range(3) for j in range(3)]
    one = next(((i, j) for size, i, j in entries if size == 1.0), None)
    if one is not None:
        return _about_axis(rounded, *one, tolerance)
    zeros = [(i, j) for size, i, j in entries if size == 0.0]
    return _row_first(rows, *zeros[0]) if len(zeros) == 1 else rows


def largest_difference(old: tuple[float, ...], new: tuple[float, ...]) -> float:
    """Return the largest difference between two tuples."""
    return max(abs(a - b) for a, b in zip(old, new, strict=True))


def _near(values: FloatVec3, tolerance: float) -> FloatVec3:
    """Return a row of unit length with components that small made zero; beside two zeros stands exactly ±1."""
    entries = [0.0 if abs(c) <= tolerance else c for c in values]
    if entries.count(0.0) == 2:
        entries = [math.copysign(1.0, c) if c else 0.0 for c in entries]
    x, y, z = entries
    return x, y, z


def _unit(v: FloatVec3) -> FloatVec3:
    x, y, z = v
    length = math.hypot(x, y, z)
    return x / length + 0.0, y / length + 0.0, z / length + 0.0


def _about_axis(rows: FloatMat3, i: int, j: int, tolerance: float) -> FloatMat3:
    """Return the exact rotation whose entry (i, j) is ±1; the rest is the 2 by 2 block of its minor."""
    sign = rows[i][j]
    r, s = (i + 1) % 3, (i + 2) % 3
    c, d = (j + 1) % 3, (j + 2) % 3
    # in cyclic order the block has the determinant `sign`: (cos, -sin; sin, cos), its last column negated if sign < 0
    cosine = rows[r][c] + sign * rows[s][d]
    sine = rows[s][c] - sign * rows[r][d]
    cosine, sine, _ = _unit(_near(_unit((cosine, sine, 0.0)), tolerance))
    block = {(i, j): sign, (r, c): cosine, (s, c): sine, (r, d): -sign * sine + 0.0, (s, d): sign * cosine + 0.0}
    return _rows([[block.get((row, column), 0.0) for column in range(3)] for row in range(3)])


def _row_first(rows: FloatMat3, i: int, j: int) -> FloatMat3:
    """Return the rotation with a zero at (i, j): that row is kept in its plane, the next made orthogonal to it."""
    row = list(rows[i])
    row[j] = 0.0
    first = _unit((row[0], row[1], row[2]))
    other = rows[(i + 1) % 3]
    along = sum(a * b for a, b in zip(first, other, strict=True))
    x, y, z = (b - along * a for a, b in zip(first, other, strict=True))
    second = _unit((x, y, z))
    result = {i: first, (i + 1) % 3: second, (i + 2) % 3: float_vector(cross3(first, second))}
    return result[0], result[1], result[2]


def _rows(values: list[list[float]]) -> FloatMat3:
    (a, b, c), (d, e, f), (g, h, i) = values
    return (a, b, c), (d, e, f), (g, h, i)
