"""Structural zeros: entries that are zero by the structure of a problem, and cost nothing."""

from __future__ import annotations

from fractions import Fraction


def is_structural_zero(x: object) -> bool:
    """Return whether a scalar is a structural zero: the integer or constant 0, not a number with value zero."""
    return isinstance(x, int) and x == 0


def is_plain_zero(x: object) -> bool:
    """Return whether `x` is a plain number, exact or a float, and zero: more than `is_structural_zero`."""
    return isinstance(x, (int, float, Fraction)) and x == 0
