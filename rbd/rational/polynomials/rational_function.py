"""`RationalFunction`: a polynomial in s over powers of 1 + s²."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, SupportsIndex, cast, final

import attrs
from typing_extensions import override

from rbd.arguments import whole_number
from rbd.errors import ArgumentError, ScalarError
from rbd.lazy_property import lazy_property
from rbd.rational.polynomials import evaluation, printing, recorded_functions
from rbd.rational.polynomials.arithmetic import Expansion
from rbd.rational.polynomials.division import bounded_blocks, common_factor, quotient, sum_of_squares, without_squares
from rbd.rational.polynomials.polynomial import Polynomial
from rbd.rational.polynomials.ring import MAX_EXPONENT, Block, Ring, Terms, exponents, unit
from rbd.rational.polynomials.ring_element import RingElement
from rbd.rational.polynomials.s_checks import checked_s
from rbd.rational.polynomials.substitution import half_angle_array_values, half_angle_scalar_values
from rbd.scalars import is_float

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from rbd.array_functions.function import RecordedFunction
    from rbd.scalars import Scalar


@final
@attrs.frozen(eq=False, repr=False, slots=False)
class RationalFunction(RingElement):
    """Rational function: a polynomial in s over a product of powers of 1 + s²; `RationalForwardKinematics.rational`.

    They can be added, subtracted, multiplied and divided with each other and with numbers, and raised to integer
    powers; those of exact kinematics stay exact. A divisor that does not divide the numerator stays in the denominator
    as `divisor`. `==` compares identity, as for polynomials; use `isclose`.

    >>> import rbd
    >>> from rbd.rational import RationalForwardKinematics
    >>> kinematics = RationalForwardKinematics(rbd.robots.double_pendulum())
    >>> sin = kinematics.variables([0, 0])["sin[1]"]
    >>> kinematics.rational(sin * sin)
    4*s[1]**2 / (1 + s[1]**2)**2
    >>> cos, sin = (kinematics.rational(kinematics.variables([0, 0])[name]) for name in ("cos[1]", "sin[1]"))
    >>> cos**2 + sin**2, sin / (1 + cos)
    (1, s[1])
    >>> 1 / (2 - cos)
    (1 + s[1]**2) / (1 + 3*s[1]**2)
    """

    numerator: Polynomial
    powers: Mapping[int, int]
    """The power of 1 + s² by number of the block; other blocks have power zero."""
    divisor: Polynomial | None = None
    """Another factor of the denominator, or None."""

    @property
    def ring(self) -> Ring:
        """The polynomial ring of numerator and denominator."""
        return self.numerator.ring

    @lazy_property
    def denominator(self) -> Polynomial:
        """The denominator, expanded."""
        result = Polynomial.constant(self.ring, 1) if self.divisor is None else self.divisor
        return _raised(result, self.powers)

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the variables that occur."""
        present = {*self.numerator.variables, *(() if self.divisor is None else self.divisor.variables)}
        return tuple(name for name in self.ring.names if name in present)

    def __call__(self, s: ArrayLike | Iterable[Scalar]) -> Any:
        """Return the value at s, of any scalars; entries of angles or rotations may be infinite.

        An array of floats may have leading axes; the result has them too. At poles floats are infinite or NaN. Raises
        ShapeError, NotFiniteError, also where a value leaves the range of floats, and SingularError at poles of other
        scalars.
        """
        checked = checked_s(self.ring, s)
        if isinstance(checked, tuple) or (self.divisor is None and self.projective is None):
            return evaluation.ratio_in_s(
                self.ring, self.numerator.expansion.terms, self.denominator.expansion.terms, checked
            )
        if self.divisor is not None:
            return evaluation.ratio(self.ring, *self._ratio, checked, half_angle_array_values)
        assert self.projective is not None
        return evaluation.value(self.ring, self.projective, checked, half_angle_array_values)

    @lazy_property
    def projective(self) -> Terms | None:
        """The function as a polynomial in cosines and sines of half the angles; None if it is none."""
        terms = self.numerator.expansion.terms
        for number, power in self.powers.items():
            block = self.ring.blocks[number]
            terms = {_homogeneous(key, block, 2 * power): c for key, c in terms.items()}
        return None if any(key < 0 for key in terms) else terms

    @lazy_property
    def _ratio(self) -> tuple[Terms, Terms]:
        """Numerator and denominator in cosines and sines of half the angles, homogeneous in each block."""
        assert self.divisor is not None
        numerator, denominator = self.numerator.expansion.terms, self.divisor.expansion.terms
        for block in bounded_blocks(self.ring):
            power = 2 * self.powers.get(block.number, 0)
            degree = max(_degree(numerator, block), _degree(denominator, block) + power)
            numerator = {_homogeneous(key, block, degree): c for key, c in numerator.items()}
            denominator = {_homogeneous(key, block, degree - power): c for key, c in denominator.items()}
        return numerator, denominator

    def compile(self) -> RecordedFunction:
        """Return it as a native function of s; `.derivative`, `.to_c` and batches come with it."""
        if self.divisor is not None:
            return recorded_functions.recorded_ratio(self.ring, "rational", *self._ratio, half_angle_scalar_values)
        if self.projective is None:
            raise ArgumentError(
                "a function that is infinite at infinite s cannot be compiled", argument="self", value=str(self)
            )
        return recorded_functions.recorded_polynomials(
            self.ring, "rational", {"result": self.projective}, half_angle_scalar_values
        )

    def derivative(self, index: SupportsIndex) -> RationalFunction:
        """Return the derivative by s[index]; raise ArgumentError when there is no such variable."""
        if self.divisor is not None:
            a, b = RationalFunction(self.numerator, self.powers), RationalFunction(self.divisor, {})
            return (a.derivative(index) * b - a * b.derivative(index)) / (b * b)
        inner = self.numerator.derivative(index)
        block = self.ring.block_at(index)
        power = self.powers.get(block.number, 0)
        if not power:
            return RationalFunction(inner, self.powers)
        # Not `Polynomial.variable`: over the denominator the powers of this s are bounded, so its s_bit is not set.
        g = block.s[operator.index(index) - block.first]
        s = Polynomial(self.ring, Expansion({unit(g): self.ring.coefficient(1)}, block.bit, 1, True, 1.0))
        numerator = inner * sum_of_squares(self.ring, block) - 2 * power * (self.numerator * s)
        return RationalFunction(numerator, {**self.powers, block.number: power + 1})

    def to_sympy(self) -> Any:
        """Return a SymPy expression in symbols `s_0`, `s_1` ..., the denominator not expanded."""
        result = self.numerator.to_sympy()
        for number, power in self.powers.items():
            result /= sum_of_squares(self.ring, self.ring.blocks[number]).to_sympy() ** power
        return result if self.divisor is None else result / self.divisor.to_sympy()

    # --- arithmetic ---------------------------------------------------------------------------------------------------

    def isclose(self, other: RationalFunction, atol: float = 1e-12) -> bool:
        """Return whether all coefficients of the difference's numerator are at most `atol`."""
        return all(abs(c) <= atol for c in self._difference(other, atol).numerator.expansion.terms.values())

    @override
    def __add__(self, other: Any, /) -> RationalFunction:
        b = self._coerced(other)
        if b is None:
            return NotImplemented
        powers = dict(Counter(self.powers) | Counter(b.powers))
        first = _raised(self.numerator, _excess(powers, self.powers))
        second = _raised(b.numerator, _excess(powers, b.powers))
        if self.divisor is b.divisor:
            return _with_minimal_denominator(first + second, powers, self.divisor)
        return _with_minimal_denominator(
            _times(first, b.divisor) + _times(second, self.divisor),
            powers,
            _product_of_divisors(self.divisor, b.divisor),
        )

    @override
    def __mul__(self, other: Any, /) -> RationalFunction:
        b = self._coerced(other)
        if b is None:
            return NotImplemented
        powers = dict(Counter(self.powers) + Counter(b.powers))
        first, first_divisor = common_factor(self.numerator, b.divisor)
        second, second_divisor = common_factor(b.numerator, self.divisor)
        return _with_minimal_denominator(first * second, powers, _product_of_divisors(first_divisor, second_divisor))

    def __truediv__(self, other: Any, /) -> RationalFunction:
        b = self._coerced(other)
        if b is None:
            return NotImplemented
        if not b.numerator.expansion.terms:
            raise ScalarError("division by a rational function that is zero", scalar=b, function="divide")
        numerator, first_divisor = common_factor(self.numerator, b.numerator)
        numerator = _raised(_times(numerator, b.divisor), _excess(b.powers, self.powers))
        numerator, second_divisor = common_factor(numerator, self.divisor)
        return _with_minimal_denominator(
            numerator, _excess(self.powers, b.powers), _product_of_divisors(first_divisor, second_divisor)
        )

    def __rtruediv__(self, other: Any, /) -> RationalFunction:
        a = self._coerced(other)
        return NotImplemented if a is None else a / self

    @override
    def __neg__(self) -> RationalFunction:
        return RationalFunction(-self.numerator, self.powers, self.divisor)

    def __pow__(self, n: SupportsIndex, /) -> RationalFunction:
        exponent = whole_number(n, "n", -MAX_EXPONENT, MAX_EXPONENT)
        result = RationalFunction(Polynomial.constant(self.ring, 1), {})
        factor = self if exponent >= 0 else result / self
        for _ in range(abs(exponent)):
            result = result * factor
        return result

    @override
    def _converted(self, other: object) -> RationalFunction | None:
        """Return the other operand as a rational function of the same ring; None for other types."""
        if isinstance(other, RationalFunction):
            self.ring.require_same(other.ring)
            return other
        if isinstance(other, Polynomial):
            message = (
                "other is a polynomial in cosines and sines; make it a function of s by kinematics.rational(other)"
            )
            raise ArgumentError(message, argument="other", value=other, allowed="RationalFunction, numbers")
        if is_float(other) or isinstance(other, Fraction):
            return RationalFunction(Polynomial.constant(self.ring, cast("Scalar", other)), {})
        return None

    # --- display ------------------------------------------------------------------------------------------------------

    def _bases(self, show: Any) -> dict[str, int]:
        blocks = self.ring.blocks
        bases = {show(sum_of_squares(self.ring, blocks[number])): power for number, power in self.powers.items()}
        return bases if self.divisor is None else bases | {show(self.divisor): 1}

    @override
    def __str__(self) -> str:
        factors, numerator = self._bases(str), str(self.numerator)
        if not factors:
            return numerator
        numerator = f"({numerator})" if len(self.numerator.terms) > 1 else numerator
        denominator = printing.denominator_text(factors)
        return f"{numerator} / ({denominator})" if len(factors) > 1 else f"{numerator} / {denominator}"

    @override
    def __repr__(self) -> str:
        return (
            str(self)
            if len(self.numerator.terms) <= printing.LONGEST
            else f"<{len(self.numerator.terms)} terms over {printing.denominator_text(self._bases(str))}>"
        )

    @override
    def latex(self) -> str:
        """Return the function as LaTeX, which notebooks show."""
        factors, numerator = self._bases(printing.latex), printing.latex(self.numerator)
        return f"\\frac{{{numerator}}}{{{printing.denominator_latex(factors)}}}" if factors else numerator


