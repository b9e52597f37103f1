"""`Polynomial`: sparse polynomials in the variables of a mechanism, without spurious terms."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Iterable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, SupportsIndex, cast, final

from typing_extensions import override

from rbd.arguments import whole_number
from rbd.errors import ScalarError
from rbd.program.status import range_error
from rbd.rational.polynomials import arithmetic, evaluation, printing, recorded_functions
from rbd.rational.polynomials.arithmetic import Expansion
from rbd.rational.polynomials.ring import (
    INPUT_ERROR,
    MAX_EXPONENT,
    ROUNDING,
    Coefficient,
    Kind,
    Monomial,
    Ring,
    Terms,
    exponents,
    unit,
)
from rbd.rational.polynomials.ring_element import RingElement
from rbd.scalars import Scalar, is_float
from rbd.scalars.constants import Rational

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from rbd.array_functions.function import RecordedFunction


_ZERO = Expansion({})
"""The zero polynomial, recognised by identity: products with structural zeros are frequent."""


@final
class Polynomial(RingElement):
    """Polynomial in cosines and sines of q - q*, unit quaternions, and the variables s.

    `RationalForwardKinematics` makes them. They can be added, subtracted and multiplied with each other and with
    numbers. Squares of cosines are replaced by sines, so that equal polynomials have equal terms; terms that cancel up
    to rounding are dropped.

    >>> import rbd
    >>> from rbd.rational import RationalForwardKinematics
    >>> kinematics = RationalForwardKinematics(rbd.robots.double_pendulum())
    >>> cos, sin = kinematics.variables([0, 0])["cos[0]"], kinematics.variables([0, 0])["sin[0]"]
    >>> cos * cos + sin * sin, 2 * cos * sin - 1
    (1, -1 + 2*cos[0]*sin[0])
    """

    __slots__ = ("_terms", "expansion", "ring")

    def __init__(self, ring: Ring, expansion: Expansion) -> None:
        """Wrap the terms of a polynomial; use `RationalForwardKinematics` to get one."""
        if not (expansion.max_coefficient < math.inf or ring.exact):
            raise range_error("a coefficient of the polynomial")
        self.ring = ring
        self.expansion = expansion
        self._terms: Mapping[Monomial, Coefficient] | None = None

    @staticmethod
    def constant(ring: Ring, x: Scalar) -> Polynomial:
        """Return a number, taken as exact, as a polynomial."""
        inexact = 0.0 if ring.exact or not isinstance(x, Rational) else ROUNDING * abs(float(x))
        return Polynomial(ring, arithmetic.constant(ring.coefficient(x), inexact))

    @staticmethod
    def from_parameter(ring: Ring, x: Scalar) -> Polynomial | int:
        """Return a number of a mechanism; as an int if it is 0, 1 or -1 up to rounding, to keep structure visible."""
        c = ring.coefficient(x)
        error = 0.0 if ring.exact else INPUT_ERROR * max(1.0, abs(float(c)))
        for nearest in (0, 1, -1):
            if c == nearest or abs(float(c - nearest)) < error:
                return nearest
        return Polynomial(ring, arithmetic.constant(c, error))

    @staticmethod
    def variable(ring: Ring, g: int) -> Polynomial:
        """Return one variable, by its number in the ring."""
        block = ring.block_of[g]
        support = block.bit | (block.s_bit if g in block.s else 0)
        return Polynomial(ring, Expansion({unit(g): ring.coefficient(1)}, support, 1, True, 1.0))

    # --- terms --------------------------------------------------------------------------------------------------------

    @property
    def terms(self) -> Mapping[Monomial, Coefficient]:
        """The coefficients by monomial, from low degrees to high ones."""
        if self._terms is None:
            unsorted: dict[Monomial, Coefficient] = {self._monomial(key): c for key, c in self.expansion.terms.items()}
            order = sorted(unsorted, key=functools.partial(printing.rank, self.ring))
            self._terms = MappingProxyType({monomial: unsorted[monomial] for monomial in order})
        return self._terms

    def _monomial(self, key: int) -> Monomial:
        return tuple((self.ring.names[g], e) for g, e in self.ring.powers_of(key))

    def coefficient(self, monomial: str | Mapping[str, int] | Iterable[str] = ()) -> Coefficient:
        """Return the coefficient of a monomial: a name, names, or exponents by name; omit it for the constant term.

        Raises ArgumentError naming the monomial for a name that is no variable, or a negative exponent.
        """
        key = self.ring.key_of(monomial)
        zero = self.ring.coefficient(0)
        value: Coefficient = zero if key is None else self.expansion.terms.get(key, zero)
        return value

    def degree(self, name: str) -> int:
        """Return the largest exponent of a variable; raise ArgumentError for a name that is no variable."""
        g = self.ring.number(name, "name")
        return max((exponents(key, (g,))[0] for key in self.expansion.terms), default=0)

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the variables that occur."""
        present = {g for key in self.expansion.terms for g, _ in self.ring.powers_of(key)}
        return tuple(self.ring.names[g] for g in sorted(present))

    def isclose(self, other: Polynomial, atol: float = 1e-12) -> bool:
        """Return whether all coefficients agree up to `atol`."""
        return all(abs(c) <= atol for c in self._difference(other, atol).expansion.terms.values())

    # --- values -------------------------------------------------------------------------------------------------------

    def __call__(self, s: ArrayLike | Iterable[Scalar]) -> Any:
        """Return the value at s, of any scalars; entries of angles or rotations may be infinite.

        An array of floats may have leading axes; the result has them too. Raises ShapeError or NotFiniteError.
        """
        return evaluation.value(self.ring, self.expansion.terms, s)

    def compile(self) -> RecordedFunction:
        """Return the polynomial as a native function of s; `.derivative`, `.to_c` and batches come with it."""
        return recorded_functions.recorded_polynomials(self.ring, "polynomial", {"result": self.expansion.terms})

    def derivative(self, index: SupportsIndex) -> Polynomial:
        """Return the derivative by s[index], a polynomial again, since dΔ = (1 + cos Δ) ds.

        Raises ArgumentError when there is no such variable.
        """
        block = self.ring.block_at(index)
        position = operator.index(index) - block.first
        inner = self._partial(block.s[position])
        if block.kind is Kind.LENGTH:
            return inner
        variables = [Polynomial.variable(self.ring, g) for g in block.circle]
        partials = [self._partial(g) for g in block.circle]
        if block.kind is Kind.ANGLE:
            (cos, sin), (by_cos, by_sin) = variables, partials
            return inner + (by_sin * cos - by_cos * sin) * (1 + cos)
        # The quaternion is (1, s) over its length: its derivative is w times (the unit vector less its radial part).
        along = variables[position + 1]
        for variable, partial in zip(variables, partials, strict=True):
            inner = inner - partial * variable * along * variables[0]
        return inner + partials[position + 1] * variables[0]

    def _partial(self, g: int) -> Polynomial:
        """Return the partial derivative by a variable, with all variables independent."""
        terms: Terms = {}
        for key, c in self.expansion.terms.items():
            if exponent := exponents(key, (g,))[0]:
                terms[key - unit(g)] = exponent * c
        a = self.expansion
        error = a.degree * (a.error + 2 * ROUNDING * a.max_coefficient)
        expansion = Expansion(
            terms, a.support, a.degree, a.multilinear, a.degree * a.max_coefficient, 0.0 if self.ring.exact else error,
            a.degree * a.dropped_sum,
        )  # fmt: skip
        return Polynomial(self.ring, expansion)

    # --- arithmetic ---------------------------------------------------------------------------------------------------

    @override
    def __add__(self, other: Any, /) -> Polynomial:
        if type(other) is int and not other:
            return self
        operand = self._coerced(other)
        if operand is None:
            return NotImplemented
        if operand.expansion is _ZERO:
            return self
        if self.expansion is _ZERO:
            return operand
        return Polynomial(self.ring, arithmetic.add(self.expansion, operand.expansion, self.ring.exact))

    @override
    def __mul__(self, other: Any, /) -> Polynomial:
        if type(other) is int:
            if other == 1:
                return self
            return -self if other == -1 else self._scaled(other)
        operand = self._coerced(other)
        if operand is None:
            return NotImplemented
        if self.expansion is _ZERO or operand.expansion is _ZERO:
            return Polynomial(self.ring, _ZERO)
        return Polynomial(self.ring, arithmetic.multiply(self.ring, self.expansion, operand.expansion))

    def _scaled(self, c: int) -> Polynomial:
        if not c:
            return Polynomial(self.ring, _ZERO)
        return Polynomial(self.ring, arithmetic.scale(self.expansion, self.ring.coefficient(c), self.ring.exact))

    def __truediv__(self, other: Any, /) -> Polynomial:
        operand = self._coerced(other)
        return NotImplemented if operand is None else self * operand.reciprocal()

    def __rtruediv__(self, other: Any, /) -> Polynomial:
        if self._coerced(other) is None:
            return NotImplemented
        quotient: Polynomial = self.reciprocal() * other
        return quotient

    def reciprocal(self) -> Polynomial:
        """Return one over a constant; raise ScalarError when this is zero or no constant."""
        c = self.constant_value("division by")
        if not c:
            raise ScalarError("division by a polynomial that is zero", scalar=self, function="divide")
        error = 0.0 if self.ring.exact else (self.expansion.error / abs(float(c)) + 2 * ROUNDING) / abs(float(c))
        return Polynomial(self.ring, arithmetic.constant(1 / c, error))

    def constant_value(self, function: str) -> Coefficient:
        """Return the value of a constant; raise ScalarError naming the function when this is no constant."""
        if self.expansion.terms.keys() - {0}:
            message = f"{function} {printing.text(self, 80)} gives no polynomial"
            raise ScalarError(message, scalar=self, function=function)
        value: Coefficient = self.expansion.terms.get(0, self.ring.coefficient(0))
        return value

    @override
    def __neg__(self) -> Polynomial:
        if self.expansion is _ZERO:
            return self
        return Polynomial(self.ring, arithmetic.negate(self.expansion))

    def __pow__(self, n: SupportsIndex, /) -> Polynomial:
        result = Polynomial.constant(self.ring, 1)
        for _ in range(whole_number(n, "n", 0, MAX_EXPONENT)):
            result = result * self
        return result

    @override
    def _converted(self, other: object) -> Polynomial | None:
        """Return the other operand as a polynomial of this ring; None for other types."""
        if isinstance(other, Polynomial):
            self.ring.require_same(other.ring)
            return other
        if is_float(other) or isinstance(other, Fraction):
            return Polynomial.constant(self.ring, cast("Scalar", other))
        return None

    # --- display ------------------------------------------------------------------------------------------------------

    def to_sympy(self) -> Any:
        """Return a SymPy expression in symbols like `cos_0`, `sin_0` and `s_1`; fractions become exact rationals."""
        return printing.sympy(self.ring, self.expansion.terms)

    @override
    def __str__(self) -> str:
        return printing.text(self)

    @override
    def __repr__(self) -> str:
        return printing.text(self, 2000)

    @override
    def latex(self) -> str:
        """Return the polynomial as LaTeX, which notebooks show; a long one is cut after the first terms."""
        return printing.latex(self)

    @override
    def __reduce__(self) -> tuple[object, ...]:
        return Polynomial, (self.ring, self.expansion)
