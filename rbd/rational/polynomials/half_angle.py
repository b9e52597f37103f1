"""Tangent half-angle substitution: cos = (1 - s²) / (1 + s²), sin = 2 s / (1 + s²).

It makes a polynomial in cosines and sines a rational function of s (Amice, Dai, Werner, Zhang, Tedrake, *Finding and
optimizing certified, collision-free regions in configuration space*, 2022). The quaternion of a rotation is
(1, s0, s1, s2) / √(1 + s0² + s1² + s2²). Polynomials in floats are converted as dense arrays, one axis per angle; exact
ones, those with rotations, and those with many angles, term by term.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias, cast, final

import attrs
import numpy as np

from rbd.errors import ArgumentError
from rbd.rational.polynomials.arithmetic import Expansion, multiply_terms
from rbd.rational.polynomials.polynomial import Polynomial
from rbd.rational.polynomials.rational_function import RationalFunction
from rbd.rational.polynomials.ring import MAX_EXPONENT, ROUNDING, Block, Kind, Ring, Terms, exponents, unit

_MAX_DENSE_SIZE: Final = 60_000
"""The largest size at which a dense array is used."""

_CANCELLATION: Final = 32 * ROUNDING
"""A sum below this share of its summands' sizes is the remainder of a cancellation."""

_BASIS: Final = np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 2.0], [1.0, -1.0, 0.0]])
"""From coefficients of (1, cos, sin) to those of (1, s, s²) over 1 + s²."""


def rational_function(p: Polynomial) -> RationalFunction:
    """Return a polynomial as a rational function of s; raise ArgumentError where a root of s would remain."""
    ring, expansion = p.ring, p.expansion
    used = functools.reduce(lambda a, b: a | b, expansion.terms, 0)
    blocks = [block for block in ring.blocks if block.circle and any(exponents(used, block.circle))]
    dense = not ring.exact and expansion.multilinear and all(block.kind is Kind.ANGLE for block in blocks)
    if dense and 3 ** len(blocks) <= _MAX_DENSE_SIZE and not _has_others(ring, used, blocks):
        return RationalFunction(_converted_dense(p, blocks), {block.number: 1 for block in blocks})
    powers = {block.number: _denominator_power(ring, expansion.terms, block) for block in blocks}
    return RationalFunction(_converted_sparse(p, powers), powers)


def _has_others(ring: Ring, used: int, blocks: Sequence[Block]) -> bool:
    """Return whether variables other than the circle variables of these blocks occur."""
    circles = {g for block in blocks for g in block.circle}
    return any(g not in circles for g, _ in ring.powers_of(used))


def _denominator_power(ring: Ring, terms: Terms, block: Block) -> int:
    """Return the power of 1 + s² in the denominator: the degree in cosine and sine, half that in a quaternion."""
    degrees = {sum(exponents(key, block.circle)) for key in terms}
    if 2 * max(degrees) > MAX_EXPONENT:
        raise ArgumentError(
            f"powers above {MAX_EXPONENT // 2} are not supported", argument="polynomial", value=max(degrees)
        )
    if block.kind is Kind.ANGLE:
        return max(degrees)
    require_even(ring, terms)
    return max(degrees) // 2


def require_even(ring: Ring, terms: Terms) -> None:
    """Raise ArgumentError where a product of an odd number of entries of a quaternion occurs."""
    for block in ring.blocks:
        if block.kind is Kind.ROTATION and any(sum(exponents(key, block.circle)) % 2 for key in terms):
            name = ring.names[block.circle[0]]
            message = f"products of an odd number of {name} and others of its block have a square root in s"
            raise ArgumentError(message, argument="polynomial", value=name, allowed="even powers")


# --- dense: every angle once ------------------------------------------------------------------------------------------


def _converted_dense(p: Polynomial, blocks: Sequence[Block]) -> Polynomial:
    index_of, keys = _positions(tuple((block.circle[0], block.circle[1], block.s[0]) for block in blocks))
    coefficients = np.zeros(len(keys))
    terms = p.expansion.terms
    coefficients[[index_of[key] for key in terms]] = list(cast("Mapping[int, float]", terms).values())
    result, sizes = coefficients, np.abs(coefficients)
    for _ in blocks:  # moves its axis to the end, so that the order is restored after all of them
        result = (_BASIS @ result.reshape(3, -1)).T.reshape(-1)
        sizes = (np.abs(_BASIS) @ sizes.reshape(3, -1)).T.reshape(-1)
    is_dropped = np.abs(result) <= _CANCELLATION * sizes
    result[is_dropped] = 0.0
    terms_in_s: Terms = {key: c for key, c in zip(keys, result.tolist(), strict=True) if c}
    dropped = sizes[is_dropped & (sizes > 0.0)]
    errors = _SubstitutionErrors(
        2.0 ** len(blocks), 2 * len(blocks), float(sizes.max(initial=0.0)), float(dropped.sum()), len(dropped)
    )
    return Polynomial(p.ring, errors.expansion(p.expansion, terms_in_s, max(2, p.expansion.degree)))


@final
@attrs.frozen
class _SubstitutionErrors:
    """Errors of a substitution: growth factor, roundings per coefficient, the largest size, what was dropped."""

    growth: float
    roundings: int
    largest: float
    dropped_size: float
    dropped_count: int

    def expansion(self, original: Expansion, terms: Terms, degree: int) -> Expansion:
        """Return the numerator with these terms."""
        error, rounding = self.growth * original.error, _CANCELLATION + self.roundings * ROUNDING
        dropped_sum = self.growth * original.dropped_sum + self.dropped_count * error + rounding * self.dropped_size
        largest_coefficient = max((abs(float(c)) for c in terms.values()), default=0.0)
        return Expansion(
            terms, original.support, degree, False, largest_coefficient, error + rounding * self.largest, dropped_sum
        )


