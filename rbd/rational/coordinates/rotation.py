"""Rotations about any axis: conversion between quaternions and other coordinates q and variables s."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from typing import cast, final

import attrs
from typing_extensions import override

from rbd.rational.coordinates.coordinate import Coordinate, nominal_number, require_direction
from rbd.rational.polynomials.polynomial import Polynomial
from rbd.rational.polynomials.polynomial_scalars import NominalValues
from rbd.rational.polynomials.ring import Block, Kind, Ring
from rbd.scalars import Scalar, Vector, divide, is_float, sqrt
from rbd.spatial.linalg import Vec3
from rbd.spatial.quaternion import Quaternion, quaternion_conjugate, quaternion_product


class RotationCoordinate(Coordinate):
    """Rotation: s = axis · tan(angle / 2) of the rotation from q* to q, in the frame after the joint; abstract."""

    ns = 3
    kind = Kind.ROTATION

    @abstractmethod
    def quaternion(self, q: Vector) -> Quaternion:
        """Return a quaternion of the rotation."""

    @abstractmethod
    def coordinates(self, quaternion: Quaternion) -> Vector:
        """Return the coordinates q of a quaternion, of the same length as that of q*."""

    def nominal_quaternion(self, nominal: NominalValues) -> Quaternion:
        """Return the quaternion of q*; raise ArgumentError when it is zero."""
        quaternion = self.quaternion(tuple(nominal_number(x) for x in nominal))
        require_direction(quaternion, "q_star", "the numbers of a quaternion")
        return quaternion

    @override
    def polynomials(self, ring: Ring, block: Block, nominal: NominalValues) -> Vector:
        w, x, y, z = (Polynomial.variable(ring, g) for g in block.circle)
        a, b, c, d = (Polynomial.from_parameter(ring, x) for x in self.nominal_quaternion(nominal))
        return quaternion_product((a, b, c, d), (w, x, y, z))

    @override
    def to_s(self, q: Vector, nominal: NominalValues, *, wrap: bool) -> Vector:
        after = self.quaternion(q)
        require_direction(after, "q", "the numbers of a quaternion")
        w, *vector = quaternion_product(quaternion_conjugate(self.nominal_quaternion(nominal)), after)
        if is_float(w) and not w:  # half a turn: 0 / 0 in directions orthogonal to the axis
            return tuple(divide(x, w) if x else 0.0 for x in vector)
        return tuple(divide(x, w) for x in vector)

    @override
    def to_q(self, s: Vector, nominal: NominalValues) -> Vector:
        w, vector = _homogeneous(s)
        length = sqrt(w * w + sum((x * x for x in vector), 0))
        step = (w / length, vector[0] / length, vector[1] / length, vector[2] / length)
        return self.coordinates(quaternion_product(self.nominal_quaternion(nominal), step))


def _homogeneous(s: Vector) -> tuple[Scalar, Vec3]:
    """Return (1, s) up to a factor, finite; where entries of s are infinite, only these count."""
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
    """Rotation given by a quaternion."""

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
class ThreeParameterCoordinate(RotationCoordinate):
    """Rotation given by three parameters, no rational functions of s: rotation vector or Rodrigues parameters."""

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
