"""The revolute joint with sine and cosine as coordinates: no trigonometric functions, no whole revolutions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar, final

import attrs
from typing_extensions import override

from rbd.arguments import require_generator
from rbd.joints.axis import lifted, nearest_rotation_sin_cos
from rbd.joints.one_axis import AxisRotationJoint
from rbd.scalars import absolute, atan2, both, cos, greater, less, sin, sqrt, where
from rbd.scalars.norms import norm, scaled_into_range
from rbd.spatial import GeometricJacobian, Transform
from rbd.spatial.linalg import scale3, zero3
from rbd.spatial.so3 import rotation_about

if TYPE_CHECKING:
    import numpy as np

    from rbd.scalars import Matrix, Scalar, Vector
    from rbd.spatial import Frame
    from rbd.spatial.frame import A, B


_LENGTH_RATIO = 16  # the ratio of squared lengths above which the difference of two directions is not small


@final
@attrs.frozen
class SinCosRevolute(AxisRotationJoint):
    """A joint that rotates about `axis`: q is the sine and the cosine of the angle, v is the angle's rate.

    q is scaled to length one on use; (0, 0) is not a configuration. Reversing the joint keeps q and its bounds:
    the axis changes sign. Raises ArgumentError when `axis` is zero, ShapeError or NotFiniteError when it is not
    three finite numbers.

    >>> from rbd import SinCosRevolute
    >>> SinCosRevolute((0, 0, 1)).configuration_derivative((0.0, 1.0), (2.0,))
    (2.0, -0.0)
    """

    _positions: ClassVar[tuple[str, ...]] = ("sine", "cosine")

    @override
    def transform(self, q: Vector, after: Frame[A], before: Frame[B]) -> Transform[A, B]:
        s, c = self.normalize(q)
        return Transform.trusted(after, before, rotation_about(lifted(self.axis, q), c, s), zero3())

    @override
    def position_subspace(self, q: Vector, after: Frame[A], before: Frame[B]) -> GeometricJacobian[A, B, A]:
        axis, (rates,) = lifted(self.axis, q), self.velocity_jacobian(q)
        return GeometricJacobian.trusted(after, before, after, tuple((scale3(axis, r), zero3()) for r in rates))

    @override
    def configuration_derivative(self, q: Vector, v: Vector) -> Vector:
        return q[1] * v[0], -(q[0] * v[0])

    @override
    def velocity(self, q: Vector, qd: Vector) -> Vector:
        (s, c), scale = scaled_into_range(q)
        return ((c * (scale * qd[0]) - s * (scale * qd[1])) / (s * s + c * c),)

    @override
    def configuration_derivative_jacobian(self, q: Vector) -> Matrix:
        return ((q[1],), (-q[0],))

    @override
    def velocity_jacobian(self, q: Vector) -> Matrix:
        (s, c), scale = scaled_into_range(q)
        square = s * s + c * c
        return ((scale * c / square, -(scale * s) / square),)

    @override
    def local_coordinates(self, q0: Vector, q: Vector) -> Vector:
        """Return the angle from q0 to q, from -π to π."""
        (s0, c0), (s, c) = scaled_into_range(q0)[0], scaled_into_range(q)[0]
        ds, dc = s - s0, c - c0
        # Written in the difference: no cancellation for small angles, and exactly zero where q is q0. Where lengths are
        # far apart, the difference loses the shorter one.
        n0, n = s0 * s0 + c0 * c0, s * s + c * c
        similar_lengths = both(less(n0, _LENGTH_RATIO * n), less(n, _LENGTH_RATIO * n0))
        return (atan2(where(similar_lengths, c0 * ds - s0 * dc, c0 * s - s0 * c), s0 * s + c0 * c),)

    @override
    def local_coordinates_rate(self, q0: Vector, q: Vector, v: Vector) -> Vector:
        return (v[0],)

    @override
    def global_coordinates(self, q0: Vector, phi: Vector) -> Vector:
        s, c = sin(phi[0]), cos(phi[0])
        return q0[0] * c + q0[1] * s, q0[1] * c - q0[0] * s

    @override
    def project(self, transform: Transform[A, B], near: Vector | None = None) -> Vector:
        """Return the sine and cosine of the nearest rotation; `near` and the translation have no effect.

        All angles are equally near to a rotation by π about an orthogonal axis: zero is returned there.
        """
        rotation = transform.rotation_components
        s, c = nearest_rotation_sin_cos(rotation, lifted(self.axis, rotation[0]))
        determined = greater(s * s + c * c, 0)
        return self.normalize((where(determined, s, 0), where(determined, c, 1)))

    @override
    def zero(self) -> tuple[float, ...]:
        return 0.0, 1.0

    @override
    def random(self, rng: np.random.Generator) -> tuple[float, ...]:
        require_generator(rng)
        s, c = (float(x) for x in rng.standard_normal(2))
        radius = math.hypot(s, c)
        return s / radius, c / radius

    @override
    def normalize(self, q: Vector) -> Vector:
        (s, c), _ = scaled_into_range(q)
        divisor = sqrt(s * s + c * c)
        return s / divisor, c / divisor

    @override
    def normalization_error(self, q: Vector) -> Scalar:
        return absolute(norm(q) - 1)
