"""Comparisons of arrays, derivatives by complex steps, and conversions of tuples of scalars to arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from rbd.scalars import Array, Vector
    from rbd.spatial import GeometricJacobian, Transform, WrenchMatrix

STEP = 1e-40
"""Size of complex steps, which have no cancellation error."""


def as_floats(values: Iterable[float]) -> tuple[float, ...]:
    """Return numbers as a tuple of Python floats."""
    return tuple(float(x) for x in values)


def require(condition: bool, what: str) -> None:
    """Raise AssertionError with a message unless a condition holds."""
    if not condition:
        raise AssertionError(what)


def require_close(actual: ArrayLike, expected: ArrayLike, what: str, atol: float = 1e-12) -> None:
    """Raise AssertionError unless two arrays agree, relative to the largest number expected or to one."""
    a, b = np.asarray(actual, dtype=np.complex128), np.asarray(expected, dtype=np.complex128)
    require(a.shape == b.shape, f"{what}: shape {a.shape} should be {b.shape}")
    scale, error = max(1.0, largest(b)), largest(a - b)
    if not error <= atol * scale:  # NaN fails
        raise AssertionError(f"{what}: {actual!r} should be {expected!r}; error {error:.3g}")


def largest(values: NDArray[np.complex128]) -> float:
    """Return the largest modulus; zero for empty arrays."""
    return float(np.abs(values).max(initial=0.0))


def derivative(function: Callable[[Vector], NDArray[np.complex128]], x: Vector, direction: Vector) -> Array:
    """Return the derivative of a function along a direction by a complex step, exact to rounding."""
    moved = tuple(as_complex(a) + 1j * STEP * as_complex(d) for a, d in zip(x, direction, strict=True))
    return function(moved).imag / STEP


def as_complex(x: object) -> complex:
    """Return a scalar, real or complex, as a complex number."""
    return complex(cast("complex", x))


def vector(values: Sequence[object]) -> NDArray[np.complex128]:
    """Return scalars, real or complex, as an array."""
    return matrix_of_rows([values], len(values)).reshape(-1)


def matrix_of_rows(rows: Sequence[Sequence[object]], width: int) -> NDArray[np.complex128]:
    """Return rows of scalars, real or complex, as an array, which may be empty."""
    numbers = [as_complex(x) for row in rows for x in row]
    return np.array(numbers, dtype=np.complex128).reshape(len(rows), width)


def matrix_of_columns(value: GeometricJacobian | WrenchMatrix) -> NDArray[np.complex128]:
    """Return columns of angular and linear parts as a matrix of 6 rows."""
    return matrix_of_rows([(*angular, *linear) for angular, linear in value.columns], 6).T


def pose_matrix(transform: Transform) -> NDArray[np.complex128]:
    """Return a transform as a 4 by 4 matrix of scalars, real or complex."""
    full = np.eye(4, dtype=np.complex128)
    full[:3, :3] = matrix_of_rows(transform.rotation_components, 3)
    full[:3, 3] = vector(transform.translation_components)
    return full


def adjoint(pose: Array) -> Array:
    """Return the adjoint matrix of a pose, which transforms motion vectors."""
    rotation, (x, y, z) = pose[:3, :3], pose[:3, 3]
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.block([[rotation, np.zeros((3, 3))], [cross @ rotation, rotation]])
