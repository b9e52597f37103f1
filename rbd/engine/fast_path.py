"""Fast paths: calls of algorithms that run a builtin on the buffers of a live state.

`fast_path` decorates a function of a state, or of a `DynamicsResult` and a state, that returns a `Call`. The decorator
splits the arguments into a *key*, which is everything except numbers, and arrays of numbers. A builtin is looked up by
the key and takes the arrays. If there is none, or if it returns NotImplemented because a check failed, the function
runs, and the engine runs the returned `Call`. Once there is machine code, the engine adds a builtin under the key.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from types import MappingProxyType
from typing import Any, Final, ParamSpec, TypeVar, cast, final

import attrs

from rbd.engine.external_wrenches import are_in_default_frames, wrench_key_and_components
from rbd.evaluation.calls import Call, KernelCall
from rbd.evaluation.kernel import is_state, require_state
from rbd.mechanism import Mechanism, RigidBody, TreePath
from rbd.spatial import Frame

P = ParamSpec("P")
R = TypeVar("R")
_WRENCHES: Final = "external_wrenches"
_FRAME: Final = "frame"
_OUT: Final = "out"
_MISSING: Final = object()
_NO_WRENCHES: Final[tuple[tuple[object, ...], None]] = ((), None)
_NO_KEYWORDS: Final[dict[str, Any]] = {}
_MAX_IDENTIFIED: Final = 256
"""Maximum number of fast paths that are found by the identities of objects; above it, all are forgotten."""


def fast_path(
    *,
    objects: int = 0,
    vectors: int = 0,
    wrenches: bool = False,
    frame: bool = False,
    out: bool = False,
    zeros: bool = False,
    result: Callable[[Mechanism], Any] | None = None,
    choices: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> Callable[[Callable[P, Call[R]]], Callable[P, R]]:
    """Decorate a function with fast paths; the first argument, a state or a result, has the engine.

    The next argument is an object that is part of the key (a state, a path, a body) if `objects` is 1. Then follow
    `vectors` of numbers, and with `wrenches` optional external wrenches, by position or by name. Keywords are `frame`,
    `out`, and `choices` with their allowed values, the default first. With `zeros` the first vector is torques, zero if
    it is None or missing. With `result` the function takes a result and a state; called with a state only, it makes the
    result. Calls with other arguments always run the function.
    """

    def decorate(function: Callable[P, Call[R]]) -> Callable[P, R]:
        source, name = cast("Any", function), function.__name__
        spec = FastPathSpec(source, name, objects, vectors, wrenches, frame, out, zeros, result, choices)
        make = (_of_state_and_object if objects else _of_state) if result is None else _of_result
        call = make(spec)
        return cast("Callable[P, R]", wraps(function)(call))

    return decorate


# These two functions run in every call: each line adds to its time.


def _of_state(spec: FastPathSpec) -> Callable[..., Any]:
    """Return a function of a state; the key of its plain call is `spec`."""
    plain_arity = spec.vectors

    def call(state: Any = _MISSING, *args: Any, **named: Any) -> Any:
        if named or len(args) != plain_arity:
            return spec.dispatch(state, args, named)
        try:
            builtin = state.engine.fast[spec]
        except (AttributeError, KeyError):  # no state, or not yet
            return spec.run(state, args, named, spec, plain_arity)
        answer = builtin(*args)
        if answer is NotImplemented:
            return spec.dispatch(state, args, named) if spec.zeros else spec.run(state, args, named, spec, plain_arity)
        return answer

    def call_without_arguments(state: Any = _MISSING, *args: Any, **named: Any) -> Any:
        if args or named:
            return spec.dispatch(state, args, named)
        try:
            answer = state.engine.fast[spec]()
        except (AttributeError, KeyError):  # no state, or not yet
            answer = NotImplemented
        return spec.run(state, args, named, spec, plain_arity) if answer is NotImplemented else answer

    return call if plain_arity else call_without_arguments


def _of_state_and_object(spec: FastPathSpec) -> Callable[..., Any]:
    """Return a function of a state, an object, perhaps arrays, and perhaps a frame."""
    arity = 1 + spec.vectors

    def call(state: Any = _MISSING, *args: Any, frame: Any = None, **named: Any) -> Any:
        if len(args) == arity and not named:
            try:
                builtin = state.engine.identified[spec, id(args[0]), id(frame)][0]
            except (AttributeError, KeyError):  # no state, or not yet
                builtin = None
            if builtin is not None:
                answer = builtin() if arity == 1 else builtin(*args[1:])
                if answer is not NotImplemented:
                    return answer
        return spec.dispatch(state, args, named if frame is None else {**named, _FRAME: frame})

    return call


def _of_result(spec: FastPathSpec) -> Callable[..., Any]:
    """Return a function of a result, a state and torques; the key of its plain call is the state."""

    def call(result: Any = _MISSING, *args: Any, **named: Any) -> Any:
        count = len(args)
        if named or count not in (1, 2):
            return spec.dispatch(result, args, named)
        state = args[0]
        try:
            builtin = result.engine.fast[state]
            torques = state.engine.zero_torques if count == 1 or args[1] is None else args[1]
        except (AttributeError, KeyError, TypeError):  # no result, no state, or not yet
            return spec.dispatch(result, args, named)
        return spec.run(result, args, named, state, 1) if builtin(torques) is NotImplemented else result

    return call


@final
@attrs.frozen(eq=False)
class FastPathSpec:
    """Specification of the fast paths of one function; also the key of its plain call."""

    function: Callable[..., Call[Any]]
    name: str
    objects: int
    vectors: int
    wrenches: bool
    frame: bool
    out: bool
    zeros: bool
    result: Callable[[Mechanism], Any] | None
    choices: Mapping[str, Sequence[str]]

    def dispatch(self, owner: Any, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Return the result of any call, by its fast path if it has one."""
        if self.result is not None:
            state = named.get("state") if owner is _MISSING else owner
            if not args and "state" not in named:
                require_state(state, self.name)
            if is_state(state) and (owner is _MISSING or "state" not in named):
                return self.dispatch(self.result(state.mechanism), args if owner is _MISSING else (owner, *args), named)
        key: object = self
        complete = self._with_torques(owner, args) if self.zeros else args
        if self.out and len(named) == 1 and _OUT in named and len(args) == self.vectors:  # the usual keyword
            given, keywords = complete, named
        else:
            key, given, keywords = self._parsed(owner, complete, named)
        try:
            builtin = None if key is None else owner.engine.fast.get(key)
        except (AttributeError, TypeError):  # not a state, or an argument without a hash: the function raises the error
            builtin = None
        if builtin is not None:
            answer = builtin(*given, **keywords) if keywords else builtin(*given)
            if answer is not NotImplemented:
                answer = owner if answer is None else answer
                return self._identified(answer, owner, builtin, args, named) if self.objects else answer
        return self.run(owner, args, named, key, len(given))

    def _identified(
        self,
        answer: Any,
        owner: Any,
        builtin: Callable[..., Any],
        args: tuple[Any, ...],
        named: dict[str, Any],
    ) -> Any:
        """Return an answer; the next call with the same object and frame finds the builtin by their identities."""
        frame = named.get(_FRAME)
        if self.result or len(args) != 1 + self.vectors or len(named) != (frame is not None):
            return answer
        known = owner.engine.identified
        if len(known) >= _MAX_IDENTIFIED:
            known.clear()
        known[self, id(args[0]), id(frame)] = builtin, args[0], frame  # which keeps both alive
        return answer

    def _parsed(
        self, owner: Any, args: tuple[Any, ...], named: dict[str, Any]
    ) -> tuple[object, tuple[Any, ...], dict[str, Any]]:
        """Return the key of a call, its arrays, and the keywords of the builtin; no key without a fast path."""
        count = self.objects + self.vectors
        external = None
        if len(args) == count + 1 and self.wrenches:
            external = args[-1]
        elif len(args) != count:
            return None, (), named
        elif _WRENCHES in named and self.wrenches:
            external, named = named[_WRENCHES], {name: value for name, value in named.items() if name != _WRENCHES}
        found = _NO_WRENCHES if external is None else wrench_key_and_components(external)
        keywords, chosen = self._keywords(owner, named) if named else (_NO_KEYWORDS, ())
        if found is None or keywords is None:
            return None, (), named
        places, numbers = found
        given = (*args[self.objects : count], numbers) if places else args[self.objects : count]
        return self._key(args, (*places, *chosen)), given, keywords

    def _with_torques(self, owner: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the arguments with zero torques for None or missing ones."""
        place = self.objects
        if len(args) < place or (len(args) > place and args[place] is not None):
            return args
        state = owner if self.result is None else args[0]
        return (*args[:place], getattr(getattr(state, "engine", None), "zero_torques", None), *args[place + 1 :])

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

    def _key(self, args: tuple[Any, ...], static: tuple[object, ...]) -> object:
        if not self.objects:
            return (self, *static) if static else self
        first = args[0]
        if self.result is not None and not static:
            return first
        if type(first) is TreePath:
            return (self, first.source, first.target, *first, *static)
        return (self, first, *static)

    def run(self, owner: Any, args: tuple[Any, ...], named: dict[str, Any], key: object, count: int) -> Any:
        """Run the function and the call it returns; `key` and `count` are those of a new fast path."""
        if owner is not _MISSING and self.result is None and not hasattr(getattr(owner, "engine", None), "stamp"):
            require_state(owner, self.name)
        call = self.function(*args, **named) if owner is _MISSING else self.function(owner, *args, **named)
        position = self.objects + self.vectors
        external = args[position] if len(args) > position else named.get(_WRENCHES)
        if key is not None and external and not are_in_default_frames(owner.engine.layout, external):
            key = None
        if type(call) is KernelCall:  # what KernelCall.run does, one function less in interpreted calls
            return owner.engine.run(owner, call, key, count)
        return call.run(owner, key, count)
