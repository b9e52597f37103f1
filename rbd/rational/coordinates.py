"""What becomes of the coordinates of every joint type: which variables, and how q and s follow from each other.

Room: rational; may import compiled and above.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, TypeAlias, cast, final

import attrs
import numpy as np
from typing_extensions import override

from rbd.errors import ArgumentError
from rbd.joints import (
    Fixed,
    JointType,
    MRPFloating,
    Planar,
    Prismatic,
    QuaternionFloating,
    QuaternionSpherical,
    Reversed,
    Revolute,
    RotationVectorFloating,
    RotationVectorSpherical,
    SinCosRevolute,
    Universal,
)
from rbd.rational.family import Angle, HalfTangent, Star
from rbd.rational.polynomial import Polynomial
from rbd.rational.ring import Block, Kind, Ring
from rbd.scalars import Scalar, Vector, atan2, const, cos, divide, is_float, sin, sqrt, tan
from rbd.scalars.arrays import Array
from rbd.spatial.linalg import Vec3
from rbd.spatial.so3 import (
    Quaternion,
    mrp_to_quaternion,
    quaternion_conjugate,
    quaternion_exp,
    quaternion_log,
    quaternion_product,
    quaternion_to_mrp,
)

Stars: TypeAlias = Sequence[Star]


class Coordinate(ABC):
    """One coordinate, or a few that belong together: `nq` numbers of q and `ns` of s; abstract."""

    nq: ClassVar[int] = 1
    ns: ClassVar[int] = 1
    kind: ClassVar[Kind]

    @abstractmethod
    def entering(self, ring: Ring, block: Block, star: Stars) -> Vector:
        """Return what the joint's transform is given in the place of q: polynomials around q*."""

    @abstractmethod
    def to_s(self, q: Vector, star: Stars, *, wrap: bool) -> Vector:
        """Return s of q; with `wrap`, infinity for angles half a turn or more away."""

    @abstractmethod
    def to_q(self, s: Vector, star: Stars) -> Vector:
        """Return q of s, infinite ones included."""

    def rows_to_s(self, q: Array, star: Stars, *, wrap: bool) -> Array:
        """Return what `to_s` returns for every row."""
        return np.array([self.to_s(tuple(row), star, wrap=wrap) for row in q.tolist()]).reshape(len(q), self.ns)

    def rows_to_q(self, s: Array, star: Stars) -> Array:
        """Return what `to_q` returns for every row."""
        return np.array([self.to_q(tuple(row), star) for row in s.tolist()]).reshape(len(s), self.nq)


@final
class LengthCoordinate(Coordinate):
    """A displacement: s = q - q*."""

    kind = Kind.LENGTH

    @override
    def entering(self, ring: Ring, block: Block, star: Stars) -> Vector:
        return (Polynomial.variable(ring, block.s[0]) + Polynomial.given(ring, number(star[0])),)

    @override
    def to_s(self, q: Vector, star: Stars, *, wrap: bool) -> Vector:
        return (q[0] - number(star[0]),)

    @override
    def to_q(self, s: Vector, star: Stars) -> Vector:
        return (s[0] + number(star[0]),)

    @override
    def rows_to_s(self, q: Array, star: Stars, *, wrap: bool) -> Array:
        return q - float(number(star[0]))

    @override
    def rows_to_q(self, s: Array, star: Stars) -> Array:
        return s + float(number(star[0]))


@final
class AngleCoordinate(Coordinate):
    """An angle: s = tan((q - q*) / 2)."""

    kind = Kind.ANGLE

    @override
    def entering(self, ring: Ring, block: Block, star: Stars) -> Vector:
        return (cast("Scalar", Angle(ring, block, star[0])),)

    @override
    def to_s(self, q: Vector, star: Stars, *, wrap: bool) -> Vector:
        return (half_tangent(q[0] - angle(star[0]), wrap=wrap),)

    @override
    def to_q(self, s: Vector, star: Stars) -> Vector:
        return (turn(s[0]) + angle(star[0]),)

    @override
    def rows_to_s(self, q: Array, star: Stars, *, wrap: bool) -> Array:
        difference = q - float(angle(star[0]))
        tangent: Array = np.tan(difference / 2)
        if wrap:
            tangent[np.abs(difference) >= np.pi] = np.inf
            tangent = np.copysign(tangent, np.where(np.isinf(tangent), difference, tangent))
        return tangent

    @override
    def rows_to_q(self, s: Array, star: Stars) -> Array:
        turned: Array = 2 * np.arctan(s)
        return turned + float(angle(star[0]))


