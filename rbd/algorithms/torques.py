"""Torques of the joints as users give them: numbers, or None for zero."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from numpy.typing import NDArray

from rbd.kernels.state_view import StateView
from rbd.scalars import Scalar, Vector

Torques: TypeAlias = Sequence[Scalar] | NDArray[Any]
"""One number per velocity."""


def torques_of(state: StateView, torques: Torques | None) -> Vector:
    """Return torques as scalars of the state's family, zeros for None; raise ShapeError, NotFiniteError."""
    nv = state.layout.nv
    return state.vector((0,) * nv if torques is None else torques, nv, "torques")
