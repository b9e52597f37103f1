"""Derivatives of intrinsics with piecewise constant outputs, such as indices, flags and counts: zero."""

from __future__ import annotations

from collections.abc import Sequence

from rbd.scalars.protocol import Vector


def zero_tangents(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, outputs: Vector, tangents: Vector
) -> Vector:
    """Return the tangents of the outputs: zeros."""
    return (0,) * len(outputs)


def zero_cotangents(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, outputs: Vector, cotangents: Vector
) -> Vector:
    """Return the cotangents of the operands: zeros."""
    return (0,) * len(operands)
