"""One run of a simulation: steps between samples, cut at instants of controllers and at events."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from types import TracebackType
from typing import final

import attrs
import numpy as np
from numpy.typing import ArrayLike

from rbd.errors import DivergedError, NotFiniteError, SolverError
from rbd.progress import Progress
from rbd.scalars.arrays import Array, float_array
from rbd.simulation.events import Event, Occurrence, Watch
from rbd.simulation.flow import ForcedMotion
from rbd.simulation.integrator import Integrator
from rbd.simulation.monitors import Monitor
from rbd.simulation.native_steps import NativeSteps
from rbd.simulation.realtime import Throttle
from rbd.simulation.sinks import Sink, Sizes
from rbd.simulation.trajectory import Trajectory
from rbd.spatial.values import require_kind
from rbd.state import MechanismState

_MOST_EVENTS = 1000  # between two samples: more means that they pile up and time stands still


@final
class Onlookers:
    """Who sees the samples of a run: the sink, the monitors, the clock on the wall."""

    def __init__(self, sink: Sink, monitors: tuple[Monitor, ...], throttle: Throttle | None) -> None:
        """Take them; nothing is begun yet."""
        require_kind(sink, Sink, operation="simulate", argument="sink")
        for monitor in monitors:
            require_kind(monitor, Monitor, operation="simulate", argument="monitors")
        if throttle is not None:
            require_kind(throttle, Throttle, operation="simulate", argument="realtime")
        self._sink, self._monitors, self._throttle = sink, monitors, throttle
        self._kept: Trajectory | None = None

    def begin(self, state: MechanismState) -> None:
        """Start a run of `state`."""
        layout = state.layout
        self._sink.begin(Sizes(layout.nq, layout.nv, layout.ns))
        for monitor in self._monitors:
            monitor.begin()
        if self._throttle is not None:
            self._throttle.begin()

    def take(self, t: float, state: MechanismState, s: Array) -> None:
        """Show one sample."""
        self._sink.take(t, state.q, state.v, s)
        for monitor in self._monitors:
            monitor.look(t, state, s)
        if self._throttle is not None:
            self._throttle.wait(t)

    @property
    def need_states(self) -> bool:
        """Whether somebody must see every sample when the state is there."""
        return bool(self._monitors) or self._throttle is not None

    def take_rows(self, times: Sequence[float], q: Array, v: Array, s: Array) -> None:
        """Show samples that were made without the state."""
        self._sink.take_rows(times, q, v, s)

    def trajectory(self, occurrences: Sequence[Occurrence]) -> Trajectory:
        """Return what the sink kept, with the events."""
        if self._kept is None:
            raise RuntimeError("a trajectory was asked for before the run ended")
        return attrs.evolve(self._kept, events=occurrences)

    def __enter__(self) -> None:
        """Nothing to do."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the sink, in the way the run ended."""
        if kind is None:
            self._kept = self._sink.finish()
        else:
            self._sink.abandon()


