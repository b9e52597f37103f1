"""Fast paths of functions that fill a `DynamicsResult`: machine code writes the arrays of the result."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Final, ParamSpec, TypeVar, cast, final

import attrs

from rbd.engine.call_arguments import CallArguments, ParsedCall
from rbd.engine.fast_path import MISSING
from rbd.kernels.calls import Call
from rbd.kernels.kernel import is_state, require_state
from rbd.mechanism import Mechanism

P = ParamSpec("P")
R = TypeVar("R")
_AFTER_STATE: Final = CallArguments(vectors=1, torques=True, wrenches=True)
"""The arguments after a result and a state."""


def result_fast_path(make: Callable[[Mechanism], R]) -> Callable[[Callable[P, Call[R]]], Callable[P, R]]:
    """Decorate a function of a result, a state, torques and external wrenches with fast paths.

    Called with a state only, it makes the result. Torques that are None or missing are zero. Calls with other keywords
    than `external_wrenches` always run the function.
    """

    def decorate(function: Callable[P, Call[R]]) -> Callable[P, R]:
        paths = _ResultFastPaths(cast("Any", function), make)
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
        if builtin(torques) is NotImplemented:
            return paths.run(result, args, named, ParsedCall(state, (torques,)))
        return result

    return call


@final
@attrs.frozen(eq=False)
class _ResultFastPaths:
    """The fast paths of one function."""

    function: Callable[..., Call[Any]]
    make: Callable[[Mechanism], Any]
    """Makes a result."""

    def dispatch(self, result: Any, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Return the result of any call, by its fast path if it has one."""
        result, args = self._with_result(result, args, named)
        state = args[0] if args else None
        parsed = _AFTER_STATE.parse(state, state, args[1:], named)
        try:
            builtin = None if parsed is None else result.engine.fast[parsed.key]
        except (AttributeError, KeyError, TypeError):  # no result, not yet, or no hash: the function says which
            builtin = None
        if parsed is None or builtin is None or builtin(*parsed.arrays) is NotImplemented:
            return self.run(result, args, named, parsed)
        return result

    def _with_result(self, result: Any, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
        """Return a result, made if none is given, and the arguments that follow it."""
        if result is MISSING:
            state: Any = named.get("state")
            require_state(state, self.function.__name__)
            return self.make(state.mechanism), args
        if "state" in named:
            return result, args
        if not args:
            require_state(result, self.function.__name__)
        return (self.make(result.mechanism), (result, *args)) if is_state(result) else (result, args)

    def run(self, result: Any, args: tuple[Any, ...], named: dict[str, Any], parsed: ParsedCall | None) -> Any:
        """Run the function and the call it returns, which opens a fast path."""
        call = self.function(result, *args, **named)
        if parsed is None or (parsed.external and not parsed.may_open(result.engine.layout)):
            return call.run(result)
        return call.run(result, parsed.key, len(parsed.arrays))
