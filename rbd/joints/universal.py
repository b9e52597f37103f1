"""The universal joint: rotation about two axes, one after the other."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar, final

import attrs
from typing_extensions import override

from rbd.arguments import require_generator
from rbd.errors import ArgumentError
from rbd.joints.axis import Axis, cross, lifted, negate_axis, rotation_by_angle, unit_axis, unwrap_angle
from rbd.joints.base import LibraryJointType
from rbd.scalars import atan2
from rbd.spatial import GeometricJacobian, Transform, WrenchMatrix
from rbd.spatial.columns import linear_columns
from rbd.spatial.linalg import cross3, dot3, identity3, matmul, scale3, tmatvec, zero3
from rbd.spatial.quaternion import rotation_to_quaternion

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike

    from rbd.scalars import Scalar, Vector
    from rbd.spatial import Frame
    from rbd.spatial.frame import A, B
    from rbd.spatial.linalg import Vec3

_PARALLEL = 1 / 10**6  # the sine of the smallest angle between the axes that is not refused


@final
@attrs.frozen(init=False)
class Universal(LibraryJointType):
    """A joint that rotates about `axis1`, then about `axis2`, which moves along: q are the angles, v their rates.

    The rotation is R(axis1, q[0]) R(axis2, q[1]). The axes are scaled to length one; they need not be orthogonal, but
    ArgumentError is raised when they are parallel or one of them is zero, ShapeError or NotFiniteError when one is
    not three finite numbers.

    >>> from rbd import Universal
    >>> Universal((1, 0, 0), (0, 1, 0)).nv
    2
    """

    axis1: Axis
    axis2: Axis
    _positions: ClassVar[tuple[str, ...]] = ("angle1", "angle2")
    _velocities: ClassVar[tuple[str, ...]] = ("angular_velocity1", "angular_velocity2")

    def __init__(self, axis1: ArrayLike, axis2: ArrayLike) -> None:
        object.__setattr__(self, "axis1", unit_axis(axis1, "axis1"))
        object.__setattr__(self, "axis2", unit_axis(axis2, "axis2"))
        if math.hypot(*cross(self.axis1, self.axis2)) < _PARALLEL:
            allowed = "two axes that are not parallel"
            message = "axis1 and axis2 are parallel: the joint would have one degree of freedom"
            raise ArgumentError(message, argument="axis2", value=self.axis2, allowed=allowed)

    def _in_after(self, vector: Axis, q: Vector) -> Vec3:
        """Return a vector fixed to the intermediate frame in the frame after the joint."""
        return tmatvec(rotation_by_angle(self.axis2, q[1]), lifted(vector, q))

    @override
    def transform(self, q: Vector, after: Frame[A], before: Frame[B]) -> Transform[A, B]:
        first = rotation_by_angle(self.axis1, q[0])
        second = rotation_by_angle(self.axis2, q[1])
        return Transform.trusted(after, before, matmul(first, second), zero3())

    @override
    def motion_subspace(self, q: Vector, after: Frame[A], before: Frame[B]) -> GeometricJacobian[A, B, A]:
        columns = ((self._in_after(self.axis1, q), zero3()), (lifted(self.axis2, q), zero3()))
        return GeometricJacobian.trusted(after, before, after, columns)

    @override
    def motion_subspace_rate(
        self, q: Vector, v: Vector, after: Frame[A], before: Frame[B]
    ) -> GeometricJacobian[A, B, A]:
        """Return dS/dt: with respect to `after`, axis1 rotates about axis2 at -v[1]."""
        rate = scale3(cross3(self._in_after(self.axis1, q), lifted(self.axis2, q)), v[1])
        return GeometricJacobian.trusted(after, before, after, ((rate, zero3()), (zero3(), zero3())))

    @override
    def constraint_wrench_subspace(self, q: Vector, after: Frame[A]) -> WrenchMatrix[A]:
        """Return the torque orthogonal to both axes, then three forces."""
        normal = self._in_after(unit_axis(cross(self.axis1, self.axis2), "axis2"), q)
        return WrenchMatrix.trusted(after, ((normal, zero3()), *linear_columns(identity3())))

    @override
    def project(self, transform: Transform[A, B], near: Vector | None = None) -> Vector:
        """Return the angles of the nearest rotation, those nearest to `near`; the translation has no effect.

        The nearest rotation is not unique where the given one is as far from the reachable ones as can be.
        """
        # With u, w the (cosine, sine) of the half angles, the product of a quaternion Q with that of the joint is
        # u·M w. It is largest for the leading singular vectors of the 2 by 2 matrix M, which has a closed form in
        # the sum and the difference of the half angles.
        (m00, m01), (m10, m11) = self._half_angle_matrix(transform)
        sum_of_angles, difference_of_angles = atan2(m10 + m01, m00 - m11), atan2(m10 - m01, m00 + m11)
        angle1, angle2 = sum_of_angles + difference_of_angles, sum_of_angles - difference_of_angles
        near1, near2 = (0, 0) if near is None else near
        return unwrap_angle(angle1, near1), unwrap_angle(angle2, near2)

    def _half_angle_matrix(self, transform: Transform[A, B]) -> tuple[tuple[Scalar, Scalar], tuple[Scalar, Scalar]]:
        w, x, y, z = rotation_to_quaternion(transform.rotation_components)
        axis1, axis2 = lifted(self.axis1, (w, x, y, z)), lifted(self.axis2, (w, x, y, z))
        m11 = dot3((x, y, z), cross3(axis1, axis2)) - w * dot3(axis1, axis2)
        return (w, dot3((x, y, z), axis2)), (dot3((x, y, z), axis1), m11)

    @override
    def zero(self) -> tuple[float, ...]:
        return 0.0, 0.0

    @override
    def random(self, rng: np.random.Generator) -> tuple[float, ...]:
        require_generator(rng)
        first, second = rng.standard_normal(2)
        return float(first), float(second)

    @override
    def flipped(self) -> Universal:
        """Return the joint with opposite axes, in the opposite order."""
        return Universal(negate_axis(self.axis2), negate_axis(self.axis1))

    @override
    def flip_configuration(self, q: Vector) -> Vector:
        return q[1], q[0]

    @override
    def flip_velocity(self, q: Vector, v: Vector) -> Vector:
        return v[1], v[0]