@final
class Run:
    """A simulation on its way."""

    def __init__(
        self,
        method: Integrator,
        motion: ForcedMotion,
        state: MechanismState,
        s: Array,
        events: Sequence[Event],
        onlookers: Onlookers,
        native: NativeSteps | None = None,
    ) -> None:
        """Prepare a run of `state`; `onlookers` see its first sample when it goes.

        `native` takes steps that nobody needs to see the state of; there must be no events then.
        """
        self._method, self._motion, self._onlookers, self._native = method, motion, onlookers, native
        self.state, self._s = state, s
        self._watch = Watch(events, state) if events else None
        self._values: list[float] = []
        self.occurrences: list[Occurrence] = []
        self._ended = self._last_was_whole = False
        self._last = (0.0, state.q.copy(), state.v.copy())

    @property
    def callback_error(self) -> BaseException | None:
        """What a callback raised last."""
        return self._motion.callback_error

    @property
    def last_sample(self) -> tuple[float, Array, Array]:
        """Time, q and v of the last sample."""
        return self._last

    def go(self, times: list[float], bar: Progress) -> None:
        """Visit all `times`, or stop at a terminal event."""
        for hold in self._motion.holds:
            hold.begin()
        self._onlookers.begin(self.state)
        self._take(times[0])
        if self._watch is not None:
            self._values = self._watch.values(times[0])
        for start, end in self._remaining(times, bar):
            if self._advance(start, end):
                return
            if self._last[0] != end:  # an event at the end has been shown
                self._take(end)
            bar.update()

    def _remaining(self, times: list[float], bar: Progress) -> Iterator[tuple[float, float]]:
        """Yield beginnings and ends of the steps that machine code does not take."""
        if self._native is None:
            yield from pairwise(times)
            return
        k = 0
        while k < len(times) - 1:
            k += self._stretch(self._native, times[k : k + self._native.stretch + 1], bar)
            if k < len(times) - 1 and not self._last_was_whole:
                yield times[k], times[k + 1]
                k += 1

    def _stretch(self, native: NativeSteps, times: list[float], bar: Progress) -> int:
        """Take the steps between `times`, as far as machine code comes; return how many."""
        q, v, s = native.take(np.array(times), self.state.q, self.state.v, self._s)
        done = len(q)
        self._last_was_whole = done == len(times) - 1
        if done:
            self.state.set_configuration(q[-1])
            self.state.set_velocity(v[-1])
            q[-1] = self.state.q
            self._onlookers.take_rows(times[1 : done + 1], q, v, s)
            self._s = s[-1].copy()
            self._last = (times[done], q[-1].copy(), v[-1].copy())
            bar.update(done)
        return done

    def _take(self, t: float) -> None:
        self._last = (t, self.state.q.copy(), self.state.v.copy())
        self._onlookers.take(t, self.state, self._s)

    def _advance(self, t: float, end: float) -> bool:
        """Move to time `end`; return whether a terminal event came first."""
        for _ in range(_MOST_EVENTS + self._instants(t, end)):
            self._ask_holds(t)
            stop = min((hold.next_instant for hold in self._motion.holds if hold.is_before(end)), default=end)
            t = self._step(t, min(stop, end))
            if self._ended or t >= end:
                return self._ended
        raise SolverError(f"events pile up at t = {t!r}: time does not go on", reason="events", time=t)

    def _instants(self, t: float, end: float) -> int:
        return sum(int((end - t) / hold.period) + 2 for hold in self._motion.holds)

    def _ask_holds(self, t: float) -> None:
        for hold in self._motion.holds:
            if hold.is_due(t):
                self._motion.callbacks.sample(hold, t, self.state)

    def _step(self, start: float, end: float) -> float:
        """Take one step, or the part of it up to an event; return where it ended."""
        if self._watch is None:
            self._s = self._moved(self._s, start, end)
            return end
        landing = self._watch.step(self._moved, self._s, start, end, self._values)
        self._s, self._values = landing.s, landing.values
        if landing.happened:
            self.occurrences += [self._watch.occurrence(landing.time, event) for event in landing.happened]
            self._happen(landing.time, landing.happened)
            self._values = self._watch.values_after(landing)
        return landing.time

    def _moved(self, s: Array, start: float, end: float) -> Array:
        return self._motion.settle(self.state, self._method.step(self._motion, self.state, s, start, end))

    def _happen(self, t: float, events: tuple[Event, ...]) -> None:
        """Take a sample of where events happened, let them have their effects, and take another if they had any."""
        self._ended = any(event.terminal for event in events)
        self._take(t)
        effects = [event.effect for event in events if event.effect is not None]
        for effect in effects:
            effect(t, self.state)
        if effects:
            self._take(t)


def starting_contacts(state: MechanismState, contact_states: ArrayLike | None) -> Array:
    """Return the contact states a run begins with. Raises ShapeError or NotFiniteError naming them."""
    ns = state.layout.ns
    return np.zeros(ns) if contact_states is None else float_array(contact_states, (ns,), "contact_states").copy()


@contextmanager
def restored_on_failure(state: MechanismState) -> Generator[None, None, None]:
    """Put the state back where it was if anything goes wrong, an interrupt from the keyboard included."""
    q, v = state.q.copy(), state.v.copy()
    try:
        yield
    except BaseException:
        state.set_configuration(q)
        state.set_velocity(v)
        raise


@contextmanager
def divergence_named(run: Run) -> Generator[None, None, None]:
    """Turn a number that is no longer finite into DivergedError, unless a callback complained about it."""
    try:
        yield
    except (NotFiniteError, OverflowError) as error:
        if error is run.callback_error:
            raise
        time, q, v = run.last_sample
        joint = _culprit(error, v, run.state)
        message = f"the simulation diverged at joint {joint} after t = {time!r} s: {error}; a smaller dt may help"
        raise DivergedError(message, time=time, joint=joint, q=q, v=v) from error


def _culprit(error: Exception, v: Array, state: MechanismState) -> str:
    """Return the velocity whose number was not finite, or else the one that was fastest before."""
    index = error.fields.get("index") if isinstance(error, NotFiniteError) else None
    return state.layout.velocity_names[index if isinstance(index, int) else int(np.argmax(np.abs(v)))]
