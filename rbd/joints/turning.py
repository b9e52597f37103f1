"""Rotation about one axis, as `Revolute` and `SinCosRevolute` share it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typing_extensions import override

from rbd.joints.axis import Axis, lifted, triad
from rbd.joints.base import JointType
from rbd.spatial import GeometricJacobian, Twist, WrenchMatrix
from rbd.spatial.frame import check_frame
from rbd.spatial.linalg import dot3, scale3, zero3

if TYPE_CHECKING:
    from rbd.scalars import Vector
    from rbd.spatial import Frame, Wrench
    from rbd.spatial.frame import A, B


class TurningJoint(JointType):
    """A joint that turns about `axis` at the rate v, whatever its coordinates are; abstract."""

    __slots__ = ()

    axis: Axis

    @property
    @override
    def nv(self) -> int:
        return 1

    @property
    @override
    def velocity_names(self) -> tuple[str, ...]:
        return ("angular_velocity",)

    @override
    def motion_subspace(self, q: Vector, after: Frame[A], before: Frame[B]) -> GeometricJacobian[A, B, A]:
        return GeometricJacobian.trusted(after, before, after, ((lifted(self.axis, q), zero3()),))

    @override
    def twist(self, q: Vector, v: Vector, after: Frame[A], before: Frame[B]) -> Twist[A, B, A]:
        return Twist.trusted(after, before, after, scale3(lifted(self.axis, v), v[0]), zero3())

    @override
    def torque(self, q: Vector, wrench: Wrench[A], after: Frame[A], before: Frame[B]) -> Vector:
        check_frame(wrench.frame, after, operation="joint torque", argument="wrench")
        angular = wrench.angular_components
        return (dot3(lifted(self.axis, angular), angular),)

    @override
    def constraint_wrench_subspace(self, q: Vector, after: Frame[A]) -> WrenchMatrix[A]:
        """Return two torques across the axis, then three forces."""
        first, second = (lifted(u, q) for u in triad(self.axis))
        forces = (first, second, lifted(self.axis, q))
        columns = ((first, zero3()), (second, zero3()), *((zero3(), force) for force in forces))
        return WrenchMatrix.trusted(after, columns)
