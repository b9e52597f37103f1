"""Steps of `ContactSimulator` in one loop of machine code, which calls a control in Python before each step."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast, final

import attrs
import numpy as np

from rbd import native
from rbd.compiled import RecordedFunction
from rbd.contact.arguments import float_vector_unless_nan
from rbd.contact.model.recorded_functions import FunctionCache
from rbd.contact.stepping.trajectory import TrajectoryRecorder
from rbd.engine.interpreted import is_interpreted
from rbd.engine.live_engine import LiveEngine, Q, V
from rbd.native.builtins.step_loop_ir import ASKING, CHANGED, COUNT, DONE, KNOWN, REASON, STAGE, STEP, UNFIT
from rbd.native.runtime import abi
from rbd.scalars.arrays import Array
from rbd.state import MechanismState
from rbd.state.callback_guard import annotate, state_changed

if TYPE_CHECKING:
    from rbd.native.builtins.step_loop import StepLoop

_STEPS_PER_CALL = 4096


@final
class NativeSteps:
    """Steps of one run, by machine code for the mechanism and the pairs as they are now."""

    def __init__(
        self,
        function: RecordedFunction,
        functions: FunctionCache,
        control: Callable[..., object] | None,
        state: MechanismState,
        record: TrajectoryRecorder,
        dt: float,
    ) -> None:
        """Bind the function of a step to the buffers of `state`."""
        self._state, self._engine, self._record, self._dt = state, cast("LiveEngine", state.engine), record, dt
        self._touched = np.zeros_like(record.touching)
        self._loop = self._made(function, functions, control)

    def take(self, k: int, steps: int) -> tuple[int, Array | None]:
        """Take `steps` steps from step k or fewer; return how many, and the torques of the next one if it is refused.

        Exceptions of the control are annotated with the time.
        """
        count = min(steps, _STEPS_PER_CALL)
        loop, words, touching = self._loop, self._loop.words, np.empty((count + 1, self._touched.size))
        self._engine.write(Q, self._record.q[k])
        self._engine.write(V, self._record.v[k])
        self._touched[:] = self._record.touching
        for i in range(count + 1):
            loop.times[i] = (k + i) * self._dt
        loop.keep((self._record.q[k:], self._record.v[k:], self._record.distances[k:], touching))
        words[COUNT], words[STEP], words[STAGE], words[KNOWN] = count, 0, 0, 0
        try:
            while self._runs_on():
                pass
        finally:
            for i in range(words[STEP]):
                self._record.note(k + i, touching[i + 1])
        return words[STEP], None if words[REASON] == DONE else loop.stages[0].vector.copy()

    def _runs_on(self) -> bool:
        """Run the loop; return whether it must run again, with torques that were converted."""
        words, time = self._loop.words, self._loop.clock.time
        try:
            answer = self._loop.run()
            if words[REASON] == CHANGED:
                words[REASON] = ASKING
                raise state_changed("control")
            if words[REASON] != UNFIT:
                return False
            words[REASON] = ASKING
            torques = self._loop.stages[0].vector
            torques[:] = float_vector_unless_nan(answer, torques.size, "control")
        except BaseException as error:
            if words[REASON] == ASKING:
                annotate(error, "control", float(time))
            raise
        words[KNOWN] = 1
        return True

    def _made(
        self, function: RecordedFunction, functions: FunctionCache, control: Callable[..., object] | None
    ) -> StepLoop:
        from rbd.native.builtins.context import Word
        from rbd.native.builtins.step_loop import Clock, Stage, StepLoop

        kernel, clock, engine = function.evaluation.executable.compile(), Clock(), self._engine
        assert kernel is not None
        ports = kernel.outline
        known: dict[str, Array] = {
            "q": engine.q,
            "v": engine.v,
            "t": clock.time,
            "touched": self._touched,
            "torques": np.zeros(self._state.layout.nv),
            "dt": np.array(self._dt),
        }
        found = {port.name: np.zeros(port.shape) for port in ports.outputs}
        moved = (("q_next", "q"), ("v_next", "v"), ("touching", "touched"))
        stage = Stage(
            kernel,
            0.0,
            [known[port.name] for port in ports.inputs],
            list(found.values()),
            [(found[source], known[to]) for source, to in moved],
            known["torques"],
        )
        around = engine.surroundings(self._state)
        around = attrs.evolve(around, guards=(*around.guards, (Word(functions.changes, 0), functions.changes[0])))
        moving = (engine.q, engine.v, found["distances"], self._touched)
        return StepLoop([stage], control, clock, moving, around, most_steps=_STEPS_PER_CALL)


def can_be_native() -> bool:
    """Return whether machine code can call a control on this interpreter now."""
    return native.available() and abi.is_supported() and not is_interpreted()