def half_tangent(difference: Scalar, *, wrap: bool) -> Scalar:
    """Return tan(difference / 2), infinite from half a turn on when `wrap` says so."""
    if wrap and is_float(difference) and abs(cast("float", difference)) >= math.pi:
        return math.copysign(math.inf, cast("float", difference))
    return tan(difference * const(1, 2))


def turn(s: Scalar) -> Scalar:
    """Return 2 atan(s), from -π to π, right at infinity too."""
    return 2 * (math.atan(cast("float", s)) if is_float(s) else atan2(s, 1))


@final
class SinCosCoordinate(Coordinate):
    """An angle given by its sine and cosine: s is the tangent of half the angle to that of q*."""

    nq = 2
    kind = Kind.ANGLE

    @override
    def entering(self, ring: Ring, block: Block, star: Stars) -> Vector:
        c, s = (Polynomial.variable(ring, g) for g in block.circle)
        sine, cosine = (Polynomial.given(ring, number(x)) for x in star)
        return c * sine + s * cosine, c * cosine - s * sine

    @override
    def to_s(self, q: Vector, star: Stars, *, wrap: bool) -> Vector:
        (s, c), (sine, cosine) = q, (number(x) for x in star)
        along, across = cosine * c + sine * s, cosine * s - sine * c
        # tan(Δ/2) = sin Δ / (1 + cos Δ) = (1 - cos Δ) / sin Δ: the one that does not cancel.
        length = sqrt(along * along + across * across)
        if is_float(along) and cast("float", along) < 0:
            return (divide(length - along, across),)
        return (divide(across, length + along),)

    @override
    def to_q(self, s: Vector, star: Stars) -> Vector:
        sine, cosine = (number(x) for x in star)
        by_sine, by_cosine = sin(turn(s[0])), cos(turn(s[0]))
        return sine * by_cosine + cosine * by_sine, cosine * by_cosine - sine * by_sine


class RotationCoordinate(Coordinate):
    """A rotation: s is axis times tan(angle / 2) of the rotation from q* to q, in the frame after; abstract."""

    ns = 3
    kind = Kind.ROTATION

    @abstractmethod
    def quaternion(self, q: Vector) -> Quaternion:
        """Return a quaternion of the rotation."""

    @abstractmethod
    def coordinates(self, quaternion: Quaternion) -> Vector:
        """Return the coordinates of a quaternion that is as long as that of q*."""

    def star(self, star: Stars) -> Quaternion:
        """Return the quaternion of q*; raise ArgumentError when it is zero."""
        found = self.quaternion(tuple(number(x) for x in star))
        if not any(found):
            raise ArgumentError(
                "q_star has a quaternion that is zero", argument="q_star", value=star, allowed="a unit quaternion"
            )
        return found

    @override
    def entering(self, ring: Ring, block: Block, star: Stars) -> Vector:
        w, x, y, z = (Polynomial.variable(ring, g) for g in block.circle)
        a, b, c, d = (Polynomial.given(ring, x) for x in self.star(star))
        return quaternion_product((a, b, c, d), (w, x, y, z))

    @override
    def to_s(self, q: Vector, star: Stars, *, wrap: bool) -> Vector:
        w, *vector = quaternion_product(quaternion_conjugate(self.star(star)), self.quaternion(q))
        if is_float(w) and not w:  # half a turn: 0 / 0 in the directions that take no part
            return tuple(divide(x, w) if x else 0.0 for x in vector)
        return tuple(divide(x, w) for x in vector)

    @override
    def to_q(self, s: Vector, star: Stars) -> Vector:
        w, vector = _homogeneous(s)
        length = sqrt(w * w + sum((x * x for x in vector), 0))
        step = (w / length, vector[0] / length, vector[1] / length, vector[2] / length)
        return self.coordinates(quaternion_product(self.star(star), step))


