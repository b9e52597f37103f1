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
from typing import Any, Final, ParamSpec, TypeAlias, TypeVar, cast, final

import attrs

from rbd.engine.external_wrenches import are_in_default_frames, wrench_key_and_components
from rbd.kernels.calls import Call, KernelCall
from rbd.kernels.kernel import require_state
from rbd.mechanism import RigidBody, TreePath
from rbd.spatial import Frame

P = ParamSpec("P")
R = TypeVar("R")
Parsed: TypeAlias = tuple[tuple[object, ...], tuple[Any, ...], dict[str, Any]]
"""What a call has besides its numbers, its arrays, and the keywords of its builtin."""
_WRENCHES: Final = "external_wrenches"
_FRAME: Final = "frame"
_OUT: Final = "out"
MISSING: Final = object()
"""The default of a first argument."""
_NO_WRENCHES: Final[tuple[tuple[object, ...], None]] = ((), None)
_NO_KEYWORDS: Final[dict[str, Any]] = {}
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
        source, name = cast("Any", function), function.__name__
        spec = FastPathSpec(source, name, target, vectors, torques, wrenches, frame, out, choices)
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
    vectors = spec.vectors

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
    arity = 1 + spec.vectors

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
        return spec.dispatch(state, args, named if frame is None else {**named, _FRAME: frame})

    return call


@final
@attrs.frozen(eq=False)
class FastPathSpec:
    """Specification of the fast paths of one function; also the key of its plain call."""

    function: Callable[..., Call[Any]]
    name: str
    target: bool
    vectors: int
    torques: bool
    wrenches: bool
    frame: bool = False
    out: bool = False
    choices: Mapping[str, Sequence[str]] = MappingProxyType({})

    def dispatch(self, state: Any, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Return the result of any call, by its fast path if it has one."""
        complete = with_zero_torques(state, args, self.target) if self.torques else args
        if self.out and len(named) == 1 and _OUT in named and len(args) == self.vectors:  # the usual keyword
            parsed: tuple[object, tuple[Any, ...], dict[str, Any]] = self, complete, named
        else:
            parsed = self._parsed_with_key(state, complete, named)
        key, arrays, keywords = parsed
        try:
            builtin = None if key is None else state.engine.fast.get(key)
        except (
            AttributeError,
            TypeError,
        ):  # no live state, or no hash: the function raises the error
            builtin = None
        answer = NotImplemented if builtin is None else builtin(*arrays, **keywords)
        if answer is NotImplemented:
            return self.run(state, args, named, key, len(arrays))
        if self.target and builtin is not None:
            self._identify(state, args, named, builtin)
        return answer

    def run(self, state: Any, args: tuple[Any, ...], named: dict[str, Any], key: object, count: int) -> Any:
        """Run the function and the call it returns; `key` and `count` are those of a new fast path."""
        if state is not MISSING and not hasattr(getattr(state, "engine", None), "stamp"):
            require_state(state, self.name)
        call = self.function(*args, **named) if state is MISSING else self.function(state, *args, **named)
        if key is not None and self.wrenches and not self.has_default_frames(state, args, named):
            key = None
        if type(call) is KernelCall:  # what KernelCall.run does, one function less in interpreted calls
            return state.engine.run(state, call, key, count)
        return call.run(state, key, count)

    def has_default_frames(self, owner: Any, args: tuple[Any, ...], named: dict[str, Any]) -> bool:
        """Return whether the external wrenches of a call, if any, are expressed in default frames of bodies."""
        position = self.target + self.vectors
        external = args[position] if len(args) > position else named.get(_WRENCHES)
        return not external or are_in_default_frames(owner.engine.layout, external)

    def parsed(self, owner: Any, args: tuple[Any, ...], named: dict[str, Any]) -> Parsed | None:
        """Return what a call has besides numbers and target, its arrays and keywords; None without a fast path."""
        count, external = self.target + self.vectors, None
        if len(args) == count + 1 and self.wrenches:
            external = args[-1]
        elif len(args) != count:
            return None
        elif self.wrenches and _WRENCHES in named:
            external, named = named[_WRENCHES], {name: value for name, value in named.items() if name != _WRENCHES}
        found = _NO_WRENCHES if external is None else wrench_key_and_components(external)
        keywords, chosen = self._keywords(owner, named) if named else (_NO_KEYWORDS, ())
        if found is None or keywords is None:
            return None
        places, numbers = found
        arrays = args[self.target : count]
        return (*places, *chosen), (*arrays, numbers) if places else arrays, keywords

    def _parsed_with_key(
        self, state: Any, args: tuple[Any, ...], named: dict[str, Any]
    ) -> tuple[object, tuple[Any, ...], dict[str, Any]]:
        """Return the key of a call, its arrays, and the keywords of the builtin; no key without a fast path."""
        parsed = self.parsed(state, args, named)
        if parsed is None:
            return None, (), named
        static, arrays, keywords = parsed
        if not self.target:
            return (self, *static) if static else self, arrays, keywords
        target = args[0]
        named_target = (target.source, target.target, *target) if type(target) is TreePath else (target,)
        return (self, *named_target, *static), arrays, keywords

    def _keywords(self, owner: Any, named: dict[str, Any]) -> tuple[dict[str, Any] | None, Sequence[object]]:
        """Return the keywords of the builtin (None without a fast path) and those that are part of the key."""
        keywords, chosen = _NO_KEYWORDS, list[object]()
        for name, value in named.items():
            if name == _OUT and self.out:
                keywords = {_OUT: value}
            elif name in self.choices and type(value) is str:
                chosen += (name, value) if value != self.choices[name][0] else ()
            elif name == _FRAME and self.frame and (value is None or type(value) is Frame):
                chosen += () if value is None else (value,)
            elif name == _FRAME and self.frame and isinstance(value, (RigidBody, str)):
                layout = getattr(getattr(owner, "engine", None), "layout", None)
                chosen += () if layout is None else (layout.body_and_frame(value, _FRAME)[1],)
            else:
                return None, chosen
        return keywords, chosen

    def _identify(self, state: Any, args: tuple[Any, ...], named: dict[str, Any], builtin: Callable[..., Any]) -> None:
        """Let the next call with the same target and frame find the builtin by their identities."""
        frame = named.get(_FRAME)
        if len(args) != 1 + self.vectors or len(named) != (frame is not None):
            return
        known = state.engine.identified
        if len(known) >= _MAX_IDENTIFIED:
            known.clear()
        known[self, id(args[0]), id(frame)] = builtin, args[0], frame  # which keeps both alive


def with_zero_torques(state: Any, args: tuple[Any, ...], position: int) -> tuple[Any, ...]:
    """Return the arguments of a call with zero torques for None, or for torques that are missing."""
    if len(args) < position or (len(args) > position and args[position] is not None):
        return args
    zero = getattr(getattr(state, "engine", None), "zero_torques", None)
    return (*args[:position], zero, *args[position + 1 :])
