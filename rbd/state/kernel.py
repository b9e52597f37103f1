"""How algorithms hand themselves in, so that the state layer never imports them.

Room: state; may import mechanism and above. A kernel is the readable body of an algorithm: a plain function of a
`StateView` and tuples of scalars that returns nested tuples of scalars. Whoever wants to run it in another way (on
symbols, counted, recorded) finds it by name in the table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from types import MappingProxyType
from typing import Concatenate, ParamSpec, TypeVar

from rbd.errors import ArgumentError
from rbd.state.base import StateView

P = ParamSpec("P")
R = TypeVar("R")

_kernels: dict[str, Callable[..., object]] = {}


def kernel(body: Callable[Concatenate[StateView, P], R]) -> Callable[Concatenate[StateView, P], R]:
    """Hand in the body of an algorithm under its function name; what it is given must be a state.

    >>> import rbd
    >>> from rbd.state.kernel import kernels
    >>> "mass_matrix" in kernels()
    True
    """
    name = body.__name__.removesuffix("_kernel")
    if name in _kernels:
        raise RuntimeError(f"two algorithms are called {name!r}")

    @wraps(body)
    def run(state: StateView, /, *args: P.args, **kwargs: P.kwargs) -> R:
        require_state(state, name)
        return body(state, *args, **kwargs)

    _kernels[name] = run
    return run


def require_state(state: object, operation: str) -> None:
    """Raise ArgumentError unless `state` is a state."""
    if not isinstance(state, StateView):
        raise ArgumentError(
            f"{operation} works on a state, not on a {type(state).__name__}; rbd.MechanismState(mechanism) makes one",
            argument="state",
            value=state,
        )


def kernels() -> Mapping[str, Callable[..., object]]:
    """Return every kernel by name."""
    return MappingProxyType(_kernels)