def _raised(p: Polynomial, powers: Mapping[int, int]) -> Polynomial:
    """Return p times powers of 1 + s²."""
    for number, power in powers.items():
        p = p * sum_of_squares(p.ring, p.ring.blocks[number]) ** power if power else p
    return p


def _excess(powers: Mapping[int, int], others: Mapping[int, int]) -> dict[int, int]:
    """Return the positive differences of two sets of powers."""
    return dict(Counter(powers) - Counter(others))


def _times(p: Polynomial, factor: Polynomial | None) -> Polynomial:
    """Return p times a factor, None for one."""
    return p if factor is None else p * factor


def _product_of_divisors(a: Polynomial | None, b: Polynomial | None) -> Polynomial | None:
    """Return the product of two divisors, each None for one."""
    return b if a is None else _times(a, b)


def _with_minimal_denominator(
    numerator: Polynomial, powers: Mapping[int, int], divisor: Polynomial | None
) -> RationalFunction:
    """Return a quotient with minimal denominator."""
    if not numerator.expansion.terms:
        return RationalFunction(numerator, {})
    remaining = Counter(powers)
    if divisor is not None:
        for block in bounded_blocks(numerator.ring):
            divisor, count = without_squares(divisor, block, MAX_EXPONENT)
            remaining[block.number] += count
        numerator, divisor = _divided_out(numerator, divisor)
    for number, power in list(remaining.items()):
        numerator, count = without_squares(numerator, numerator.ring.blocks[number], power)
        remaining[number] -= count
    return RationalFunction(
        numerator, {number: remaining[number] for number in sorted(remaining) if remaining[number] > 0}, divisor
    )


def _divided_out(numerator: Polynomial, divisor: Polynomial) -> tuple[Polynomial, Polynomial | None]:
    """Return numerator / divisor as a polynomial if it is one; else both, the constant factor in the numerator."""
    if not divisor.expansion.terms.keys() - {0}:
        return numerator / divisor, None
    if not numerator.ring.exact:
        return numerator, divisor
    polynomial = quotient(numerator, divisor)
    if polynomial is not None:
        return polynomial, None
    first = next(iter(divisor.terms.values()))  # the coefficient of the lowest monomial becomes one
    return numerator / first, divisor / first


def _degree(terms: Terms, block: Block) -> int:
    """Return the degree in a block's s."""
    return max((sum(exponents(key, block.s)) for key in terms), default=0)


def _homogeneous(key: int, block: Block, degree: int) -> int:
    """Return a monomial of this degree in sines (for s) and cosines of half angles; -1 if its degree is higher."""
    if key < 0:
        return key
    for g, sine, exponent in zip(block.s, block.circle[1:], exponents(key, block.s), strict=True):
        key += exponent * (unit(sine) - unit(g))
        degree -= exponent
    return -1 if degree < 0 else key + degree * unit(block.circle[0])
