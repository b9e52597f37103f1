"""Kernels: the Python source of algorithms, registered by name and evaluated by the engine of a state.

A kernel is a plain function of a `StateView` and tuples of scalars that returns nested tuples of scalars or framed
values. Scalar states run its source, live states run the program recorded from it. This package does not import
algorithms; `kernels()` returns the kernels of all imported packages by name, for other executions (symbolic, counted,
recorded).
"""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeGuard, TypeVar, final, overload

from rbd.arguments import described
from rbd.errors import ArgumentError
from rbd.kernels.engine_interface import Engine

if TYPE_CHECKING:
    from rbd.kernels.state_view import StateView

P = ParamSpec("P")
R = TypeVar("R")


@final
class Kernel(Generic[P, R]):
    """The source of an algorithm, with options for recording."""

    def __init__(
        self, function: Callable[Concatenate[StateView, P], R], *, regroup: bool = False, multiple_outputs: bool = False
    ) -> None:
        """Wrap `function`; see `kernel`."""
        functools.update_wrapper(self, function)
        self.name = function.__name__.removesuffix("_kernel")
        self._signature = _signature_after_state(function)
        self.function = function
        self.regroup = regroup
        self.multiple_outputs = multiple_outputs

    def __call__(self, state: StateView, /, *args: P.args, **named: P.kwargs) -> R:
        """Evaluate for `state`; raise ArgumentError for anything else, TypeError for other parameters."""
        require_state(state, self.name)
        if named:
            args = self._by_position(args, named)
        result: R = state.engine.evaluate(state, self, args)
        return result

    def _by_position(self, args: tuple[Any, ...], named: Mapping[str, Any]) -> Any:
        """Return the arguments by position up to the last one given; later defaults stay constants of recordings."""
        bound = self._signature.bind(*args, **named)
        parameters = self._signature.parameters.values()
        last = max(i for i, parameter in enumerate(parameters) if parameter.name in bound.arguments)
        for parameter in itertools.islice(parameters, last):
            bound.arguments.setdefault(parameter.name, parameter.default)
        return bound.args


def _signature_after_state(function: Callable[..., Any]) -> inspect.Signature:
    """Return the signature without the state; raise ArgumentError for parameters that have no position."""
    _, *parameters = inspect.signature(function).parameters.values()
    for parameter in parameters:
        if parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_KEYWORD):
            message = f"kernel: parameter {parameter.name!r} of {function.__name__} has no position; leave out its *"
            raise ArgumentError(message, argument="function", value=function)
    return inspect.Signature(parameters)


_kernels: dict[str, Kernel[..., Any]] = {}


@overload
def kernel(function: Callable[Concatenate[StateView, P], R], /) -> Kernel[P, R]: ...
@overload
def kernel(
    *, regroup: bool = False, multiple_outputs: bool = False
) -> Callable[[Callable[Concatenate[StateView, P], R]], Kernel[P, R]]: ...
def kernel(
    function: Callable[..., Any] | None = None, /, *, regroup: bool = False, multiple_outputs: bool = False
) -> Any:
    """Register an algorithm under its function name.

    `regroup` declares that all it returns depends on inertial parameters only as joint torques do (torques, mass
    matrices, joint accelerations, multipliers of loops, and derivatives of these), so that recordings may regroup the
    parameters (see `rbd.scalar_states.regroup`). `multiple_outputs` declares that it returns a tuple of
    arrays, which are not stacked to one array. Parameters of a kernel have a position; none is keyword-only.

    >>> import rbd.algorithms
    >>> from rbd.kernels.kernel import kernels
    >>> "mass_matrix" in kernels()
    True
    """

    def register(source: Callable[..., Any]) -> Kernel[..., Any]:
        registered = Kernel(source, regroup=regroup, multiple_outputs=multiple_outputs)
        earlier = _kernels.get(registered.name)
        if earlier is not None and earlier.function.__module__ != source.__module__:  # a module may be imported again
            raise RuntimeError(f"two kernels have the name {registered.name!r}")
        _kernels[registered.name] = registered
        return registered

    return register if function is None else register(function)


def kernels() -> Mapping[str, Kernel[..., Any]]:
    """Return the kernels of all imported packages by name."""
    return MappingProxyType(_kernels)


def is_state(value: object) -> TypeGuard[StateView]:
    """Return whether a value is a state."""
    return isinstance(getattr(value, "engine", None), Engine)


def require_state(state: object, operation: str) -> None:
    """Raise ArgumentError unless `state` is a state."""
    if not is_state(state):
        raise ArgumentError(
            f"{operation}: state must be a MechanismState, not {described(state)}; "
            "rbd.MechanismState(mechanism, q, v) makes one",
            argument="state",
            value=state,
        )
