"""Controllers with a clock of their own: asked once a period, their answer held in between."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Generic, TypeVar, final

from typing_extensions import override

from rbd.arguments import described, is_finite
from rbd.errors import ArgumentError
from rbd.scalars import is_float
from rbd.state import MechanismState

Answer = TypeVar("Answer")
_SLIVER = 1e-9  # of a period: instants this close to a time are at that time


@final
class ZeroOrderHold(Generic[Answer]):
    """A controller that is asked at the instants 0, period, 2 period, ... only; in between its answer is held.

    `simulate` takes it as `control` or `external` and stops at every instant exactly, whether or not the period is a
    multiple of dt: the control is constant within every step, and integrators keep their order. The controller's array
    may be reused: a copy is held if it has a method `copy`.

    Other solvers must be stopped at the instants, `sample` be called there, and be started again; being asked for a
    time beyond the held period raises ArgumentError. Raises ArgumentError unless the period is positive and finite.

    >>> import rbd
    >>> asked = []
    >>> def brake(t: float, state: rbd.MechanismState):
    ...     asked.append(t)
    ...     return -0.5 * state.v
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), q=[0.4, 0.0])
    >>> _ = rbd.simulate(state, 0.1, rbd.ZeroOrderHold(brake, period=0.03), dt=0.01)
    >>> asked
    [0.0, 0.03, 0.06, 0.09]
    """

    def __init__(self, controller: Callable[[float, MechanismState], Answer], period: float) -> None:
        """Hold the answers of `controller` for `period` seconds each."""
        if not callable(controller):
            given: object = controller
            message = f"the controller must be a function of time and state, not {given!r}"
            raise ArgumentError(message, argument="controller", value=given, allowed="a function")
        if not (is_float(period) and period > 0 and is_finite(period)):
            raise ArgumentError(
                f"period is {described(period)}, needs a finite time above 0",
                argument="period",
                value=period,
                allowed="time > 0",
            )
        self._controller = controller
        self._period = float(period)
        self._held: Answer | None = None
        self._next = 0

    @property
    def period(self) -> float:
        """The time between the instants."""
        return self._period

    @property
    def next_instant(self) -> float:
        """When the controller is to be asked next."""
        return self._next * self._period

    def begin(self) -> None:
        """Forget what is held: the next instant is time 0."""
        self._held, self._next = None, 0

    def is_due(self, t: float) -> bool:
        """Return whether time `t` is at, or beyond, the next instant."""
        return self.next_instant - t <= _SLIVER * self._period

    def is_before(self, t: float) -> bool:
        """Return whether the next instant comes before time `t`."""
        return t - self.next_instant > _SLIVER * self._period

    def sample(self, t: float, state: MechanismState) -> None:
        """Ask the controller; its answer is held from now until the next instant after `t`."""
        index = max(round(t / self._period), 0) if self.is_due(t) else math.floor(t / self._period)
        answer = self._controller(t if not self.is_due(t) else index * self._period, state)
        copy = getattr(answer, "copy", None)
        held: Any = copy() if callable(copy) else answer
        self._held = held
        self._next = index + 1

    def __call__(self, t: float, state: MechanismState) -> Answer | None:
        """Return what is held. Raises ArgumentError when nothing is held for time `t`."""
        start = (self._next - 1) * self._period
        slack = _SLIVER * self._period
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
