"""Functions that fill a result, with short ways to machine code that does.

Room: state; may import mechanism and above. What `direct.py` does for functions of a state that return arrays, this
does for those that put a whole solution into a `DynamicsResult`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, cast

import attrs

from rbd.state.kernel import body_of
from rbd.state.pushed import WRENCHES, Call, Pushed, are_served
from rbd.state.result import DynamicsResult
from rbd.state.short_ways import ShortWay

P = ParamSpec("P")


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
            # A keyword may have asked for another solution than the usual one.
            if (push is not None or not named) and not state.layout.touches:
                way = loops if state.layout.loops else tree
                if push is None:
                    result.open_door(state, way)
                elif are_served(state, push.places):
                    result.open_door(state, way, push.key)
            return result

        return cast("Callable[P, DynamicsResult]", call)

    return decorate


def _pushing(calls: Pushed, result: object, state: Any, args: tuple[Any, ...], named: dict[str, Any]) -> Call | None:
    """Return a call with external wrenches, None for any other; no torques are zeros."""
    if type(result) is not DynamicsResult:
        return None
    call = calls.call(args or (None,), named)
    if call is None or call.named or not call.places:
        return None
    torques, numbers = call.args
    return call if torques is not None else attrs.evolve(call, args=(getattr(state, "still", None), numbers))
