"""Fast paths: calls of algorithms that run a builtin on the buffers of a live state.

`fast_path` decorates a function of a state that returns a `Call`. It splits the arguments into a *key*, which is
everything except numbers, and arrays of numbers. A builtin is looked up by the key and takes the arrays. If there is
none, or if it returns NotImplemented because a check failed, the function runs, and the engine runs the returned
`Call`. Once there is machine code, the engine adds a builtin under the key.

Functions that fill a `DynamicsResult` find their builtins in the writer of the result; these write its arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Final, ParamSpec, TypeVar, cast, final

import attrs

from rbd.engine.call_arguments import FRAME, OUT, CallArguments, ParsedCall
from rbd.kernels.calls import Call, KernelCall
from rbd.kernels.kernel import is_state, require_state
from rbd.mechanism import Mechanism

P = ParamSpec("P")
R = TypeVar("R")
MISSING: Final = object()
"""The default of a first argument."""
_MAX_BY_IDENTITY: Final = 256
"""Maximum number of fast paths that are found by the identities of objects; above it, all are forgotten."""
_AFTER_STATE: Final = CallArguments(vectors=1, torques=True, wrenches=True)
"""The arguments of a function that fills a result, after the result and the state."""


def fast_path(
    *,
    target: bool = False,
    vectors: int = 0,
    out: bool = False,
    result: Callable[[Mechanism], Any] | None = None,
) -> Callable[[Callable[P, Call[R]]], Callable[P, R]]:
    """Decorate a function of a state with fast paths.

    With `target` the argument after the state is part of the key: a path or a body. Then follow `vectors` of numbers.
    With `out` builtins take the buffer of this name. The signature says the rest, see `CallArguments`. Calls with other
    arguments always run the function.

    With `result` the function fills a result: its arguments are a result, a state, torques and external wrenches.
    Called with a state first, it makes the result by `result(mechanism)`. Torques that are None or missing are zero.
    """

    def decorate(function: Callable[P, Call[R]]) -> Callable[P, R]:
        if result is not None:
            function_of_result = _FunctionOfResult(cast("Any", function), result)
            return cast("Callable[P, R]", wraps(function)(_of_result(function_of_result)))
        arguments = CallArguments.of(function, target=target, vectors=vectors, out=out)
        algorithm = _FunctionOfState(cast("Any", function), arguments, ParsedCall(function, (None,) * vectors))
        of_state = _of_state_and_out if out else _of_state
        call = _of_target(algorithm) if target else _of_vectors(algorithm) if vectors else of_state(algorithm)
        return cast("Callable[P, R]", wraps(function)(call))

    return decorate


# These functions run in every call: each line adds to its time. Nothing runs within `except`: its errors would have the
# KeyError for a context.


def _of_state(algorithm: _FunctionOfState) -> Callable[..., Any]:
    """Return a function of a state alone."""
    key = algorithm.function

    def call(state: Any = MISSING, *args: Any, **named: Any) -> Any:
        if args or named:
            return algorithm.dispatch(state, args, named)
        try:
            builtin = state.engine.builtins[key]
        except (AttributeError, KeyError):  # no live state, or not yet
            pass
        else:
            answer = builtin()
            if answer is not NotImplemented:
                return answer
        return algorithm.run(state, args, named, algorithm.plain)

    return call


def _of_state_and_out(algorithm: _FunctionOfState) -> Callable[..., Any]:
    """Return a function of a state and perhaps a buffer `out`, which `_of_vectors` would pass in a dictionary."""
    key = algorithm.function

    def call(state: Any = MISSING, *args: Any, out: Any = MISSING, **named: Any) -> Any:
        if args or named:
            return algorithm.dispatch(state, args, _with_out(named, out))
        try:
            builtin = state.engine.builtins[key]
        except (AttributeError, KeyError):  # no live state, or not yet
            pass
        else:
            answer = builtin() if out is MISSING else builtin(out=out)
            if answer is not NotImplemented:
                return answer
        return algorithm.run(state, args, named if out is MISSING else {OUT: out}, algorithm.plain)

    return call


def _of_vectors(algorithm: _FunctionOfState) -> Callable[..., Any]:
    """Return a function of a state, arrays, and perhaps a buffer `out`."""
    key, vectors, takes_out = algorithm.function, algorithm.arguments.vectors, algorithm.arguments.out

    def call(state: Any = MISSING, *args: Any, out: Any = MISSING, **named: Any) -> Any:
        if named or len(args) != vectors:
            return algorithm.dispatch(state, args, _with_out(named, out))
        try:
            builtin = state.engine.builtins[key]
        except (AttributeError, KeyError):  # no live state, or not yet
            builtin = None
        if builtin is None:
            return algorithm.run(state, args, _with_out(named, out), algorithm.plain)
        answer = builtin(*args) if out is MISSING else builtin(*args, out=out) if takes_out else NotImplemented
        return algorithm.refused(state, args, _with_out(named, out)) if answer is NotImplemented else answer

    return call


def _of_target(algorithm: _FunctionOfState) -> Callable[..., Any]:
    """Return a function of a state, a path or a body, perhaps arrays, and perhaps a frame."""
    key, arity = algorithm.function, 1 + algorithm.arguments.vectors

    def call(state: Any = MISSING, *args: Any, frame: Any = None, **named: Any) -> Any:
        if len(args) == arity and not named:
            try:
                builtin = state.engine.builtins_by_identity[key, id(args[0]), id(frame)][0]
            except (AttributeError, KeyError):  # no live state, or not yet
                builtin = None
            if builtin is not None:
                answer = builtin() if arity == 1 else builtin(*args[1:])
                if answer is not NotImplemented:
                    return answer
        return algorithm.dispatch(state, args, named if frame is None else {**named, FRAME: frame})

    return call


def _of_result(function_of_result: _FunctionOfResult) -> Callable[..., Any]:
    """Return a function of a result, a state and torques; the key of its plain call is the state."""

    def call(result: Any = MISSING, state: Any = MISSING, torques: Any = MISSING, /, *more: Any, **named: Any) -> Any:
        if named or more:
            first = named.pop("result", MISSING) if result is MISSING else result
            return function_of_result.dispatch(first, _given(state, torques, *more), named)
        try:
            builtin = result.writer.builtins[state]
            numbers = state.engine.zero_torques if torques is MISSING or torques is None else torques
        except (AttributeError, KeyError, TypeError):  # no result, no state, or not yet
            builtin = numbers = None
        if builtin is None:
            return function_of_result.dispatch(result, _given(state, torques), named)
        if builtin(numbers) is NotImplemented:
            return function_of_result.run(result, _given(state, torques), named, ParsedCall(state, (numbers,)))
        return result

    return call


def _given(*args: Any) -> tuple[Any, ...]:
    """Return the arguments that were given."""
    return tuple([each for each in args if each is not MISSING])


def _with_out(named: dict[str, Any], out: Any) -> dict[str, Any]:
    """Return keywords with `out`, if it was given."""
    return named if out is MISSING else {**named, OUT: out}


@final
@attrs.frozen(eq=False)
class _FunctionOfState:
    """A function with fast paths; the key of its plain call is the function."""

    function: Callable[..., Call[Any]]
    arguments: CallArguments
    plain: ParsedCall
    """A call of numbers alone."""

    def dispatch(self, state: Any, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Return the result of any call, by its fast path if it has one."""
        parsed = self.arguments.parse(self.function, state, args, named)
        try:
            builtin = None if parsed is None else state.engine.builtins[parsed.key]
        except (AttributeError, KeyError, TypeError):  # no live state, not yet, or no hash: the function says which
            builtin = None
        if parsed is None or builtin is None:
            return self.run(state, args, named, parsed)
        answer = builtin(*parsed.arrays, **parsed.keywords)
        if answer is NotImplemented:
            return self.run(state, args, named, parsed)
        if self.arguments.target:
            self._identify(state, args, named, builtin)
        return answer

    def refused(self, state: Any, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Return the result of a call that the builtin of its plain call has refused; its torques may be None."""
        return self.dispatch(state, args, named) if self.arguments.torques else self.run(state, args, named, self.plain)

    def run(self, state: Any, args: tuple[Any, ...], named: dict[str, Any], parsed: ParsedCall | None) -> Any:
        """Run the function and the call it returns, which opens a fast path."""
        # Every engine has `dependency_versions`; `is_state` asks an abstract class, which takes longer.
        if state is not MISSING and not hasattr(getattr(state, "engine", None), "dependency_versions"):
            require_state(state, self.function.__name__)
        call = self.function(*args, **named) if state is MISSING else self.function(state, *args, **named)
        if parsed is None or (parsed.external_wrenches and not parsed.may_open(state.engine.layout)):
            return call.run(state)
        if type(call) is KernelCall:  # what KernelCall.run does, one function less in interpreted calls
            return state.engine.run(state, call, parsed.key, len(parsed.arrays))
        return call.run(state, parsed.key, len(parsed.arrays))

    def _identify(self, state: Any, args: tuple[Any, ...], named: dict[str, Any], builtin: Callable[..., Any]) -> None:
        """Let the next call with the same target and frame find the builtin by their identities."""
        frame = named.get(FRAME)
        if len(args) != 1 + self.arguments.vectors or len(named) != (frame is not None):
            return
        builtins = state.engine.builtins_by_identity
        if len(builtins) >= _MAX_BY_IDENTITY:
            builtins.clear()
        builtins[self.function, id(args[0]), id(frame)] = builtin, args[0], frame  # which keeps both alive


@final
@attrs.frozen(eq=False)
class _FunctionOfResult:
    """A function with fast paths that fills a result."""

    function: Callable[..., Call[Any]]
    make_result: Callable[[Mechanism], Any]
    """Makes a result."""

    def dispatch(self, result: Any, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Return the result of any call, by its fast path if it has one."""
        result, args = self._with_result(result, args, named)
        state = args[0] if args else None
        parsed = _AFTER_STATE.parse(state, state, args[1:], named)
        try:
            builtin = None if parsed is None else result.writer.builtins[parsed.key]
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
            return self.make_result(state.mechanism), args
        if "state" in named:
            return result, args
        if not args:
            require_state(result, self.function.__name__)
        return (self.make_result(result.mechanism), (result, *args)) if is_state(result) else (result, args)

    def run(self, result: Any, args: tuple[Any, ...], named: dict[str, Any], parsed: ParsedCall | None) -> Any:
        """Run the function and the call it returns, which opens a fast path."""
        call = self.function(result, *args, **named)
        if parsed is None or (parsed.external_wrenches and not parsed.may_open(result.writer.layout)):
            return call.run(result)
        return call.run(result, parsed.key, len(parsed.arrays))
