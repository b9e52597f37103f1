"""Shapes and pairs of a collision model as arrays; the shapes placed in one frame, a row of scalars for each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from rbd.array_functions.function import RecordedFunction
from rbd.contact.geometry.shape_kinds import Placement, bounding_radius, place
from rbd.contact.geometry.shape_rows import RowKind, row_of_shape
from rbd.contact.geometry.shapes import Shape
from rbd.contact.model.pairs import Pair
from rbd.mechanism import Mechanism, RigidBody
from rbd.scalar_states.scalar_state import ScalarState
from rbd.scalars import Vector
from rbd.scalars.arrays import Array
from rbd.spatial import Frame
from rbd.spatial.half_space import HalfSpace
from rbd.state import MechanismState

Indices: TypeAlias = NDArray[np.intp]
Record: TypeAlias = Callable[[str, Callable[..., object]], RecordedFunction]
"""Records a function of a state, for the mechanism as it is, under a name."""


@final
class ShapeTable:
    """The shapes and pairs of a model as arrays, of a model whose shapes all have rows."""

    def __init__(
        self, mechanism: Mechanism, shapes: Sequence[tuple[Shape, RigidBody]], pairs: Sequence[Pair], record: Record
    ) -> None:
        """Set shapes with their bodies, pairs of them, and the recorder of functions."""
        self.mechanism, self.shapes, self.record = mechanism, tuple(shapes), record
        index_of = {id(shape): k for k, (shape, _) in enumerate(shapes)}
        self.a: Indices = np.array([index_of[id(pair.a)] for pair in pairs], dtype=np.intp)
        """The first shape of each pair, by its row."""
        self.b: Indices = np.array([index_of[id(pair.b)] for pair in pairs], dtype=np.intp)
        row_kinds = [RowKind.of(shape) for shape, _ in shapes]
        self.row_kinds = tuple(dict.fromkeys(row_kinds))
        """The kinds of the rows of shapes."""
        self.kinds: Indices = np.array([self.row_kinds.index(kind) for kind in row_kinds], dtype=np.intp)
        """The index of the kind of each shape's row."""
        self.are_planes = np.array([isinstance(shape, HalfSpace) for shape, _ in shapes], dtype=np.bool_)
        self.radii = np.array([bounding_radius(shape) for shape, _ in shapes], dtype=np.float64)
        """The radii of the bounding spheres."""

    @staticmethod
    def can_hold(shapes: Iterable[Shape]) -> bool:
        """Return whether all shapes have rows."""
        return all(RowKind.of(shape).widths for shape in shapes)

    @property
    def frame(self) -> Frame[Any]:
        """The frame everything is computed in: the default frame of the second body, or of the root if it is alone."""
        bodies = self.mechanism.bodies
        return bodies[1 if len(bodies) > 1 else 0].default_frame

    def placed(self, state: MechanismState) -> tuple[Array, Array]:
        """Return the centres of the bounding spheres of all shapes, and their rows padded with zeros.

        Both are in the common frame.
        """
        shapes = [shape for shape, _ in self.shapes]
        rows = np.asarray(self.record("shapes", partial(_placed_shapes, shapes, self.frame))(state.q, state.v))
        return rows[:, :3], rows[:, 3:]


def _placed_shapes(shapes: Sequence[Shape], frame: Frame[Any], state: ScalarState) -> object:
    """Return a row per shape: the centre of its bounding sphere, and its fields."""
    width, rows = max(RowKind.of(shape).width for shape in shapes), list[Vector]()
    for shape in shapes:
        tf, kind = state.relative_transform(shape.frame, frame), RowKind.of(shape)
        row = row_of_shape(kind, place(shape, tf, state.lifted))
        center = Placement(tf, state.lifted, 0.0).point(kind.shape_kind.bounding_center(shape))
        rows.append((*center, *row, *(0,) * (width - kind.width)))
    return tuple(rows)
