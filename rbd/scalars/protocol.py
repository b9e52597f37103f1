"""Types of scalars, vectors, matrices and conditions, for signatures.

Scalars are numbers without frames.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray


@runtime_checkable
class Scalar(Protocol):
    """Protocol of numbers: float, int, complex, `Fraction`, a symbol, an interval, a recorded value ...

    The other operand is `Any`: a protocol cannot express "any operand that this family accepts".

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
    """Result of a comparison: a bool, or another condition of a family (a relation, "undecided").

    Pass it to `where`, `both`, `either` and `invert` only.

    >>> from rbd.scalars import less, where
    >>> where(less(1.0, 2.0), "smaller", "larger")
    'smaller'
    """

    def __and__(self, other: Any, /) -> Any:
        """Return the conjunction."""
        ...

    def __or__(self, other: Any, /) -> Any:
        """Return the disjunction."""
        ...


Vector: TypeAlias = tuple[Scalar, ...]
"""A tuple of scalars."""

Matrix: TypeAlias = tuple[Vector, ...]
"""A tuple of rows."""

Array: TypeAlias = NDArray[np.float64]
"""A float64 array."""

ScalarArray: TypeAlias = NDArray[np.object_]
"""An array of scalars of any family."""
