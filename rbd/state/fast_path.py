"""Fast paths: calls of algorithms that go straight to a builtin on the buffers of a live state.

`fast_path` decorates a function of a state, or of a `DynamicsResult` and a state, that returns a `Call`: what
is to be run. The decorator makes a *key* of the call, everything about it but its numbers, and the
arrays of numbers. The builtin found under the key takes these arrays. Where there is none, or where it returns
NotImplemented because a check failed, the function runs; what it returns is run by the engine, which opens a fast path
under the key once there is machine code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from types import MappingProxyType
from typing import Any, Final, ParamSpec, TypeVar, cast, final

import attrs

from rbd.mechanism import TreePath
from rbd.spatial import Frame
from rbd.state.engine import Call, KernelCall
from rbd.state.external_wrenches import are_in_default_frames, places_and_numbers
from rbd.state.kernel import require_state

P = ParamSpec("P")
R = TypeVar("R")
_WRENCHES: Final = "external_wrenches"
_FRAME: Final = "frame"
_OUT: Final = "out"
_MISSING: Final = object()
_NOWHERE: Final[tuple[tuple[object, ...], None]] = ((), None)
_NO_KEYWORDS: Final[dict[str, Any]] = {}


def fast_path(
    *,
    objects: int = 0,
    vectors: int = 0,
    wrenches: bool = False,
    frame: bool = False,
    out: bool = False,
    zeros: bool = False,
    choices: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> Callable[[Callable[P, Call[R]]], Callable[P, R]]:
    """Give a function fast paths; its arguments after the first, whose engine has them, are these.

    First comes an object that is part of the key (a state, a path, a body) if `objects` is 1, then `vectors` of
    numbers, then with `wrenches` perhaps external wrenches, by position or by name. Keywords may be a `frame`, `out`,
    and `choices` with what they may be, the default first. With `zeros` the function is of a result and a state, whose
    zero torques stand for a vector that is None or missing. Calls with other arguments always run the function.
    """

    def decorate(function: Callable[P, Call[R]]) -> Callable[P, R]:
        calls = Calls(cast("Any", function), function.__name__, objects, vectors, wrenches, frame, out, zeros, choices)
        call = _of_result(calls) if zeros else _of_state(calls)
        return cast("Callable[P, R]", wraps(function)(call))

    return decorate


# Every line counts in these two: they are the Python between a user and machine code.


def _of_state(calls: Calls) -> Callable[..., Any]:
    """Return a function of a state; the key of its plain call is `calls`."""
    usual = -1 if calls.objects else calls.vectors

    def call(state: Any = _MISSING, *args: Any, **named: Any) -> Any:
        if named or len(args) != usual:
            return calls.called(state, args, named)
        try:
            builtin = state.engine.fast[calls]
        except (AttributeError, KeyError):  # no state, or not yet
            return calls.run(state, args, named, calls, usual)
        answer = builtin(*args)
        return calls.run(state, args, named, calls, usual) if answer is NotImplemented else answer

    def call_without_arguments(state: Any = _MISSING, *args: Any, **named: Any) -> Any:
        if args or named:
            return calls.called(state, args, named)
        try:
            answer = state.engine.fast[calls]()
        except (AttributeError, KeyError):  # no state, or not yet
            answer = NotImplemented
        return calls.run(state, args, named, calls, usual) if answer is NotImplemented else answer

    return call if usual else call_without_arguments


def _of_result(calls: Calls) -> Callable[..., Any]:
    """Return a function of a result, a state and torques; the key of its plain call is the state."""

    def call(result: Any = _MISSING, *args: Any, **named: Any) -> Any:
        count = len(args)
        if named or count not in (1, 2):
            return calls.called(result, args, named)
        state = args[0]
        try:
            builtin = result.engine.fast[state]
            torques = state.engine.zero_torques if count == 1 or args[1] is None else args[1]
        except (AttributeError, KeyError, TypeError):  # no result, no state, or not yet
            return calls.run(result, args, named, state, 1)
        return calls.run(result, args, named, state, 1) if builtin(torques) is NotImplemented else result

    return call


@final
@attrs.frozen(eq=False)
class Calls:
    """The calls of one function that have fast paths. It is the key of the plain one."""

    function: Callable[..., Call[Any]]
    name: str
    objects: int
    vectors: int
    wrenches: bool
    frame: bool
    out: bool
    zeros: bool
    choices: Mapping[str, Sequence[str]]

    def called(self, owner: Any, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Return the result of any call, by its fast path if it has one."""
        key: object = self
        if self.out and len(named) == 1 and _OUT in named and len(args) == self.vectors:  # the usual keyword
            given, keywords = args, named
        else:
            key, given, keywords = self._parsed(args, named)
        try:
            builtin = None if key is None else owner.engine.fast.get(key)
        except (AttributeError, TypeError):  # no state, or an argument without a hash: the function says so
            builtin = None
        if builtin is not None:
            answer = builtin(*given, **keywords) if keywords else builtin(*given)
            if answer is not NotImplemented:
                return owner if answer is None else answer
        return self.run(owner, args, named, key, len(given))

    def _parsed(self, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[object, tuple[Any, ...], dict[str, Any]]:
        """Return the key of a call, its arrays, and what goes to the builtin by name; no key if it has no fast path."""
        count = self.objects + self.vectors
        if self.zeros and args and (len(args) == 1 or args[1] is None):
            args = (args[0], getattr(getattr(args[0], "engine", None), "zero_torques", None), *args[2:])
        external = None
        if len(args) == count + 1 and self.wrenches:
            external = args[-1]
        elif len(args) != count:
            return None, (), named
        elif _WRENCHES in named and self.wrenches:
            external, named = named[_WRENCHES], {name: value for name, value in named.items() if name != _WRENCHES}
        found = _NOWHERE if external is None else places_and_numbers(external)
        keywords, chosen = self._keywords(named) if named else (_NO_KEYWORDS, ())
        if found is None or keywords is None:
            return None, (), named
        places, numbers = found
        given = (*args[self.objects : count], numbers) if places else args[self.objects : count]
        return self._key(args, (*places, *chosen)), given, keywords

    def _keywords(self, named: dict[str, Any]) -> tuple[dict[str, Any] | None, Sequence[object]]:
        """Return the keywords for the builtin, None if some have no fast path; and those that are part of the key."""
        keywords, chosen = _NO_KEYWORDS, list[object]()
        for name, value in named.items():
            if name == _OUT and self.out:
                keywords = {_OUT: value}
            elif name in self.choices and type(value) is str:
                chosen += (name, value) if value != self.choices[name][0] else ()
            elif name == _FRAME and self.frame and (value is None or type(value) is Frame):
                chosen += () if value is None else (value,)
            else:
                return None, chosen
        return keywords, chosen

    def _key(self, args: tuple[Any, ...], static: tuple[object, ...]) -> object:
        if not self.objects:
            return (self, *static) if static else self
        first = args[0]
        if self.zeros and not static:
            return first
        if type(first) is TreePath:
            return (self, first.source, first.target, *first, *static)
        return (self, first, *static)

    def run(self, owner: Any, args: tuple[Any, ...], named: dict[str, Any], key: object, count: int) -> Any:
        """Run the function, and then what it asks for; `key` and `count` are those of the fast path it may have."""
        if self.zeros and "result" in named:  # by name, as the state may be
            named = named if owner is _MISSING else {"state": owner, **named}
            owner = _MISSING
        elif owner is not _MISSING and not self.zeros and not hasattr(getattr(owner, "engine", None), "stamp"):
            require_state(owner, self.name)
        call = self.function(*args, **named) if owner is _MISSING else self.function(owner, *args, **named)
        owner = named["result"] if owner is _MISSING else owner
        position = self.objects + self.vectors
        external = args[position] if len(args) > position else named.get(_WRENCHES)
        if key is not None and external and not are_in_default_frames(owner.engine.layout, external):
            key = None
        if type(call) is KernelCall:
            return owner.engine.run(owner, call, key, count)
        return call.run(owner, key, count)
