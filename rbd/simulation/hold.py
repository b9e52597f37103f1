"""Zero-order hold: a controller sampled once per period, its result held in between."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar, final

from typing_extensions import override

from rbd.arguments import require_callable
from rbd.array_functions.function import RecordedFunction
from rbd.errors import ArgumentError
from rbd.scalars.number_checks import above_zero
from rbd.state import MechanismState

Result = TypeVar("Result")
_RELATIVE_TOLERANCE = 1e-9  # of a period: instants this close to a time are at that time


@final
class ZeroOrderHold(Generic[Result]):
    """A controller that is sampled at the instants 0, period, 2 period, ...; its result is held in between.

    `simulate` takes it as `control` or `external` and stops at every instant exactly, whether or not the period is a
    multiple of dt: the control is constant within every step, and integrators keep their order. The controller's array
    may be reused: a copy is held if it has a method `copy`.

    Other solvers must be stopped at the instants, `sample` called there, and started again; a call for a time beyond
    the held period raises ArgumentError. Raises ArgumentError unless the period is positive and finite.

    >>> import rbd
    >>> instants = []
    >>> def brake(t: float, state: rbd.MechanismState):
    ...     instants.append(t)
    ...     return -0.5 * state.v
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), q=[0.4, 0.0])
    >>> _ = rbd.simulate(state, 0.1, rbd.ZeroOrderHold(brake, period=0.03), dt=0.01)
    >>> instants
    [0.0, 0.03, 0.06, 0.09]
    """

    def __init__(self, controller: Callable[[float, MechanismState], Result], period: float) -> None:
        """Hold each result of `controller` for `period` seconds."""
        require_callable(controller, "controller", "a function of time and state")
        _refuse_recorded_function(controller)
        self._controller = controller
        self._period = above_zero(period, "period")
        self._held: Result | None = None
        self._next = 0

    @property
    def period(self) -> float:
        """The time between the instants."""
        return self._period

    @property
    def next_instant(self) -> float:
        """The next sampling instant."""
        return self._next * self._period

    def begin(self) -> None:
        """Discard the held result: the next instant is time 0."""
        self._held, self._next = None, 0

    def is_due(self, t: float) -> bool:
        """Return whether time `t` is at, or beyond, the next instant."""
        return self.next_instant - t <= _RELATIVE_TOLERANCE * self._period

    def is_before(self, t: float) -> bool:
        """Return whether the next instant comes before time `t`."""
        return t - self.next_instant > _RELATIVE_TOLERANCE * self._period

    def sample(self, t: float, state: MechanismState) -> None:
        """Sample the controller; hold the result until the next instant after `t`."""
        self.sample_and_hold(t, state)

    def sample_and_hold(self, t: float, state: MechanismState) -> Result | None:
        """Sample the controller at time `t`; return the held result (internal)."""
        period = self._period
        if self.is_due(t):
            index = max(round(t / period), 0)
            instant = index * period
        else:
            index, instant = math.floor(t / period), t
        result = self._controller(instant, state)
        copy = getattr(result, "copy", None)
        held: Any = copy() if callable(copy) else result
        self._held = held
        self._next = index + 1
        return self._held

    def split(self, times: Sequence[float]) -> tuple[array[float], bytearray, list[int]]:
        """Split the steps between `times` at the instants of the hold (internal).

        Returns the times at which the parts begin, whether a sample is due there, and how many parts there are up to
        the end of each step.
        """
        period, slack, t = self._period, _RELATIVE_TOLERANCE * self._period, times[0]
        starts, is_due, ends = array("d"), bytearray(), list[int]()
        for end in times[1:]:
            while t < end:
                due = self._next * period - t <= slack
                if due:
                    self._next = max(round(t / period), 0) + 1
                starts.append(t)
                is_due.append(due)
                instant = self._next * period
                t = min(instant, end) if end - instant > slack else end
            ends.append(len(starts))
        return starts, is_due, ends

    def __call__(self, t: float, state: MechanismState) -> Result | None:
        """Return the held result. Raises ArgumentError when none is held for time `t`."""
        start = (self._next - 1) * self._period
        slack = _RELATIVE_TOLERANCE * self._period
        if not (self._next and start - slack <= t <= start + self._period + slack):
            message = f"nothing is held for t = {t!r}: the solver must stop at every multiple of the period"
            raise ArgumentError(
                f"{message} ({self._period!r} s) and call sample(t, state)",
                argument="t",
                value=t,
                allowed=(start, start + self._period),
            )
        return self._held

    @override
    def __repr__(self) -> str:
        return f"ZeroOrderHold({self._controller!r}, period={self._period!r})"


def _refuse_recorded_function(controller: object) -> None:
    if isinstance(controller, RecordedFunction):
        message = (
            "controller is a recorded function, of arrays; hold a function of time and state that calls it: "
            "lambda t, state: recorded(state.q, state.v)"
        )
        raise ArgumentError(message, argument="controller", value=controller, allowed="a function")
