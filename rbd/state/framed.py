"""Functions of a state alone that return one value, framed or a number, with a short way to their kernel.

Room: state; may import mechanism and above. Machine code gives the numbers of the value; they are put into the form
that was recorded, as on the long way. A function that takes the frame wanted has a short way for each frame in which
the kernel needs no other numbers: default frames of bodies.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Final, ParamSpec, TypeVar, cast

from rbd.spatial import Frame
from rbd.state.kernel import body_of
from rbd.state.layout import Layout
from rbd.state.store.body import Body

P = ParamSpec("P")
R = TypeVar("R")
_FRAME: Final = "frame"


def framed(
    kernel: Callable[..., Any], make: Callable[[Layout, Any, Any], Any] | None = None, *, frames: bool = False
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Give a function of a state, and with `frames` of a keyword `frame`, short ways to its kernel.

    `make` makes the value of the state's layout, the frame (None when not given), and what the kernel gives.
    """
    body = body_of(kernel)

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def call(state: Any, *args: Any, **named: Any) -> Any:
            # This is the short way: every line counts.
            form = _form(body, named, frames=frames) if args or named else body
            try:
                door = None if args else state.doors.get(form)
            except AttributeError:  # no state: the function says so
                door = None
            if door is not None and (found := door()) is not NotImplemented:
                return found if make is None else make(state.layout, named.get(_FRAME), found)
            result: Any = cast("Any", function)(state, *args, **named)
            if form is not None and not args:
                state.open_door(body, form, whole=True)
            return result

        return cast("Callable[P, R]", call)

    return decorate


def _form(body: Body, named: dict[str, Any], *, frames: bool) -> object:
    """Return the form of a call with keywords: the kernel and a frame; None for what has no short way."""
    if not frames or len(named) != 1 or _FRAME not in named:
        return None
    frame = named[_FRAME]
    return body if frame is None else (body, frame) if type(frame) is Frame else None
