"""Events: instants at which a function of time and state changes its sign.

An instant is found by taking the step again, shorter and shorter: what is located is an event of the computed motion
itself, not of an interpolation.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, final

import attrs

from rbd.arguments import flag
from rbd.errors import ArgumentError, NotFiniteError
from rbd.scalars import Scalar, to_float
from rbd.scalars.arrays import Array
from rbd.spatial.values import require_kind
from rbd.state import MechanismState

_WIDTH = 1e-13  # of the time: what an instant is located to
_MOST_TRIALS = 100


def _is_function(_: object, attribute: attrs.Attribute[Any], value: object) -> None:
    if not callable(value):
        message = f"{attribute.name} must be a function of time and state, not {value!r}"
        raise ArgumentError(message, argument=attribute.name, value=value, allowed="a function")


def _is_flag(_: object, attribute: attrs.Attribute[Any], value: object) -> None:
    flag(value, attribute.name)


def _is_text(_: object, attribute: attrs.Attribute[Any], value: object) -> None:
    require_kind(value, str, operation="Event", argument=attribute.name)


def _is_direction(_: object, attribute: attrs.Attribute[Any], value: object) -> None:
    if not isinstance(value, int) or value not in (-1, 0, 1):
        message = f"{attribute.name} is {value!r}, needs -1, 0 or 1"
        raise ArgumentError(message, argument=attribute.name, value=value, allowed=(-1, 0, 1))


@final
@attrs.frozen(eq=False)
class Event:
    """Something that happens when `function(t, state)` passes zero.

    `direction` +1 asks for rising values only, -1 for falling ones. A terminal event ends the simulation. `effect(t,
    state)` is called at the event and may set the state, which makes the motion jump: an impact, a catch.

    A function that begins at zero does not count as passing it. Two passages within one step are not seen.

    >>> import rbd
    >>> from rbd.simulation import Event
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), q=[0.5, 0.0])
    >>> bottom = Event(lambda t, state: state.q[0], terminal=True)
    >>> trajectory = rbd.simulate(state, 10.0, dt=0.01, events=[bottom])
    >>> bool(abs(state.q[0]) < 1e-12), len(trajectory.events)
    (True, 1)
    """

    function: Callable[[float, MechanismState], Scalar] = attrs.field(validator=_is_function)
    terminal: bool = attrs.field(default=False, validator=_is_flag)
    direction: Literal[-1, 0, 1] = attrs.field(default=0, validator=_is_direction)
    effect: Callable[[float, MechanismState], object] | None = attrs.field(
        default=None, validator=attrs.validators.optional(_is_function)
    )
    name: str = attrs.field(default="event", validator=_is_text)

    def passes(self, before: float, after: float) -> bool:
        """Return whether the sign changes from one value to the other, in the direction asked for."""
        rises, falls = before < 0 <= after, before > 0 >= after
        return (rises and self.direction >= 0) or (falls and self.direction <= 0)


class Occurrence(NamedTuple):
    """An event that happened: when, which one (its place in the list of events), and what it is called."""

    time: float
    which: int
    name: str


class Landing(NamedTuple):
    """Where a step ended: its time, the contact states, the values of the event functions, and what happened there."""

    time: float
    s: Array
    values: list[float]
    happened: tuple[Event, ...]


Step = Callable[[Array, float, float], Array]
"""step(s, start, end) -> s at the end: moves the state."""


@final
class Watch:
    """The events of one simulation."""

    def __init__(self, events: Sequence[Event], state: MechanismState) -> None:
        """Watch for `events`."""
        self._events = tuple(events)
        self._state = state

    def values(self, t: float) -> list[float]:
        """Return the values of all event functions. Raises NotFiniteError naming the event."""
        found: list[float] = []
        for event in self._events:
            value = to_float(event.function(t, self._state))
            if not math.isfinite(value):
                raise NotFiniteError(f"event {event.name!r} is {value} at t = {t!r}", argument="events", index=None)
            found.append(value)
        return found

    def step(self, step: Step, s: Array, start: float, end: float, before: list[float]) -> Landing:
        """Take a step, or the part of it up to the first event."""
        origin = _Origin(self._state)
        landing = self._land(step, s, start, end, before)
        low, low_values = start, before
        for trial in range(_MOST_TRIALS):
            if not landing.happened or landing.time - low <= _WIDTH * max(1.0, abs(end)):
                break
            t = self._guess(trial, low, low_values, landing)
            if not low < t < landing.time:
                break
            origin.restore(self._state)
            found = self._land(step, s, start, t, before)
            if found.happened:
                landing = found
            else:
                low, low_values = t, found.values
        if landing.happened and landing.time < end:  # the last trial may have stopped elsewhere
            origin.restore(self._state)
            last = self._land(step, s, start, landing.time, before)
            landing = last._replace(happened=landing.happened)
        return landing

    def occurrence(self, t: float, event: Event) -> Occurrence:
        """Return the record of an event."""
        return Occurrence(t, self._events.index(event), event.name)

    def values_after(self, landing: Landing) -> list[float]:
        """Return the values the next step starts from: zero where an event happened and nothing changed it."""
        values = self.values(landing.time)
        rows = zip(self._events, landing.values, values, strict=True)
        return [0.0 if event in landing.happened and now == then else now for event, then, now in rows]

    def _land(self, step: Step, s: Array, start: float, end: float, before: list[float]) -> Landing:
        after_s = step(s, start, end)
        after = self.values(end)
        rows = zip(self._events, before, after, strict=True)
        return Landing(end, after_s, after, tuple(event for event, a, b in rows if event.passes(a, b)))

    def _guess(self, trial: int, low: float, low_values: list[float], high: Landing) -> float:
        """Return where the first of the events that happened is by a straight line, or halfway every third time."""
        middle = 0.5 * (low + high.time)
        if trial % 3 == 2:
            return middle
        shares = [
            a / (a - b)
            for event, a, b in zip(self._events, low_values, high.values, strict=True)
            if event in high.happened and a != b
        ]
        share = min(shares, default=0.5)
        # A little beyond the estimate, so that the bracket closes from both sides.
        nudge = 1e-3 if trial % 3 == 0 else -1e-3
        share = min(max(share * (1 + nudge), 1e-6), 1 - 1e-6)
        return low + share * (high.time - low)


@final
class _Origin:
    """Where a step began."""

    def __init__(self, state: MechanismState) -> None:
        self._q, self._v = state.q.copy(), state.v.copy()

    def restore(self, state: MechanismState) -> None:
        """Put the state back."""
        state.set_configuration(self._q)
        state.set_velocity(self._v)
