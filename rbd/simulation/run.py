"""A run of a simulation in steps, split at the instants of zero-order holds and at events."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import final

from rbd.errors import SolverError
from rbd.scalars.arrays import Array
from rbd.simulation.equations_of_motion import EquationsOfMotion
from rbd.simulation.events import Event, EventDetector, Occurrence
from rbd.simulation.integrator import Integrator
from rbd.simulation.outputs import Outputs
from rbd.state import MechanismState
from rbd.state.callback_guard import annotated_with_time

_MAX_EVENTS = 1000  # between two samples: more means that time does not advance


@final
class Run:
    """A simulation in progress: the state, the contact states `s`, and the last sample."""

    def __init__(
        self,
        integrator: Integrator,
        equations: EquationsOfMotion,
        state: MechanismState,
        s: Array,
        events: Sequence[Event],
        outputs: Outputs,
    ) -> None:
        """Prepare a run of `state` with contact states `s`."""
        self._integrator, self._outputs = integrator, outputs
        self.equations, self.state, self.s = equations, state, s
        self._holds = equations.callbacks.holds
        self._detector = EventDetector(events, state) if events else None
        self._event_values: list[float] = []
        self.occurrences: list[Occurrence] = []
        self.is_terminated = False
        """Whether a terminal event has ended the run."""
        self.step_error: BaseException | None = None
        """The exception that ended a step, of the integrator or of a callback within."""
        self.last_sample = (0.0, state.q.copy(), state.v.copy())
        """Time, q and v of the last sample."""

    def begin(self, t: float) -> None:
        """Start holds and outputs, and take the first sample."""
        for hold in self._holds:
            hold.begin()
        self._outputs.begin(t, self.state)
        self._sample(t)
        if self._detector is not None:
            self._event_values = self._detector.values(t)

    def move_to_sample(self, t: float, end: float) -> None:
        """Move to time `end` and take a sample there, unless a terminal event comes first."""
        if self._detector is None and not self._holds:
            self.s = self._whole_step(self.s, t, end)
            self._sample(end)
            return
        self._move_in_parts(t, end)
        if not self.is_terminated and self.last_sample[0] != end:  # an event at the end has its sample already
            self._sample(end)

    def _move_in_parts(self, t: float, end: float) -> None:
        """Move to time `end` by steps between instants of holds and events, unless a terminal event comes first."""
        for _ in range(_MAX_EVENTS + self._hold_count(t, end)):
            self.sample_holds(t)
            stop = min((hold.next_instant for hold in self._holds if hold.is_before(end)), default=end)
            t = self._step(t, min(stop, end))
            if self.is_terminated or t >= end:
                return
        raise SolverError(f"too many events at t = {t!r}: time does not advance", status="events", time=t)

    def move_by_rows(self, times: Sequence[float], q: Array, v: Array, s: Array) -> None:
        """Store samples computed elsewhere, one row for each of `times`; the state moves to the last."""
        self.state.set_configuration(q[-1])
        self.state.set_velocity(v[-1])
        q[-1] = self.state.q  # normalized
        self.store_rows(times, q, v, s)

    def store_rows(self, times: Sequence[float], q: Array, v: Array, s: Array) -> None:
        """Store samples, one row for each of `times`, to the last of which the state has moved."""
        self._outputs.store_rows(times, q, v, s)
        self.s = s[-1].copy()
        self.last_sample = (times[-1], q[-1].copy(), v[-1].copy())

    def sample_holds(self, t: float) -> None:
        """Sample the zero-order holds that are due at time `t`."""
        for hold in self._holds:
            if hold.is_due(t):
                self.equations.callbacks.sample(hold, t, self.state)

    def _hold_count(self, t: float, end: float) -> int:
        """Return an upper bound of the number of instants of holds from `t` to `end`."""
        return sum(int((end - t) / hold.period) + 2 for hold in self._holds)

    def _sample(self, t: float) -> None:
        self.last_sample = (t, self.state.q.copy(), self.state.v.copy())
        self._outputs.receive(t, self.state, self.s)

    def _step(self, start: float, end: float) -> float:
        """Take one step, or the part of it up to an event; return where it ended."""
        if self._detector is None:
            self.s = self._whole_step(self.s, start, end)
            return end
        result = self._detector.step(self._whole_step, self.s, start, end, self._event_values)
        self.s, self._event_values = result.s, result.values
        if result.occurred:
            self.occurrences += self._detector.occurrences(result)
            self._handle_events(result.time, result.occurred)
            self._event_values = self._detector.values_after(result)
        return result.time

    def _whole_step(self, s: Array, start: float, end: float) -> Array:
        try:
            s = self._integrator.step(self.equations, self.state, s, start, end)
            return s if self._integrator.resets_contacts else self.equations.reset_contacts(self.state, s)
        except BaseException as error:
            self.step_error = error
            raise

    @contextmanager
    def taking_steps(self) -> Generator[None, None, None]:
        """Keep exceptions of several steps taken at once."""
        try:
            yield
        except BaseException as error:
            self.step_error = error
            raise

    def _handle_events(self, t: float, events: tuple[Event, ...]) -> None:
        """Sample the state at an event, call the effects, and sample again if there were any."""
        self.is_terminated = any(event.terminal for event in events)
        self._sample(t)
        effects = [event.effect for event in events if event.effect is not None]
        for effect in effects:
            with annotated_with_time("event effect", t):
                effect(t, self.state)
        if effects:
            self._sample(t)
