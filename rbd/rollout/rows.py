"""Rows of arrays that users give: one per world, or one for all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import final

import attrs
import numpy as np
from numpy.typing import ArrayLike

from rbd.array_functions.arguments import as_numbers
from rbd.array_functions.parameter_checks import require_possible_values
from rbd.contact.arguments import require_friction_coefficients
from rbd.errors import NotFiniteError, RotationError, ShapeError
from rbd.indexing.layout import layout_of
from rbd.mechanism import Mechanism
from rbd.rollout.settings import CONTACT_FRICTION
from rbd.scalars import to_float
from rbd.scalars.arrays import Array


def rows_of(value: ArrayLike, shape: tuple[int, ...], name: str) -> Array:
    """Return rows of `shape`, given as such or as one row for all; raise ShapeError naming the argument."""
    array = as_numbers(value, name)
    if array.shape not in {shape, shape[1:], (1, *shape[1:])}:
        message = f"{name} has shape {array.shape}, needs {shape} or {shape[1:]}"
        raise ShapeError(message, argument=name, expected=shape, actual=array.shape)
    return np.broadcast_to(array, shape)


def array_of(value: ArrayLike, shape: tuple[int, ...], name: str) -> Array:
    """Return a new array of exactly this shape; raise ShapeError naming the argument."""
    array = as_numbers(value, name)
    if array.shape != shape:
        message = f"{name} has shape {array.shape}, needs {shape}"
        raise ShapeError(message, argument=name, expected=shape, actual=array.shape)
    return array.copy()


def finite(array: Array, name: str) -> Array:
    """Return the array; raise NotFiniteError naming the argument and the entry."""
    bad = np.argwhere(~np.isfinite(array))
    if len(bad):
        place = [int(k) for k in bad[0]]
        raise NotFiniteError(f"{name}{place} is not finite", argument=name, index=tuple(place))
    return array


def require_possible_rows(parameters: Mapping[str, Array], count: int, number: int = 0) -> None:
    """Raise InertiaError, RotationError or ArgumentError for impossible values; `number` is that of the first row."""
    require_possible_values(parameters, (count,), number)
    if CONTACT_FRICTION in parameters:
        require_friction_coefficients(parameters[CONTACT_FRICTION], CONTACT_FRICTION)


@final
@attrs.frozen
class ScaledCoordinates:
    """Coordinates of a joint that have any length but 0: quaternions, and pairs of sine and cosine."""

    joint: str
    indices: tuple[int, ...]
    """Their indices in q."""
    zero: str
    """The zero configuration of the joint."""


def scaled_coordinates(mechanism: Mechanism) -> tuple[ScaledCoordinates, ...]:
    """Return the scaled coordinates of all joints, as they are now: worlds outlive edits of their mechanism."""
    found = list[ScaledCoordinates]()
    for node in layout_of(mechanism).nodes:
        kind, start = node.joint.type, node.q_slice.start
        if kind.nq != kind.nv:
            probe = kind.normalize((2.0,) * kind.nq)
            indices = tuple(start + k for k, x in enumerate(probe) if to_float(x) != 2)
            found.append(
                ScaledCoordinates(node.joint.name, indices, ", ".join(f"{to_float(x):g}" for x in kind.zero()))
            )
    return tuple(each for each in found if each.indices)


def require_rotations(coordinates: Iterable[ScaledCoordinates], q: Array) -> None:
    """Raise RotationError for rows of q with zero quaternions, or zero pairs of sine and cosine."""
    for each in coordinates:
        zero = np.flatnonzero(~q[:, each.indices].any(axis=1))
        if zero.size:
            message = (
                f"q: the configuration of joint '{each.joint}' has norm 0 in row {zero[0]}, so that it is no rotation"
            )
            advice = f"the zero configuration has {each.zero}"
            raise RotationError(f"{message}; {advice}", argument="q", joint=each.joint, defect=-1.0)
