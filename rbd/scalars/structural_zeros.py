"""What is known of scalars without their values: zeros by structure, and sums that leave them out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def absent(x: object) -> bool:
    """Return whether a scalar is zero by structure: the integer 0, not a number that happens to vanish."""
    return type(x) is int and x == 0


def inner(a: Sequence[Any], b: Sequence[Any]) -> Any:
    """Return the sum of products."""
    total: Any = 0
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total
