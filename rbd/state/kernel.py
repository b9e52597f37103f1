"""How algorithms hand themselves in, so that the state layer never imports them.

Room: state; may import mechanism and above. A kernel is the readable body of an algorithm: a plain function of a
`StateView` and tuples of scalars that returns nested tuples of scalars. Being called, it asks the state to evaluate it:
scalar states run the body, live states what was recorded of it. Whoever wants to run it in another way (on symbols,
counted, recorded) finds it by name in the table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from types import MappingProxyType
from typing import Any, Concatenate, ParamSpec, TypeVar, overload

from rbd.errors import ArgumentError
from rbd.state.base import StateView
from rbd.state.store.body import Body

P = ParamSpec("P")
R = TypeVar("R")
Algorithm = Callable[Concatenate[StateView, P], R]

_kernels: dict[str, Callable[..., object]] = {}
_bodies: dict[Callable[..., object], Body] = {}


@overload
def kernel(body: Algorithm[P, R], /) -> Algorithm[P, R]: ...
@overload
def kernel(*, regroup: bool = False, several: bool = False) -> Callable[[Algorithm[P, R]], Algorithm[P, R]]: ...
def kernel(body: Algorithm[P, R] | None = None, /, *, regroup: bool = False, several: bool = False) -> Any:
    """Hand in the body of an algorithm under its function name; what it is given must be a state.

    `regroup` says that it gives nothing but torques, masses and accelerations of joints: what a live state records
    of it may then move inertial parameters between bodies (see `regroup.py`). `several` says that it gives a tuple of
    arrays, each of which is to be an array of its own.

    >>> import rbd
    >>> from rbd.state.kernel import kernels
    >>> "mass_matrix" in kernels()
    True
    """

    def decorate(function: Algorithm[P, R]) -> Algorithm[P, R]:
        return _handed_in(function, regroup, several)

    return decorate if body is None else decorate(body)


def _handed_in(function: Algorithm[P, R], regroup: bool, several: bool) -> Algorithm[P, R]:
    name = function.__name__.removesuffix("_kernel")
    known = _kernels.get(name)
    if known is not None and known.__module__ != function.__module__:  # a module may be imported again, or reloaded
        raise RuntimeError(f"two algorithms are called {name!r}")
    body = Body(name, function, regroup, several)

    @wraps(function)
    def run(state: StateView, /, *args: P.args, **kwargs: P.kwargs) -> R:
        require_state(state, name)
        result: R = state.evaluate(body, args, kwargs)
        return result

    _kernels[name] = run
    _bodies[run] = body
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


def body_of(run: Callable[..., object]) -> Body:
    """Return the readable source of a kernel."""
    return _bodies[run]
