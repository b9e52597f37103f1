"""A simulator of contacts, step by step: control, distances, impacts of what has just met, accelerations, integration.

It is the loop of Pinocchio's exercise on contacts; one step is one function, recorded once and run as machine code.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias, cast, final

import numpy as np
from numpy.typing import ArrayLike

from rbd.algorithms.trees import require_tree
from rbd.arguments import require_callable, require_choice
from rbd.compiled import RecordedFunction
from rbd.contact.arguments import above_zero, at_least_zero, nearly_checked
from rbd.contact.evaluation import as_tuple
from rbd.contact.gauss import LAWS, Law
from rbd.contact.model import CollisionModel
from rbd.contact.solve import BIASES, TOUCHING, Bias
from rbd.contact.stepping import Settings, one_step, require_recorded
from rbd.contact.trajectory import ContactTrajectory, Record
from rbd.errors import ArgumentError, DivergedError, NotFiniteError
from rbd.mechanism import Mechanism
from rbd.progress import progress_bar, require_progress
from rbd.scalars.arrays import Array, float_array
from rbd.spatial.values import require_kind, wrong_kind
from rbd.state import MechanismState

Control: TypeAlias = Callable[[float, MechanismState], "ArrayLike | None"]
"""From time and state to torques."""
_MOST_STEPS = 1e10


@final
class ContactSimulator:
    """Simulates a mechanism whose shapes touch, in steps of `dt`.

    Every step: `control(t, state)` gives torques (none: zero); distances are measured; when a pair comes nearer than
    `threshold` that was not the step before, velocities change by the impact law `law` along all pairs that touch;
    accelerations are those of `solve_contact` with `bias`; velocities go first, then configurations with the new
    velocities. With a coefficient of `friction`, 0 included, steps are those of `contact_step` instead, which need no
    impact law and no bias: one problem covers impact, rest and sliding. A control may also be a recorded function of q,
    v and perhaps t, which then becomes part of the machine code of the step. Raises ArgumentError for controls,
    steps, laws and thresholds that are none.

    >>> import rbd
    >>> mechanism, model = rbd.robots.hand()
    >>> simulator = rbd.contact.ContactSimulator(mechanism, model, lambda t, state: -state.v, 1e-3)
    >>> trajectory = simulator.run(rbd.MechanismState(mechanism, v=[0.1] * 13), 0.05)
    >>> trajectory.q.shape, trajectory.events
    ((51, 13), ())
    """

    def __init__(
        self,
        mechanism: Mechanism,
        collision_model: CollisionModel,
        control: Control | RecordedFunction | None,
        dt: float,
        *,
        threshold: float = TOUCHING,
        bias: Bias = "tutorial",
        law: Law = "inelastic",
        friction: float | None = None,
    ) -> None:
        """Prepare; nothing is simulated yet."""
        _require_model(collision_model, mechanism)
        _require_control(control, mechanism)
        require_choice(bias, BIASES, "bias", "bias")
        require_choice(law, LAWS, "law", "law")
        self._model, self._control, self._dt = collision_model, control, above_zero(dt, "dt")
        self._function: RecordedFunction | None = None
        self._made_for: tuple[int, ...] = ()
        rubs = None if friction is None else at_least_zero(friction, "friction")
        self._settings = Settings(at_least_zero(threshold, "threshold"), bias, law, rubs)

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism that is simulated."""
        return self._model.mechanism

    def run(self, state: MechanismState, final_time: float, *, progress: bool = False) -> ContactTrajectory:
        """Simulate from `state` for `final_time` and return all steps; the state is at the end then.

        There are `final_time / dt` steps, rounded. A failure leaves the state where it was. Raises DivergedError with
        the time when numbers leave their range, ShapeError and NotFiniteError for what a control returns, and
        ArgumentError for states that are not live and times that are none.
        """
        self._require_state(state)
        require_progress(progress)
        steps = self._steps(final_time)
        record = Record(self._dt, state, steps, len(self._model.pairs))
        before = state.q.copy(), state.v.copy()
        try:
            with progress_bar(steps, "contacts", progress) as bar:
                for k in range(steps):
                    self._advance(k, self._step(), state, record)
                    bar.update(1)
            state.set_configuration(record.q[-1])
            state.set_velocity(record.v[-1])
        except BaseException:
            state.set_configuration(before[0])
            state.set_velocity(before[1])
            raise
        return record.trajectory()

    # --- inside -------------------------------------------------------------------------------------------------------

    def _require_state(self, state: object) -> None:
        require_kind(state, MechanismState, operation="ContactSimulator", argument="state")
        self._model.require(cast("MechanismState", state))
        require_tree(cast("MechanismState", state), "ContactSimulator")

    def _steps(self, final_time: object) -> int:
        time = at_least_zero(final_time, "final_time")
        ratio = time / self._dt
        if ratio > _MOST_STEPS:
            allowed = f"at most {_MOST_STEPS:g} steps of {self._dt:g} s"
            message = f"final_time is {time:g}, needs {allowed}"
            raise ArgumentError(message, argument="final_time", value=final_time, allowed=allowed)
        return round(ratio)

    def _advance(self, k: int, step: RecordedFunction, state: MechanismState, record: Record) -> None:
        time = k * self._dt
        drive = self._drive(k, state, record)
        try:
            found = step(record.q[k], record.v[k], drive, record.touching, self._dt)
        except (NotFiniteError, ArithmeticError) as error:
            if isinstance(drive, np.ndarray):
                float_array(drive, drive.shape, "control", copy=False)
            raise DivergedError(
                f"the simulation left the finite numbers at t = {time:g}: {error}",
                time=time,
                q=record.q[k].copy(),
                v=record.v[k].copy(),
            ) from error
        record.note(k, *as_tuple(found))

    def _drive(self, k: int, state: MechanismState, record: Record) -> Array | float:
        """Return what drives a step: the time for a recorded control, torques otherwise."""
        time, size = k * self._dt, state.mechanism.nv
        if self._control is None:
            return np.zeros(size)
        if isinstance(self._control, RecordedFunction):
            return time
        state.set_configuration(record.q[k])
        state.set_velocity(record.v[k])
        torques = self._control(time, state)
        return np.zeros(size) if torques is None else nearly_checked(torques, size, "control")

    def _step(self) -> RecordedFunction:
        """Return the function of one step, for the mechanism as it is now: a control may edit it on the way."""
        now = (self.mechanism.structure_version, self.mechanism.parameter_version, len(self._model.pairs))
        if now != self._made_for:
            control = self._control if isinstance(self._control, RecordedFunction) else None
            _require_control(control, self.mechanism)
            inputs: dict[str, int | tuple[int, ...]] = {"t": ()} if control else {"torques": self.mechanism.nv}
            inputs |= {"touched": len(self._model.pairs), "dt": ()}
            body = partial(one_step, self._model.pairs, self._settings, control)
            self._function = self._model.functions.of(("step", self._settings, control), body, inputs)
            self._made_for = now
        assert self._function is not None
        return self._function


def _require_model(model: object, mechanism: object) -> None:
    require_kind(mechanism, Mechanism, operation="ContactSimulator", argument="mechanism")
    if not isinstance(model, CollisionModel):
        raise wrong_kind(model, "CollisionModel", "ContactSimulator", "collision_model")
    if model.mechanism is not mechanism:
        message = "the collision model is of another mechanism"
        raise ArgumentError(message, argument="collision_model", value=model, allowed="a model of this mechanism")


def _require_control(control: object, mechanism: Mechanism) -> None:
    if isinstance(control, RecordedFunction):
        require_recorded(control, mechanism)
    elif control is not None:
        require_callable(control, "control", "None, a recorded function or a function of time and state")
