"""Base of polynomials and rational functions: operators that follow from others, and LaTeX."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np

from rbd.arguments import isinstance_untyped, kind_error
from rbd.spatial.values import require_tolerance


class Latex(ABC):
    """An object that notebooks show as LaTeX; abstract."""

    __slots__ = ()

    @abstractmethod
    def latex(self) -> str:
        """Return the object as LaTeX."""

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"


class RingElement(Latex):
    """An element of a commutative ring that combines with numbers; abstract."""

    __slots__ = ()
    __array_ufunc__: ClassVar[None] = None  # NumPy's scalars leave the operation to this class

    @abstractmethod
    def _converted(self, other: object) -> Self | None:
        """Return the other operand as an element of the same ring; None for other types."""

    def _coerced(self, other: object) -> Self | None:
        """Return the other operand as an element of the same ring; None for other types, of which arrays are refused.

        Masked arrays would take the operation up again, whatever `__array_ufunc__` says.
        """
        element = self._converted(other)
        if element is None and isinstance_untyped(other, np.ndarray):
            name = type(self).__name__
            raise kind_error(other, f"{name} or a number", f"{name} and an array", "other")
        return element

    @abstractmethod
    def __add__(self, other: Any, /) -> Self: ...

    @abstractmethod
    def __mul__(self, other: Any, /) -> Self: ...

    @abstractmethod
    def __neg__(self) -> Self: ...

    def __pos__(self) -> Self:
        return self

    def __radd__(self, other: Any, /) -> Self:
        return self.__add__(other)

    def __sub__(self, other: Any, /) -> Self:
        element = self._coerced(other)
        if element is None:
            return NotImplemented
        return self + (-element)

    def __rsub__(self, other: Any, /) -> Self:
        return (-self).__add__(other)

    def __rmul__(self, other: Any, /) -> Self:
        return self.__mul__(other)

    def _difference(self, other: object, atol: float) -> Self:
        """Return self - other for `isclose`; raise ArgumentError for other types and invalid tolerances."""
        name = type(self).__name__
        require_tolerance(atol, f"{name}.isclose")
        element = self._converted(other)
        if element is None:
            raise kind_error(other, f"{name} or a number", f"{name}.isclose", "other")
        return self - element
