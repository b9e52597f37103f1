"""Passes: recursions over all bodies, whose results states cache."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, TypeVar, final

from rbd.kernels.engine_interface import Dependencies
from rbd.kernels.kernel import Kernel

if TYPE_CHECKING:
    from rbd.kernels.state_view import StateView

T = TypeVar("T")


@final
class Pass(Generic[T]):
    """A recursion over all bodies: a kernel without arguments, and what its cached result depends on."""

    def __init__(self, function: Callable[[StateView], T], dependencies: Dependencies) -> None:
        """Wrap `function`."""
        functools.update_wrapper(self, function)
        self.kernel: Kernel[[], T] = Kernel(function)
        self.dependencies: Dependencies = dependencies

    def __call__(self, state: StateView) -> T:
        """Return the result for `state`, which caches it."""
        return state.engine.pass_result(state, self.kernel, self.dependencies)


def cached_pass(dependencies: Dependencies) -> Callable[[Callable[[StateView], T]], Pass[T]]:
    """Decorate a function of a state as a `Pass`."""
    return lambda function: Pass(function, dependencies)
