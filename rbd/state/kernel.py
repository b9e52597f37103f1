"""Kernels: the readable source of an algorithm under its name, evaluated by the engine of a state.

A kernel is a plain function of a `StateView` and tuples of scalars that returns nested tuples of scalars or framed
values. Called with a state it is evaluated: scalar states run the source, live states the program recorded from it. The
state layer never imports algorithms; whoever wants to run a kernel in another way (on symbols, counted, recorded) finds
it by name in `kernels()`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar, final, overload

from rbd.errors import ArgumentError
from rbd.state.engine import Engine

if TYPE_CHECKING:
    from rbd.state.base import StateView

P = ParamSpec("P")
R = TypeVar("R")


@final
class Kernel(Generic[P, R]):
    """The readable source of an algorithm, and how it may be recorded."""

    def __init__(
        self, function: Callable[Concatenate[StateView, P], R], *, regroup: bool = False, several: bool = False
    ) -> None:
        """Wrap `function`; see `kernel`."""
        functools.update_wrapper(self, function)
        self.name = function.__name__.removesuffix("_kernel")
        self.function = function
        self.regroup = regroup
        self.several = several

    def __call__(self, state: StateView, /, *args: P.args, **named: P.kwargs) -> R:
        """Evaluate for `state`; raise ArgumentError for what is no state."""
        require_state(state, self.name)
        result: R = state.engine.evaluate(state, self, args, named)
        return result


_kernels: dict[str, Kernel[..., Any]] = {}


@overload
def kernel(function: Callable[Concatenate[StateView, P], R], /) -> Kernel[P, R]: ...
@overload
def kernel(
    *, regroup: bool = False, several: bool = False
) -> Callable[[Callable[Concatenate[StateView, P], R]], Kernel[P, R]]: ...
def kernel(function: Callable[..., Any] | None = None, /, *, regroup: bool = False, several: bool = False) -> Any:
    """Register an algorithm under its function name.

    `regroup` says that it returns torques, masses and accelerations of joints only: recordings may then regroup
    inertial parameters (see `regroup.py`). `several` says that it returns a tuple of arrays, each of which stays an
    array of its own even where they could be stacked.

    >>> import rbd
    >>> from rbd.state.kernel import kernels
    >>> "mass_matrix" in kernels()
    True
    """

    def register(source: Callable[..., Any]) -> Kernel[..., Any]:
        made = Kernel(source, regroup=regroup, several=several)
        known = _kernels.get(made.name)
        if known is not None and known.function.__module__ != source.__module__:  # a module may be imported again
            raise RuntimeError(f"two algorithms are called {made.name!r}")
        _kernels[made.name] = made
        return made

    return register if function is None else register(function)


def kernels() -> Mapping[str, Kernel[..., Any]]:
    """Return every registered kernel by name."""
    return MappingProxyType(_kernels)


def require_state(state: object, operation: str) -> None:
    """Raise ArgumentError unless `state` is a state."""
    if not isinstance(getattr(state, "engine", None), Engine):
        raise ArgumentError(
            f"{operation} works on a state, not on a {type(state).__name__}; rbd.MechanismState(mechanism) makes one",
            argument="state",
            value=state,
        )
