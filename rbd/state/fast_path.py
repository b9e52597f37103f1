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
from rbd.state.engine import Call
from rbd.state.external_wrenches import are_in_default_frames, places_and_numbers
from rbd.state.kernel import require_state
from rbd.state.result import DynamicsResult

P = ParamSpec("P")
R = TypeVar("R")
_WRENCHES: Final = "external_wrenches"
_FRAME: Final = "frame"
_OUT: Final = "out"
_MISSING: Final = object()
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

    First come `objects` that are part of the key (a state, a path, a body), then `vectors` of numbers, then with
    `wrenches` perhaps external wrenches, by position or by name. Keywords may be a `frame`, `out`, and `choices` with
    what they may be, the default first. With `zeros` the first object is a state, and its zero torques stand for a
    vector that is None or missing. Calls with other arguments always run the function.
    """

    def decorate(function: Callable[P, Call[R]]) -> Callable[P, R]:
        calls = Calls(function.__name__, objects, vectors, wrenches, frame, out, zeros, choices)
        usual = objects + vectors
        run = cast("Callable[..., Any]", function)

        @wraps(function)
        def call(state: Any = _MISSING, *args: Any, **named: Any) -> Any:
            # Every line counts here.
            owner = state
            if named or len(args) != usual:
                key, given, keywords = calls.parsed(args, named)
            elif not objects:
                key, given, keywords = calls, args, named
            elif objects == 1 and type(args[0]) is not TreePath and not (zeros and args[1] is None):
                key, given, keywords = (calls, args[0]), args[1:], named
            else:
                key, given, keywords = calls.parsed(args, named)
            try:
                path = owner.engine.fast.get(key)
            except (AttributeError, TypeError):  # no state, or an argument without a hash: the function says so
                path = None
            if path is not None and (answer := path(*given, **keywords)) is not NotImplemented:
                return owner if answer is None else answer
            return calls.run(run, owner, args, named, key, len(given))

        return cast("Callable[P, R]", call)

    return decorate


@final
@attrs.frozen(eq=False)
class Calls:
    """The calls of one function that have fast paths. It is the key of the plain one."""

    name: str
    objects: int
    vectors: int
    wrenches: bool
    frame: bool
    out: bool
    zeros: bool
    choices: Mapping[str, Sequence[str]]

    def parsed(self, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[object, tuple[Any, ...], dict[str, Any]]:
        """Return the key of a call, its arrays, and what goes to the builtin by name; no key if it has no fast path."""
        count = self.objects + self.vectors
        if self.zeros and args and (len(args) == 1 or args[1] is None):
            args = (args[0], getattr(getattr(args[0], "engine", None), "zero_torques", None), *args[2:])
        positional = len(args) == count + 1 and self.wrenches
        if len(args) != count + positional:
            return None, (), named
        external = args[-1] if positional else None
        if _WRENCHES in named and self.wrenches and not positional:
            external, named = named[_WRENCHES], {name: value for name, value in named.items() if name != _WRENCHES}
        keywords, static = self._keywords(named)
        if keywords is None:
            return None, (), named
        given = args[self.objects : count]
        if external is not None:
            found = places_and_numbers(external)
            if found is None:
                return None, (), named
            places, numbers = found
            static += places
            given = (*given, numbers) if places else given
        return self._key(args, static), given, keywords

    def _keywords(self, named: dict[str, Any]) -> tuple[dict[str, Any] | None, list[object]]:
        """Return the keywords for the builtin, None if some have no fast path; and those that are part of the key."""
        keywords, static = _NO_KEYWORDS, list[object]()
        for name, value in named.items():
            if name == _OUT and self.out:
                keywords = {_OUT: value}
            elif name in self.choices and type(value) is str:
                static += (name, value) if value != self.choices[name][0] else ()
            elif name == _FRAME and self.frame and (value is None or type(value) is Frame):
                static += () if value is None else (value,)
            else:
                return None, static
        return keywords, static

    def _key(self, args: tuple[Any, ...], static: list[object]) -> object:
        for each in args[: self.objects]:
            static += (each.source, each.target, *each) if type(each) is TreePath else (each,)
        return (self, *static) if static else self

    def run(
        self,
        function: Callable[..., Any],
        owner: Any,
        args: tuple[Any, ...],
        named: dict[str, Any],
        key: object,
        count: int,
    ) -> Any:
        """Run the function, and then what it asks for, under this key if it may have a fast path."""
        if owner is not _MISSING and not isinstance(owner, DynamicsResult):
            require_state(owner, self.name)
        call: Call[Any] = function(*args, **named) if owner is _MISSING else function(owner, *args, **named)
        owner = named["result"] if owner is _MISSING else owner
        position = self.objects + self.vectors
        external = args[position] if len(args) > position else named.get(_WRENCHES)
        if key is not None and external and not are_in_default_frames(owner.engine.layout, external):
            key = None
        return call.run(owner, key, count)
