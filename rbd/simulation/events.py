"""Events: instants at which a function of time and state changes its sign.

An instant is located by repeating the step with shorter lengths: it is a zero on the computed motion itself, not on an
interpolation.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, final

import attrs

from rbd.arguments import boolean, described, require_callable, require_kind, whole_number
from rbd.errors import ArgumentError, NotFiniteError, ScalarError
from rbd.scalars import Scalar, to_float
from rbd.scalars.arrays import Array
from rbd.state import MechanismState
from rbd.state.callback_guard import guarded_callback
from rbd.state.saved_state import SavedState

_RELATIVE_TOLERANCE = 1e-13  # relative accuracy of located instants
_MAX_TRIALS = 100


def _require_function(_: object, attribute: attrs.Attribute[Any], value: object) -> None:
    require_callable(value, attribute.name, "a function of time and state")


def _require_bool(_: object, attribute: attrs.Attribute[Any], value: object) -> None:
    boolean(value, attribute.name)


def _require_str(_: object, attribute: attrs.Attribute[Any], value: object) -> None:
    require_kind(value, str, operation="Event", argument=attribute.name)


def _require_direction(_: object, attribute: attrs.Attribute[Any], value: object) -> None:
    if whole_number(value, attribute.name) not in (-1, 0, 1):
        message = f"{attribute.name} is {value!r}, needs -1, 0 or 1"
        raise ArgumentError(message, argument=attribute.name, value=value, allowed=(-1, 0, 1))


@final
@attrs.frozen(eq=False)
class Event:
    """An event: `function(t, state)` passes zero.

    `direction` +1 selects rising values only, -1 falling ones. A terminal event ends the simulation. `effect(t,
    state)` is called at the event and may set the state, for example at an impact; `function` may not.

    An initial value of zero does not count. Two passages within one step are not detected.

    >>> import rbd
    >>> from rbd.simulation import Event
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), q=[0.5, 0.0])
    >>> bottom = Event(lambda t, state: state.q[0], terminal=True)
    >>> trajectory = rbd.simulate(state, 10.0, dt=0.01, events=[bottom])
    >>> bool(abs(state.q[0]) < 1e-12), len(trajectory.events)
    (True, 1)
    """

    function: Callable[[float, MechanismState], Scalar] = attrs.field(validator=_require_function)
    terminal: bool = attrs.field(default=False, validator=_require_bool)
    direction: Literal[-1, 0, 1] = attrs.field(default=0, validator=_require_direction)
    effect: Callable[[float, MechanismState], object] | None = attrs.field(
        default=None, validator=attrs.validators.optional(_require_function)
    )
    name: str = attrs.field(default="event", validator=_require_str)

    def passes(self, before: float, after: float) -> bool:
        """Return whether the sign changes from one value to the other, in the selected direction."""
        rises, falls = before < 0 <= after, before > 0 >= after
        return (rises and self.direction >= 0) or (falls and self.direction <= 0)


class Occurrence(NamedTuple):
    """An occurrence of an event: its time, the index of the event in the list of events, and its name.

    >>> import rbd
    >>> down = rbd.simulation.Event(lambda t, state: state.q[0], name="vertical")
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), q=[0.3, 0.0])
    >>> first = rbd.simulate(state, 1.0, dt=0.01, events=[down]).events[0]
    >>> first.name, first.which, round(first.time, 3)
    ('vertical', 0, 0.558)
    """

    time: float
    which: int
    name: str


class StepResult(NamedTuple):
    """The end of a step: time, contact states, values of the event functions, and the events that occurred."""

    time: float
    s: Array
    values: list[float]
    occurred: tuple[Event, ...]


StepFunction = Callable[[Array, float, float], Array]
"""step(s, start, end) -> s at the end: moves the state."""


def _number(event: Event, t: float, result: Scalar) -> float:
    """Return the result of an event function as a float; raise errors that name the event."""
    try:
        value = to_float(result)
    except ScalarError as error:
        message = f"event {event.name!r} must return a number, not {described(result)}, at t = {t!r}"
        raise ScalarError(message, scalar=result, function=event.function) from error
    if not math.isfinite(value):
        raise NotFiniteError(f"event {event.name!r} is {value} at t = {t!r}", argument="events", index=None)
    return value


@final
class EventDetector:
    """Detection of the events of one simulation."""

    def __init__(self, events: Sequence[Event], state: MechanismState) -> None:
        """Take the events and the state of the simulation."""
        self._events = tuple(events)
        self._state = state

    def values(self, t: float) -> list[float]:
        """Return the values of all event functions, which may not change the state.

        Raises NotFiniteError and ScalarError naming the event.
        """
        with guarded_callback("event function", t, self._state, argument="events"):
            results = [event.function(t, self._state) for event in self._events]
        return [_number(event, t, result) for event, result in zip(self._events, results, strict=True)]

    def step(self, step: StepFunction, s: Array, start: float, end: float, before: list[float]) -> StepResult:
        """Take a step, or the part of it up to the first event."""
        saved = SavedState(self._state)
        result = self._trial_step(step, s, start, end, before)
        if not result.occurred:
            return result

        def again(t: float) -> StepResult:
            """Take the step up to time `t`."""
            saved.restore()
            return self._trial_step(step, s, start, t, before)

        first = self._first_event(again, start, before, result)
        # The last trial may have ended before the event.
        return first if first.time == end else again(first.time)._replace(occurred=first.occurred)

    def _first_event(
        self, step_to: Callable[[float], StepResult], start: float, before: list[float], result: StepResult
    ) -> StepResult:
        """Return the result at the first event between `start`, with values `before`, and a result with events."""
        low, low_values, tolerance = start, before, _RELATIVE_TOLERANCE * max(1.0, abs(result.time))
        for trial in range(_MAX_TRIALS):
            if result.time - low <= tolerance:
                break
            t = self._bracket_point(trial, low, low_values, result)
            if not low < t < result.time:  # rounding has moved it to an end
                t = 0.5 * (low + result.time)
            result_at_t = step_to(t)
            if result_at_t.occurred:
                result = result_at_t
            else:
                low, low_values = t, result_at_t.values
        return result

    def occurrences(self, result: StepResult) -> list[Occurrence]:
        """Return the records of the events at the end of a step; an event may be listed several times."""
        found = result.occurred
        return [Occurrence(result.time, k, event.name) for k, event in enumerate(self._events) if event in found]

    def values_after(self, result: StepResult) -> list[float]:
        """Return the values the next step starts from: zero where an event occurred and its value did not change."""
        values = self.values(result.time)
        rows = zip(self._events, result.values, values, strict=True)
        return [0.0 if event in result.occurred and now == then else now for event, then, now in rows]

    def _trial_step(self, step: StepFunction, s: Array, start: float, end: float, before: list[float]) -> StepResult:
        after_s = step(s, start, end)
        after = self.values(end)
        rows = zip(self._events, before, after, strict=True)
        return StepResult(end, after_s, after, tuple(event for event, a, b in rows if event.passes(a, b)))

    def _bracket_point(self, trial: int, low: float, low_values: list[float], high: StepResult) -> float:
        """Return the next trial time: regula falsi for the first event, bisection every third time.

        The root of the secant is displaced by a thousandth, to either side in turn: both ends of the bracket move.
        """
        middle = 0.5 * (low + high.time)
        if trial % 3 == 2:
            return middle
        fractions = [
            a / (a - b)
            for event, a, b in zip(self._events, low_values, high.values, strict=True)
            if event in high.occurred and a != b
        ]
        fraction = min(fractions, default=0.5)
        offset = 1e-3 if trial % 3 == 0 else -1e-3
        fraction = min(max(fraction * (1 + offset), 1e-6), 1 - 1e-6)
        return low + fraction * (high.time - low)
