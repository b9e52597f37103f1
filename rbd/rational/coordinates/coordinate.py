"""Displacements and angles: conversion between coordinates q and variables s."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Any, ClassVar, cast, final

import numpy as np
from typing_extensions import override

from rbd.errors import ArgumentError
from rbd.rational.polynomials.polynomial import Polynomial
from rbd.rational.polynomials.polynomial_scalars import AngleScalar, HalfTangent, NominalValue, NominalValues
from rbd.rational.polynomials.ring import Block, Kind, Ring
from rbd.scalars import Scalar, Vector, atan2, const, cos, divide, is_float, sin, sqrt, tan
from rbd.scalars.arrays import Array


class Coordinate(ABC):
    """A coordinate, or several that form a rotation: `nq` entries of q and `ns` of s; abstract."""

    nq: ClassVar[int] = 1
    ns: ClassVar[int] = 1
    kind: ClassVar[Kind]

    @abstractmethod
    def polynomials(self, ring: Ring, block: Block, nominal: NominalValues) -> Vector:
        """Return the polynomials around q* that replace q in the joint's transform."""

    @abstractmethod
    def to_s(self, q: Vector, nominal: NominalValues, *, wrap: bool) -> Vector:
        """Return s of q; with `wrap`, infinite for angles half a turn or more away."""

    @abstractmethod
    def to_q(self, s: Vector, nominal: NominalValues) -> Vector:
        """Return q of s, which may be infinite for angles."""

    def rows_to_s(self, q: Array, nominal: NominalValues, *, wrap: bool) -> Array:
        """Return `to_s` of every row."""
        return np.array([self.to_s(tuple(row), nominal, wrap=wrap) for row in q.tolist()]).reshape(len(q), self.ns)

    def rows_to_q(self, s: Array, nominal: NominalValues) -> Array:
        """Return `to_q` of every row."""
        return np.array([self.to_q(tuple(row), nominal) for row in s.tolist()]).reshape(len(s), self.nq)


@final
class LengthCoordinate(Coordinate):
    """Displacement: s = q - q*."""

    kind = Kind.LENGTH

    @override
    def polynomials(self, ring: Ring, block: Block, nominal: NominalValues) -> Vector:
        return (Polynomial.variable(ring, block.s[0]) + Polynomial.from_parameter(ring, nominal_number(nominal[0])),)

    @override
    def to_s(self, q: Vector, nominal: NominalValues, *, wrap: bool) -> Vector:
        return (q[0] - nominal_number(nominal[0]),)

    @override
    def to_q(self, s: Vector, nominal: NominalValues) -> Vector:
        return (s[0] + nominal_number(nominal[0]),)

    @override
    def rows_to_s(self, q: Array, nominal: NominalValues, *, wrap: bool) -> Array:
        return q - float(nominal_number(nominal[0]))

    @override
    def rows_to_q(self, s: Array, nominal: NominalValues) -> Array:
        return s + float(nominal_number(nominal[0]))


@final
class AngleCoordinate(Coordinate):
    """Angle: s = tan((q - q*) / 2)."""

    kind = Kind.ANGLE

    @override
    def polynomials(self, ring: Ring, block: Block, nominal: NominalValues) -> Vector:
        return (cast("Scalar", AngleScalar(ring, block, nominal[0])),)

    @override
    def to_s(self, q: Vector, nominal: NominalValues, *, wrap: bool) -> Vector:
        start = nominal_angle(nominal[0])
        difference = q[0] - start
        if wrap and is_float(difference) and is_half_turn(np.float64(cast("float", q[0])), start):
            return (math.copysign(math.inf, cast("float", difference)),)
        return (tan(difference * const(1, 2)),)

    @override
    def to_q(self, s: Vector, nominal: NominalValues) -> Vector:
        return (angle_of_half_tangent(s[0]) + nominal_angle(nominal[0]),)

    @override
    def rows_to_s(self, q: Array, nominal: NominalValues, *, wrap: bool) -> Array:
        start = float(nominal_angle(nominal[0]))
        tangent: Array = np.tan((q - start) / 2)
        if wrap:
            tangent = np.where(is_half_turn(q, start), np.copysign(np.inf, q - start), tangent)
        return tangent

    @override
    def rows_to_q(self, s: Array, nominal: NominalValues) -> Array:
        turned: Array = 2 * np.arctan(s)
        return turned + float(nominal_angle(nominal[0]))


