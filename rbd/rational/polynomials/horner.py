"""Horner's scheme: values and partial derivatives of polynomials, for given values of the variables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from rbd.rational.polynomials.ring import EXPONENT_BITS, Terms

Values: TypeAlias = Mapping[int, Any]
"""The value of each variable, by its number."""


def horner(terms: Terms, values: Values) -> Any:
    """Return the value of a polynomial, the variable with the highest number outermost."""
    if terms.keys() <= {0}:
        return terms.get(0, 0)
    g, parts = _split(terms)
    result: Any = 0
    x = values[g]
    previous = max(parts)
    for exponent in sorted(parts, reverse=True):
        result = _times_power(result, x, previous - exponent) + horner(parts[exponent], values)
        previous = exponent
    return _times_power(result, x, previous)


def _split(terms: Terms) -> tuple[int, dict[int, Terms]]:
    """Return the variable with the highest number, and the coefficients of its powers, polynomials in the others."""
    g = (max(terms).bit_length() - 1) // EXPONENT_BITS
    shift = EXPONENT_BITS * g
    parts: dict[int, Terms] = {}
    mask = (1 << shift) - 1
    for key, c in terms.items():
        parts.setdefault(key >> shift, {})[key & mask] = c
    return g, parts


def partial_derivatives(terms: Terms, values: Values) -> dict[int, Any]:
    """Return the partial derivatives with respect to the variables that occur, by their numbers."""
    partials: dict[int, Any] = {}
    _accumulate_partials(terms, values, 1, partials)
    return partials


def _accumulate_partials(terms: Terms, values: Values, weight: Any, partials: dict[int, Any]) -> Any:
    """Add `weight` times the partial derivatives to `partials`; return the value, which the recursion needs."""
    if terms.keys() <= {0}:
        return terms.get(0, 0)
    g, parts = _split(terms)
    result: Any = 0
    for exponent, part in parts.items():
        power = _times_power(1, values[g], exponent)
        inner = _accumulate_partials(part, values, weight * power, partials)
        result = result + inner * power
        if exponent:
            derivative = _times_power(exponent * inner, values[g], exponent - 1)
            partials[g] = partials.get(g, 0) + weight * derivative
    return result


def _times_power(y: Any, x: Any, n: int) -> Any:
    for _ in range(n):
        y = y * x
    return y
