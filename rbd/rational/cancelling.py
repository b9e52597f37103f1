"""Division of polynomials without remainder, for denominators that are no larger than they must be.

Polynomials in floats are divided by sums of squares alone, whose leading coefficients are one: what rounding leaves of
a remainder is then known to be small. Exact ones by any polynomial.
"""

from __future__ import annotations

import heapq

from rbd.rational.arithmetic import Content, constant, threshold
from rbd.rational.polynomial import Polynomial
from rbd.rational.ring import LARGEST, ROUNDING, Block, Kind, Packed, Ring


def sum_of_squares(ring: Ring, block: Block) -> Polynomial:
    """Return one plus the squares of a block's s."""
    one = ring.coefficient(1)
    terms: Packed = {0: one} | {2 * key: one for key in (1 << (6 * g) for g in block.s)}
    return Polynomial(ring, Content(terms, block.bit, 2, False, 1.0))


def bounded_blocks(ring: Ring) -> tuple[Block, ...]:
    """Return the blocks whose s stand over sums of squares: angles and rotations."""
    return tuple(block for block in ring.blocks if block.kind is not Kind.LENGTH)


def without_squares(p: Polynomial, block: Block, most: int) -> tuple[Polynomial, int]:
    """Return `p` divided by a block's sum of squares as often as that leaves nothing, at most `most` times."""
    divisor, count = sum_of_squares(p.ring, block), 0
    while count < most and (found := quotient(p, divisor)) is not None:
        p, count = found, count + 1
    return p, count


def quotient(p: Polynomial, divisor: Polynomial) -> Polynomial | None:
    """Return p / divisor if that is a polynomial, in floats up to rounding; None where it is not."""
    a, b = p.content, divisor.content
    if a.degree + b.degree > LARGEST:
        return None
    # In floats the divisor is a sum of squares: a coefficient is the sum of so many, each with its error.
    growth = float((a.degree + 1) * max(1, len(b.terms) - 1) ** (a.degree // 2))
    error = 0.0 if p.ring.exact else growth * (a.error + ROUNDING * a.top)
    found = _divided(p.ring, a.terms, b.terms, threshold(error, a.top))
    if found is None:
        return None
    top = max((abs(float(c)) for c in found.values()), default=0.0)
    return Polynomial(p.ring, Content(found, a.support | b.support, a.degree, False, top, error, growth * a.lost))


def common_factor(p: Polynomial, divisor: Polynomial | None) -> tuple[Polynomial, Polynomial | None]:
    """Return p / divisor as a number where it is one, up to rounding; else both as they are."""
    if divisor is None:
        return p, None
    a, b = p.content, divisor.content
    largest = max(b.terms, key=lambda key: abs(b.terms[key]))
    if a.terms.keys() != b.terms.keys():
        return p, divisor
    c = a.terms[largest] / b.terms[largest]
    size = abs(float(c))
    error = 0.0 if p.ring.exact else a.error + size * b.error + 4 * ROUNDING * a.top
    nothing = threshold(error, max(a.top, size * b.top))
    if any(abs(x - c * b.terms[key]) > nothing for key, x in a.terms.items()):
        return p, divisor
    return Polynomial(p.ring, constant(c, error / abs(float(b.terms[largest])))), None


def _divided(ring: Ring, terms: Packed, divisor: Packed, nothing: float) -> Packed | None:
    """Divide by leading monomials, which packed compare as integers; None when something remains."""
    lead = max(divisor)
    least = ring.unpacked(lead)
    rest = {key: c for key, c in divisor.items() if key != lead}
    left, order = dict(terms), [-key for key in terms]
    heapq.heapify(order)
    found: Packed = {}
    while order:
        key = -heapq.heappop(order)
        c = left.pop(key, 0)
        if abs(c) <= nothing:
            continue
        if any(
            exponent < e for exponent, (_, e) in zip(ring.exponents(key, [g for g, _ in least]), least, strict=True)
        ):
            return None
        found[key - lead] = c = c / divisor[lead]
        for other, d in rest.items():
            at = key - lead + other
            if at not in left:
                heapq.heappush(order, -at)
            left[at] = left.get(at, 0) - c * d
    return found
