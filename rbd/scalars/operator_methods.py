"""What people write beyond sums and products: powers, `abs`, and NumPy's functions of arrays of scalars.

On an array of objects NumPy calls the method that bears its function's name; entries that came out as plain numbers
have none, and need `rbd.scalars`' functions one by one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rbd.scalars.operations import Operations
from rbd.scalars.registry import operations_of


class OperatorMethods:
    """The functions of `rbd.scalars` as methods, under the names Python's operators and NumPy's functions ask for."""

    __slots__ = ()

    def __pow__(self, exponent: Any, /) -> Any:
        if isinstance(exponent, np.ndarray):
            return NotImplemented  # NumPy goes through its entries
        return _family(self).power(self, exponent)

    def __rpow__(self, base: Any, /) -> Any:
        return _family(self).power(base, self)

    def __abs__(self) -> Any:
        return _family(self).absolute(self)

    fabs = __abs__

    def conjugate(self) -> Any:
        """Return the number itself, which is real."""
        return self

    def sqrt(self) -> Any:
        """Return the square root."""
        return _family(self).sqrt(self)

    def sin(self) -> Any:
        """Return the sine."""
        return _family(self).sin(self)

    def cos(self) -> Any:
        """Return the cosine."""
        return _family(self).cos(self)

    def tan(self) -> Any:
        """Return the tangent."""
        return _family(self).tan(self)

    def arcsin(self) -> Any:
        """Return the angle with this sine."""
        return _family(self).asin(self)

    def arccos(self) -> Any:
        """Return the angle with this cosine."""
        return _family(self).acos(self)

    def arctan(self) -> Any:
        """Return the angle with this tangent."""
        return _family(self).atan2(self, 1)

    def arctan2(self, x: Any) -> Any:
        """Return the angle of (x, self)."""
        return _family(self).atan2(self, x)

    def exp(self) -> Any:
        """Return e to this power."""
        return _family(self).exp(self)

    def log(self) -> Any:
        """Return the natural logarithm."""
        return _family(self).log(self)

    def tanh(self) -> Any:
        """Return the hyperbolic tangent."""
        return _family(self).tanh(self)


def _family(x: object) -> Operations[Any]:
    return operations_of(x)
