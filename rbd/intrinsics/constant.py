"""Rules of differentiation for intrinsics whose outputs are constant but for jumps: choices and numbers of things."""

from __future__ import annotations

from collections.abc import Sequence

from rbd.scalars.protocol import Vector


def no_change(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, outputs: Vector, tangents: Vector
) -> Vector:
    """Return the tangents of the outputs: zeros."""
    return (0,) * len(outputs)


def no_influence(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, outputs: Vector, cotangents: Vector
) -> Vector:
    """Return the cotangents of the operands: zeros."""
    return (0,) * len(operands)
