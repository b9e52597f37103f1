"""Placed shapes as rows of numbers, and back: rows of one kind are computed in batches."""

from __future__ import annotations

from collections.abc import Mapping
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
from rbd.scalars import Vector

NumberedShape: TypeAlias = PlacedSphere | PlacedCapsule | PlacedHalfSpace | PlacedBox
"""The shapes of models with a broad phase."""
WIDTHS: Final[Mapping[type[Any], int]] = {PlacedSphere: 4, PlacedCapsule: 7, PlacedHalfSpace: 6, PlacedBox: 15}
"""How many numbers a placed shape has."""
MAX_WIDTH: Final = max(WIDTHS.values())
KINDS: Final[list[Any]] = list(WIDTHS)
"""The kinds of shapes; a kind's index is its code."""


def has_numbers(shape: Shape) -> bool:
    """Return whether a shape is of one of these kinds."""
    return placed_kind(shape) in WIDTHS


def shape_to_numbers(shape: NumberedShape) -> Vector:
    """Return the numbers of a shape."""
    if isinstance(shape, PlacedBox):
        return *shape.center, *(x for axis in shape.axes for x in axis), *shape.half
    if isinstance(shape, PlacedCapsule):
        return *shape.center, *shape.half, shape.radius
    return (*shape.center, shape.radius) if isinstance(shape, PlacedSphere) else (*shape.point, *shape.normal)


def shape_from_numbers(kind: type[Any], x: Vector) -> PlacedShape:
    """Return the shape with these numbers: the inverse of `shape_to_numbers`."""
    triples = [(x[k], x[k + 1], x[k + 2]) for k in range(0, len(x) - 2, 3)]
    if kind is PlacedBox:
        return PlacedBox(triples[0], (triples[1], triples[2], triples[3]), triples[4])
    if kind is PlacedCapsule:
        return PlacedCapsule(triples[0], triples[1], x[6])
    return PlacedSphere(triples[0], x[3]) if kind is PlacedSphere else PlacedHalfSpace(triples[0], triples[1])
