"""Bernstein control values of a block's monomials on an interval of s.

On an interval, numerator and denominator are polynomials in Bernstein form. Where the denominator's coefficients are
positive, all values are convex combinations of the quotients of coefficients, the control values. (Of cosine and sine,
they are both ends of the arc and the intersection of the tangents there.) The ends of the interval are points of the
projective line with integer coordinates: (d, n) for s = n / d, (0, ±1) at infinity; so that all is exact but the final
division.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Final, TypeAlias, final

import attrs
import numpy as np

from rbd.errors import NotFiniteError
from rbd.rational.polynomials.half_angle import circle_numerator
from rbd.rational.polynomials.ring import Block, Kind, exponents, unit
from rbd.scalars.arrays import Array

Form: TypeAlias = list[int]
"""A homogeneous polynomial in (1 - t, t): Bernstein coefficients times binomials. Products are convolutions."""
Row: TypeAlias = tuple[float, ...]
"""The control values of all monomials at one control point."""

_MAX_ARC: Final = math.pi / 2
"""The longest arc: longer ones are cut, since the tangents at their ends meet far outside."""


@final
@attrs.frozen(eq=False)
class BlockMonomials:
    """Monomials of one block, as exponents of circle variables and of s, over (1 + s²) to `power`."""

    block: Block
    exponents: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]
    power: int

    @property
    def circle_power(self) -> int:
        """The power of 1 + s² in the denominators of the circle variables."""
        degree = max(sum(circle) for circle, _ in self.exponents)
        return (degree + 1) // 2 if self.block.kind is Kind.ROTATION else degree

    @property
    def degree(self) -> int:
        """The degree of all numerators and the denominator in every s."""
        highest = max((max(s, default=0) for _, s in self.exponents), default=0)
        return max(2 * (self.circle_power + self.power), 2 * self.circle_power + highest)


def controls(monomials: BlockMonomials, low: Sequence[float], high: Sequence[float], pieces: int) -> Array:
    """Return the control values, one row per control point and one column per monomial, correctly rounded.

    Raises NotFiniteError where a monomial is not bounded.
    """
    if monomials.block.kind is Kind.ROTATION:
        boxes = itertools.product(*(_cuts(a, b, pieces, monomials) for a, b in zip(low, high, strict=True)))
        rows = [row for box in boxes for row in _rotation_rows(monomials, box)]
    else:
        rows = [row for ends in _cuts(low[0], high[0], pieces, monomials) for row in _rows(monomials, *ends)]
    return np.array(list(dict.fromkeys(rows)))  # neighbouring pieces share an end


def _cuts(low: float, high: float, pieces: int, monomials: BlockMonomials) -> list[tuple[float, float]]:
    """Return the parts of an interval."""
    if monomials.block.kind is Kind.LENGTH:
        inner = np.linspace(low, high, pieces + 1)[1:-1].tolist()
    else:
        start, end = 2 * math.atan(low), 2 * math.atan(high)
        count = pieces * max(1, math.ceil((end - start) / _MAX_ARC - 1e-9))
        inner = [math.tan(x / 2) for x in np.linspace(start, end, count + 1)[1:-1].tolist()]
    ends = [low, *(x for x in inner if low < x < high), high]
    return list(itertools.pairwise(ends))


def _projective(s: float) -> tuple[int, int]:
    """Return s as a point of the projective line."""
    if math.isinf(s):
        return 0, 1 if s > 0 else -1
    numerator, denominator = s.as_integer_ratio()
    return denominator, numerator


def _rows(monomials: BlockMonomials, low: float, high: float) -> list[Row]:
    """Return the control values on one interval, of one variable."""
    (u0, v0), (u1, v1) = _projective(low), _projective(high)
    u, v = [u0, u1], [v0, v1]
    squares = _sum(_product(u, u), _product(v, v))
    circle_power, n = monomials.circle_power, monomials.degree
    power = circle_power + monomials.power
    denominator = _product(_power(squares, power), _power(u, n - 2 * power))
    if min(denominator) <= 0:
        message = f"s[{monomials.block.first}] is unbounded on an infinite interval; give it finite bounds"
        raise NotFiniteError(message, argument="s_low", index=(0,))
    numerators = [
        _product(_circle(u, v, squares, circle_power, circle), _rest(u, v, n - 2 * circle_power, s))
        for circle, s in monomials.exponents
    ]
    return [tuple(form[k] / denominator[k] for form in numerators) for k in range(n + 1)]


def _circle(u: Form, v: Form, squares: Form, power: int, circle: Sequence[int]) -> Form:
    """Return (1 - s²)^a (2 s)^b (1 + s²)^(power - a - b), homogeneous."""
    cos, sin = circle or (0, 0)
    difference = _sum(_product(u, u), [-x for x in _product(v, v)])
    twice = [2 * x for x in _product(u, v)]
    return _product(_product(_power(difference, cos), _power(twice, sin)), _power(squares, power - cos - sin))


def _rest(u: Form, v: Form, degree: int, s: Sequence[int]) -> Form:
    return _product(_power(v, s[0]), _power(u, degree - s[0]))


def _product(a: Form, b: Form) -> Form:
    result = [0] * (len(a) + len(b) - 1)
    for (i, x), (j, y) in itertools.product(enumerate(a), enumerate(b)):
        result[i + j] += x * y
    return result


def _sum(a: Form, b: Form) -> Form:
    return [x + y for x, y in zip(a, b, strict=True)]


def _power(a: Form, n: int) -> Form:
    result = [1]
    for _ in range(n):
        result = _product(result, a)
    return result


# --- rotations: three variables at a time -----------------------------------------------------------------------------


def _rotation_rows(monomials: BlockMonomials, box: Sequence[tuple[float, float]]) -> list[Row]:
    """Return the control values on a box of the three s of a rotation, cut in eight where it is too wide."""
    n, power = monomials.degree, monomials.circle_power + monomials.power
    block, tables = monomials.block, [_powers(low, high, n) for low, high in box]
    denominator = _expanded(block, circle_numerator(block, power, (0, 0, 0, 0)), tables, n)
    if min(denominator) <= 0:
        smaller = itertools.product(*(_halved(low, high) for low, high in box))
        return [row for part in smaller for row in _rotation_rows(monomials, part)]
    numerators = [
        _expanded(block, _raised(block, circle_numerator(block, monomials.circle_power, circle), s), tables, n)
        for circle, s in monomials.exponents
    ]
    return [tuple(form[k] / denominator[k] for form in numerators) for k in range(len(denominator))]


def _halved(low: float, high: float) -> list[tuple[float, float]]:
    middle = 0.0 if low < 0.0 < high else (low + high) / 2
    return [(low, middle), (middle, high)] if low < middle < high else [(low, high)]


def _powers(low: float, high: float, n: int) -> list[Form]:
    """Return s^j on an interval for j up to n, all of degree n."""
    if math.isinf(low) or math.isinf(high):
        raise NotFiniteError("s_low and s_high must be finite for rotations", argument="s_low", index=(0,))
    (u0, v0), (u1, v1) = _projective(low), _projective(high)
    return [_product(_power([v0, v1], j), _power([u0, u1], n - j)) for j in range(n + 1)]


def _raised(block: Block, polynomial: dict[int, int], s: Sequence[int]) -> dict[int, int]:
    shift = sum(e * unit(g) for g, e in zip(block.s, s, strict=True))
    return {key + shift: c for key, c in polynomial.items()}


def _expanded(block: Block, polynomial: dict[int, int], tables: Sequence[Sequence[Form]], n: int) -> Form:
    """Return the Bernstein coefficients of a polynomial in the three s of a block, as one list."""
    result = [0] * (n + 1) ** 3
    for key, c in polynomial.items():
        x, y, z = (table[exponent] for table, exponent in zip(tables, exponents(key, block.s), strict=True))
        for k, (a, b, d) in enumerate(itertools.product(x, y, z)):
            result[k] += c * a * b * d
    return result
