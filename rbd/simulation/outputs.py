"""Outputs of a simulation: sink, monitors and real-time pacing, which receive every sample."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import final

import attrs

from rbd.arguments import described, isinstance_untyped, require_kind, sequence
from rbd.errors import ArgumentError
from rbd.scalars.arrays import Array, read_only_view
from rbd.simulation.events import Occurrence
from rbd.simulation.monitors import Monitor
from rbd.simulation.npz_file import NpzFile
from rbd.simulation.realtime import Throttle
from rbd.simulation.sinks import InMemory, Sink, Sizes
from rbd.simulation.trajectory import Trajectory
from rbd.state import MechanismState
from rbd.state.callback_guard import guarded_callback


@final
class Outputs:
    """Receivers of the samples of a run: sink, monitors, real-time pacing."""

    def __init__(
        self, sink: Sink | None = None, monitors: Sequence[Monitor] = (), realtime: float | Throttle | None = None
    ) -> None:
        """Check the outputs, without starting them; see `simulate`."""
        self._throttle = Throttle(realtime) if isinstance(realtime, (int, float)) else realtime
        self._sink = InMemory() if sink is None else sink
        self._monitors: tuple[Monitor, ...] = sequence(monitors, "monitors", "monitors")
        require_kind(self._sink, Sink, operation="simulate", argument="sink")
        for monitor in self._monitors:
            require_kind(monitor, Monitor, operation="simulate", argument="monitors")
        if self._throttle is not None:
            require_kind(self._throttle, Throttle, operation="simulate", argument="realtime")
        self._kept: Trajectory | None = None

    def begin(self, t: float, state: MechanismState) -> None:
        """Start a run of `state` at a time; neither sink nor monitors may change the state."""
        layout = state.layout
        with guarded_callback("sink.begin", t, state, argument="sink", parameters="sizes"):
            self._sink.begin(Sizes(layout.nq, layout.nv, layout.ns))
        for monitor in self._monitors:
            with guarded_callback("monitor.begin", t, state, argument="monitors", parameters=""):
                monitor.begin()
        if self._throttle is not None:
            self._throttle.begin()

    def receive(self, t: float, state: MechanismState, s: Array) -> None:
        """Pass one sample to each, which may change neither the state nor `s`."""
        s = read_only_view(s)
        with guarded_callback("sink.store", t, state, argument="sink", parameters="t, q, v, s"):
            self._sink.store(t, state.q, state.v, s)
        for monitor in self._monitors:
            with guarded_callback("monitor.observe", t, state, argument="monitors", parameters="t, state, s"):
                monitor.observe(t, state, s)
        if self._throttle is not None:
            self._throttle.wait(t)

    @property
    def needs_states(self) -> bool:
        """Whether an output needs the state at every sample."""
        return bool(self._monitors) or self._throttle is not None

    @property
    def is_paced(self) -> bool:
        """Whether the run waits for a wall clock."""
        return self._throttle is not None

    @property
    def only_stores(self) -> bool:
        """Whether nobody can see samples before the run has ended: they may come in blocks."""
        return not self.needs_states and isinstance(self._sink, (InMemory, NpzFile))

    def store_rows(self, times: Sequence[float], q: Array, v: Array, s: Array) -> None:
        """Store samples computed without the state."""
        self._sink.store_rows(times, q, v, s)

    def trajectory(self, occurrences: Sequence[Occurrence]) -> Trajectory:
        """Return the trajectory that the sink kept, with the events."""
        if self._kept is None:
            raise RuntimeError("the run has not ended")
        same = self._kept.events == tuple(occurrences)
        return self._kept if same else attrs.evolve(self._kept, events=occurrences)

    def __enter__(self) -> None:
        """Do nothing."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Finish the sink after a success, abandon it after a failure."""
        if kind is None:
            self._kept = self._sink.finish()
            if not isinstance_untyped(self._kept, Trajectory):
                message = f"simulate: finish() of the sink must return a Trajectory, not {described(self._kept)}"
                raise ArgumentError(message, operation="simulate", argument="sink", value=self._sink)
        else:
            self._sink.abandon()
