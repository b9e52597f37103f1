"""Substitution of s: the values of all variables of a ring, of scalars or of arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from rbd.rational.polynomials.horner import Values
from rbd.rational.polynomials.ring import Kind, Ring
from rbd.scalars import sqrt
from rbd.scalars.arrays import Array

ArraySubstitution: TypeAlias = Callable[[Ring, Array], Mapping[int, Array]]
"""Returns the values of all variables for an array of s."""
ScalarSubstitution: TypeAlias = Callable[[Ring, Sequence[Any]], Values]
"""Returns the values of all variables for scalars s."""


def scalar_values(ring: Ring, s: Sequence[Any], *, half: bool = False) -> dict[int, Any]:
    """Return the values of all variables at s; with `half`, cosine and sine of *half* the angles.

    Rotations, and half angles, need scalars with square roots.
    """
    values: dict[int, Any] = {}
    for block in ring.blocks:
        block_s = [s[i] for i in block.indices]
        values |= dict(zip(block.s, block_s, strict=True))
        if block.kind is Kind.ANGLE and not half:
            twice = 2 / (1 + block_s[0] * block_s[0])
            values |= dict(zip(block.circle, (twice - 1, twice * block_s[0]), strict=True))
        elif block.circle:
            w = 1 / sqrt(1 + sum(x * x for x in block_s))
            values |= dict(zip(block.circle, (w, *(w * x for x in block_s)), strict=True))
    return values


def array_values(ring: Ring, s: Array, *, half: bool = False) -> dict[int, Array]:
    """Return the values of all variables at every row of s, as `scalar_values`; angles may have infinite s."""
    values: dict[int, Array] = {}
    for block in ring.blocks:
        block_s = s[..., block.indices]
        values |= dict(zip(block.s, np.moveaxis(block_s, -1, 0), strict=True))
        if block.circle:
            circle = _on_unit_sphere(block_s)
            if block.kind is Kind.ANGLE and not half:
                u, v = circle
                circle = [(u - v) * (u + v), 2 * u * v]
            values |= dict(zip(block.circle, circle, strict=True))
    return values


half_angle_scalar_values = partial(scalar_values, half=True)
half_angle_array_values = partial(array_values, half=True)


def _on_unit_sphere(s: Array) -> list[Array]:
    """Return (1, s) divided by its length; entries may be infinite."""
    size = np.maximum(1.0, np.abs(s).max(axis=-1))
    scale = np.where(np.isinf(size), 1.0, size)
    infinite = np.isinf(size)[..., np.newaxis]
    v = np.where(infinite, np.where(np.isinf(s), np.sign(s), 0.0), s) / scale[..., np.newaxis]
    u = 1.0 / size
    length = np.sqrt(u * u + (v * v).sum(axis=-1))
    return [u / length, *(np.moveaxis(v, -1, 0) / length)]


def without_array_scalars(values: Mapping[int, Array]) -> Values:
    """Return arrays without axes as floats, which are faster."""
    return {g: float(x) if x.ndim == 0 else x for g, x in values.items()}