def _homogeneous(s: Vector) -> tuple[Scalar, Vec3]:
    """Return (1, s) up to a factor, finite: infinite entries of s leave the directions of the others behind."""
    x, y, z = s
    if not all(is_float(c) for c in s):
        return 1, (x, y, z)
    sizes = [abs(cast("float", c)) for c in s]
    if math.inf in sizes:
        a, b, c = (math.copysign(1.0, cast("float", k)) if math.isinf(cast("float", k)) else 0.0 for k in s)
        return 0.0, (a, b, c)
    scale = max(1.0, *sizes)
    return 1 / scale, (x / scale, y / scale, z / scale)


@final
class QuaternionCoordinate(RotationCoordinate):
    """A rotation given by a quaternion."""

    nq = 4

    @override
    def quaternion(self, q: Vector) -> Quaternion:
        w, x, y, z = q
        return w, x, y, z

    @override
    def coordinates(self, quaternion: Quaternion) -> Vector:
        return quaternion


@final
@attrs.frozen
class ThreeCoordinates(RotationCoordinate):
    """A rotation given by three numbers, which themselves are no rational functions of s."""

    nq = 3

    _to_quaternion: Callable[[Vec3], Quaternion]
    _from_quaternion: Callable[[Quaternion], Vec3]

    @override
    def quaternion(self, q: Vector) -> Quaternion:
        x, y, z = q
        return self._to_quaternion((x, y, z))

    @override
    def coordinates(self, quaternion: Quaternion) -> Vector:
        return self._from_quaternion(quaternion)


def number(star: Star) -> Any:
    """Return an entry of q* that is no angle; raise ArgumentError for a HalfTangent."""
    if isinstance(star, HalfTangent):
        message = f"{star} stands for a coordinate that is no angle"
        raise ArgumentError(message, argument="q_star", value=star, allowed="HalfTangent for angles only")
    return star


def angle(star: Star) -> Any:
    """Return an angle of q* as a number."""
    return star.angle if isinstance(star, HalfTangent) else star


_LENGTH, _ANGLE, _QUATERNION = LengthCoordinate(), AngleCoordinate(), QuaternionCoordinate()
_VECTOR = ThreeCoordinates(quaternion_exp, quaternion_log)
_MRP = ThreeCoordinates(mrp_to_quaternion, quaternion_to_mrp)
_COORDINATES: dict[type[JointType], tuple[Coordinate, ...]] = {
    Fixed: (),
    Revolute: (_ANGLE,),
    SinCosRevolute: (SinCosCoordinate(),),
    Prismatic: (_LENGTH,),
    Planar: (_LENGTH, _LENGTH, _ANGLE),
    Universal: (_ANGLE, _ANGLE),
    QuaternionSpherical: (_QUATERNION,),
    QuaternionFloating: (_QUATERNION, _LENGTH, _LENGTH, _LENGTH),
    RotationVectorSpherical: (_VECTOR,),
    RotationVectorFloating: (_VECTOR, _LENGTH, _LENGTH, _LENGTH),
    MRPFloating: (_MRP, _LENGTH, _LENGTH, _LENGTH),
}
_TWINS: dict[type[JointType], JointType] = {
    RotationVectorSpherical: QuaternionSpherical(),
    RotationVectorFloating: QuaternionFloating(),
    MRPFloating: QuaternionFloating(),
}

SUPPORTED = ", ".join(sorted(kind.__name__ for kind in _COORDINATES))
"""The names of the joint types whose poses are rational."""


def coordinates_of(joint_type: JointType) -> tuple[Coordinate, ...] | None:
    """Return the coordinates of a joint type; None when its pose is no rational function."""
    while isinstance(joint_type, Reversed):
        joint_type = joint_type.original
    return _COORDINATES.get(type(joint_type))


def twin_of(joint_type: JointType) -> JointType | None:
    """Return the joint type that moves in the same way and has a quaternion for its rotation; None if it has one."""
    if isinstance(joint_type, Reversed):
        inner = twin_of(joint_type.original)
        return None if inner is None else Reversed(inner)
    return _TWINS.get(type(joint_type))
