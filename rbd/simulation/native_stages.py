"""Native stages: the stages of a step run in machine code, a control in Python is called between them.

A loop in machine code (`rbd.native.step_loop`) works on the buffers of the state, so the controller sees a live state.
Where the loop refuses (a number out of range, an edited mechanism) the same method in Python takes the step again from
its start, with the torques that are known already, or raises.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, cast, final

import numpy as np
from typing_extensions import override

from rbd.compiled.recipes import stage_recipe, step_recipe
from rbd.compiled.stepping import STAGES
from rbd.compiled.stepping import Integrator as StepName
from rbd.native import abi
from rbd.native.step_loop_ir import ASKING, CHANGED, COUNT, DONE, KNOWN, REASON, STAGE, STEP, UNFIT
from rbd.scalars.arrays import Array
from rbd.simulation.compiled_steps import compiled_step
from rbd.simulation.equations_of_motion import EquationsOfMotion
from rbd.simulation.integrator import Flow, Integrator, Rates
from rbd.state import MechanismState
from rbd.state.live_engine import LiveEngine

if TYPE_CHECKING:
    from rbd.native.compiled_program import CompiledProgram
    from rbd.native.step_loop import Stage, StepLoop

Histories = Sequence[Array]
"""Rows of q, v and, with contact states, s."""
_SINGLE_STAGE: Final = (0.0,)


@final
class NativeStages(Integrator):
    """An integrator with its stages in machine code and the control in Python."""

    settles = True

    def __init__(
        self,
        method: Integrator,
        flow: EquationsOfMotion,
        state: MechanismState,
        kernels: Sequence[CompiledProgram],
        most_steps: int,
    ) -> None:
        """Bind the machine code of the stages to the buffers of `state`; `method` takes the steps it refuses."""
        self._method, self._flow, self._callbacks, self._state = method, flow, flow.callbacks, state
        self.max_steps = most_steps
        """The largest number of steps that `take` takes."""
        self._contact_states = np.zeros(state.layout.ns)
        self._loop = _loop(state, kernels, flow.callbacks.control, self._contact_states, most_steps)
        self._torques = [stage.vector for stage in self._loop.stages]
        self._words, self._times = self._loop.words, self._loop.times

    @override
    def step(self, flow: Flow, state: MechanismState, s: Array, start: float, end: float) -> Array:
        if s.size:
            self._contact_states[:] = s
        self._times[0], self._times[1] = start, end
        self._run(1)
        return self._contact_states.copy() if s.size else s

    def take(self, times: array[float], s: Array, keep: Callable[[int, Histories], None]) -> None:
        """Move the state through `times`, then call keep(steps, rows), also where the control raises.

        Row k of the histories is the state at `times[k]`, for k = 1 ... steps; contact states begin at `s`.
        """
        loop, steps = self._loop, len(times) - 1
        rows = [np.empty((steps + 1, each.size)) for each in loop.moving]
        self._contact_states[:] = s
        self._times[: steps + 1] = times
        loop.keep(rows)
        try:
            self._run(steps, rows)
        finally:
            loop.keep(None)
            keep(self._words[STEP], rows)

    def _run(self, steps: int, rows: Histories = ()) -> None:
        """Take steps between the loop's times."""
        words = self._words
        words[COUNT], words[STEP], words[STAGE], words[KNOWN] = steps, 0, 0, 0
        while True:
            try:
                answer = self._loop.run()
            except BaseException as error:
                if words[REASON] == ASKING:
                    self._callbacks.failed(error, float(self._loop.clock.time))
                raise
            if words[REASON] == DONE:
                return
            self._resume(answer, rows)

    def _resume(self, answer: Any, rows: Histories) -> None:
        """Do what the loop could not do, so that it can go on."""
        words, moment = self._words, float(self._loop.clock.time)
        if words[REASON] == CHANGED:
            raise self._callbacks.state_changed(moment)
        if words[REASON] == UNFIT:
            stage = words[STAGE]
            self._torques[stage][:] = self._callbacks.checked(answer, moment, self._state)
            words[KNOWN] = 1
            return
        self._python_step(rows)

    def _python_step(self, rows: Histories) -> None:
        """Take the current step in Python; for the stages the loop has begun the control is not called again."""
        words, state, loop = self._words, self._state, self._loop
        k, known = words[STEP], [each.copy() for each in self._torques[: words[STAGE] + 1]]
        if self._callbacks.control is not None:
            self._callbacks.checked(known[-1], float(loop.clock.time), state)
        state.set_configuration(loop.origins[0])
        state.set_velocity(loop.origins[1])
        s = loop.origins[2].copy() if len(loop.origins) > 2 else self._contact_states
        flow = self._flow_of(known)
        s = self._flow.settle(state, self._method.step(flow, state, s, self._times[k], self._times[k + 1]))
        self._contact_states[:] = s
        for history, moved in zip(rows, loop.moving, strict=False):
            history[k + 1] = moved
        words[STEP], words[STAGE] = k + 1, 0

    def _flow_of(self, known: Sequence[Array]) -> Flow:
        """Return the right-hand side with these torques at the first stages."""
        torques = iter(known if len(self._torques) > 1 else [*known] * len(STAGES))

        def flow(t: float, state: MechanismState, s: Array) -> Rates:
            tau = next(torques, None)
            return self._flow(t, state, s) if tau is None else self._flow.rates(tau.copy(), t, state, s)

        return flow


