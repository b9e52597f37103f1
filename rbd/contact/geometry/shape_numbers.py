"""Placed shapes as rows of numbers, and back: rows of one kind are computed in batches."""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import Any, Final

from rbd.contact.geometry.placed_shapes import PlacedShape
from rbd.contact.geometry.shape_kinds import KINDS, ShapeKind
from rbd.scalars import Matrix, Scalar, Vector

NUMBERED_KINDS: Final = [kind for kind in KINDS if kind.numbers]
"""The kinds of models with a broad phase; a kind's index is its code."""
MAX_WIDTH: Final = max(kind.width for kind in NUMBERED_KINDS)


def shape_to_numbers(kind: ShapeKind, shape: PlacedShape) -> Vector:
    """Return the numbers of a shape: those of its fields, one after the other."""
    fields = zip(shape, kind.numbers, strict=True)
    return tuple(x for field, width in fields for x in _numbers(field, width))


def shape_from_numbers(kind: ShapeKind, x: Vector) -> PlacedShape:
    """Return the shape with these numbers: the inverse of `shape_to_numbers`."""
    ends = accumulate(kind.numbers, initial=0)
    shape: PlacedShape = kind.placed(*(_field(x[start:stop]) for start, stop in pairwise(ends)))
    return shape


def _numbers(field: Any, width: int) -> Vector:
    """Return the numbers of a scalar, a vector or a matrix."""
    if width == 9:
        return tuple(x for row in field for x in row)
    return tuple(field) if width == 3 else (field,)


def _field(x: Vector) -> Scalar | Vector | Matrix:
    """Return a scalar, a vector or a matrix from its one, three or nine numbers."""
    if len(x) == 9:
        return x[:3], x[3:6], x[6:]
    return x if len(x) == 3 else x[0]
