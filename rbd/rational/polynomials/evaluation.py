"""Values of polynomials and quotients at s: of scalars or of arrays of floats."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import numpy as np

from rbd.errors import SingularError
from rbd.program.status import range_error
from rbd.rational.polynomials.horner import horner
from rbd.rational.polynomials.ring import Ring, Terms
from rbd.rational.polynomials.s_checks import checked_s
from rbd.rational.polynomials.substitution import ArraySubstitution, array_values, scalar_values, without_array_scalars
from rbd.scalars import Vector, lift
from rbd.scalars.arrays import Array


@contextmanager
def _pole_errors() -> Generator[None]:
    """Raise SingularError where s is a pole: 1 + s² = 0, for complex s, for example."""
    try:
        yield
    except ZeroDivisionError as error:
        raise SingularError("s is a pole: one plus the sum of squares is zero", what="1 + s²") from error


def value(ring: Ring, terms: Terms, s: object, substitution: ArraySubstitution = array_values) -> Any:
    """Return the value at s: a scalar, or an array where s has leading axes."""
    checked = checked_s(ring, s)
    if isinstance(checked, tuple):
        with _pole_errors():
            result = horner(lifted(terms, checked), scalar_values(ring, checked))
        return _scalar_in_range(result, checked, "the value of the polynomial")
    with np.errstate(over="ignore", invalid="ignore"):
        result = _broadcast(horner(terms, without_array_scalars(substitution(ring, checked))), checked.shape[:-1])
    return _in_range(result, checked, "the value of the polynomial")


def _in_range(result: Any, s: Any, what: str) -> Any:
    """Return a result; raise NotFiniteError if it is not finite, and s is."""
    if not np.isfinite(result).all() and np.isfinite(s).all():
        raise range_error(what)
    return result


def _scalar_in_range(result: Any, s: Any, what: str) -> Any:
    """Return a result; raise NotFiniteError if it is a complex number that is not finite, and s is."""
    if not isinstance(result, complex):
        return result
    return _in_range(result, np.array([x for x in s if isinstance(x, complex)]), what)


def ratio_in_s(ring: Ring, numerator: Terms, denominator: Terms, s: Array | Vector) -> Any:
    """Return a quotient of polynomials without circle variables, for checked s: rotations need no square roots.

    The denominator has no zeros at floats.
    """
    with _pole_errors(), np.errstate(over="ignore", invalid="ignore"):
        result = _value_in_s(ring, numerator, s) / _value_in_s(ring, denominator, s)
    in_range = _scalar_in_range if isinstance(s, tuple) else _in_range
    return in_range(result, s, "the value of the rational function")


def _value_in_s(ring: Ring, terms: Terms, s: Array | Vector) -> Any:
    """Return the value of a polynomial without circle variables, for checked s."""
    if isinstance(s, tuple):
        return horner(lifted(terms, s), {g: s[i] for i, g in _s_variables(ring)})
    return _broadcast(horner(terms, without_array_scalars({g: s[..., i] for i, g in _s_variables(ring)})), s.shape[:-1])


def _s_variables(ring: Ring) -> list[tuple[int, int]]:
    return [pair for block in ring.blocks for pair in zip(block.indices, block.s, strict=True)]


def ratio(ring: Ring, numerator: Terms, denominator: Terms, s: Array, substitution: ArraySubstitution) -> Any:
    """Return the value of a quotient at an array of floats: infinite or NaN at poles."""
    values = without_array_scalars(substitution(ring, s))
    dividend, divisor = (np.asarray(horner(terms, values), dtype=np.float64) for terms in (numerator, denominator))
    with np.errstate(divide="ignore", invalid="ignore"):
        return _broadcast(dividend / divisor, s.shape[:-1])


def lifted(terms: Terms, like: Vector) -> Terms:
    """Return a polynomial with coefficients that combine with these scalars."""
    return {key: lift(c, like) for key, c in terms.items()}


def _broadcast(result: Any, shape: tuple[int, ...]) -> Any:
    """Return a result broadcast to the leading axes; constants may be fractions."""
    return np.broadcast_to(np.asarray(result, dtype=np.float64), shape).copy() if shape else float(result)
