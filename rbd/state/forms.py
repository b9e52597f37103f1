"""Algorithms that are called in several forms, with a short way to the kernel of each.

Room: state; may import mechanism and above. What `direct.py` does for functions of vectors that give one array, this
does for functions of numbers that give several, with choices (of spaces, of rules) and with external wrenches: those
are numbers too, once it is known which bodies they push, and in which frames. Functions of a path or a body and a frame
have a form for each of these.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from types import MappingProxyType
from typing import Any, Final, ParamSpec, TypeAlias, TypeVar, cast, final

import attrs

from rbd.mechanism import RigidBody, TreePath
from rbd.scalars.arrays import Array
from rbd.spatial import Frame, GeometricJacobian
from rbd.state.base import StateView
from rbd.state.kernel import body_of
from rbd.state.pushed import WRENCHES, Places, are_served, places_and_numbers
from rbd.state.store.body import Body
from rbd.state.store.moulds import nested

P = ParamSpec("P")
R = TypeVar("R")
_SPACE: Final = "space"
_FRAME: Final = "frame"


def in_forms(
    kernel: Callable[..., Any],
    numbers: int,
    *,
    spaces: Sequence[str] = (),
    wrenches: bool = False,
    choices: Mapping[str, Sequence[str]] = MappingProxyType({}),
    result: Callable[..., Any] | None = None,
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Give a function of a state and `numbers` arguments that are vectors or numbers short ways to its kernel.

    `spaces` are what its keyword `space` may be, the usual one first. `wrenches`: external wrenches may follow the
    numbers; the kernel must take them in default frames of bodies, as they are given. `choices` are what further
    keywords may be, as `spaces`. `result` makes one value of the arrays.
    """
    forms = Forms.of(body_of(kernel), numbers, {_SPACE: spaces, **choices}, wrenches)

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def call(state: Any, *args: Any, **named: Any) -> Any:
            # This is the short way: every line counts.
            usual = not named and len(args) == numbers
            form, given = (forms.usual, args) if usual else forms.form(args, named)
            try:
                door = state.doors.get(form)
            except AttributeError:  # no state: the function says so
                door = None
            if door is not None:
                answer = door(*given)
                if answer is not NotImplemented:
                    return answer if result is None else result(*answer)
            found: Any = cast("Any", function)(state, *args, **named)
            if form is not None:
                forms.open(state, form)
            return found

        return cast("Callable[P, R]", call)

    return decorate


def at_places(
    kernel: Callable[..., Any], result: Callable[[Any, Frame[Any], Any], Any] | None = None
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Give a function of a state, a path or a body, and a `frame` (the root's if not given) short ways to its kernel.

    `result` makes a value of the path or body, the frame, and the array the kernel gives.
    """
    body = body_of(kernel)

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def call(state: Any, *args: Any, **named: Any) -> Any:
            form = _form_of_place(body, args, named)
            try:
                door = state.doors.get(form)
            except AttributeError:  # no state: the function says so
                door = None
            if door is not None and (numbers := door()) is not NotImplemented:
                return (
                    numbers
                    if result is None
                    else result(args[0], named.get(_FRAME) or state.layout.root_frame, numbers)
                )
            found: Any = cast("Any", function)(state, *args, **named)
            if form is not None:
                state.open_door(body, form)
            return found

        return cast("Callable[P, R]", call)

    return decorate


def _form_of_place(body: Body, args: tuple[Any, ...], named: dict[str, Any]) -> object:
    """Return the form of a call: a body, or the ends and steps of a path, and the frame; None for anything else."""
    frame = named.get(_FRAME)
    if len(args) != 1 or len(named) != (_FRAME in named) or not (frame is None or type(frame) is Frame):
        return None
    place = args[0]
    if type(place) is TreePath:
        return (body, frame, place.source, place.target, *place)
    return (body, frame, place) if type(place) is RigidBody else None


def jacobian_along(path: TreePath, frame: Frame[Any], columns: Array) -> GeometricJacobian[Any, Any, Any]:
    """Return the geometric Jacobian of a path with these columns."""
    return GeometricJacobian.trusted(path.target.default_frame, path.source.default_frame, frame, nested(columns))


Form: TypeAlias = tuple[Body, Places]
"""A kernel with what was chosen, the bodies that are pushed, and the frames in which it is said how."""


@final
@attrs.frozen(eq=False)
class Forms:
    """The forms a function may be called in."""

    body: Body
    numbers: int
    usual: Form
    choices: Mapping[str, Mapping[str, int]]
    """Keyword -> what it may be -> what that adds to the number of the stand-in."""
    stand_ins: Sequence[Body]
    """The kernel, then stand-ins for it: one per combination of what may be chosen."""
    wrenches: bool

    @classmethod
    def of(cls, body: Body, numbers: int, choices: Mapping[str, Sequence[str]], wrenches: bool) -> Forms:
        """Return the forms of a kernel."""
        steps: dict[str, Mapping[str, int]] = {}
        count = 1
        for name, words in choices.items():
            if words:
                steps[name] = {word: k * count for k, word in enumerate(words)}
                count *= len(words)
        others = (Body(f"{body.name} {k}", body.function, body.regroup) for k in range(1, count))
        return cls(body, numbers, (body, ()), steps, (body, *others), wrenches)

    def form(self, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Form | None, tuple[Any, ...]]:
        """Return the form of a call, None for what has no short way; its numbers, those of external wrenches last."""
        number, may_push = 0, self.wrenches
        push: object = None
        if len(args) > self.numbers and may_push:
            args, push, may_push = args[:-1], args[-1], False
        for name, value in named.items():
            words = self.choices.get(name)
            if words is not None and type(value) is str and value in words:
                number += words[value]
            elif name == WRENCHES and may_push:
                push = value
            else:
                return None, ()
        pushed = places_and_numbers(push)
        if len(args) != self.numbers or pushed is None:
            return None, ()
        places, numbers = pushed
        return (self.stand_ins[number], places), (*args, numbers) if places else args

    def open(self, state: StateView, form: Form) -> None:
        """Make a short way to the kernel that has just been run in this form."""
        _, places = form
        if not places or are_served(state, places):
            state.open_door(self.body, form, self.numbers + bool(places))
