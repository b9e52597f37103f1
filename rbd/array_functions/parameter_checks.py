"""Validation of parameters that calls of compiled robots are given, by tests that are fast for batches.

Of inertias the signs of masses and of moments about the axes are tested, not the principal moments: forward dynamics
raises SingularError where a mass matrix is not positive definite.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbd.array_functions.arguments import as_numbers
from rbd.errors import ArgumentError, InertiaError, RotationError
from rbd.scalars.arrays import Array

_ROTATION_TOLERANCE: Final = 1e-6
"""Largest entry of R R^T - 1: above the steps of difference quotients squared, far below any mistake."""


def check_parameters(parameters: Mapping[str, ArrayLike]) -> None:
    """Raise InertiaError, RotationError or ArgumentError for impossible values; shapes are checked elsewhere."""
    for name, value in parameters.items():
        check = _CHECKS.get(name)
        if check is not None:
            check(as_numbers(value, name), name)


def is_checked(name: str) -> bool:
    """Return whether values of a parameter are checked."""
    return name in _CHECKS


def _require_inertias(values: Array, name: str) -> None:
    """Refuse negative masses and negative moments about an axis."""
    if values.ndim < 2 or values.shape[-1] != 10:
        return
    for columns, what in (((9,), "mass"), ((0, 3, 5), "moment of inertia")):
        found = _first(values[..., columns] < 0)
        if found is not None:
            message = f"{name}{list(found[:-1])} has a negative {what}"
            raise InertiaError(message, argument=name, index=found[:-1], reason=f"negative {what}")


def _require_rotations(values: Array, name: str) -> None:
    """Refuse placements whose first three columns are no rotations."""
    if values.ndim < 3 or values.shape[-2:] != (3, 4):
        return
    R = values[..., :3]
    defects = np.abs(R @ np.swapaxes(R, -1, -2) - np.eye(3)).max(axis=(-1, -2), initial=0.0)
    found = _first(~(defects <= _ROTATION_TOLERANCE) | ~(np.linalg.det(R) > 0))
    if found is not None:
        message = f"{name}{list(found)} is not a rotation in its first three columns"
        raise RotationError(message, argument=name, index=found, defect=float(defects[found]))


def _require_not_negative(values: Array, name: str) -> None:
    _require_sign(values < 0, values, name, "a number of 0 or more")


def _require_positive(values: Array, name: str) -> None:
    _require_sign(values <= 0, values, name, "a number above 0")


def _require_sign(wrong: NDArray[np.bool_], values: Array, name: str, allowed: str) -> None:
    found = _first(wrong)
    if found is not None:
        message = f"{name}{list(found)} is {values[found]}, needs {allowed}"
        raise ArgumentError(message, argument=name, value=float(values[found]), allowed=allowed)


def _first(wrong: NDArray[np.bool_]) -> tuple[int, ...] | None:
    places = np.argwhere(wrong)
    return tuple(map(int, places[0])) if len(places) else None


_CHECKS: Final[Mapping[str, Callable[[Array, str], None]]] = MappingProxyType(
    {
        "inertia": _require_inertias,
        "placement": _require_rotations,
        **dict.fromkeys(("damping", "friction", "armature", "bound_stiffness", "bound_damping"), _require_not_negative),
        "friction_velocity": _require_positive,
    }
)
