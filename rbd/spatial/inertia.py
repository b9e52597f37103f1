"""Spatial inertia of a rigid body about the origin of a frame, I_BEo_E (Featherstone 2008, section 2.13)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, final, overload

import attrs
import numpy as np
from typing_extensions import override

from rbd.arguments import require_kind
from rbd.errors import ArgumentError, InertiaError
from rbd.scalars import Scalar, Vector, const, is_float, positive, to_float
from rbd.scalars.arrays import Array, array_of, matrix_scalars, scalar, scalars, to_float_array
from rbd.spatial.checks import check_inertia, check_mass, check_symmetric
from rbd.spatial.congruence import congruence
from rbd.spatial.force import Momentum, Wrench
from rbd.spatial.force_matrices import MomentumMatrix
from rbd.spatial.frame import F, Frame, G, check_frame, require_frame
from rbd.spatial.jacobians import GeometricJacobian
from rbd.spatial.linalg import (
    Mat3,
    Vec3,
    add3,
    add33,
    cross3,
    dot3,
    hat,
    matvec,
    scale3,
    scale33,
    sub3,
    symmetric,
    zero3,
    zero33,
)
from rbd.spatial.motion import SpatialAcceleration, Twist
from rbd.spatial.transform import Transform
from rbd.spatial.values import (
    MatrixLike,
    SpatialValue,
    VectorLike,
    checked_frames,
    format_numbers,
    require_divisor,
    require_kind_in_frame,
    require_scalar,
    slot_setters,
)
from rbd.spatial.vectors import Point, check_source, vec3_in_frame

_new = object.__new__
_set = object.__setattr__
_HALF: Scalar = const(1, 2)


@final
@attrs.frozen(eq=False, repr=False, init=False)
class SpatialInertia(SpatialValue, Generic[F]):
    """Mass, centre of mass and moment of inertia of a rigid body in `frame`.

    Give the moment about the frame's origin (`moment`) or about the centre of mass (`moment_about_com`), both in the
    axes of `frame`; `com` is zero unless given. A body without mass may still have a moment: a rotor. A body that turns
    about one axis `a` only may have a moment about that axis only, `I * np.outer(a, a)`.
    Raises InertiaError when no rigid body has such an inertia, ArgumentError unless exactly one moment is given,
    ShapeError, NotFiniteError.

    >>> import numpy as np
    >>> link = Frame("link")
    >>> SpatialInertia(link, mass=2.0, com=[0, 0, 1], moment_about_com=np.eye(3)).moment
    array([[3., 0., 0.],
           [0., 3., 0.],
           [0., 0., 1.]])
    """

    frame: Frame[F]
    moment_components: Mat3
    first_moment_components: Vec3
    mass: Scalar

    def __init__(
        self,
        frame: Frame[F],
        *,
        mass: Scalar,
        com: VectorLike | Point[F] | None = None,
        moment: MatrixLike | None = None,
        moment_about_com: MatrixLike | None = None,
    ) -> None:
        _set(self, "frame", require_frame(frame, "frame"))
        mass = scalar(mass, "mass")
        check_mass(mass)
        center = zero3() if com is None else vec3_in_frame(com, frame, "com", "SpatialInertia", Point)
        name, given = _one_moment(moment, moment_about_com)
        (a, b, c), (d, e, f), (g, h, i) = matrix_scalars(given, 3, 3, name)
        check_symmetric(((a, b, c), (d, e, f), (g, h, i)), name)
        matrix = symmetric(a, _mean(b, d), _mean(c, g), e, _mean(f, h), i)
        parallel_axis = _point_mass_moment(center, mass)
        check_inertia(mass, matrix, parallel_axis, about_com=moment is None)
        _set(self, "moment_components", add33(matrix, parallel_axis) if moment is None else matrix)
        _set(self, "first_moment_components", scale3(center, mass))
        _set(self, "mass", mass)

    @staticmethod
    def trusted(frame: Frame[G], moment: Mat3, first_moment: Vec3, mass: Scalar) -> SpatialInertia[G]:
        """Make an inertia of scalars, unchecked: moment about the origin, first moment of mass, mass."""
        self: SpatialInertia[G] = _new(SpatialInertia)
        _set_frame(self, frame)
        _set_moment(self, moment)
        _set_first_moment(self, first_moment)
        _set_mass(self, mass)
        return self

    @staticmethod
    def from_components(frame: Frame[G], components: VectorLike) -> SpatialInertia[G]:
        """Make an inertia of ten scalars, in the order of `components`: a row of parameters, identified or drawn.

        They are the moment about the frame's origin (xx, xy, xz, yy, yz, zz), mass times centre of mass, and mass.
        Raises what the constructor does, and InertiaError for mass times centre of mass without a mass.

        >>> SpatialInertia.from_components(Frame("load"), [2, 0, 0, 2, 0, 1, 0, 0, 1, 2]).center_of_mass
        Point in 'load': (0, 0, 0.5)
        """
        xx, xy, xz, yy, yz, zz, x, y, z, mass = values = scalars(components, 10, "components")
        moment = symmetric(xx, xy, xz, yy, yz, zz)
        check_mass(mass)
        if all(map(is_float, values)):
            check_inertia(mass, moment, _parallel_axis_term((x, y, z), mass), about_com=False)
        return SpatialInertia.trusted(require_frame(frame, "frame"), moment, (x, y, z), mass)

    @staticmethod
    def zero(frame: Frame[G]) -> SpatialInertia[G]:
        """Return the zero inertia."""
        return SpatialInertia.trusted(require_frame(frame, "frame"), zero33(), zero3(), 0)

    # ---------------------------------------------------------------- homogeneous bodies

    @staticmethod
    def box(
        frame: Frame[G], *, mass: Scalar, size: VectorLike, com: VectorLike | Point[G] | None = None
    ) -> SpatialInertia[G]:
        """Return the inertia of a box with edges `size` along the axes of `frame`, its centre at `com` (the origin).

        >>> SpatialInertia.box(Frame("box"), mass=12.0, size=(1, 2, 3)).principal_moments
        array([ 5., 10., 13.])
        """
        x, y, z = (a * a * const(1, 12) for a in _lengths(size, 3, "size"))
        return _from_principal_moments(frame, mass, com, (y + z, x + z, x + y))

    @staticmethod
    def sphere(
        frame: Frame[G], *, mass: Scalar, radius: Scalar, com: VectorLike | Point[G] | None = None
    ) -> SpatialInertia[G]:
        """Return the inertia of a ball, its centre at `com` (the origin).

        >>> SpatialInertia.sphere(Frame("ball"), mass=5.0, radius=1.0).principal_moments
        array([2., 2., 2.])
        """
        (r,) = _lengths([radius], 1, "radius")
        return _from_principal_moments(frame, mass, com, (r * r * const(2, 5),) * 3)

    @staticmethod
    def cylinder(
        frame: Frame[G],
        *,
        mass: Scalar,
        radius: Scalar,
        length: Scalar,
        com: VectorLike | Point[G] | None = None,
    ) -> SpatialInertia[G]:
        """Return the inertia of a cylinder along z of `frame`, its centre at `com` (the origin).

        >>> SpatialInertia.cylinder(Frame("wheel"), mass=12.0, radius=2.0, length=1.0).principal_moments
        array([13., 13., 24.])
        """
        (r,), (h,) = _lengths([radius], 1, "radius"), _lengths([length], 1, "length")
        across = r * r * const(1, 4) + h * h * const(1, 12)
        return _from_principal_moments(frame, mass, com, (across, across, r * r * const(1, 2)))

    @staticmethod
    def rod(
        frame: Frame[G], *, mass: Scalar, length: Scalar, com: VectorLike | Point[G] | None = None
    ) -> SpatialInertia[G]:
        """Return the inertia of a thin rod along z of `frame`, its centre at `com` (the origin).

        >>> SpatialInertia.rod(Frame("rod"), mass=3.0, length=2.0, com=(0, 0, 1)).moment.diagonal()   # about its end
        array([4., 4., 0.])
        """
        (h,) = _lengths([length], 1, "length")
        return _from_principal_moments(frame, mass, com, (h * h * const(1, 12), h * h * const(1, 12), 0))

    @staticmethod
    def point_mass(frame: Frame[G], *, mass: Scalar, at: VectorLike | Point[G]) -> SpatialInertia[G]:
        """Return the inertia of a point mass.

        >>> SpatialInertia.point_mass(Frame("link"), mass=2.0, at=(0, 0, 3)).moment.diagonal()
        array([18., 18.,  0.])
        """
        return _from_principal_moments(frame, mass, at, (0, 0, 0))

    # ---------------------------------------------------------------- properties

    @property
    def moment(self) -> Array:
        """The moment about the origin as a fresh 3x3 array."""
        return array_of(self.moment_components)

    @property
    def cross_part(self) -> Array:
        """The first moment of mass, m c, as a fresh array; the name is that of RigidBodyDynamics.jl."""
        return array_of(self.first_moment_components)

    @property
    def matrix(self) -> Array:
        """The 6x6 matrix [[J, hat(c)], [hat(c)^T, m 1]] as a fresh array; c is mass times centre of mass."""
        skew = array_of(hat(self.first_moment_components))
        mass = array_of((self.mass,))[0]
        return np.block([[self.moment, skew], [skew.T, mass * np.eye(3)]])

    @property
    def components(self) -> Vector:
        """The ten scalars: moment xx, xy, xz, yy, yz, zz about the origin; mass times centre of mass; mass."""
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = self.moment_components
        return (xx, xy, xz, yy, yz, zz, *self.first_moment_components, self.mass)

    @property
    def center_of_mass(self) -> Point[F]:
        """The centre of mass in `frame`. Raises SingularError for a body without mass."""
        mass = positive(self.mass, "the mass, to find the centre of mass")
        x, y, z = self.first_moment_components
        return Point.trusted(self.frame, (x / mass, y / mass, z / mass))

    @property
    def moment_about_com_components(self) -> Mat3:
        """The moment about the centre of mass, in the axes of `frame`. Raises SingularError for a body without mass."""
        mass = positive(self.mass, "the mass, to find the centre of mass")
        return add33(self.moment_components, _point_mass_moment(self.first_moment_components, -1 / mass))

    @property
    def second_moment_components(self) -> Mat3:
        """The second moment of mass, the sum of m x x^T over all points: tr(J) / 2 - J."""
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = self.moment_components
        half = _HALF * (xx + yy + zz)
        return symmetric(half - xx, -xy, -xz, half - yy, -yz, half - zz)

    @property
    def moment_about_com(self) -> Array:
        """The moment about the centre of mass as a fresh 3x3 array. Raises SingularError for a body without mass."""
        return array_of(self.moment_about_com_components)

    @property
    def principal_moments(self) -> Array:
        """The principal moments about the centre of mass (without mass: the origin), in ascending order."""
        massless = to_float_array((self.mass,))[0] == 0
        moment = self.moment_components if massless else self.moment_about_com_components
        return np.asarray(np.linalg.eigvalsh(to_float_array(moment)), dtype=np.float64)

    # ---------------------------------------------------------------- operations

    def expect(self, frame: Frame[G]) -> SpatialInertia[G]:
        """Return this inertia, known to type checkers by the frame given; raise FrameMismatchError for others."""
        inertia: SpatialInertia[G] = checked_frames(self, frame=frame)
        return inertia

    def transformed(self, tf: Transform[F, G]) -> SpatialInertia[G]:
        """Return the inertia of the same body in `tf.to_frame`; without dividing by the mass.

        Raises FrameMismatchError unless `tf` starts in the inertia's frame.
        """
        if getattr(tf, "from_frame", None) is not self.frame:
            check_source(tf, self.frame, "SpatialInertia.transformed")
        rotation, p, mass = tf.rotation_components, tf.translation_components, self.mass
        rotated = matvec(rotation, self.first_moment_components)
        moment = congruence(rotation, self.moment_components)
        first_moment = add3(rotated, scale3(p, mass))
        # J' = R J R^T - Y + tr(Y) 1 with Y = (R c) p^T + p (R c + m p)^T
        (a, b, c), (x, y, z), (u, v, w) = rotated, p, first_moment
        yxx, yyy, yzz = (a + u) * x, (b + v) * y, (c + w) * z
        xy, xz, yz = a * y + x * v, a * z + x * w, b * z + y * w
        (jxx, jxy, jxz), (_, jyy, jyz), (_, _, jzz) = moment
        moved = symmetric(jxx + (yyy + yzz), jxy - xy, jxz - xz, jyy + (yxx + yzz), jyz - yz, jzz + (yxx + yyy))
        return SpatialInertia.trusted(tf.to_frame, moved, first_moment, mass)

    def __add__(self, other: SpatialInertia[F]) -> SpatialInertia[F]:
        require_kind_in_frame(other, SpatialInertia, self.frame, "SpatialInertia + SpatialInertia", "other")
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = self.moment_components
        (axx, axy, axz), (_, ayy, ayz), (_, _, azz) = other.moment_components
        moment = symmetric(xx + axx, xy + axy, xz + axz, yy + ayy, yz + ayz, zz + azz)
        first_moment = add3(self.first_moment_components, other.first_moment_components)
        return SpatialInertia.trusted(self.frame, moment, first_moment, self.mass + other.mass)

    def __mul__(self, factor: Scalar) -> SpatialInertia[F]:
        """Return the inertia of a body with `factor` times the density; raise InertiaError for a negative factor."""
        require_scalar(factor, "SpatialInertia * factor")
        check_mass(factor, "SpatialInertia * factor: the factor")
        moment, first_moment = scale33(self.moment_components, factor), scale3(self.first_moment_components, factor)
        return SpatialInertia.trusted(self.frame, moment, first_moment, factor * self.mass)

    __rmul__ = __mul__

    def __truediv__(self, divisor: Scalar) -> SpatialInertia[F]:
        """Return the inertia of a body with the density divided; raise InertiaError for a negative divisor."""
        require_divisor(divisor, "SpatialInertia / divisor")
        check_mass(divisor, "SpatialInertia / divisor: the divisor")
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = self.moment_components
        x, y, z = self.first_moment_components
        moment = symmetric(xx / divisor, xy / divisor, xz / divisor, yy / divisor, yz / divisor, zz / divisor)
        first_moment = (x / divisor, y / divisor, z / divisor)
        return SpatialInertia.trusted(self.frame, moment, first_moment, self.mass / divisor)

    @overload
    def __matmul__(self, other: Twist[Any, Any, F]) -> Momentum[F]: ...
    @overload
    def __matmul__(self, other: GeometricJacobian[Any, Any, F]) -> MomentumMatrix[F]: ...
    def __matmul__(self, other: Twist[Any, Any, F] | GeometricJacobian[Any, Any, F]) -> Momentum[F] | MomentumMatrix[F]:
        if isinstance(other, Twist):
            if other.frame is not self.frame:
                check_frame(other.frame, self.frame, operation="SpatialInertia @ Twist", argument="other.frame")
            return Momentum.trusted(self.frame, *self._times(other.angular_components, other.linear_components))
        require_kind(other, GeometricJacobian, operation="SpatialInertia @ ...", argument="the right operand")
        operation = "SpatialInertia @ GeometricJacobian"
        check_frame(other.frame, self.frame, operation=operation, argument="other.frame")
        return MomentumMatrix.trusted(self.frame, tuple(self._times(a, b) for a, b in other.columns))

    def kinetic_energy(self, twist: Twist[Any, Any, F]) -> Scalar:
        """Return the kinetic energy of the body moving with `twist`.

        Raises FrameMismatchError unless the twist is expressed in the inertia's frame.
        """
        require_kind_in_frame(twist, Twist, self.frame, "SpatialInertia.kinetic_energy", "twist")
        omega, v = twist.angular_components, twist.linear_components
        angular, linear = self._times(omega, v)
        return _HALF * (dot3(omega, angular) + dot3(v, linear))

    def newton_euler(self, acceleration: SpatialAcceleration[Any, Any, F], twist: Twist[Any, Any, F]) -> Wrench[F]:
        """Return the wrench I A + V x* I V of the Newton-Euler equation (Featherstone 2008, section 2.14).

        Both are of one body with respect to one inertial frame, expressed in the inertia's frame; else
        FrameMismatchError is raised.
        """
        self._check_motion(acceleration, twist)
        omega, v = twist.angular_components, twist.linear_components
        k, l = self._times(omega, v)
        torque, force = self._times(acceleration.angular_components, acceleration.linear_components)
        torque = add3(torque, add3(cross3(omega, k), cross3(v, l)))
        return Wrench.trusted(self.frame, torque, add3(force, cross3(omega, l)))

    def _check_motion(self, acceleration: SpatialAcceleration[Any, Any, F], twist: Twist[Any, Any, F]) -> None:
        operation = "SpatialInertia.newton_euler"
        require_kind_in_frame(acceleration, SpatialAcceleration, self.frame, operation, "acceleration")
        require_kind_in_frame(twist, Twist, self.frame, operation, "twist")
        if twist.body is not acceleration.body:
            check_frame(twist.body, acceleration.body, operation=operation, argument="twist.body")
        if twist.base is not acceleration.base:
            check_frame(twist.base, acceleration.base, operation=operation, argument="twist.base")

    def _times(self, omega: Vec3, v: Vec3) -> tuple[Vec3, Vec3]:
        c = self.first_moment_components
        angular = add3(matvec(self.moment_components, omega), cross3(c, v))
        return angular, sub3(scale3(v, self.mass), cross3(c, omega))

    @override
    def _parts(self) -> tuple[Vector, ...]:
        a, b, c = self.moment_components
        return a + b + c, self.first_moment_components, (self.mass,)

    @override
    def __repr__(self) -> str:
        moment = ", ".join(format_numbers(row) for row in self.moment_components)
        return (
            f"SpatialInertia in {self.frame.name!r}: mass {format_numbers((self.mass,))[1:-1]}, "
            f"mass times centre of mass {format_numbers(self.first_moment_components)}, "
            f"moment about the origin ({moment})"
        )


def _lengths(values: VectorLike, count: int, name: str) -> Vector:
    """Return lengths; raise InertiaError for negative ones."""
    lengths = scalars(values, count, name)
    if any(is_float(x) and to_float(x) < 0 for x in lengths):
        raise InertiaError(
            f"{name} is {format_numbers(lengths)}, needs lengths of 0 or more", reason="a negative length"
        )
    return lengths


def _from_principal_moments(
    frame: Frame[G], mass: Scalar, com: VectorLike | Point[G] | None, squared_gyration_radii: Sequence[Scalar]
) -> SpatialInertia[G]:
    """Return the inertia of a body whose principal axes are those of `frame`."""
    mass = scalar(mass, "mass")
    x, y, z = (mass * square for square in squared_gyration_radii)
    return SpatialInertia(frame, mass=mass, com=com, moment_about_com=((x, 0, 0), (0, y, 0), (0, 0, z)))


_set_frame, _set_moment, _set_first_moment, _set_mass = slot_setters(SpatialInertia)


def _one_moment(moment: MatrixLike | None, about_com: MatrixLike | None) -> tuple[str, MatrixLike]:
    if moment is not None and about_com is None:
        return "moment", moment
    if about_com is not None and moment is None:
        return "moment_about_com", about_com
    raise ArgumentError(
        "SpatialInertia: give exactly one of moment (about the frame's origin) and moment_about_com",
        argument="moment",
        value=moment,
        allowed="moment or moment_about_com",
    )


def _parallel_axis_term(first_moment: Vec3, mass: Scalar) -> Mat3:
    """Return the moment of the mass, if it were at its centre, about the origin; raise InertiaError without a mass."""
    if mass:
        return _point_mass_moment(first_moment, 1 / mass)
    if any(first_moment):
        raise InertiaError("mass is 0, mass times centre of mass is not", reason="centre of mass without mass")
    return zero33()


def _mean(x: Scalar, y: Scalar) -> Scalar:
    """Return x where x and y are the same, else their mean: what is already symmetric keeps its bits."""
    return x if x is y else _HALF * (x + y)


def _point_mass_moment(p: Vec3, mass: Scalar) -> Mat3:
    """Return the moment of a point mass at p about the origin: mass (p.p 1 - p p^T)."""
    x, y, z = p
    xx, yy, zz = mass * x * x, mass * y * y, mass * z * z
    mx, my = mass * x, mass * y
    return symmetric(yy + zz, -(mx * y), -(mx * z), xx + zz, -(my * z), xx + yy)
