"""Shapes and pairs of a collision model as arrays; the shapes placed in one frame, a row of numbers for each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from rbd.compiled import RecordedFunction
from rbd.contact.geometry.shape_kinds import bounding_radius, kind_of, place
from rbd.contact.geometry.shape_numbers import MAX_WIDTH, NUMBERED_KINDS, shape_to_numbers
from rbd.contact.geometry.shapes import Shape
from rbd.contact.model.pairs import Pair
from rbd.kinematics.scalar_state import ScalarState
from rbd.mechanism import Mechanism, RigidBody
from rbd.scalars.arrays import Array
from rbd.spatial import Frame
from rbd.state import MechanismState

Indices: TypeAlias = NDArray[np.intp]
Record: TypeAlias = Callable[[str, Callable[..., object]], RecordedFunction]
"""Records a function of a state, for the mechanism as it is, under a name."""


@final
class ShapeTable:
    """The shapes and pairs of a model as arrays, of a model whose shapes all are numbers."""

    def __init__(
        self, mechanism: Mechanism, shapes: Sequence[tuple[Shape, RigidBody]], pairs: Sequence[Pair], record: Record
    ) -> None:
        """Take shapes with their bodies, pairs of them, and what records functions."""
        self.mechanism, self.shapes, self.record = mechanism, tuple(shapes), record
        index_of = {id(shape): k for k, (shape, _) in enumerate(shapes)}
        self.a: Indices = np.array([index_of[id(pair.a)] for pair in pairs], dtype=np.intp)
        """The first shape of each pair, by its row."""
        self.b: Indices = np.array([index_of[id(pair.b)] for pair in pairs], dtype=np.intp)
        self.kinds: Indices = np.array([NUMBERED_KINDS.index(kind_of(shape)) for shape, _ in shapes], dtype=np.intp)
        """The number of each shape's kind."""
        self.radii = np.array([bounding_radius(shape) for shape, _ in shapes], dtype=np.float64)

    @staticmethod
    def can_hold(shapes: Iterable[Shape]) -> bool:
        """Return whether all shapes are numbers; of height fields and hulls there are too many."""
        return all(kind_of(shape).numbers for shape in shapes)

    @property
    def frame(self) -> Frame[Any]:
        """The frame everything is computed in: the default frame of the second body, or of the root if it is alone."""
        bodies = self.mechanism.bodies
        return bodies[1 if len(bodies) > 1 else 0].default_frame

    def placed(self, state: MechanismState) -> Array:
        """Return the numbers of all shapes in the common frame, padded with zeros."""
        shapes = [shape for shape, _ in self.shapes]
        return np.asarray(self.record("shapes", partial(_placed_shapes, shapes, self.frame))(state.q, state.v))


def _placed_shapes(shapes: Sequence[Shape], frame: Frame[Any], state: ScalarState) -> object:
    placed = (place(shape, state.relative_transform(shape.frame, frame), state.lifted) for shape in shapes)
    rows = [shape_to_numbers(kind_of(shape), numbers) for shape, numbers in zip(shapes, placed, strict=True)]
    return tuple((*row, *(0,) * (MAX_WIDTH - len(row))) for row in rows)
