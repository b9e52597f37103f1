"""Derivatives along several directions at once, for dual numbers.

They stand where a dual number has its derivative. Only what need not be zero is held, so that a formula run once
costs what its structure asks for, and not as much as all of it once per direction.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, final

from typing_extensions import override

from rbd.scalars.functions import divide, where
from rbd.scalars.protocol import Condition, Scalar
from rbd.scalars.registry import operations_of


@final
class SparseTangents:
    """Number of a direction -> derivative along it; what is not there is zero. Scalars multiply all of them."""

    __slots__ = ("entries",)

    # NumPy's scalars stand back, so that they do not take `np.float64 * tangents` apart.
    __array_ufunc__ = None

    def __init__(self, entries: Mapping[int, Scalar]) -> None:
        """Take the derivatives."""
        self.entries = entries

    @override
    def __repr__(self) -> str:
        return f"SparseTangents({dict(self.entries)!r})"

    def __add__(self, other: Any, /) -> SparseTangents:
        if not isinstance(other, SparseTangents):  # the integer 0, which stands for no derivative
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
        if is_nothing(other):
            return 0
        products = {k: x * other for k, x in self.entries.items()}
        return SparseTangents({k: x for k, x in products.items() if not is_nothing(x)})

    def __rmul__(self, other: Any, /) -> Any:
        if is_nothing(other):
            return 0
        products = {k: other * x for k, x in self.entries.items()}
        return SparseTangents({k: x for k, x in products.items() if not is_nothing(x)})

    def __truediv__(self, other: Any, /) -> SparseTangents:
        return SparseTangents({k: divide(x, other) for k, x in self.entries.items()})

    def __rtruediv__(self, other: Any, /) -> SparseTangents:
        return NotImplemented

    def __neg__(self) -> SparseTangents:
        return SparseTangents({k: -x for k, x in self.entries.items()})

    def __pos__(self) -> SparseTangents:
        return self


def is_nothing(x: object) -> bool:
    """Return whether `x` is a plain zero."""
    return type(x) in (int, float) and x == 0


def entries_of(derivative: Scalar) -> Mapping[int, Scalar]:
    """Return the entries of sparse tangents; none of the 0 that stands for no derivative."""
    return derivative.entries if isinstance(derivative, SparseTangents) else {}


def times(x: Scalar, derivative: Scalar) -> Scalar:
    """Return `x` times a derivative or sparse tangents, whatever `x` would make of those."""
    return derivative.__rmul__(x) if isinstance(derivative, SparseTangents) else x * derivative


def over(derivative: Scalar, x: Scalar) -> Scalar:
    """Return a derivative or sparse tangents divided by `x`."""
    return derivative / x if isinstance(derivative, SparseTangents) else divide(derivative, x)


def chosen(condition: Condition, a: Scalar, b: Scalar) -> Scalar:
    """Return derivative or tangents `a` where `condition` holds, else `b`."""
    if not (isinstance(a, SparseTangents) or isinstance(b, SparseTangents)):
        return where(condition, a, b)
    one, two = entries_of(a), entries_of(b)
    return SparseTangents({k: where(condition, one.get(k, 0), two.get(k, 0)) for k in {**one, **two}})


def all_finite(derivative: Scalar) -> bool:
    """Return whether a derivative or all sparse tangents are finite, as far as their families can tell."""
    parts = derivative.entries.values() if isinstance(derivative, SparseTangents) else (derivative,)
    return all(operations_of(part).is_finite(part) for part in parts)
