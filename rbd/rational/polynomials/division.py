"""Exact division of polynomials, for minimal denominators.

Polynomials in floats are divided only by sums of squares 1 + s², whose leading coefficients are one, so that rounding
errors in the remainder have a small bound; exact polynomials by any polynomial.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import Any

from rbd.rational.polynomials.arithmetic import Expansion, constant, threshold
from rbd.rational.polynomials.polynomial import Polynomial
from rbd.rational.polynomials.ring import MAX_EXPONENT, ROUNDING, Block, Kind, Ring, Terms, exponents, unit


def sum_of_squares(ring: Ring, block: Block) -> Polynomial:
    """Return 1 + s², for a rotation 1 + s0² + s1² + s2²."""
    one = ring.coefficient(1)
    terms: Terms = {0: one} | {2 * key: one for key in map(unit, block.s)}
    return Polynomial(ring, Expansion(terms, block.bit, 2, False, 1.0))


def bounded_blocks(ring: Ring) -> tuple[Block, ...]:
    """Return the blocks that have denominators 1 + s²: angles and rotations."""
    return tuple(block for block in ring.blocks if block.kind is not Kind.LENGTH)


def without_squares(p: Polynomial, block: Block, max_count: int) -> tuple[Polynomial, int]:
    """Return `p` divided by a block's 1 + s² while the remainder is zero, at most `max_count` times; and how often."""
    divisor, count = sum_of_squares(p.ring, block), 0
    while count < max_count and (divided := quotient(p, divisor)) is not None:
        p, count = divided, count + 1
    return p, count


def quotient(p: Polynomial, divisor: Polynomial) -> Polynomial | None:
    """Return p / divisor if that is a polynomial (up to rounding); else None."""
    a, b = p.expansion, divisor.expansion
    if a.degree + b.degree > MAX_EXPONENT:
        return None
    # In floats the divisor is 1 + s²: a coefficient of the quotient sums at most this many, each with its error.
    growth = float((a.degree + 1) * max(1, len(b.terms) - 1) ** (a.degree // 2))
    error = 0.0 if p.ring.exact else growth * (a.error + ROUNDING * a.max_coefficient)
    terms = _divided(p.ring, a.terms, b.terms, threshold(error, a.max_coefficient))
    if terms is None:
        return None
    largest = max((abs(float(c)) for c in terms.values()), default=0.0)
    return Polynomial(
        p.ring, Expansion(terms, a.support | b.support, a.degree, False, largest, error, growth * a.dropped_sum)
    )


def common_factor(p: Polynomial, divisor: Polynomial | None) -> tuple[Polynomial, Polynomial | None]:
    """Return p / divisor as a constant, and None, if it is one up to rounding; else both unchanged."""
    if divisor is None:
        return p, None
    a, b = p.expansion, divisor.expansion
    largest = max(b.terms, key=lambda key: abs(b.terms[key]))
    if a.terms.keys() != b.terms.keys():
        return p, divisor
    c = a.terms[largest] / b.terms[largest]
    size = abs(float(c))
    error = 0.0 if p.ring.exact else a.error + size * b.error + 4 * ROUNDING * a.max_coefficient
    negligible = threshold(error, max(a.max_coefficient, size * b.max_coefficient))
    if any(abs(x - c * b.terms[key]) > negligible for key, x in a.terms.items()):
        return p, divisor
    return Polynomial(p.ring, constant(c, error / abs(float(b.terms[largest])))), None


def _divided(ring: Ring, terms: Terms, divisor: Terms, negligible: float) -> Terms | None:
    """Return the quotient, or None if a remainder is left; packed monomials are ordered as integers."""
    lead, quotient = max(divisor), Terms()
    lead_powers = ring.powers_of(lead)
    rest = {key - lead: c for key, c in divisor.items() if key != lead}
    remainder, descending = dict(terms), [-key for key in terms]
    heapq.heapify(descending)
    while descending:
        key = -heapq.heappop(descending)
        c = remainder.pop(key, 0)
        if abs(c) <= negligible:
            continue
        if any(exponents(key, (g,))[0] < e for g, e in lead_powers):
            return None
        quotient[key - lead] = factor = c / divisor[lead]
        _subtract(remainder, descending, [(key + other, factor * d) for other, d in rest.items()])
    return quotient


def _subtract(remainder: Terms, descending: list[int], terms: Sequence[tuple[int, Any]]) -> None:
    """Subtract terms from a remainder; `descending` is the heap of its negative monomials."""
    for monomial, c in terms:
        if monomial not in remainder:
            heapq.heappush(descending, -monomial)
        remainder[monomial] = remainder.get(monomial, 0) - c
