"""Charts: the derivative of coordinates by velocities."""

from __future__ import annotations

from typing import final

import attrs

from rbd.joints import JointType
from rbd.mechanism import Mechanism
from rbd.scalars import Matrix, Scalar, Vector
from rbd.state.layout import layout_of


@final
@attrs.frozen
class Charts:
    """The joint types of a tree in order; holds no reference to the mechanism."""

    types: tuple[JointType, ...]

    @classmethod
    def of(cls, mechanism: Mechanism) -> Charts:
        """Return the charts of a mechanism's tree joints."""
        return cls(tuple(link.joint.type for link in layout_of(mechanism).links))

    def directions(self, q: Vector) -> Matrix:
        """Return the matrix from velocities to the derivative of q, a row per entry of q."""
        width, rows = sum(kind.nv for kind in self.types), list[tuple[Scalar, ...]]()
        at = column = 0
        for kind in self.types:
            block = kind.configuration_derivative_jacobian(q[at : at + kind.nq])
            before, behind = (0,) * column, (0,) * (width - column - kind.nv)
            rows += [(*before, *row, *behind) for row in block]
            at, column = at + kind.nq, column + kind.nv
        return tuple(rows)
