"""`ContactSimulator`: fixed-step simulation with contacts.

One step is one function, recorded once and run as machine code (`recorded_step.py`).
"""

from __future__ import annotations

from functools import partial
from typing import cast, final

import numpy as np
from typing_extensions import override

from rbd.algorithms.time_steps.step_count import step_count
from rbd.algorithms.trees import require_tree
from rbd.arguments import kind_error, require_kind
from rbd.array_functions.function import RecordedFunction
from rbd.contact.dynamics.accelerations.solve_contact import Bias
from rbd.contact.dynamics.contacts import CONTACT_DISTANCE
from rbd.contact.dynamics.impacts import Law
from rbd.contact.model.collision_model import CollisionModel
from rbd.contact.model.evaluation import as_tuple
from rbd.contact.simulation.control import Control, SimulatorControl
from rbd.contact.simulation.impact_step import ImpactStepOptions, StepResults
from rbd.contact.simulation.native_loop import NativeLoop, can_be_native
from rbd.contact.simulation.options import SimulatorOptions
from rbd.contact.simulation.recorded_step import StepInputs, input_shapes, simulator_step
from rbd.contact.simulation.trajectory import ContactTrajectory, TrajectoryBuffers
from rbd.contact.stepping.options import JointOptions
from rbd.errors import ArgumentError, DivergedError, NotFiniteError, SolverError
from rbd.mechanism import Mechanism
from rbd.progress import Listener, NoProgress, Progress, progress_bar, require_progress
from rbd.scalars.arrays import Array, float_array
from rbd.scalars.number_checks import above_zero
from rbd.state import MechanismState
from rbd.state.saved_state import restored_on_failure


