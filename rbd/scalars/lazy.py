"""Attributes computed when they are first asked for.

Python's `cached_property` locks in 3.11, one lock for all instances: a process that was forked while another thread
computed one would wait for ever. Here nothing is locked: threads that ask at the same time may compute the same twice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, final, overload

T = TypeVar("T")


@final
class lazy(Generic[T]):
    """Decorate a method without arguments; what it returns is kept in the instance's `__dict__`.

    >>> class Circle:
    ...     @lazy
    ...     def area(self):
    ...         print("computed")
    ...         return 3
    >>> circle = Circle()
    >>> circle.area + circle.area
    computed
    6
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        """Take the method."""
        self._compute = compute
        self._name = compute.__name__
        self.__doc__ = compute.__doc__

    @overload
    def __get__(self, instance: None, owner: type[object]) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type[object] | None = None) -> T: ...
    def __get__(self, instance: object | None, owner: type[object] | None = None) -> Self | T:
        """Compute, and stand back: the next time the instance's own entry is found first."""
        if instance is None:
            return self
        found: T = instance.__dict__.setdefault(self._name, self._compute(instance))
        return found
