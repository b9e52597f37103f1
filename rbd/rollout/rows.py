"""Rows of arrays that users give: one per world, or one for all."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from rbd.array_functions.arguments import as_numbers
from rbd.array_functions.parameter_checks import check_parameters
from rbd.contact.arguments import require_friction_coefficients
from rbd.errors import NotFiniteError, ShapeError
from rbd.rollout.settings import CONTACT_FRICTION
from rbd.scalars.arrays import Array


def rows_of(value: ArrayLike, shape: tuple[int, ...], name: str) -> Array:
    """Return an array broadcast to `shape`, rows first; raise ShapeError naming the argument."""
    array = as_numbers(value, name)
    try:
        return np.broadcast_to(array, shape)
    except ValueError:
        message = f"{name} has shape {array.shape}, needs {shape} or {shape[1:]}"
        raise ShapeError(message, argument=name, expected=shape, actual=array.shape) from None


def finite_rows_of(value: ArrayLike, shape: tuple[int, ...], name: str) -> Array:
    """Return an array broadcast to `shape`, rows first; raise ShapeError or NotFiniteError naming the argument."""
    array = rows_of(value, shape, name)
    bad = np.argwhere(~np.isfinite(array))
    if len(bad):
        place = [int(k) for k in bad[0]]
        raise NotFiniteError(f"{name}{place} is not finite", argument=name, index=tuple(place))
    return array


def require_possible_rows(parameters: Mapping[str, ArrayLike]) -> None:
    """Raise InertiaError, RotationError or ArgumentError for values of parameters that are impossible."""
    check_parameters({name: value for name, value in parameters.items() if name != CONTACT_FRICTION})
    if CONTACT_FRICTION in parameters:
        require_friction_coefficients(as_numbers(parameters[CONTACT_FRICTION], CONTACT_FRICTION), CONTACT_FRICTION)
