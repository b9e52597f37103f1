"""Validation of rotations, unit quaternions and inertias.

Floats are checked; symbols and other scalars pass unchecked.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from numbers import Rational
from typing import Any, Final

import numpy as np

from rbd.errors import InertiaError, NotFiniteError, RotationError
from rbd.scalars import Scalar, is_float, to_float
from rbd.scalars.registry import ARRAYS
from rbd.spatial.linalg import Mat3, add33, cross3, dot3, sub33
from rbd.spatial.quaternion import Quaternion

ROTATION_TOLERANCE = 1 / 10**9  # of products of rows: above rounding, below float32 precision
_SEQUENCES: Final = frozenset({list, tuple})
_CLOSE: Final = ROTATION_TOLERANCE / 10
SYMMETRY_TOLERANCE = 1 / 10**9  # relative to the largest entry of a moment of inertia
# Relative to the largest moment. Files carry six or seven digits, and a flat plate, whose largest moment is the sum
# of the other two, has to pass after such rounding.
INERTIA_TOLERANCE = 1 / 10**6
ROUNDING_TOLERANCE = 1 / 10**12  # of what the mass adds about the origin: moments about the centre may come from there


def check_rotation(r: Mat3, argument: str) -> None:
    """Raise RotationError unless r is orthogonal with determinant +1, to 1e-9."""
    a, b, c = r
    if not all(map(is_float, a + b + c)):
        return
    products = [dot3(a, a) - 1, dot3(b, b) - 1, dot3(c, c) - 1, dot3(a, b), dot3(b, c), dot3(c, a)]
    defect = max(map(abs, map(to_float, products)))
    determinant = to_float(dot3(a, cross3(b, c)))
    if defect <= ROTATION_TOLERANCE and determinant > 0:
        return
    reason = "it is a reflection" if defect <= ROTATION_TOLERANCE else "it is not orthogonal"
    raise RotationError(
        f"{argument} is not a rotation: {reason}; its rows' products differ from the identity's by {defect:.3g} "
        f"(at most {ROTATION_TOLERANCE:g}), its determinant is {determinant:.6g}",
        argument=argument,
        defect=defect,
        determinant=determinant,
    )


def plain_rotation(matrix: object) -> Mat3 | None:
    """Return a rotation given as an array, lists or tuples of floats, within a tenth of the tolerance; else None.

    Two orthonormal rows and their cross product are orthogonal with determinant +1.
    """
    entries: Any = matrix
    rows = entries.tolist() if type(entries) in ARRAYS and entries.dtype == np.float64 else entries
    if not _has_three(rows) or not (_has_three(rows[0]) and _has_three(rows[1]) and _has_three(rows[2])):
        return None
    (ax, ay, az), (bx, by, bz), (cx, cy, cz) = rows
    if not (type(ax) is type(ay) is type(az) is type(bx) is type(by) is type(bz) is float):
        return None
    a, b, c = (ax, ay, az), (bx, by, bz), (cx, cy, cz)
    is_rotation = (
        type(cx) is type(cy) is type(cz) is float
        and math.dist((ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx), c) < _CLOSE
        and -_CLOSE < math.hypot(ax, ay, az) - 1 < _CLOSE
        and -_CLOSE < math.hypot(bx, by, bz) - 1 < _CLOSE
        and -_CLOSE < ax * bx + ay * by + az * bz < _CLOSE
    )
    return (a, b, c) if is_rotation else None


def _has_three(value: Any) -> bool:
    return type(value) in _SEQUENCES and len(value) == 3


def check_unit_quaternion(q: Quaternion, argument: str) -> None:
    """Raise RotationError unless q has length one, to 1e-9."""
    if not all(is_float(x) for x in q):
        return
    length = math.hypot(*map(to_float, q))
    if abs(length - 1) <= ROTATION_TOLERANCE:
        return
    raise RotationError(
        f"{argument} is not a unit quaternion: its length is {length:.12g}, not 1; divide it by its length",
        argument=argument,
        defect=abs(length - 1),
    )


def check_mass(mass: Scalar, name: str = "mass") -> None:
    """Raise InertiaError unless a mass, or a factor of one, is zero or positive: a float or an exact number."""
    if (is_float(mass) or isinstance(mass, Rational)) and to_float(mass) < 0:
        raise InertiaError(f"{name} is {to_float(mass):g}, needs to be at least 0", reason="negative mass")


def check_symmetric(moment: Mat3, argument: str) -> None:
    """Raise InertiaError unless a moment of inertia is symmetric, to 1e-9 of its largest entry."""
    if not _all_floats(moment):
        return
    m = np.array(moment, dtype=float)
    defect = float(np.max(np.abs(m - m.T)))
    if defect > SYMMETRY_TOLERANCE * float(np.max(np.abs(m))):
        raise InertiaError(
            f"{argument} is not symmetric: opposite entries differ by {defect:.3g}", reason="not symmetric"
        )


def check_inertia(mass: Scalar, moment: Mat3, parallel_axis: Mat3, *, about_com: bool) -> None:
    """Raise InertiaError unless eigenvalues satisfy the triangle inequality, or only one of them is not zero.

    `moment` is about the centre of mass or the origin; `parallel_axis` is the difference, the term of the parallel axis
    theorem. NotFiniteError is raised when that is too large for a float.
    """
    if not (is_float(mass) and _all_floats(moment) and _all_floats(parallel_axis)):
        return
    central = moment if about_com else sub33(moment, parallel_axis)
    _check_range(central, parallel_axis)
    tolerance = INERTIA_TOLERANCE * _largest(moment) + ROUNDING_TOLERANCE * _largest(parallel_axis)
    a, b, c = (float(x) for x in np.linalg.eigvalsh(np.array(central, dtype=float)))
    defect = _defect_of_moments(a, b, c, tolerance)
    if defect is None or _is_about_one_axis(moment, central, tolerance):
        return
    reason, explanation = defect
    raise InertiaError(
        f"no body of mass {to_float(mass):g} has the principal moments {a:.6g}, {b:.6g}, {c:.6g} about its centre of "
        f"mass: {explanation}",
        reason=reason,
        principal_moments=(a, b, c),
    )


def _check_range(central: Mat3, parallel_axis: Mat3) -> None:
    """Raise NotFiniteError if the moment about the centre of mass, the other term or their sum is too large."""
    if not _finite(parallel_axis):
        raise NotFiniteError("com: mass times its square is too large for a 64-bit float", argument="com")
    if not (_finite(central) and _finite(add33(central, parallel_axis))):
        raise NotFiniteError(
            "moment: about one of the two points it is too large for a 64-bit float", argument="moment"
        )


def _defect_of_moments(a: float, b: float, c: float, tolerance: float) -> tuple[str, str] | None:
    """Return why no body has the principal moments a <= b <= c: a reason and its explanation; None if one has."""
    if a < -tolerance:
        return "negative principal moment", "the smallest is negative"
    if a + b < c - tolerance:
        return "triangle inequality", "the two smaller ones add up to less than the largest"
    return None


def _is_about_one_axis(moment: Mat3, central: Mat3, tolerance: float) -> bool:
    """Return whether a moment is I a a^T, of a body that only turns about a, and that about its centre not negative."""
    values, axes = np.linalg.eigh(np.array(moment, dtype=float))
    axis = axes[:, 2]
    about_axis = float(axis @ np.array(central, dtype=float) @ axis)
    return max(abs(float(values[0])), abs(float(values[1]))) <= tolerance < values[2] and about_axis >= -tolerance


def _largest(matrix: Mat3) -> float:
    return max(abs(to_float(x)) for row in matrix for x in row)


def _finite(matrix: Mat3) -> bool:
    return all(math.isfinite(to_float(x)) for row in matrix for x in row)


def _all_floats(matrix: Iterable[Iterable[Scalar]]) -> bool:
    return all(is_float(x) for row in matrix for x in row)