def native_stages(
    state: MechanismState, method: Integrator, name: StepName, flow: EquationsOfMotion, most_steps: int
) -> NativeStages | None:
    """Return the native stages of `method`, which is called `name`; None where a stage cannot be recorded.

    A step whose torques are constant is one stage.
    """
    if not abi.is_supported():
        return None
    ns = state.layout.ns
    whole = name == "semi-implicit-euler" or flow.callbacks.is_held
    recipes = {f"step {name}": step_recipe(name, ns)} if whole else {}
    recipes = recipes or {f"stage {k}": stage_recipe(k, ns) for k in range(len(STAGES))}
    kernels = [compiled_step(state.mechanism, each, recipe) for each, recipe in recipes.items()]
    found = [kernel for kernel in kernels if kernel is not None]
    return NativeStages(method, flow, state, found, most_steps) if len(found) == len(kernels) else None


def _loop(
    state: MechanismState,
    kernels: Sequence[CompiledProgram],
    control: Callable[..., object] | None,
    s: Array,
    most_steps: int,
) -> StepLoop:
    """Return the loop over kernels; what they read and write is in arrays by name."""
    from rbd.native.step_loop import Clock, StepLoop

    engine, clock = cast("LiveEngine", state.engine), Clock()
    known = {"q": engine.q, "v": engine.v, "s": s, "dt": clock.length}
    fractions = _SINGLE_STAGE if len(kernels) == 1 else STAGES
    stages = [_stage(state, kernel, t, known) for kernel, t in zip(kernels, fractions, strict=True)]
    moving = [engine.q, engine.v, s] if s.size else [engine.q, engine.v]
    return StepLoop(stages, control, clock, moving, engine.surroundings(state), most_steps=most_steps)


def _stage(state: MechanismState, kernel: CompiledProgram, fraction: float, known: dict[str, Array]) -> Stage:
    """Return a stage with torques of its own; all else it reads and writes is in the arrays `known` by name."""
    from rbd.native.step_loop import Stage

    for port in (*kernel.outline.inputs, *kernel.outline.outputs):
        if port.name not in known and port.name != "tau":
            known[port.name] = np.zeros(port.shape)
    arrays = known | {"tau": np.zeros(state.layout.nv)}
    inputs = [arrays[port.name] for port in kernel.outline.inputs]
    outputs = [arrays[port.name] for port in kernel.outline.outputs]
    moved = [name for name in ("q", "v", "s") if f"{name}_next" in known and known[name].size]
    copies = [(known[f"{name}_next"], known[name]) for name in moved]
    return Stage(kernel, fraction, inputs, outputs, copies, arrays["tau"])
