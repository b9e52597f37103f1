"""Validation of parameters as inputs of recorded functions, by tests that are fast for batches.

Of inertias the signs of masses and of moments about the axes are tested, not the principal moments. Their eigenvalues
would take forty times as long as the forward dynamics of an arm, and steps of optimisers and difference quotients may
leave the cone of possible inertias, on whose boundary rods and point masses are. Forward dynamics raises SingularError
where a mass matrix is not positive definite.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, final

import attrs
import numpy as np
from numpy.typing import NDArray

from rbd.array_functions.row_status import error_in_row
from rbd.errors import ArgumentError, InertiaError, RbdError, RotationError
from rbd.scalars.arrays import Array

_ROTATION_TOLERANCE: Final = 1e-6
"""Largest entry of R R^T - 1: above the steps of difference quotients squared, far below any mistake."""


@final
@attrs.frozen
class _ParameterCheck:
    """The check of a parameter: a test of all its elements, of bodies, joints or velocities, and the error of one."""

    is_wrong: Callable[[Array], NDArray[np.bool_]]
    error: Callable[[Array, str, int], RbdError]


def has_check(name: str) -> bool:
    """Return whether values of a parameter are checked."""
    return name in _CHECKS


def require_possible_values(parameters: Mapping[str, Array], lead: tuple[int, ...], number: int = 0) -> None:
    """Raise InertiaError, RotationError or ArgumentError for the first row of a batch with an impossible value.

    `lead` are the batch axes of the call; those of each array are broadcast to them. `number` is that of the first row.
    """
    first: tuple[int, str, NDArray[np.bool_]] | None = None
    for name, values in parameters.items():
        wrong = _CHECKS[name].is_wrong(values) if name in _CHECKS else np.zeros(0, np.bool_)
        if wrong.any() and 0 not in lead:
            row = first_row(_any_of_last(wrong), lead)
            first = (row, name, wrong) if first is None or row < first[0] else first
    if first is not None:
        row, name, wrong = first
        k = int(_in_row(wrong, 1, lead, row).argmax())
        values = parameters[name]
        element: Array = _in_row(values, values.ndim - wrong.ndim + 1, lead, row)[k]
        raise error_in_row(_CHECKS[name].error(element, name, k), number + row if lead else None)


def first_row(marked: NDArray[np.bool_], lead: tuple[int, ...]) -> int:
    """Return the first marked row of a batch; `marked` has batch axes that are broadcast to `lead`.

    >>> first_row(np.array([False, True, True]), (2, 3))
    1
    """
    return int(np.broadcast_to(marked, lead).argmax())


def _in_row(array: NDArray[Any], own: int, lead: tuple[int, ...], row: int) -> NDArray[Any]:
    """Return the part of an array, with `own` last axes, in one row of a batch."""
    part: NDArray[Any] = np.broadcast_to(array, lead + array.shape[array.ndim - own :])[np.unravel_index(row, lead)]
    return part


def _any_of_last(marked: NDArray[np.bool_]) -> NDArray[np.bool_]:
    return np.asarray(marked.any(axis=-1))


def _negative_inertias(values: Array) -> NDArray[np.bool_]:
    return _any_of_last(values[..., (0, 3, 5, 9)] < 0)


def _inertia_error(element: Array, name: str, k: int) -> RbdError:
    reason = "negative mass" if element[9] < 0 else "negative moment of inertia"
    return InertiaError(f"{name}[{k}] has a {reason}", argument=name, index=(k,), reason=reason)


def _defects(placements: Array) -> Array:
    """Return the largest entries of R R^T - 1, of the first three columns."""
    R = placements[..., :3]
    with np.errstate(invalid="ignore", over="ignore"):
        defects: Array = np.abs(R @ np.swapaxes(R, -1, -2) - np.eye(3)).max(axis=(-1, -2))
    return defects


def _no_rotations(values: Array) -> NDArray[np.bool_]:
    """Placements that are no rotations; those that are not finite are left to the program."""
    with np.errstate(invalid="ignore", over="ignore"):
        wrong = (_defects(values) > _ROTATION_TOLERANCE) | (np.linalg.det(values[..., :3]) <= 0)
    return np.asarray(wrong & np.isfinite(values).all(axis=(-1, -2)))


def _rotation_error(element: Array, name: str, k: int) -> RbdError:
    message = f"{name}[{k}] is not a rotation in its first three columns"
    return RotationError(message, argument=name, index=(k,), defect=float(_defects(element)))


def _sign_error(allowed: str) -> Callable[[Array, str, int], RbdError]:
    def error(element: Array, name: str, k: int) -> RbdError:
        message = f"{name}[{k}] is {element}, needs {allowed}"
        return ArgumentError(message, argument=name, index=(k,), value=float(element), allowed=allowed)

    return error


_NOT_NEGATIVE: Final = _ParameterCheck(lambda values: values < 0, _sign_error("a number of 0 or more"))
_CHECKS: Final[Mapping[str, _ParameterCheck]] = MappingProxyType(
    {
        "inertia": _ParameterCheck(_negative_inertias, _inertia_error),
        "placement": _ParameterCheck(_no_rotations, _rotation_error),
        **dict.fromkeys(("damping", "friction", "armature", "bound_stiffness", "bound_damping"), _NOT_NEGATIVE),
        "friction_velocity": _ParameterCheck(lambda values: values <= 0, _sign_error("a number above 0")),
    }
)
