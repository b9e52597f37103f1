"""Derivatives of polynomials by s: of scalars or of floats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rbd.rational.polynomials.evaluation import lifted
from rbd.rational.polynomials.horner import Values, partial_derivatives
from rbd.rational.polynomials.ring import Kind, Ring, Terms
from rbd.rational.polynomials.s_checks import checked_s
from rbd.rational.polynomials.substitution import array_values, scalar_values, without_array_scalars


def derivatives(ring: Ring, polynomials: Sequence[Terms], s: object) -> list[list[Any]]:
    """Return the derivatives of polynomials at one s: a list per polynomial, with an entry for every entry of s.

    Those with respect to infinite entries are zero.
    """
    checked = checked_s(ring, s)
    values: Values
    if isinstance(checked, tuple):
        values, polynomials = scalar_values(ring, checked), [lifted(terms, checked) for terms in polynomials]
    else:
        values = without_array_scalars(array_values(ring, checked))
    by_s = _variable_derivatives(ring, values)
    result: list[list[Any]] = []
    for terms in polynomials:
        partials = partial_derivatives(terms, values)
        result.append([sum((partials[g] * x for g, x in by.items() if g in partials), 0) for by in by_s])
    return result


def _variable_derivatives(ring: Ring, values: Values) -> list[dict[int, Any]]:
    """Return, for every entry of s, the derivatives of the variables that depend on it; finite at infinite s."""
    by_s: list[dict[int, Any]] = []
    for block in ring.blocks:
        circle = [values[g] for g in block.circle]
        for position, g in enumerate(block.s):
            by_s.append(
                {g: 1} | dict(zip(block.circle, _circle_derivatives(block.kind, circle, position), strict=True))
            )
    return by_s


def _circle_derivatives(kind: Kind, circle: Sequence[Any], position: int) -> list[Any]:
    """Return the derivatives of cosine and sine, or of a unit quaternion, with respect to one s of their block."""
    if kind is Kind.ANGLE:
        cos, sin = circle
        return [-(1 + cos) * sin, (1 + cos) * cos]
    return [circle[0] * ((1 if k == position + 1 else 0) - x * circle[position + 1]) for k, x in enumerate(circle)]
