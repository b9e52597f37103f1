"""Fast paths of functions that fill a `DynamicsResult`: machine code writes the arrays of the result."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast, final

import attrs

from rbd.engine.call_arguments import CallArguments, with_zero_torques
from rbd.engine.fast_path import MISSING
from rbd.kernels.calls import Call
from rbd.kernels.kernel import is_state, require_state
from rbd.mechanism import Mechanism

P = ParamSpec("P")
R = TypeVar("R")


def result_fast_path(make: Callable[[Mechanism], R]) -> Callable[[Callable[P, Call[R]]], Callable[P, R]]:
    """Decorate a function of a result, a state, torques and external wrenches with fast paths.

    Called with a state only, it makes the result. Torques that are None or missing are zero. Calls with other keywords
    than `external_wrenches` always run the function.
    """

    def decorate(function: Callable[P, Call[R]]) -> Callable[P, R]:
        arguments = CallArguments(target=True, vectors=1, wrenches=True)
        paths = _ResultFastPaths(cast("Any", function), function.__name__, arguments, make)
        return cast("Callable[P, R]", wraps(function)(_of_result(paths)))

    return decorate


def _of_result(paths: _ResultFastPaths) -> Callable[..., Any]:
    """Return a function of a result, a state and torques; the key of its plain call is the state."""

    def call(result: Any = MISSING, *args: Any, **named: Any) -> Any:  # each line adds to the time of every call
        count = len(args)
        if named or count not in (1, 2):
            return paths.dispatch(result, args, named)
        state = args[0]
        try:
            builtin = result.engine.fast[state]
            torques = state.engine.zero_torques if count == 1 or args[1] is None else args[1]
        except (AttributeError, KeyError, TypeError):  # no result, no state, or not yet
            builtin = torques = None  # as in `fast_path.py`
        if builtin is None:
            return paths.dispatch(result, args, named)
        return paths.run(result, args, named, state, 1) if builtin(torques) is NotImplemented else result

    return call


@final
@attrs.frozen(eq=False)
class _ResultFastPaths:
    """The fast paths of one function."""

    function: Callable[..., Call[Any]]
    name: str
    arguments: CallArguments
    """Those after the result; the state is the target."""
    make: Callable[[Mechanism], Any]
    """Makes a result."""

    def dispatch(self, result: Any, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Return the result of any call, by its fast path if it has one."""
        result, args = self._with_result(result, args, named)
        state = args[0] if args else None
        parts = self.arguments.split(result, with_zero_torques(state, args, 1), named)
        if parts is None:
            return self.run(result, args, named, None, 0)
        static, arrays, _ = parts
        key = (state, *static) if static else state
        try:
            builtin = result.engine.fast.get(key)
        except (AttributeError, TypeError):  # not a result, or no hash: the function raises the error
            builtin = None
        if builtin is None or builtin(*arrays) is NotImplemented:
            return self.run(result, args, named, key, len(arrays))
        return result

    def _with_result(self, result: Any, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
        """Return a result, made if none is given, and the arguments that follow it."""
        if result is MISSING:
            state: Any = named.get("state")
            require_state(state, self.name)
            return self.make(state.mechanism), args
        if "state" in named:
            return result, args
        if not args:
            require_state(result, self.name)
        return (self.make(result.mechanism), (result, *args)) if is_state(result) else (result, args)

    def run(self, result: Any, args: tuple[Any, ...], named: dict[str, Any], key: object, count: int) -> Any:
        """Run the function and the call it returns; `key` and `count` are those of a new fast path."""
        call = self.function(result, *args, **named)
        if key is not None and not self.arguments.have_default_frames(result, args, named):
            key = None
        return call.run(result, key, count)
