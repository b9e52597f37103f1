"""What joints with one coordinate and one velocity share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typing_extensions import override

from rbd.arguments import require_generator
from rbd.joints.base import JointType
from rbd.spatial import GeometricJacobian

if TYPE_CHECKING:
    import numpy as np

    from rbd.scalars import Vector
    from rbd.spatial import Frame
    from rbd.spatial.frame import A, B


class OneDofJoint(JointType):
    """A joint whose velocity is the derivative of its only coordinate; abstract."""

    __slots__ = ()

    @property
    @override
    def nq(self) -> int:
        return 1

    @property
    @override
    def nv(self) -> int:
        return 1

    @override
    def position_subspace(self, q: Vector, after: Frame[A], before: Frame[B]) -> GeometricJacobian[A, B, A]:
        return self.motion_subspace(q, after, before)  # since qd = v

    @override
    def zero(self) -> tuple[float, ...]:
        return (0.0,)

    @override
    def random(self, rng: np.random.Generator) -> tuple[float, ...]:
        require_generator(rng)
        return (float(rng.standard_normal()),)
