"""Velocity map N of dq/dt = N v, for derivatives along velocities."""

from __future__ import annotations

from typing import final

import attrs

from rbd.indexing.layout import layout_of
from rbd.joints import JointType
from rbd.mechanism import Mechanism
from rbd.scalars import Matrix, Scalar, Vector


@final
@attrs.frozen
class VelocityMap:
    """Velocity map of a tree of joints; holds no reference to the mechanism."""

    types: tuple[JointType, ...]

    @classmethod
    def of(cls, mechanism: Mechanism) -> VelocityMap:
        """Return the velocity map of a mechanism."""
        return cls(tuple(node.joint.type for node in layout_of(mechanism).nodes))

    def matrix(self, q: Vector) -> Matrix:
        """Return N, a row per entry of q."""
        width, rows = sum(kind.nv for kind in self.types), list[tuple[Scalar, ...]]()
        at = column = 0
        for kind in self.types:
            block = kind.configuration_derivative_jacobian(q[at : at + kind.nq])
            before, behind = (0,) * column, (0,) * (width - column - kind.nv)
            rows += [(*before, *row, *behind) for row in block]
            at, column = at + kind.nq, column + kind.nv
        return tuple(rows)
