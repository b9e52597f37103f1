"""SO(3) and SE(3) formulas in 50 digits, from their power series and definitions, to measure ours against.

Nothing here uses a closed form that ours uses: exponentials are matrix exponentials, Jacobians integrals of them in
series form, logarithms come from the angle the rotation was made with. Whoever uses it sets the digits, and sets them
back: they belong to the whole process.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import mpmath as mp
import numpy as np
from numpy.typing import NDArray

Big = Any  # mpmath matrices and numbers carry no types
Exact = NDArray[np.object_]
BITS = 320
"""Binary places of fixed-point numbers: 96 digits, of which the 1e8 that terms of series cancel takes eight."""


def vector(v: Sequence[float]) -> Big:
    return mp.matrix([mp.mpf(x) for x in v])


def hat(v: Big) -> Big:
    return mp.matrix([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def norm(v: Big) -> Big:
    return mp.sqrt(sum(x * x for x in v))


def fixed(m: Big) -> Exact:
    """Return a matrix as integers in units of 2^-BITS, which Python multiplies far faster than mpmath its numbers."""
    return np.array([[int(mp.ldexp(m[i, j], BITS)) for j in range(m.cols)] for i in range(m.rows)], dtype=object)


def real(m: Exact) -> Big:
    """Return as a matrix of mpmath what `fixed` has made."""
    return mp.matrix([[mp.ldexp(mp.mpf(x), -BITS) for x in row] for row in m])


def series(term: Exact, following: Callable[[Exact], Exact], first: int) -> Exact:
    """Return the sum of term_k / (k + first)!, each term made from the one before, to the last of the BITS."""
    total = term // math.factorial(first)
    for k in range(first + 1, 2000):
        term = following(term)
        total += term // math.factorial(k)
        if abs(term).max() < math.factorial(k):
            return total
    raise AssertionError("the series did not converge")


def powers(m: Big, first: int) -> Big:
    """Return the sum of m^k / (k + first)!."""
    factor = fixed(m)
    return real(series(fixed(mp.eye(m.rows)), lambda power: power.dot(factor) >> BITS, first))


def remembered(f: Callable[..., Big]) -> Callable[..., Big]:
    """Compute a function once for each set of vectors and number of digits: many tests ask for the same."""
    known: dict[tuple[object, ...], Big] = {}

    def call(*arguments: Big) -> Big:
        key = (mp.mp.prec, *(tuple(x) for x in arguments))
        if key not in known:
            known[key] = f(*arguments)
        return known[key].copy()

    return call


@remembered
def expm(m: Big) -> Big:
    return powers(m, 0)


@remembered
def left_jacobian(phi: Big) -> Big:
    return powers(hat(phi), 1)


@remembered
def left_jacobian_derivative(phi: Big, direction: Big) -> Big:
    """Return the derivative by the product rule in every term of the series."""
    p, d = fixed(hat(phi)), fixed(hat(direction))

    def following(power_and_derivative: Exact) -> Exact:
        power, derivative = power_and_derivative
        return np.array([power.dot(p), derivative.dot(p) + power.dot(d)]) >> BITS

    unit = fixed(mp.eye(3))
    return real(series(np.array([unit, 0 * unit]), following, 1)[1])


def largest_difference(actual: Any, expected: Big) -> float:
    """Return the largest difference of entries between nested tuples or arrays of numbers and an mpmath matrix."""
    flat = np.array(actual, dtype=object).reshape(-1)
    entries = [expected[i, j] for i in range(expected.rows) for j in range(expected.cols)]
    return max(float(abs(mp.mpf(float(a)) - e)) for a, e in zip(flat, entries, strict=True))


def rounded(m: Big) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(float(m[i, j]) for j in range(m.cols)) for i in range(m.rows))


def directions(count: int, seed: int) -> NDArray[np.float64]:
    """Return coordinate axes, near-axes and random unit vectors."""
    rng = np.random.default_rng(seed)
    special = np.array([[1, 0, 0], [0, -1, 0], [1e-9, 0, 1], [-1, 2, -1e-3]])
    drawn = np.concatenate([special, rng.normal(size=(count, 3))])
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
