"""Velocity map N of dq/dt = N v and its left inverse, for derivatives along velocities."""

from __future__ import annotations

from collections.abc import Iterator
from typing import final

import attrs

from rbd.indexing.layout import layout_of
from rbd.joints import JointType
from rbd.mechanism import Mechanism
from rbd.scalars import Matrix, Scalar, Vector
from rbd.scalars.linear_algebra import dot


@final
@attrs.frozen
class VelocityMap:
    """Velocity map of a tree of joints; holds no reference to the mechanism."""

    joint_types: tuple[JointType, ...]

    @classmethod
    def of(cls, mechanism: Mechanism) -> VelocityMap:
        """Return the velocity map of a mechanism."""
        return cls(tuple(node.joint.type for node in layout_of(mechanism).nodes))

    def matrix(self, q: Vector) -> Matrix:
        """Return N, a row per entry of q."""
        width, rows = sum(kind.nv for kind in self.joint_types), list[tuple[Scalar, ...]]()
        column = 0
        for kind, part in self._slices():
            block = kind.configuration_derivative_jacobian(q[part])
            before, behind = (0,) * column, (0,) * (width - column - kind.nv)
            rows += [(*before, *row, *behind) for row in block]
            column += kind.nv
        return tuple(rows)

    def to_velocity_rows(self, q: Vector, rows: Matrix) -> Matrix:
        """Return rows of velocities from rows of changes of q, those of derivatives for one."""
        converted = list[Vector]()
        for kind, part in self._slices():
            columns = list(zip(*rows[part], strict=True))
            converted += [tuple(dot(row, column) for column in columns) for row in kind.velocity_jacobian(q[part])]
        return tuple(converted)

    def _slices(self) -> Iterator[tuple[JointType, slice]]:
        """Yield all joint types, each with its part of q."""
        at = 0
        for kind in self.joint_types:
            yield kind, slice(at, at + kind.nq)
            at += kind.nq
