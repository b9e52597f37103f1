"""Algorithms with a short way to their kernel.

Room: state; may import mechanism and above. An algorithm that is asked for often on a live state gets a builtin bound
to the state's buffers. The decorator here tries it first; whatever it does not serve goes through the algorithm as
written.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast

from rbd.state.kernel import body_of
from rbd.state.pushed import Call, Pushed
from rbd.state.store.body import Body

P = ParamSpec("P")
R = TypeVar("R")


_PLAIN = {"out"}
"""Keywords that do not change what is computed: after a call with others, the kernel just run is not the usual one."""


def direct(
    kernel: Callable[..., Any], *, pushed: int | None = None, loops: Callable[..., Any] | None = None
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Give a function of a state, and perhaps of vectors, that returns one array a short way to its kernel.

    After `pushed` vectors external wrenches may follow, None for a function that takes none; there is a short way for
    each set of bodies and frames. The kernel must take wrenches in default frames of bodies, as they are given. `loops`
    is the kernel that such a function runs for mechanisms with loops, if that is another one.
    """
    body = body_of(kernel)
    wrenches = None if pushed is None else Pushed(body, pushed, None if loops is None else body_of(loops))

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def call(state: Any, *args: Any, **named: Any) -> Any:
            try:
                door = state.doors.get(body)
            except AttributeError:  # no state: the function says so
                door = None
            if door is not None:
                answer = door(*args, **named) if named else door(*args)
                if answer is not NotImplemented:
                    return answer
            if wrenches is not None and (push := wrenches.call(args, named)) is not None:
                return _pushed(function, state, args, named, wrenches, push)
            result: Any = cast("Any", function)(state, *args, **named)
            if named.keys() <= _PLAIN:
                _open(state, body, wrenches, len(args))
            return result

        return cast("Callable[P, R]", call)

    return decorate


def _pushed(function: Callable[..., Any], state: Any, args: Any, named: Any, wrenches: Pushed, push: Call) -> Any:
    """Return what a function gives in a call that says what pushes."""
    door = getattr(state, "doors", {}).get(push.key)
    answer = NotImplemented if door is None else door(*push.args, **push.named)
    if answer is NotImplemented:
        answer = function(state, *args, **named)
        wrenches.open(state, push)
    return answer


def _open(state: Any, body: Body, wrenches: Pushed | None, count: int) -> None:
    """Make a short way for the usual call, after one with so many positional arguments."""
    if wrenches is None:
        state.open_door(body)
    elif count == wrenches.vectors:  # else something may have pushed
        wrenches.open(state)
