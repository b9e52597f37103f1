"""Derivatives of intrinsics with piecewise constant results, such as indices, flags and counts: zero."""

from __future__ import annotations

from collections.abc import Sequence

from rbd.scalars.protocol import Vector


def zero_tangents(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, results: Vector, tangents: Vector
) -> Vector:
    """Return the tangents of the results: zeros."""
    return (0,) * len(results)


def zero_cotangents(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, results: Vector, cotangents: Vector
) -> Vector:
    """Return the cotangents of the operands: zeros."""
    return (0,) * len(operands)
