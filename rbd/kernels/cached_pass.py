"""Passes: recursions over all bodies, whose results states cache."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from rbd.kernels.engine_interface import Depends
from rbd.kernels.kernel import Kernel

if TYPE_CHECKING:
    from rbd.kernels.state_view import StateView

T = TypeVar("T")
_pass_kernels: dict[object, tuple[Kernel[[], Any], Depends]] = {}


def pass_kernel_of(look_up: Callable[[StateView], Any]) -> tuple[Kernel[[], Any], Depends]:
    """Return the kernel of a pass, and what it depends on."""
    return _pass_kernels[look_up]


def cached_pass(depends: Depends) -> Callable[[Callable[[StateView], T]], Callable[[StateView], T]]:
    """Decorate a function of a state as a *pass*: a recursion over all bodies, with a cached result."""

    def decorate(compute: Callable[[StateView], T]) -> Callable[[StateView], T]:
        pass_kernel: Kernel[[], T] = Kernel(compute)

        def look_up(state: StateView) -> T:
            return state.engine.pass_result(state, pass_kernel, depends)

        look_up.__doc__ = compute.__doc__
        look_up.__name__ = compute.__name__
        _pass_kernels[look_up] = pass_kernel, depends
        return look_up

    return decorate
