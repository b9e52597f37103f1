"""Structural zeros: entries that are zero by the structure of a problem, and cost nothing."""

from __future__ import annotations


def is_structural_zero(x: object) -> bool:
    """Return whether a scalar is a structural zero: the integer or constant 0, not a number with value zero."""
    return isinstance(x, int) and x == 0
