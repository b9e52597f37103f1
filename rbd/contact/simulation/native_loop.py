"""Steps of `ContactSimulator` in one loop of machine code, which calls a control in Python before each step."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import TYPE_CHECKING, cast, final

import attrs
import numpy as np

from rbd import native
from rbd.array_functions.function import RecordedFunction
from rbd.contact.arguments import float_vector_unchecked
from rbd.contact.model.recorded_functions import RecordedFunctions
from rbd.contact.simulation.impact_step import StepResults
from rbd.contact.simulation.recorded_step import StepInputs
from rbd.contact.simulation.trajectory import TrajectoryBuffers
from rbd.engine.interpreted import is_interpreted
from rbd.engine.live_buffers import Q, V
from rbd.engine.live_engine import LiveEngine
from rbd.errors import ArgumentError
from rbd.native.runtime import abi
from rbd.scalars.arrays import Array
from rbd.state import MechanismState
from rbd.state.callback_guard import annotate, changed_state_error

if TYPE_CHECKING:
    from rbd.native.builtins.step_loop import RunningLoop, Stage, StepLoop

_STEPS_PER_CALL = 4096


@final
class NativeLoop:
    """Steps of one run, by machine code for the mechanism and the pairs as they are now.

    The `LoopFallback` of its `StepLoop`: `convert`, `changed_state_error`, `failed` and `take_step` are called by it.
    """

    def __init__(
        self,
        function: RecordedFunction,
        functions: RecordedFunctions,
        control: Callable[..., object] | None,
        state: MechanismState,
        buffers: TrajectoryBuffers,
        dt: float,
    ) -> None:
        """Bind the function of a step to the buffers of `state`."""
        self._state, self._engine, self._buffers, self._dt = state, cast("LiveEngine", state.engine), buffers, dt
        self._touched = np.zeros_like(buffers.touching)
        self._loop = self._bound_loop(function, functions, control)

    def take(self, k: int, steps: int) -> tuple[int, Array | None]:
        """Take `steps` steps from step k or fewer; return how many, and the torques of the next one if it is refused.

        Exceptions of the control are annotated with the time.
        """
        count = min(steps, _STEPS_PER_CALL)
        loop, buffers, touching = self._loop, self._buffers, np.empty((count + 1, self._touched.size))
        self._engine.buffers.write(Q, buffers.q[k])
        self._engine.buffers.write(V, buffers.v[k])
        self._touched[:] = buffers.touching
        times = array("d", [(k + i) * self._dt for i in range(count + 1)])
        has_ended = False
        try:
            has_ended = loop.run(times, self, (buffers.q[k:], buffers.v[k:], buffers.distances[k:], touching))
        finally:
            for i in range(loop.steps_taken):
                buffers.store_touching(k + i, touching[i + 1])
        return loop.steps_taken, None if has_ended else loop.vectors[0].copy()

    def convert(self, answer: object, vector: Array) -> None:
        """Write torques of the control to where the step reads them."""
        vector[:] = float_vector_unchecked(answer, vector.size, "control")

    def changed_state_error(self) -> ArgumentError:
        """Return the error of a control that changed the state."""
        return changed_state_error("control")

    def failed(self, error: BaseException, t: float) -> None:
        """Annotate an error of the control with the time."""
        annotate(error, "control", t)

    def take_step(self, loop: RunningLoop) -> bool:
        """End the run: the simulator takes the step."""
        return False

    def _bound_loop(
        self, function: RecordedFunction, functions: RecordedFunctions, control: Callable[..., object] | None
    ) -> StepLoop:
        from rbd.native.builtins.context import Word
        from rbd.native.builtins.step_loop import Clock, StageTables, StepLoop

        clock, live_buffers = Clock(), self._engine.buffers
        stage, distances = self._stage(function, clock.time)
        binding = self._engine.loop_binding(self._state)
        binding = attrs.evolve(binding, guards=(*binding.guards, (Word(functions.changes, 0), functions.changes[0])))
        moving = (live_buffers.q, live_buffers.v, distances, self._touched)
        return StepLoop(StageTables.of([stage]), control, clock, moving, binding, max_steps=_STEPS_PER_CALL)

    def _stage(self, function: RecordedFunction, time: Array) -> tuple[Stage, Array]:
        """Return a step on the buffers of the state, and where it writes distances."""
        from rbd.native.builtins.step_loop import Stage

        compiled, live_buffers = function.executable.compile(), self._engine.buffers
        assert compiled is not None
        ports, torques = compiled.outline, np.zeros(self._state.layout.nv)
        control = time if any(port.name == "t" for port in ports.inputs) else torques
        inputs = StepInputs(live_buffers.q, live_buffers.v, control, self._touched, np.array(self._dt))
        results = StepResults(*(np.zeros(port.shape) for port in ports.outputs))
        carried_over = [
            (results.q_next, inputs.q), (results.v_next, inputs.v), (results.touching, inputs.touched)
        ]  # fmt: skip
        return Stage(compiled, 0.0, list(inputs), list(results), carried_over, torques), results.distances


def can_be_native() -> bool:
    """Return whether machine code can call a control on this interpreter now."""
    return native.available() and abi.is_supported() and not is_interpreted()
