"""What a scalar is: the types every layer above writes in its signatures.

Frames do not occur in this room: a scalar is a bare number.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray


@runtime_checkable
class Scalar(Protocol):
    """A number an algorithm may run on: float, int, complex, `Fraction`, a symbol, an interval, a recorded value ...

    The operand on the other side is `Any` because a protocol cannot say "whatever my own family accepts".

    >>> isinstance(0.5, Scalar), isinstance("0.5", Scalar)
    (True, False)
    """

    def __add__(self, other: Any, /) -> Scalar:
        """Add."""
        ...

    def __radd__(self, other: Any, /) -> Scalar:
        """Add, from the right."""
        ...

    def __sub__(self, other: Any, /) -> Scalar:
        """Subtract."""
        ...

    def __rsub__(self, other: Any, /) -> Scalar:
        """Subtract, from the right."""
        ...

    def __mul__(self, other: Any, /) -> Scalar:
        """Multiply."""
        ...

    def __rmul__(self, other: Any, /) -> Scalar:
        """Multiply, from the right."""
        ...

    def __truediv__(self, other: Any, /) -> Scalar:
        """Divide."""
        ...

    def __rtruediv__(self, other: Any, /) -> Scalar:
        """Divide, from the right."""
        ...

    def __neg__(self) -> Scalar:
        """Negate."""
        ...

    def __pos__(self) -> Scalar:
        """Return the same value."""
        ...


class Condition(Protocol):
    """The opaque result of a comparison: a bool, or what its family has instead (a relation, "undecided").

    Hand it to `where`, `both`, `either` and `invert`; nothing else is promised.
    """

    def __and__(self, other: Any, /) -> Any:
        """Hold when both hold."""
        ...

    def __or__(self, other: Any, /) -> Any:
        """Hold when either holds."""
        ...


Vector: TypeAlias = tuple[Scalar, ...]
"""Scalars in a row."""

Matrix: TypeAlias = tuple[Vector, ...]
"""Rows of a matrix."""

Array: TypeAlias = NDArray[np.float64]
"""A float64 array."""

ScalarArray: TypeAlias = NDArray[np.object_]
"""An array of scalars of any family."""
