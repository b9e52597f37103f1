"""Vectors of three floats in the restricted language of intrinsics."""

from __future__ import annotations

from typing import Final

from rbd.intrinsics.language import Floats, fma

LARGEST: Final = 1e300
"""Larger than all squares of distances and sizes."""


def dot(x: Floats, y: Floats) -> float:
    """Return the scalar product."""
    return fma(x[0], y[0], fma(x[1], y[1], x[2] * y[2]))


def dot_at(axis: Floats, points: Floats, start: int) -> float:
    """Return the coordinate along an axis of the point whose own coordinates begin at `start`."""
    return fma(axis[0], points[start], fma(axis[1], points[start + 1], axis[2] * points[start + 2]))


def subtract(x: Floats, y: Floats, out: Floats) -> None:
    """Set `out` to x - y."""
    for c in range(3):
        out[c] = x[c] - y[c]


def cross(x: Floats, y: Floats, out: Floats) -> None:
    """Set `out` to the vector product, which is none of its factors."""
    out[0] = fma(x[1], y[2], -(x[2] * y[1]))
    out[1] = fma(x[2], y[0], -(x[0] * y[2]))
    out[2] = fma(x[0], y[1], -(x[1] * y[0]))
