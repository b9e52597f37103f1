"""Formulas of time steps, shared by compiled steps and their derivatives."""

from __future__ import annotations

from typing import Literal, TypeAlias

from rbd.scalars import Scalar, Vector, const

FixedStepMethod: TypeAlias = Literal["munthe-kaas-rk4", "semi-implicit-euler"]
"""Name of a method of time steps of fixed length."""


def stepped(start: Vector, rate: Vector, dt: Scalar) -> Vector:
    """Return start + dt rate."""
    return tuple(x + dt * y for x, y in zip(start, rate, strict=True))


def runge_kutta_mean(a: Vector, b: Vector, c: Vector, d: Vector) -> Vector:
    """Return the weighted mean of the rates at the four stages of the classical Runge-Kutta method."""
    sixth, third = const(1, 6), const(1, 3)
    return tuple((p + s) * sixth + (q + r) * third for p, q, r, s in zip(a, b, c, d, strict=True))