def is_half_turn(q: Array | np.float64, start: float) -> Any:
    """Return whether angles are half a turn or more from `start`, up to rounding."""
    rounding = np.spacing(np.maximum(np.abs(q), max(abs(start), math.pi)))
    return np.abs(q - start) >= math.pi - rounding


def angle_of_half_tangent(s: Scalar) -> Scalar:
    """Return 2 atan(s), from -π to π; s may be infinite."""
    return 2 * (math.atan(cast("float", s)) if is_float(s) else atan2(s, 1))


@final
class SinCosCoordinate(Coordinate):
    """Angle given by its sine and cosine: s = tan(Δ / 2), for the angle Δ from q* to q."""

    nq = 2
    kind = Kind.ANGLE

    @override
    def polynomials(self, ring: Ring, block: Block, nominal: NominalValues) -> Vector:
        cosine, sine = (Polynomial.variable(ring, g) for g in block.circle)
        nominal_sine, nominal_cosine = (Polynomial.from_parameter(ring, x) for x in sine_cosine(nominal))
        return cosine * nominal_sine + sine * nominal_cosine, cosine * nominal_cosine - sine * nominal_sine

    @override
    def to_s(self, q: Vector, nominal: NominalValues, *, wrap: bool) -> Vector:
        (sine, cosine), (nominal_sine, nominal_cosine) = q, sine_cosine(nominal)
        require_direction(q, "q", "a sine and a cosine")
        along = nominal_cosine * cosine + nominal_sine * sine
        across = nominal_cosine * sine - nominal_sine * cosine
        # tan(Δ/2) = sin Δ / (1 + cos Δ) = (1 - cos Δ) / sin Δ; the form without cancellation.
        length = sqrt(along * along + across * across)
        if is_float(along) and cast("float", along) < 0:
            return (divide(length - along, across),)
        return (divide(across, length + along),)

    @override
    def to_q(self, s: Vector, nominal: NominalValues) -> Vector:
        nominal_sine, nominal_cosine = sine_cosine(nominal)
        sine, cosine = sin(angle_of_half_tangent(s[0])), cos(angle_of_half_tangent(s[0]))
        return nominal_sine * cosine + nominal_cosine * sine, nominal_cosine * cosine - nominal_sine * sine


def sine_cosine(nominal: NominalValues) -> tuple[Any, Any]:
    """Return the sine and the cosine in q*; raise ArgumentError when both are zero."""
    sine, cosine = (nominal_number(x) for x in nominal)
    require_direction((sine, cosine), "q_star", "a sine and a cosine")
    return sine, cosine


def require_direction(values: Vector, argument: str, what: str) -> None:
    """Raise ArgumentError naming the argument when the components of a direction are all zero."""
    if all(is_float(x) or isinstance(x, Fraction) for x in values) and not any(values):
        message = f"{argument} has {what} that are all zero; their squares must sum to one"
        raise ArgumentError(message, argument=argument, value=values, allowed="values whose squares sum to one")


def nominal_number(nominal: NominalValue) -> Any:
    """Return an entry of q* that is not an angle; raise ArgumentError for a HalfTangent."""
    if isinstance(nominal, HalfTangent):
        message = f"q_star has {nominal} for a coordinate that is not an angle; give a number"
        raise ArgumentError(message, argument="q_star", value=nominal, allowed="HalfTangent for angles only")
    return nominal


def nominal_angle(nominal: NominalValue) -> Any:
    """Return an angle of q* as a number."""
    return nominal.angle if isinstance(nominal, HalfTangent) else nominal