@final
class ContactSimulator:
    """Simulator of a mechanism with contacts, in steps of `dt`.

    In each step `control(t, state)` returns torques (None: zero). Without `friction` a step is an impact, then
    accelerations: if a pair is nearer than `threshold` that was not in the step before, velocities change by the impact
    law `law` of all touching pairs; accelerations are those of `solve_contact` with `bias`; integration is
    semi-implicit Euler. With a coefficient of `friction`, 0 included, a step is that of `contact_step` with `joints`.
    A control may also be a recorded function of q, v and perhaps t, which becomes part of the machine code of the step,
    or a `ZeroOrderHold` whose period is a multiple of `dt`.
    Raises ArgumentError for invalid controls, steps, laws and thresholds, without friction for round cones and pairs
    with laws of their own, with friction for a `law` and a `bias`, and for thresholds above 1 cm with height fields.

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
        threshold: float = CONTACT_DISTANCE,
        bias: Bias = "tutorial",
        law: Law = "inelastic",
        friction: float | None = None,
        joints: JointOptions | None = None,
    ) -> None:
        """Check the options; nothing is simulated yet."""
        _require_model(collision_model, mechanism)
        self._model, self._dt = collision_model, above_zero(dt, "dt")
        self._control = SimulatorControl(control, mechanism, self._dt)
        impacts = ImpactStepOptions(bias, law)
        self._options = SimulatorOptions.checked(collision_model, threshold, impacts, friction, joints)
        self._options.require_support(collision_model)
        self._function: RecordedFunction | None = None
        self._version: tuple[int, ...] = ()

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism that is simulated."""
        return self._model.mechanism

    @override
    def __repr__(self) -> str:
        return f"<contact simulator: {len(self._model.pairs)} pairs, dt = {self._dt:g} s>"

    def run(
        self, state: MechanismState, final_time: float, *, progress: bool | Listener | Progress = False
    ) -> ContactTrajectory:
        """Simulate from `state` for `final_time` and return all steps; afterwards `state` is the last one.

        `rbd.Trajectory(run.t, run.q, run.v)` of the result has the energies, with those of compliant pairs if
        `energies` is given the collision model.

        There are `final_time / dt` steps, rounded. A failure leaves the state as it was. Raises DivergedError when a
        number is no longer finite and SolverError when contacts contradict each other, both with the time; ShapeError
        and NotFiniteError for what a control returns, and ArgumentError for states that are not live and invalid times.
        """
        self._require_state(state)
        require_progress(progress)
        steps = step_count(final_time, self._dt, "final_time")
        buffers = TrajectoryBuffers(self._dt, state, steps, len(self._model.pairs))
        self._control.begin()
        with restored_on_failure(state):
            with progress_bar(steps, "contacts", progress) as bar:
                self._take_steps(steps, state, buffers, bar)
            state.set_configuration(buffers.q[-1])
            state.set_velocity(buffers.v[-1])
        return buffers.trajectory()

    def _require_state(self, state: object) -> None:
        require_kind(state, MechanismState, operation="ContactSimulator", argument="state")
        self._model.require(cast("MechanismState", state))
        require_tree(cast("MechanismState", state), "ContactSimulator")

    def _take_steps(self, steps: int, state: MechanismState, buffers: TrajectoryBuffers, bar: Progress) -> None:
        """Take all steps, in machine code where possible; the bar sees every step, unless it is silent."""
        k, steps_at_a_time = 0, steps if isinstance(bar, NoProgress) else 1
        native, bound_function = None, None
        while k < steps:
            function = self._step_function()
            if function is not bound_function:
                native, bound_function = self._native_loop(function, state, buffers), function
            taken, torques = (0, None) if native is None else native.take(k, min(steps_at_a_time, steps - k))
            if native is None or torques is not None:
                self._take_step(k + taken, function, state, buffers, torques)
                taken += 1
            bar.update(taken)
            k += taken

    def _native_loop(
        self, function: RecordedFunction, state: MechanismState, buffers: TrajectoryBuffers
    ) -> NativeLoop | None:
        if not can_be_native():
            return None
        return NativeLoop(function, self._model.functions, self._control.callback, state, buffers, self._dt)

    def _take_step(
        self,
        k: int,
        function: RecordedFunction,
        state: MechanismState,
        buffers: TrajectoryBuffers,
        torques: Array | None,
    ) -> None:
        """Take step k; `torques` are those of a control in Python that has been called."""
        time, q, v = k * self._dt, buffers.q[k], buffers.v[k]
        control = self._control.step_input(time, state, q, v, torques)
        try:
            results = function(*StepInputs(q, v, control, buffers.touching, self._dt))
        except SolverError as error:
            raise SolverError(f"{error.message}, at t = {time:g}", **{**error.fields, "time": time}) from error
        except (NotFiniteError, ArithmeticError) as error:
            if isinstance(control, np.ndarray):
                float_array(control, control.shape, "control", copy=False)
            message = f"the simulation diverged at t = {time:g}: {error}"
            raise DivergedError(message, time=time, q=q.copy(), v=v.copy()) from error
        buffers.store(k, StepResults(*as_tuple(results)))

    def _step_function(self) -> RecordedFunction:
        """Return the function of one step, for the mechanism as it is now: a control may edit it."""
        now = (self.mechanism.structure_version, self.mechanism.parameter_version, len(self._model.pairs))
        if now != self._version:
            control = self._control.recorded
            self._control.require(self.mechanism)
            self._options.require_support(self._model)
            inputs = input_shapes(self.mechanism.nv, len(self._model.pairs), control)
            function = partial(simulator_step, self._model.pairs, self._options, control)
            self._function = self._model.functions.recorded(("step", self._options, control), function, inputs)
            self._version = now
        assert self._function is not None
        return self._function


def _require_model(model: object, mechanism: object) -> None:
    require_kind(mechanism, Mechanism, operation="ContactSimulator", argument="mechanism")
    if not isinstance(model, CollisionModel):
        raise kind_error(model, "CollisionModel", "ContactSimulator", "collision_model")
    if model.mechanism is not mechanism:
        message = "collision_model is of another mechanism; make it for the mechanism that is simulated"
        raise ArgumentError(message, argument="collision_model", value=model, allowed="a model of this mechanism")
