"""Nominal configurations q*: checks and conversions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias, cast

from rbd.arguments import boolean
from rbd.errors import ScalarError, quoted
from rbd.rational.polynomials.polynomial_scalars import HalfTangent, NominalValues
from rbd.scalars import Scalar, is_float, scalars
from rbd.scalars.arrays import float_array

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

NominalLike: TypeAlias = "ArrayLike | Sequence[object]"
"""A nominal configuration: numbers, and HalfTangent for angles."""


def nominal_values(q_star: object, nq: int, *, exact: bool) -> NominalValues:
    """Return q* checked: floats, or fractions if `exact`, and HalfTangent.

    Raises ShapeError, NotFiniteError or ScalarError naming q_star.
    """
    exact = boolean(exact, "exact")
    listed = cast("Sequence[object]", q_star) if isinstance(q_star, (tuple, list)) else scalars(q_star, nq, "q_star")
    if not exact and not any(isinstance(x, (HalfTangent, Fraction)) for x in listed):
        return tuple(cast("list[float]", float_array(listed, (nq,), "q_star").tolist()))
    checked = scalars([Fraction(0) if isinstance(x, HalfTangent) else x for x in listed], nq, "q_star")
    return tuple(
        entry if isinstance(entry, HalfTangent) else _entry(x, i, exact=exact)
        for i, (entry, x) in enumerate(zip(listed, checked, strict=True))
    )


def _entry(x: Scalar, i: int, *, exact: bool) -> float | Fraction:
    if not is_float(x) and not isinstance(x, Fraction):
        raise ScalarError(f"q_star[{i}] must be a real number, not {quoted(x)}", argument="q_star", scalar=x)
    return Fraction(cast("float", x)) if exact else float(cast("float", x))
