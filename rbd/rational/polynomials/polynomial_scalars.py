"""Polynomials as scalars of `rbd.scalars`, so that the kinematics of a state run on them.

Joint transforms receive an `AngleScalar` in place of an angle; its sine and cosine are polynomials. Lengths and unit
quaternions are polynomials themselves.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NoReturn, TypeAlias, final

import attrs
from typing_extensions import override

from rbd.errors import ArgumentError, ScalarError, quoted
from rbd.rational.polynomials import arithmetic
from rbd.rational.polynomials.polynomial import Polynomial
from rbd.rational.polynomials.ring import ROUNDING, Block, Ring
from rbd.scalars import Condition, Scalar, ScalarFamily, is_float, register_scalar, sqrt


@final
@attrs.frozen(init=False)
class HalfTangent:
    """An angle given by the tangent of its half, as an entry of q*: a fraction makes cosine and sine exact.

    An infinite tangent is half a turn. Raises ArgumentError unless `tangent` is a real number or infinite.

    >>> from fractions import Fraction
    >>> from rbd.rational import HalfTangent
    >>> HalfTangent(Fraction(1, 2)).cosine, HalfTangent(Fraction(1, 2)).sine
    (Fraction(3, 5), Fraction(4, 5))
    """

    tangent: Fraction | float

    def __init__(self, tangent: Fraction | float) -> None:
        if isinstance(tangent, bool) or not (is_float(tangent) or isinstance(tangent, Fraction)) or tangent != tangent:
            message = f"tangent must be a real number or infinity, not {quoted(tangent)}"
            raise ArgumentError(message, argument="tangent", value=tangent, allowed="a number or infinity")
        object.__setattr__(self, "tangent", tangent)

    @property
    def cosine(self) -> Fraction:
        """The cosine, exactly."""
        t = self._exact()
        return Fraction(-1) if t is None else (1 - t * t) / (1 + t * t)

    @property
    def sine(self) -> Fraction:
        """The sine, exactly."""
        t = self._exact()
        return Fraction(0) if t is None else 2 * t / (1 + t * t)

    @property
    def angle(self) -> float:
        """The angle, from -π to π."""
        return 2 * math.atan(float(self.tangent))

    def _exact(self) -> Fraction | None:
        return None if math.isinf(self.tangent) else Fraction(self.tangent)


NominalValue: TypeAlias = "float | Fraction | HalfTangent"
"""One entry of q*."""
NominalValues: TypeAlias = "tuple[NominalValue, ...]"
"""The entries of q*."""


@final
class AngleScalar:
    """The angle q* + Δ of one coordinate: a scalar that only has a cosine and a sine."""

    __slots__ = ("cosine", "ring", "sine")

    def __init__(self, ring: Ring, block: Block, nominal: NominalValue) -> None:
        self.ring = ring
        cosine, sine = (Polynomial.variable(ring, g) for g in block.circle)
        nominal_cosine, nominal_sine = (Polynomial.from_parameter(ring, x) for x in cosine_and_sine(ring, nominal))
        self.cosine = cosine * nominal_cosine - sine * nominal_sine
        self.sine = cosine * nominal_sine + sine * nominal_cosine

    def _refuse(self, *_: object) -> NoReturn:
        raise ScalarError("an angle is no polynomial, only its sine and cosine are", scalar=self, function="arithmetic")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refuse
    __neg__ = __pos__ = _refuse


def cosine_and_sine(ring: Ring, nominal: NominalValue) -> tuple[Scalar, Scalar]:
    """Return cosine and sine of an entry of q*; raise ArgumentError if they must be exact and are not."""
    if isinstance(nominal, HalfTangent):
        return nominal.cosine, nominal.sine
    if not ring.exact:
        return math.cos(nominal), math.sin(nominal)
    if nominal:
        message = f"q_star: the cosine of {nominal} is no fraction; use rbd.rational.HalfTangent(fraction)"
        raise ArgumentError(message, argument="q_star", value=nominal, allowed="HalfTangent(fraction), or 0")
    return 1, 0


@final
class PolynomialFamily(ScalarFamily[Any]):
    """Scalar family of polynomials: comparisons and roots of constants, sine and cosine of angles."""

    name = "polynomial"
    priority = 90

    @override
    def lift(self, x: Scalar, like: Polynomial | AngleScalar) -> Any:
        return Polynomial.from_parameter(like.ring, x)

    @override
    def to_float(self, x: Any) -> float:
        return float(self._constant(x, "to_float"))

    @override
    def less(self, a: Any, b: Any) -> Condition:
        return bool(self._constant(a, "less") < self._constant(b, "less"))

    @override
    def less_equal(self, a: Any, b: Any) -> Condition:
        return bool(self._constant(a, "less_equal") <= self._constant(b, "less_equal"))

    def _constant(self, x: Any, function: str) -> Any:
        if isinstance(x, AngleScalar):
            self.refuse(function, "an angle")
        return x.constant_value(function) if isinstance(x, Polynomial) else x

    @override
    def cos(self, x: Any) -> Any:
        return x.cosine if isinstance(x, AngleScalar) else self.refuse("cos", x)

    @override
    def sin(self, x: Any) -> Any:
        return x.sine if isinstance(x, AngleScalar) else self.refuse("sin", x)

    @override
    def sqrt(self, x: Any) -> Any:
        root = x.ring.coefficient(sqrt(self._constant(x, "sqrt")))
        error = 0.0 if x.ring.exact or not root else x.expansion.error / root + ROUNDING * root
        return Polynomial(x.ring, arithmetic.constant(root, error))

    @override
    def divide(self, a: Any, b: Any) -> Any:
        return a / b


POLYNOMIAL = PolynomialFamily()
register_scalar(Polynomial, POLYNOMIAL)
register_scalar(AngleScalar, POLYNOMIAL)
