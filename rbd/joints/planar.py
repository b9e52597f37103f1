"""The planar joint: two displacements and a rotation in a plane."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, final

import attrs
from typing_extensions import override

from rbd.arguments import require_generator
from rbd.joints.axis import Axis, lifted, nearest_rotation_angle, orthogonal_axis, unit_axis, unwrap_angle
from rbd.joints.base import TurningJoint
from rbd.scalars import cos, sin
from rbd.spatial import GeometricJacobian, Transform, Twist, WrenchMatrix
from rbd.spatial.linalg import add3, cross3, dot3, scale3, zero3
from rbd.spatial.so3 import rotation_about

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike

    from rbd.scalars import Matrix, Scalar, Vector
    from rbd.spatial import Frame
    from rbd.spatial.frame import A, B
    from rbd.spatial.linalg import Vec3


@final
@attrs.frozen(init=False)
class Planar(TurningJoint):
    """A joint that moves in the plane of `x` and `y`: q = (x, y, θ), v = (vx, vy, ω).

    The displacement is along the axes as they are in the frame before the joint, and precedes the rotation by θ about
    x × y. The velocity is expressed in the frame after the joint, which keeps the motion subspace constant; hence
    the derivative of (x, y) is (vx, vy) rotated by θ. `x` and `y` are scaled to length one. Raises ArgumentError when
    one of them is zero or they are not orthogonal (to 1e-9), ShapeError or NotFiniteError when one is not three
    finite numbers.

    >>> from rbd import Planar
    >>> Planar((1, 0, 0), (0, 1, 0)).velocity_names
    ('vx', 'vy', 'omega')
    """

    x: Axis
    y: Axis
    _positions: ClassVar[tuple[str, ...]] = ("x", "y", "theta")
    _velocities: ClassVar[tuple[str, ...]] = ("vx", "vy", "omega")

    def __init__(self, x: ArrayLike, y: ArrayLike) -> None:
        object.__setattr__(self, "x", unit_axis(x, "x"))
        object.__setattr__(self, "y", orthogonal_axis(y, self.x, "y", "x"))

    def _axes(self, like: Vector) -> tuple[Vec3, Vec3, Vec3]:
        """Return x, y and the axis of rotation x × y."""
        x, y = lifted(self.x, like), lifted(self.y, like)
        return x, y, cross3(x, y)

    @override
    def transform(self, q: Vector, after: Frame[A], before: Frame[B]) -> Transform[A, B]:
        x, y, normal = self._axes(q)
        position = add3(scale3(x, q[0]), scale3(y, q[1]))
        return Transform.trusted(after, before, rotation_about(normal, cos(q[2]), sin(q[2])), position)

    @override
    def motion_subspace(self, q: Vector, after: Frame[A], before: Frame[B]) -> GeometricJacobian[A, B, A]:
        x, y, normal = self._axes(q)
        return GeometricJacobian.trusted(after, before, after, ((zero3(), x), (zero3(), y), (normal, zero3())))

    @override
    def twist(self, q: Vector, v: Vector, after: Frame[A], before: Frame[B]) -> Twist[A, B, A]:
        x, y, normal = self._axes(v)
        linear = add3(scale3(x, v[0]), scale3(y, v[1]))
        return Twist.trusted(after, before, after, scale3(normal, v[2]), linear)

    @override
    def constraint_wrench_subspace(self, q: Vector, after: Frame[A]) -> WrenchMatrix[A]:
        """Return the force along the normal, then the torques along x and y."""
        x, y, normal = self._axes(q)
        return WrenchMatrix.trusted(after, ((zero3(), normal), (x, zero3()), (y, zero3())))

    @override
    def configuration_derivative(self, q: Vector, v: Vector) -> Vector:
        return (*_rotated(q[2], v[0], v[1]), v[2])

    @override
    def velocity(self, q: Vector, qd: Vector) -> Vector:
        return (*_rotated(-q[2], qd[0], qd[1]), qd[2])

    @override
    def configuration_derivative_jacobian(self, q: Vector) -> Matrix:
        c, s = cos(q[2]), sin(q[2])
        return (c, -s, 0), (s, c, 0), (0, 0, 1)

    @override
    def velocity_jacobian(self, q: Vector) -> Matrix:
        c, s = cos(q[2]), sin(q[2])
        return (c, s, 0), (-s, c, 0), (0, 0, 1)

    @override
    def displaced(self, q: Vector, phi: Vec3, displacement: Vec3) -> Vector:
        x, y, normal = self._axes(q)
        dx, dy = _rotated(q[2], dot3(x, displacement), dot3(y, displacement))
        return q[0] + dx, q[1] + dy, q[2] + dot3(normal, phi)

    @override
    def project(self, transform: Transform[A, B], near: Vector | None = None) -> Vector:
        """Return the displacements in the plane and the angle of the nearest rotation, unwrapped to that of `near`."""
        rotation, position = transform.rotation_components, transform.translation_components
        x, y, normal = self._axes((*rotation[0], *position))
        angle = nearest_rotation_angle(rotation, normal)
        unwrapped = angle if near is None else unwrap_angle(angle, near[2])
        return dot3(x, position), dot3(y, position), unwrapped

    @override
    def zero(self) -> tuple[float, ...]:
        return 0.0, 0.0, 0.0

    @override
    def random(self, rng: np.random.Generator) -> tuple[float, ...]:
        require_generator(rng)
        x, y = rng.uniform(-1, 1, 2) / 2
        return float(x), float(y), float(rng.standard_normal())

    @override
    def flipped(self) -> Planar:
        """Return the joint itself: reversing changes the coordinates."""
        return self

    @override
    def flip_configuration(self, q: Vector) -> Vector:
        x, y = _rotated(-q[2], q[0], q[1])
        return -x, -y, -q[2]

    @override
    def flip_velocity(self, q: Vector, v: Vector) -> Vector:
        # Minus the twist, expressed in the frame before the joint: rotated, and shifted by (x, y).
        vx, vy = _rotated(q[2], v[0], v[1])
        return -(vx + q[1] * v[2]), -(vy - q[0] * v[2]), -v[2]


def _rotated(angle: Scalar, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
    """Return (x, y) rotated by `angle`."""
    c, s = cos(angle), sin(angle)
    return c * x - s * y, s * x + c * y
