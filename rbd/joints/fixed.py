"""The fixed joint: no degree of freedom."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, final

import attrs
from typing_extensions import override

from rbd.joints.base import LibraryJointType
from rbd.spatial import GeometricJacobian, Transform, Twist, WrenchMatrix
from rbd.spatial.columns import angular_columns, linear_columns
from rbd.spatial.linalg import identity3, zero3

if TYPE_CHECKING:
    import numpy as np

    from rbd.scalars import Vector
    from rbd.spatial import Frame
    from rbd.spatial.frame import A, B


@final
@attrs.frozen
class Fixed(LibraryJointType):
    """A joint that does not move: q and v are empty.

    >>> from rbd import Fixed
    >>> Fixed().nq, Fixed().nv
    (0, 0)
    """

    _positions: ClassVar[tuple[str, ...]] = ()
    _velocities: ClassVar[tuple[str, ...]] = ()

    @override
    def transform(self, q: Vector, after: Frame[A], before: Frame[B]) -> Transform[A, B]:
        return Transform.trusted(after, before, identity3(), zero3())

    @override
    def motion_subspace(self, q: Vector, after: Frame[A], before: Frame[B]) -> GeometricJacobian[A, B, A]:
        return GeometricJacobian.trusted(after, before, after, ())

    @override
    def twist(self, q: Vector, v: Vector, after: Frame[A], before: Frame[B]) -> Twist[A, B, A]:
        return Twist.trusted(after, before, after, zero3(), zero3())

    @override
    def constraint_wrench_subspace(self, q: Vector, after: Frame[A]) -> WrenchMatrix[A]:
        """Return three torques, then three forces: every wrench."""
        return WrenchMatrix.trusted(after, angular_columns(identity3()) + linear_columns(identity3()))

    @override
    def project(self, transform: Transform[A, B], near: Vector | None = None) -> Vector:
        return ()

    @override
    def zero(self) -> tuple[float, ...]:
        return ()

    @override
    def random(self, rng: np.random.Generator) -> tuple[float, ...]:
        return ()

    @override
    def flipped(self) -> Fixed:
        return Fixed()