@functools.lru_cache(maxsize=64)
def _positions(generators: tuple[tuple[int, int, int], ...]) -> tuple[dict[int, int], list[int]]:
    """Return the positions of circle monomials in the dense array, and the monomials in s at the same positions."""
    before = _sums([(0, unit(cos), unit(sin)) for cos, sin, _ in generators])
    after = _sums([(0, unit(s), 2 * unit(s)) for _, _, s in generators])
    return {key: position for position, key in enumerate(before)}, after


def _sums(choices: Sequence[tuple[int, ...]]) -> list[int]:
    keys = [0]
    for options in choices:
        keys = [key + option for key in keys for option in options]
    return keys


# --- term by term -----------------------------------------------------------------------------------------------------

_Row: TypeAlias = tuple[tuple[int, int], ...]
"""A polynomial in the s of one block: packed monomials with whole coefficients."""


def _converted_sparse(p: Polynomial, powers: Mapping[int, int]) -> Polynomial:
    ring, terms = p.ring, p.expansion.terms
    sizes: Terms = {key: abs(c) for key, c in terms.items()}
    growth = 1.0
    for number, power in powers.items():
        block, rows = ring.blocks[number], _Numerators(ring.blocks[number], power)
        terms, sizes = _substituted(ring, terms, sizes, block, rows)
        growth *= rows.growth
    degree = p.expansion.degree + 2 * max(powers.values(), default=0)
    if ring.exact:
        return Polynomial(
            ring, Expansion({key: c for key, c in terms.items() if c}, p.expansion.support, degree, False)
        )
    significant, dropped = _without_cancelled(terms, sizes)
    roundings = len(p.expansion.terms) + sum(len(terms).bit_length() + 4 * power + 8 for power in powers.values())
    errors = _SubstitutionErrors(growth, roundings, max(sizes.values(), default=0.0), sum(dropped), len(dropped))
    return Polynomial(ring, errors.expansion(p.expansion, significant, degree))


def _without_cancelled(terms: Terms, sizes: Terms) -> tuple[Terms, list[float]]:
    """Return the terms that are more than cancellation has left of summands of these sizes; and the others' sizes."""
    significant = {key: c for key, c in terms.items() if abs(c) > _CANCELLATION * sizes[key]}
    return significant, [sizes[key] for key in terms.keys() - significant.keys()]


def _substituted(ring: Ring, terms: Terms, sizes: Terms, block: Block, rows: _Numerators) -> tuple[Terms, Terms]:
    """Return the terms with a block's circle variables replaced, and the sums of the summands' sizes."""
    result: Terms = {}
    result_sizes: Terms = {}
    for key, c in terms.items():
        powers = exponents(key, block.circle)
        rest = key - sum(e * unit(g) for g, e in zip(block.circle, powers, strict=True))
        for monomial, factor in rows[powers]:
            result[rest + monomial] = result.get(rest + monomial, 0) + factor * c
            result_sizes[rest + monomial] = result_sizes.get(rest + monomial, 0) + abs(factor) * sizes[key]
    return result, result_sizes


@final
class _Numerators(dict[tuple[int, ...], _Row]):
    """Numerators of the circle monomials of one block, over (1 + s²) to a power."""

    def __init__(self, block: Block, power: int) -> None:
        super().__init__()
        self._block, self._power = block, power
        self.growth = 4.0**power * (2.0 * power + 1.0) ** len(block.s)  # factors, times monomials

    def __missing__(self, powers: tuple[int, ...]) -> _Row:
        row = self[powers] = tuple(circle_numerator(self._block, self._power, powers).items())
        return row


def circle_numerator(block: Block, power: int, exponents: tuple[int, ...]) -> dict[int, int]:
    """Return a circle monomial of a block times (1 + s²)^power, as a polynomial in s."""
    if block.kind is Kind.ANGLE:
        cos, sin = exponents
        square = 2 * unit(block.s[0])
        result = multiply_terms(_binomial(square, cos, -1), _binomial(square, power - cos - sin, 1))
        return {key + sin * unit(block.s[0]): c * 2**sin for key, c in result.items()}
    left = power - sum(exponents) // 2
    shift = sum(e * unit(g) for g, e in zip(block.s, exponents[1:], strict=True))
    return {key + shift: c for key, c in _sum_of_squares_power(block, left).items()}


def _binomial(square: int, n: int, sign: int) -> dict[int, int]:
    """Return (1 + sign x)^n for the packed monomial x."""
    return {j * square: math.comb(n, j) * sign**j for j in range(n + 1)}


def _sum_of_squares_power(block: Block, n: int) -> dict[int, int]:
    """Return (1 + s²)^n, for a rotation with s² = s0² + s1² + s2²."""
    result: dict[int, int] = {}
    for powers in itertools.product(range(n + 1), repeat=len(block.s)):
        rest = n - sum(powers)
        if rest >= 0:
            ways = math.factorial(n) // math.prod(map(math.factorial, (*powers, rest)))
            result[sum(2 * j * unit(g) for j, g in zip(powers, block.s, strict=True))] = ways
    return result
