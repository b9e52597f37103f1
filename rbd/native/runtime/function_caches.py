"""Caches of compiled functions of this process, which are emptied together.

What they hold was compiled with the options of that time, such as LLVM's level of optimisation.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final, ParamSpec, TypeVar, cast

P = ParamSpec("P")
T = TypeVar("T")

_clearings: Final = list[Callable[[], object]]()


def register_function_cache(clear: Callable[[], object]) -> None:
    """Register the function that empties a cache of compiled functions."""
    _clearings.append(clear)


def function_cache(maxsize: int | None = None) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Decorate a function that returns compiled functions with a cache of its last `maxsize` results, or of all."""

    def decorate(make: Callable[P, T]) -> Callable[P, T]:
        cached: Any = lru_cache(maxsize)(make)
        register_function_cache(cached.cache_clear)
        return cast("Callable[P, T]", cached)

    return decorate


def clear_function_caches() -> None:
    """Empty all caches of compiled functions: they are compiled again when they are needed."""
    for clear in _clearings:
        clear()
