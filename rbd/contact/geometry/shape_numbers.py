"""Placed shapes as rows of numbers, and back: rows of one kind are computed in batches."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate, pairwise
from typing import Any, Final, TypeAlias

from rbd.contact.geometry.placed_shapes import (
    PlacedBox,
    PlacedCapsule,
    PlacedHalfSpace,
    PlacedShape,
    PlacedSphere,
    placed_kind,
)
from rbd.contact.geometry.shapes import Shape
from rbd.scalars import Matrix, Scalar, Vector

NumberedShape: TypeAlias = PlacedSphere | PlacedCapsule | PlacedHalfSpace | PlacedBox
"""The shapes of models with a broad phase."""
_FIELDS: Final[Mapping[type[Any], tuple[int, ...]]] = {
    PlacedSphere: (3, 1),
    PlacedCapsule: (3, 3, 1),
    PlacedHalfSpace: (3, 3),
    PlacedBox: (3, 9, 3),
}
"""How many numbers each field of a placed shape has: a scalar, a vector or a matrix."""
WIDTHS: Final[Mapping[type[Any], int]] = {kind: sum(fields) for kind, fields in _FIELDS.items()}
"""How many numbers a placed shape has."""
MAX_WIDTH: Final = max(WIDTHS.values())
KINDS: Final[list[Any]] = list(WIDTHS)
"""The kinds of shapes; a kind's index is its code."""


def has_numbers(shape: Shape) -> bool:
    """Return whether a shape is of one of these kinds."""
    return placed_kind(shape) in WIDTHS


def shape_to_numbers(shape: NumberedShape) -> Vector:
    """Return the numbers of a shape: those of its fields, one after the other."""
    fields = zip(shape, _FIELDS[type(shape)], strict=True)
    return tuple(x for field, width in fields for x in _numbers(field, width))


def shape_from_numbers(kind: type[Any], x: Vector) -> PlacedShape:
    """Return the shape with these numbers: the inverse of `shape_to_numbers`."""
    ends = accumulate(_FIELDS[kind], initial=0)
    shape: PlacedShape = kind(*(_field(x[start:stop]) for start, stop in pairwise(ends)))
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
