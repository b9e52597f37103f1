"""Functions that fill a result, with short ways to machine code that does.

Room: state; may import mechanism and above. What `direct.py` does for functions of a state that return arrays, this
does for those that put a whole solution into a `DynamicsResult`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Final, ParamSpec, cast

from rbd.state.kernel import body_of
from rbd.state.pushed import WRENCHES, Call, Pushed, are_served
from rbd.state.result import DynamicsResult
from rbd.state.short_ways import ShortWay

P = ParamSpec("P")
_WITH_WRENCHES: Final = 2
"""How many arguments follow the state when wrenches do."""


def solving(tree: ShortWay, loops: ShortWay) -> Callable[[Callable[P, DynamicsResult]], Callable[P, DynamicsResult]]:
    """Give a function of (result, state, torques, external wrenches) short ways: some for trees, some for loops."""
    calls = Pushed(body_of(tree.kernel), 1)

    def decorate(function: Callable[P, DynamicsResult]) -> Callable[P, DynamicsResult]:
        @wraps(function)
        def call(result: Any, state: Any, *args: Any, **named: Any) -> Any:
            # This is the short way: every line counts.
            door = result.door if type(result) is DynamicsResult and not named else None
            leads_there = door is not None and result.door_of is getattr(state, "doors", None)
            if leads_there and door is not None and (door(*args) if args else door(state.still)) is None:
                return result
            push = _pushing(calls, result, state, args, named)
            if push is not None and result.solve(state, push, named[WRENCHES] if named else args[1]):
                return result
            cast("Any", function)(result, state, *args, **named)
            # Other keywords, and wrenches of other kinds, may have asked for another solution than the usual one.
            if (push is not None or (not named and len(args) < _WITH_WRENCHES)) and not state.layout.touches:
                _open(result, state, loops if state.layout.loops else tree, push)
            return result

        return cast("Callable[P, DynamicsResult]", call)

    return decorate


def _pushing(calls: Pushed, result: object, state: Any, args: tuple[Any, ...], named: dict[str, Any]) -> Call | None:
    """Return a call that says what pushes, None for any other; no torques are zeros."""
    if type(result) is not DynamicsResult:
        return None
    call = calls.call(args or (None,), named)
    if call is None or call.named:
        return None
    if call.args[0] is None:
        call.args = (getattr(state, "still", None), *call.args[1:])
    return call


def _open(result: DynamicsResult, state: Any, way: ShortWay, push: Call | None) -> None:
    """Make a short way to the kernel that has just been run."""
    if push is None or not push.places:
        result.open_door(state, way)
    elif are_served(state, push.places):
        result.open_door(state, way, push.key)
