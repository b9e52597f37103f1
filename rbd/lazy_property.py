"""Lazy attributes, computed at the first access.

Python 3.11's `cached_property` has one lock for all instances: in a process that was forked while another thread held
it, access would deadlock. This class has no lock: concurrent threads may compute the same value twice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, final, overload

T = TypeVar("T")


@final
class lazy_property(Generic[T]):
    """Decorate a method without arguments; its result is cached in the instance's `__dict__`.

    >>> class Circle:
    ...     @lazy_property
    ...     def area(self):
    ...         print("computed")
    ...         return 3
    >>> circle = Circle()
    >>> circle.area + circle.area
    computed
    6
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        """Set the method."""
        self._compute = compute
        self._name = compute.__name__
        self.__doc__ = compute.__doc__

    @overload
    def __get__(self, instance: None, owner: type[object]) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type[object] | None = None) -> T: ...
    def __get__(self, instance: object | None, owner: type[object] | None = None) -> Self | T:
        """Compute and cache: later accesses find the entry of the instance."""
        if instance is None:
            return self
        value: T = instance.__dict__.setdefault(self._name, self._compute(instance))
        return value
