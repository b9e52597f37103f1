"""Fast paths: calls of algorithms that run a builtin on the buffers of a live state.

`fast_path` decorates a function of a state that returns a `Call`; `result_fast_path.py` has the functions that fill a
`DynamicsResult`. The decorator splits the arguments into a *key*, which is everything except numbers, and arrays of
numbers. A builtin is looked up by the key and takes the arrays. If there is none, or if it returns NotImplemented
because a check failed, the function runs, and the engine runs the returned `Call`. Once there is machine code, the
engine adds a builtin under the key.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from types import MappingProxyType
from typing import Any, Final, ParamSpec, TypeVar, cast, final

import attrs

from rbd.engine.call_arguments import FRAME, OUT, CallArguments, with_zero_torques
from rbd.kernels.calls import Call, KernelCall
from rbd.kernels.kernel import require_state
from rbd.mechanism import TreePath

P = ParamSpec("P")
R = TypeVar("R")
MISSING: Final = object()
"""The default of a first argument."""
_MAX_IDENTIFIED: Final = 256
"""Maximum number of fast paths that are found by the identities of objects; above it, all are forgotten."""


def fast_path(
    *,
    target: bool = False,
    vectors: int = 0,
    torques: bool = False,
    wrenches: bool = False,
    frame: bool = False,
    out: bool = False,
    choices: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> Callable[[Callable[P, Call[R]]], Callable[P, R]]:
    """Decorate a function of a state with fast paths.

    With `target` the next argument is part of the key: a path or a body. Then follow `vectors` of numbers; with
    `torques` the first of them is zero if it is None or missing. With `wrenches` optional external wrenches follow, by
    position or by name. Keywords are `frame`, `out`, and `choices` with their allowed values, the default first. Calls
    with other arguments always run the function.
    """

    def decorate(function: Callable[P, Call[R]]) -> Callable[P, R]:
        arguments = CallArguments(target, vectors, wrenches, frame, out, choices)
        spec = FastPathSpec(cast("Any", function), function.__name__, arguments, torques)
        call = _of_target(spec) if target else _of_vectors(spec) if vectors else _of_state(spec)
        return cast("Callable[P, R]", wraps(function)(call))

    return decorate


# These functions run in every call: each line adds to its time.


def _of_state(spec: FastPathSpec) -> Callable[..., Any]:
    """Return a function of a state alone; the key of its plain call is `spec`."""

    def call(state: Any = MISSING, *args: Any, **named: Any) -> Any:
        if args or named:
            return spec.dispatch(state, args, named)
        try:
            answer = state.engine.fast[spec]()
        except (AttributeError, KeyError):  # no live state, or not yet
            answer = NotImplemented
        return spec.run(state, args, named, spec, 0) if answer is NotImplemented else answer

    return call


def _of_vectors(spec: FastPathSpec) -> Callable[..., Any]:
    """Return a function of a state and arrays; the key of its plain call is `spec`."""
    vectors = spec.arguments.vectors

    def call(state: Any = MISSING, *args: Any, **named: Any) -> Any:
        if named or len(args) != vectors:
            return spec.dispatch(state, args, named)
        try:
            builtin = state.engine.fast[spec]
        except (AttributeError, KeyError):  # no live state, or not yet
            builtin = None  # what runs now does so outside: its errors have no KeyError for a context
        if builtin is None:
            return spec.run(state, args, named, spec, vectors)
        answer = builtin(*args)
        if answer is not NotImplemented:
            return answer
        return spec.dispatch(state, args, named) if spec.torques else spec.run(state, args, named, spec, vectors)

    return call


def _of_target(spec: FastPathSpec) -> Callable[..., Any]:
    """Return a function of a state, a path or a body, perhaps arrays, and perhaps a frame."""
    arity = 1 + spec.arguments.vectors

    def call(state: Any = MISSING, *args: Any, frame: Any = None, **named: Any) -> Any:
        if len(args) == arity and not named:
            try:
                builtin = state.engine.identified[spec, id(args[0]), id(frame)][0]
            except (AttributeError, KeyError):  # no live state, or not yet
                builtin = None
            if builtin is not None:
                answer = builtin() if arity == 1 else builtin(*args[1:])
                if answer is not NotImplemented:
                    return answer
        return spec.dispatch(state, args, named if frame is None else {**named, FRAME: frame})

    return call


@final
@attrs.frozen(eq=False)
class FastPathSpec:
    """Specification of the fast paths of one function; also the key of its plain call."""

    function: Callable[..., Call[Any]]
    name: str
    arguments: CallArguments
    torques: bool
    _count_with_out: int = attrs.field(init=False)
    """The number of arguments of a call whose only keyword is `out`; -1 for functions without it."""

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "_count_with_out", self.arguments.vectors if self.arguments.out else -1)

    def dispatch(self, state: Any, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Return the result of any call, by its fast path if it has one."""
        complete = with_zero_torques(state, args, self.arguments.target) if self.torques else args
        if len(args) == self._count_with_out and len(named) == 1 and OUT in named:  # the usual keyword
            parts: tuple[object, tuple[Any, ...], dict[str, Any]] = self, complete, named
        else:
            parts = self._split_with_key(state, complete, named)
        key, arrays, keywords = parts
        try:
            builtin = None if key is None else state.engine.fast.get(key)
        except (AttributeError, TypeError):  # no live state, or no hash: the function raises the error
            builtin = None
        answer = NotImplemented if builtin is None else builtin(*arrays, **keywords)
        if answer is NotImplemented:
            return self.run(state, args, named, key, len(arrays))
        if builtin is not None and self.arguments.target:
            self._identify(state, args, named, builtin)
        return answer

    def run(self, state: Any, args: tuple[Any, ...], named: dict[str, Any], key: object, count: int) -> Any:
        """Run the function and the call it returns; `key` and `count` are those of a new fast path."""
        if state is not MISSING and not hasattr(getattr(state, "engine", None), "stamp"):
            require_state(state, self.name)
        call = self.function(*args, **named) if state is MISSING else self.function(state, *args, **named)
        arguments = self.arguments
        if key is not None and arguments.wrenches and not arguments.have_default_frames(state, args, named):
            key = None
        if type(call) is KernelCall:  # what KernelCall.run does, one function less in interpreted calls
            return state.engine.run(state, call, key, count)
        return call.run(state, key, count)

    def _split_with_key(
        self, state: Any, args: tuple[Any, ...], named: dict[str, Any]
    ) -> tuple[object, tuple[Any, ...], dict[str, Any]]:
        """Return the key of a call, its arrays, and the keywords of the builtin; no key without a fast path."""
        parts = self.arguments.split(state, args, named)
        if parts is None:
            return None, (), named
        static, arrays, keywords = parts
        if not self.arguments.target:
            return (self, *static) if static else self, arrays, keywords
        target = args[0]
        named_target = (target.source, target.target, *target) if type(target) is TreePath else (target,)
        return (self, *named_target, *static), arrays, keywords

    def _identify(self, state: Any, args: tuple[Any, ...], named: dict[str, Any], builtin: Callable[..., Any]) -> None:
        """Let the next call with the same target and frame find the builtin by their identities."""
        frame = named.get(FRAME)
        if len(args) != 1 + self.arguments.vectors or len(named) != (frame is not None):
            return
        known = state.engine.identified
        if len(known) >= _MAX_IDENTIFIED:
            known.clear()
        known[self, id(args[0]), id(frame)] = builtin, args[0], frame  # which keeps both alive
