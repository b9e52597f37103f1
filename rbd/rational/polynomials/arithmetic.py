"""Sums and products of terms, with running error bounds.

Every polynomial in floats carries `error`, a bound on the rounding error of each coefficient. A sum below that bound is
the remainder of a cancellation and is dropped; `dropped_sum` bounds the sum of all dropped coefficients.
"""

from __future__ import annotations

import math
from typing import NamedTuple, final

import attrs

from rbd.errors import ArgumentError
from rbd.rational.polynomials.ring import EXPONENT_BITS, MAX_EXPONENT, ROUNDING, Block, Coefficient, Ring, Terms

_MAX_CANCELLATION = 2.0**-46
"""No coefficient above this share of the largest one counts as the remainder of a cancellation."""


@final
@attrs.frozen(eq=False)
class Expansion:
    """A polynomial as terms: `max_coefficient` bounds their coefficients, `degree` their exponents."""

    terms: Terms
    support: int = 0
    degree: int = 0
    multilinear: bool = True
    max_coefficient: float = 0.0
    error: float = 0.0
    dropped_sum: float = 0.0


def _magnitude(c: Coefficient) -> float:
    """Return the absolute value of a coefficient as a float; infinity for fractions that are too large for one."""
    try:
        return abs(float(c))
    except OverflowError:
        return math.inf


def constant(value: Coefficient, error: float) -> Expansion:
    """Return a constant."""
    if not value:
        return Expansion({})
    return Expansion({0: value}, max_coefficient=_magnitude(value), error=error)


def negate(a: Expansion) -> Expansion:
    """Return -a."""
    return attrs.evolve(a, terms={key: -c for key, c in a.terms.items()})


def scale(a: Expansion, c: Coefficient, exact: bool) -> Expansion:
    """Return c a, for an exact coefficient c."""
    if not c:
        return Expansion({})
    size = _magnitude(c)
    terms: Terms = {key: c * x for key, x in a.terms.items()}
    error = 0.0 if exact else size * (a.error + ROUNDING * a.max_coefficient)
    return Expansion(terms, a.support, a.degree, a.multilinear, size * a.max_coefficient, error, size * a.dropped_sum)


def add(a: Expansion, b: Expansion, exact: bool) -> Expansion:
    """Return a + b."""
    if len(a.terms) < len(b.terms):
        a, b = b, a
    common = a.terms.keys() & b.terms.keys()
    support, degree, multilinear = a.support | b.support, max(a.degree, b.degree), a.multilinear and b.multilinear
    max_coefficient, error = max(a.max_coefficient, b.max_coefficient), max(a.error, b.error)
    dropped_sum = a.dropped_sum + b.dropped_sum
    if common:
        error = 0.0 if exact else a.error + b.error + ROUNDING * (a.max_coefficient + b.max_coefficient)
        terms, max_coefficient, dropped = _sum(
            a.terms, b.terms, common, threshold(error, max_coefficient), max_coefficient
        )
        dropped_sum += dropped * error * 2
    else:
        terms = a.terms | b.terms
    return Expansion(terms, support, degree, multilinear, max_coefficient, error, dropped_sum)


def threshold(error: float, max_coefficient: float) -> float:
    """Return the size below which a coefficient counts as the remainder of a cancellation."""
    return min(error, _MAX_CANCELLATION * max(1.0, max_coefficient))


class _Sum(NamedTuple):
    """Sum of the terms of two polynomials: terms, largest coefficient, and number of dropped terms."""

    terms: Terms
    max_coefficient: float
    dropped: int


def _sum(first: Terms, second: Terms, common: set[int], negligible: float, max_coefficient: float) -> _Sum:
    """Return the sum of polynomials with common terms; sums of terms that are negligible are dropped."""
    terms, dropped = first | second, 0
    for key in common:
        value = first[key] + second[key]
        size = abs(value)
        if size <= negligible:
            del terms[key]
            dropped += 1
        else:
            terms[key] = value
            if size > max_coefficient:
                max_coefficient = _magnitude(size)
    return _Sum(terms, max_coefficient, dropped)


def multiply(ring: Ring, a: Expansion, b: Expansion) -> Expansion:
    """Return a b."""
    if len(a.terms) < len(b.terms):
        a, b = b, a
    if a.support & b.support:
        return _overlapping(ring, a, b)
    terms = {j + k: x * y for k, y in b.terms.items() for j, x in a.terms.items()}
    error = 0.0 if ring.exact else _product_error(a, b)
    degree, multilinear = max(a.degree, b.degree), a.multilinear and b.multilinear
    max_coefficient, dropped_sum = a.max_coefficient * b.max_coefficient, _product_dropped_sum(a, b)
    return Expansion(terms, a.support | b.support, degree, multilinear, max_coefficient, error, dropped_sum)


def _product_error(a: Expansion, b: Expansion) -> float:
    return (
        a.error * b.max_coefficient
        + a.max_coefficient * b.error
        + a.error * b.error
        + ROUNDING * a.max_coefficient * b.max_coefficient
    )


def _product_dropped_sum(a: Expansion, b: Expansion) -> float:
    if not a.dropped_sum and not b.dropped_sum:
        return 0.0
    return a.dropped_sum * coefficient_sum(b) + coefficient_sum(a) * b.dropped_sum + a.dropped_sum * b.dropped_sum


def coefficient_sum(a: Expansion) -> float:
    """Return the sum of the absolute values of the coefficients and their errors."""
    return sum(map(_magnitude, a.terms.values())) + len(a.terms) * a.error


def _overlapping(ring: Ring, a: Expansion, b: Expansion) -> Expansion:
    """Return the product of polynomials that have variables in common."""
    degree = a.degree + b.degree
    if degree > MAX_EXPONENT:
        raise ArgumentError(f"exponents above {MAX_EXPONENT} are not supported", argument="other", value=degree)
    terms, support = multiply_terms(b.terms, a.terms), a.support | b.support
    count = min(len(a.terms), len(b.terms))
    error = count * (_product_error(a, b) + count * ROUNDING * a.max_coefficient * b.max_coefficient)
    for block in ring.blocks:
        if a.support & b.support & block.bit and block.circle:
            terms = with_circle_relation(terms, block)
            error *= 2 * degree * len(block.circle)
    error = 0.0 if ring.exact else error
    max_coefficient = max(map(_magnitude, terms.values()), default=0.0)
    negligible = threshold(error, max_coefficient)
    significant = {key: c for key, c in terms.items() if abs(c) > negligible}
    dropped_sum = _product_dropped_sum(a, b) + (len(terms) - len(significant)) * 2 * error
    return Expansion(significant, support, degree, False, max_coefficient, error, dropped_sum)


def multiply_terms(a: Terms, b: Terms) -> Terms:
    """Return the product of the terms of two polynomials, summed in the order of the terms of `a`, then of `b`."""
    terms: Terms = {}
    for j, x in a.items():
        for k, y in b.items():
            terms[j + k] = terms.get(j + k, 0) + y * x
    return terms


def with_circle_relation(terms: Terms, block: Block) -> Terms:
    """Return the terms with the square of the block's first circle variable replaced by one minus the others'."""
    shift = EXPONENT_BITS * block.circle[0]
    others = [2 << (EXPONENT_BITS * g) for g in block.circle[1:]]
    while True:
        high = [key for key in terms if (key >> shift) & MAX_EXPONENT > 1]
        if not high:
            return terms
        for key in high:
            c = terms.pop(key)
            lower = key - (2 << shift)
            terms[lower] = terms.get(lower, 0) + c
            for square in others:
                terms[lower + square] = terms.get(lower + square, 0) - c
