"""The universal joint: two turns, one after the other."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, final

import attrs
from typing_extensions import override

from rbd.arguments import require_generator
from rbd.errors import ArgumentError
from rbd.joints.axis import Axis, cross, flipped_axis, lifted, nearest_turn, unit_axis
from rbd.joints.base import JointType
from rbd.scalars import atan2, cos, sin
from rbd.spatial import GeometricJacobian, Transform, WrenchMatrix
from rbd.spatial.linalg import cross3, dot3, identity3, matmul, scale3, tmatvec, zero3
from rbd.spatial.so3 import rotation_about, rotation_to_quaternion

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
class Universal(JointType):
    """A joint that turns about `axis1`, then about `axis2`, which turns along: q are the two angles, v their rates.

    The rotation is R(axis1, q[0]) R(axis2, q[1]). The axes are scaled to length one; they need not be orthogonal, but
    ArgumentError is raised when they are parallel or one of them is zero, ShapeError or NotFiniteError when one is
    not three finite numbers.

    >>> from rbd import Universal
    >>> Universal((1, 0, 0), (0, 1, 0)).nv
    2
    """

    axis1: Axis
    axis2: Axis

    def __init__(self, axis1: ArrayLike, axis2: ArrayLike) -> None:
        object.__setattr__(self, "axis1", unit_axis(axis1, "axis1"))
        object.__setattr__(self, "axis2", unit_axis(axis2, "axis2"))
        if math.hypot(*cross(self.axis1, self.axis2)) < _PARALLEL:
            allowed = "two axes that are not parallel"
            message = "axis1 and axis2 are parallel: the joint would have one degree of freedom"
            raise ArgumentError(message, argument="axis2", value=self.axis2, allowed=allowed)

    @property
    @override
    def nq(self) -> int:
        return 2

    @property
    @override
    def nv(self) -> int:
        return 2

    @property
    @override
    def position_names(self) -> tuple[str, ...]:
        return "angle1", "angle2"

    @property
    @override
    def velocity_names(self) -> tuple[str, ...]:
        return "angular_velocity1", "angular_velocity2"

    def _first_axis(self, q: Vector) -> Vec3:
        """Return `axis1` in the frame after the joint."""
        return self._in_after(self.axis1, q)

    def _in_after(self, vector: Axis, q: Vector) -> Vec3:
        """Return a vector fixed between the two turns in the frame after the joint."""
        return tmatvec(rotation_about(lifted(self.axis2, q), cos(q[1]), sin(q[1])), lifted(vector, q))

    @override
    def transform(self, q: Vector, after: Frame[A], before: Frame[B]) -> Transform[A, B]:
        first = rotation_about(lifted(self.axis1, q), cos(q[0]), sin(q[0]))
        second = rotation_about(lifted(self.axis2, q), cos(q[1]), sin(q[1]))
        return Transform.trusted(after, before, matmul(first, second), zero3())

    @override
    def motion_subspace(self, q: Vector, after: Frame[A], before: Frame[B]) -> GeometricJacobian[A, B, A]:
        columns = ((self._first_axis(q), zero3()), (lifted(self.axis2, q), zero3()))
        return GeometricJacobian.trusted(after, before, after, columns)

    @override
    def motion_subspace_rate(
        self, q: Vector, v: Vector, after: Frame[A], before: Frame[B]
    ) -> GeometricJacobian[A, B, A]:
        """Return dS/dt: seen from `after`, axis1 turns about axis2 at -v[1]."""
        turning = scale3(cross3(self._first_axis(q), lifted(self.axis2, q)), v[1])
        return GeometricJacobian.trusted(after, before, after, ((turning, zero3()), (zero3(), zero3())))

    @override
    def constraint_wrench_subspace(self, q: Vector, after: Frame[A]) -> WrenchMatrix[A]:
        """Return the torque across both axes, then three forces."""
        normal = self._in_after(unit_axis(cross(self.axis1, self.axis2), "axis2"), q)
        return WrenchMatrix.trusted(after, ((normal, zero3()), *((zero3(), unit) for unit in identity3())))

    @override
    def project(self, transform: Transform[A, B], near: Vector | None = None) -> Vector:
        """Return the angles whose rotation is nearest, in the turns nearest to `near`; the translation does not matter.

        The nearest rotation is not unique where the given one is as far from the reachable ones as can be.
        """
        # With u, w the (cosine, sine) of the half angles, the product of a quaternion Q with that of the joint is
        # u·M w. It is largest for the leading singular vectors of the 2 by 2 matrix M, which has a closed form in
        # the sum and the difference of the half angles.
        (m00, m01), (m10, m11) = self._half_angle_form(transform)
        total, difference = atan2(m10 + m01, m00 - m11), atan2(m10 - m01, m00 + m11)
        if near is None:
            near = (0, 0)
        return nearest_turn(total + difference, near[0]), nearest_turn(total - difference, near[1])

    def _half_angle_form(self, transform: Transform[A, B]) -> tuple[tuple[Scalar, Scalar], tuple[Scalar, Scalar]]:
        w, x, y, z = rotation_to_quaternion(transform.rotation_components)
        axis1, axis2 = lifted(self.axis1, (w, x, y, z)), lifted(self.axis2, (w, x, y, z))
        last = dot3((x, y, z), cross3(axis1, axis2)) - w * dot3(axis1, axis2)
        return (w, dot3((x, y, z), axis2)), (dot3((x, y, z), axis1), last)

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
        return Universal(flipped_axis(self.axis2), flipped_axis(self.axis1))

    @override
    def flip_configuration(self, q: Vector) -> Vector:
        return q[1], q[0]

    @override
    def flip_velocity(self, q: Vector, v: Vector) -> Vector:
        return v[1], v[0]
