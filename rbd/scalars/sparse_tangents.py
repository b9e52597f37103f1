"""Sparse derivatives along several directions, for dual numbers.

They are the derivative of a dual number. Only structural nonzeros are stored, so the cost of one run depends on the
sparsity of the derivatives, not on the number of directions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, final

from typing_extensions import override

from rbd.scalars.conditions import where
from rbd.scalars.functions import divide
from rbd.scalars.protocol import Condition, Scalar
from rbd.scalars.registry import family_of
from rbd.scalars.structural_zeros import is_plain_zero


@final
class SparseTangents:
    """Map from the index of a direction to the derivative along it; missing ones are zero."""

    __slots__ = ("entries",)

    # NumPy's scalars defer to this class in `np.float64 * tangents`.
    __array_ufunc__ = None

    def __init__(self, entries: Mapping[int, Scalar]) -> None:
        """Set the derivatives."""
        self.entries = entries

    @override
    def __repr__(self) -> str:
        return f"SparseTangents({dict(self.entries)!r})"

    def __add__(self, other: Any, /) -> SparseTangents:
        if not isinstance(other, SparseTangents):  # the integer 0, a zero derivative
            return self
        entries = dict(self.entries)
        for k, y in other.entries.items():
            x = entries.get(k)
            entries[k] = y if x is None else x + y
        return SparseTangents(entries)

    __radd__ = __add__

    def __sub__(self, other: Any, /) -> SparseTangents:
        if not isinstance(other, SparseTangents):
            return self
        entries = dict(self.entries)
        for k, y in other.entries.items():
            x = entries.get(k)
            entries[k] = -y if x is None else x - y
        return SparseTangents(entries)

    def __rsub__(self, other: Any, /) -> SparseTangents:
        return -self

    def __mul__(self, other: Any, /) -> Any:
        if is_plain_zero(other):
            return 0
        products = {k: x * other for k, x in self.entries.items()}
        return SparseTangents({k: x for k, x in products.items() if not is_plain_zero(x)})

    def __rmul__(self, other: Any, /) -> Any:
        if is_plain_zero(other):
            return 0
        products = {k: other * x for k, x in self.entries.items()}
        return SparseTangents({k: x for k, x in products.items() if not is_plain_zero(x)})

    def __truediv__(self, other: Any, /) -> SparseTangents:
        return SparseTangents({k: divide(x, other) for k, x in self.entries.items()})

    def __rtruediv__(self, other: Any, /) -> SparseTangents:
        return NotImplemented

    def __neg__(self) -> SparseTangents:
        return SparseTangents({k: -x for k, x in self.entries.items()})

    def __pos__(self) -> SparseTangents:
        return self


def entries_of(derivative: Scalar) -> Mapping[int, Scalar]:
    """Return the entries of sparse tangents; none for the integer 0."""
    return derivative.entries if isinstance(derivative, SparseTangents) else {}


def scale_tangents(x: Scalar, derivative: Scalar) -> Scalar:
    """Return `x` times a derivative or sparse tangents."""
    return derivative.__rmul__(x) if isinstance(derivative, SparseTangents) else x * derivative


def divide_tangents(derivative: Scalar, x: Scalar) -> Scalar:
    """Return a derivative or sparse tangents divided by `x`."""
    return derivative / x if isinstance(derivative, SparseTangents) else divide(derivative, x)


def select_tangents(condition: Condition, a: Scalar, b: Scalar) -> Scalar:
    """Return the derivative or tangents `a` where `condition` holds, else `b`."""
    if not (isinstance(a, SparseTangents) or isinstance(b, SparseTangents)):
        return where(condition, a, b)
    one, two = entries_of(a), entries_of(b)
    return SparseTangents({k: where(condition, one.get(k, 0), two.get(k, 0)) for k in {**one, **two}})


def all_finite(derivative: Scalar) -> bool:
    """Return whether a derivative or all sparse tangents are finite, as far as their family can decide."""
    parts = derivative.entries.values() if isinstance(derivative, SparseTangents) else (derivative,)
    return all(family_of(part).is_finite(part) for part in parts)
