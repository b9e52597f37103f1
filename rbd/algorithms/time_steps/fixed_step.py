"""Methods of time steps of fixed length, and the step of a vector, shared with the derivatives of steps."""

from __future__ import annotations

from typing import Literal, TypeAlias

from rbd.scalars import Scalar, Vector

FixedStepMethod: TypeAlias = Literal["munthe-kaas-rk4", "semi-implicit-euler"]
"""Name of a method of time steps of fixed length."""


def stepped(start: Vector, rate: Vector, dt: Scalar) -> Vector:
    """Return start + dt rate."""
    return tuple(x + dt * y for x, y in zip(start, rate, strict=True))
