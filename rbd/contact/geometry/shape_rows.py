"""Placed shapes as rows of scalars, and back: rows of one kind are computed in batches."""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import Any, NamedTuple, final

from rbd.contact.geometry.placed_shapes import PlacedShape
from rbd.contact.geometry.shape_kinds import ShapeKind, kind_of
from rbd.contact.geometry.shapes import Shape
from rbd.scalars import Scalar, Vector


@final
class RowKind(NamedTuple):
    """A kind of rows: the kind of the shapes, and how many columns each of their fields has."""

    shape_kind: ShapeKind
    widths: tuple[int, ...]

    @classmethod
    def of(cls, shape: Shape) -> RowKind:
        """Return the kind of the row of a shape."""
        kind = kind_of(shape)
        return cls(kind, kind.field_widths(shape))

    @property
    def width(self) -> int:
        """Number of columns of a row."""
        return sum(self.widths)


def row_of_shape(kind: RowKind, shape: PlacedShape) -> Vector:
    """Return the row of a shape: its fields, one after the other."""
    fields = zip(shape, kind.widths, strict=True)
    return tuple(x for field, width in fields for x in _columns(field, width))


def shape_of_row(kind: RowKind, x: Vector) -> PlacedShape:
    """Return the shape of a row: the inverse of `row_of_shape`."""
    ends = accumulate(kind.widths, initial=0)
    shape: PlacedShape = kind.shape_kind.placed(*(_field(x[start:stop]) for start, stop in pairwise(ends)))
    return shape


def _columns(field: Any, width: int) -> Vector:
    """Return the columns of a scalar, a vector or several vectors, the first of which is repeated up to the width."""
    if width <= 3:
        return tuple(field) if width == 3 else (field,)
    vectors = (*field, *(field[0],) * (width // 3 - len(field)))
    return tuple(x for vector in vectors for x in vector)


def _field(x: Vector) -> Scalar | Vector | tuple[Vector, ...]:
    """Return a scalar, a vector or several vectors from their columns."""
    if len(x) == 1:
        return x[0]
    if len(x) == 3:
        return x
    return tuple(x[k : k + 3] for k in range(0, len(x), 3))
