"""SO(3) and SE(3) formulas in 50 digits, from their power series and definitions, to measure ours against.

Nothing here uses a closed form that ours uses: exponentials are matrix exponentials, Jacobians integrals of them in
series form, logarithms come from the angle the rotation was made with. Whoever uses it sets the digits, and sets them
back: they belong to the whole process.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import mpmath as mp
import numpy as np
from numpy.typing import NDArray

Big = Any  # mpmath matrices and numbers carry no types


def vector(v: Sequence[float]) -> Big:
    return mp.matrix([mp.mpf(x) for x in v])


def hat(v: Big) -> Big:
    return mp.matrix([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def norm(v: Big) -> Big:
    return mp.sqrt(sum(x * x for x in v))


def series(m: Big, coefficient: Callable[[int], Big]) -> Big:
    """Return the sum of coefficient(k) m^k."""
    total, power = mp.zeros(m.rows), mp.eye(m.rows)
    size = mp.mnorm(m, 1)
    for k in range(2000):
        total += coefficient(k) * power
        power = power * m
        if size ** (k + 1) / mp.factorial(k + 1) < mp.mpf(10) ** -40:
            return total
    raise AssertionError("the series did not converge")


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
    return series(m, lambda k: 1 / mp.factorial(k))


@remembered
def left_jacobian(phi: Big) -> Big:
    return series(hat(phi), lambda k: 1 / mp.factorial(k + 1))


@remembered
def left_jacobian_derivative(phi: Big, direction: Big) -> Big:
    """Return the derivative by the product rule in every term of the series."""
    p, d = hat(phi), hat(direction)
    total, power, derivative = mp.zeros(3), mp.eye(3), mp.zeros(3)
    for k in range(1, 400):
        derivative = derivative * p + power * d
        power = power * p
        total += derivative / mp.factorial(k + 1)
        if norm(phi) ** (k - 1) / mp.factorial(k + 1) < mp.mpf(10) ** -40:
            return total
    raise AssertionError("the series did not converge")


def little_adjoint(phi: Big, rho: Big) -> Big:
    big = mp.zeros(6)
    p, r = hat(phi), hat(rho)
    for i in range(3):
        for j in range(3):
            big[i, j] = big[i + 3, j + 3] = p[i, j]
            big[i + 3, j] = r[i, j]
    return big


@remembered
def pose_left_jacobian(phi: Big, rho: Big) -> Big:
    return series(little_adjoint(phi, rho), lambda k: 1 / mp.factorial(k + 1))


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
