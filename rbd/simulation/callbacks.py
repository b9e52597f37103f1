"""Callbacks of the user, functions of time and state: results are checked, exceptions are annotated with the time.

Exceptions of callbacks pass through unchanged but for a note with the time. Results are checked and copied at once, so
that callbacks may reuse their arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, TypeAlias, TypeGuard, cast, final

import numpy as np
from numpy.typing import ArrayLike

from rbd.algorithms import ExternalWrenches
from rbd.arguments import require_callable
from rbd.array_functions.function import RecordedFunction
from rbd.array_functions.recorded_controller import require_controller, takes_time
from rbd.engine.live_buffers import Q, V
from rbd.engine.live_engine import LiveEngine
from rbd.mechanism import Mechanism
from rbd.scalars.arrays import Array, float_array
from rbd.simulation.hold import ZeroOrderHold
from rbd.state import MechanismState
from rbd.state.callback_guard import annotate, changed_state_error, guarded_callback

Control: TypeAlias = Callable[[float, MechanismState], ArrayLike | None]
"""control(t, state) -> torques: one number per velocity, or None for no torque."""

External: TypeAlias = Callable[[float, MechanismState], ExternalWrenches | None]
"""external(t, state) -> wrenches on bodies, each in a frame fixed to its body or in the root frame."""


def is_hold(value: object) -> TypeGuard[ZeroOrderHold[Any]]:
    """Return whether a callback is a zero-order hold."""
    return isinstance(value, ZeroOrderHold)


@final
class RecordedControl:
    """A recorded controller as a callback: called with a time and a state, it returns torques."""

    def __init__(self, function: RecordedFunction, mechanism: Mechanism) -> None:
        """Check a function of q, v and perhaps t. Raises ArgumentError for other functions and mechanisms."""
        require_controller(function, mechanism)
        self.function, self._takes_time = function, takes_time(function)

    def __call__(self, t: float, state: MechanismState) -> Array:
        """Return the torques at time `t`."""
        result = self.function(state.q, state.v, t) if self._takes_time else self.function(state.q, state.v)
        return result if isinstance(result, np.ndarray) else result[0]


def as_control(control: Control | RecordedFunction | None, mechanism: Mechanism) -> Control | None:
    """Return a control as a callback; raise ArgumentError for a recorded function that is no controller."""
    return RecordedControl(control, mechanism) if isinstance(control, RecordedFunction) else control


@final
class Callbacks:
    """Control and external wrenches."""

    def __init__(self, control: Control | None, external: External | None) -> None:
        """Check the callbacks; either may be missing. Raises ArgumentError unless they are callable."""
        for name, callback, result in (("control", control, "torques"), ("external", external, "{body: wrench}")):
            if callback is not None:
                require_callable(callback, name, f"a function of time and state, such as lambda t, state: {result}")
        self._control = control
        self._external = external
        self.holds: tuple[ZeroOrderHold[Any], ...] = tuple(x for x in (control, external) if is_hold(x))
        """The zero-order holds among them."""
        self.error: BaseException | None = None
        """The last exception raised by a callback."""

    @property
    def control(self) -> Control | None:
        """The control."""
        return self._control

    @property
    def has_external_wrenches(self) -> bool:
        """Whether there are external wrenches."""
        return self._external is not None

    @property
    def is_held(self) -> bool:
        """Whether the torques are constant during a step."""
        return self._control is None or is_hold(self._control)

    @property
    def recorded_control(self) -> RecordedControl | None:
        """The control, if it is a recorded controller."""
        return self._control if isinstance(self._control, RecordedControl) else None

    def torques(self, t: float, state: MechanismState) -> Array:
        """Return the torques of the control; the array belongs to the caller."""
        return self.checked(self._evaluate_control(t, state), t, state).copy()

    def _evaluate_control(self, t: float, state: MechanismState) -> Any:
        """Return the result of the control, zeros for None; the array belongs to the control."""
        engine = cast("LiveEngine", state.engine)
        if self._control is None:
            return engine.zero_torques
        words = engine.buffers.words
        before = words[Q], words[V]
        try:
            values = self._control(t, state)
            if words[Q] != before[0] or words[V] != before[1]:
                raise changed_state_error("control")
        except BaseException as error:
            self.keep_error(error, t)
            raise
        return engine.zero_torques if values is None else values

    def keep_error(self, error: BaseException, t: float, callback: str = "control") -> None:
        """Keep an exception of a callback, and annotate it with the time."""
        self.error = error
        annotate(error, callback, t)

    def checked(self, values: ArrayLike, t: float, state: MechanismState) -> Array:
        """Return torques as an array of floats; raise, as the control's error, for other values."""
        try:
            return float_array(values, (state.layout.nv,), "control")
        except BaseException as error:
            self.keep_error(error, t)
            raise

    def wrenches(self, t: float, state: MechanismState) -> ExternalWrenches | None:
        """Return the external wrenches."""
        if self._external is None:
            return None
        with self.annotated("external", t, state):
            return self._external(t, state)

    def sample(self, hold: ZeroOrderHold[Any], t: float, state: MechanismState) -> None:
        """Sample the callback of a zero-order hold."""
        with self.annotated("control" if hold is self._control else "external", t, state):
            hold.sample(t, state)

    @contextmanager
    def annotated(self, callback: str, t: float, state: MechanismState) -> Generator[None, None, None]:
        """Annotate and keep exceptions of a callback; raise ArgumentError if it changed the state."""
        try:
            with guarded_callback(callback, t, state):
                yield
        except BaseException as error:
            self.error = error
            raise
