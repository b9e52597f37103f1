"""Native stages: the stages of a step run in machine code, a control in Python is called between them.

The builtins of a run are bound to the buffers of its state. A stage reads them and leaves the next stage there, so the
controller sees a live state. Where a builtin refuses (a number out of range, an edited mechanism) the same method in
Python takes the step again from its start, with the torques that are known already, or raises.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, cast, final

import numpy as np
from typing_extensions import override

from rbd.compiled.recipes import stage_recipe, step_recipe
from rbd.compiled.stepping import STAGES
from rbd.compiled.stepping import Integrator as StepName
from rbd.scalars.arrays import Array
from rbd.simulation.compiled_steps import compiled_step
from rbd.simulation.equations_of_motion import EquationsOfMotion
from rbd.simulation.integrator import Flow, Integrator, Rates
from rbd.state import MechanismState
from rbd.state.live_engine import LiveEngine, Q, V
from rbd.state.saved_state import SavedState

if TYPE_CHECKING:
    from rbd.native.compiled_program import CompiledProgram

Stage = Callable[[Any, float], Any]
"""stage(torques, h): returns NotImplemented where machine code refuses."""
_SINGLE_STAGE: Final = (0.0,)


@final
class NativeStages(Integrator):
    """An integrator with its stages in machine code and the control in Python."""

    settles = True

    def __init__(
        self, method: Integrator, flow: EquationsOfMotion, state: MechanismState, kernels: Sequence[CompiledProgram]
    ) -> None:
        """Bind the machine code of the stages to the buffers of `state`; `method` takes the steps it refuses."""
        self._method, self._flow, self._callbacks = method, flow, flow.callbacks
        self._times = _SINGLE_STAGE if len(kernels) == 1 else STAGES
        self._engine = cast("LiveEngine", state.engine)
        self._contact_states = np.zeros(state.layout.ns)
        known = {"q": self._engine.q, "v": self._engine.v, "s": self._contact_states}
        self._stages = [_bound(self._engine, kernel, known) for kernel in kernels]

    @override
    def step(self, flow: Flow, state: MechanismState, s: Array, start: float, end: float) -> Array:
        origin, torques, h = SavedState(state), list[Array](), end - start
        if s.size:
            self._contact_states[:] = s
        for stage, fraction in zip(self._stages, self._times, strict=True):
            t = end if fraction == 1 else start + fraction * h
            tau = self._callbacks.evaluate_control(t, state)
            refused = stage is None or stage(tau, h) is NotImplemented
            torques.append(self._callbacks.checked(tau, t, state).copy() if refused else np.array(tau, np.float64))
            if refused and (stage is None or stage(torques[-1], h) is NotImplemented):
                origin.restore()
                return self._python_step(state, s, (start, end), torques)
            self._engine.words[Q] += 1
            self._engine.words[V] += 1
        return self._contact_states.copy() if s.size else s

    def _python_step(self, state: MechanismState, s: Array, times: tuple[float, float], torques: list[Array]) -> Array:
        """Take a step in Python; `torques` are those of its first stages, for which the control is not called again."""
        known = iter(torques if len(self._stages) > 1 else torques * len(STAGES))

        def flow(t: float, state: MechanismState, s: Array) -> Rates:
            tau = next(known, None)
            return self._flow(t, state, s) if tau is None else self._flow.rates(tau.copy(), t, state, s)

        return self._flow.settle(state, self._method.step(flow, state, s, *times))


def native_stages(
    state: MechanismState, method: Integrator, name: StepName, flow: EquationsOfMotion
) -> NativeStages | None:
    """Return the native stages of `method`, which is called `name`; None where a stage cannot be recorded.

    A step whose torques are constant is one stage.
    """
    ns = state.layout.ns
    whole = name == "semi-implicit-euler" or flow.callbacks.is_held
    recipes = {f"step {name}": step_recipe(name, ns)} if whole else {}
    recipes = recipes or {f"stage {k}": stage_recipe(k, ns) for k in range(len(STAGES))}
    kernels = [compiled_step(state.mechanism, each, recipe) for each, recipe in recipes.items()]
    found = [kernel for kernel in kernels if kernel is not None]
    return NativeStages(method, flow, state, found) if len(found) == len(kernels) else None


def _bound(engine: LiveEngine, kernel: CompiledProgram, known: dict[str, Array]) -> Stage | None:
    """Return a builtin of torques and dt; all else it reads and writes is in the arrays `known` by name."""
    free = {"tau", "dt"}
    for port in (*kernel.outline.inputs, *kernel.outline.outputs):
        if port.name not in known and port.name not in free:
            known[port.name] = np.zeros(port.shape)
    inputs = tuple(None if port.name in free else known[port.name] for port in kernel.outline.inputs)
    outputs = tuple(known[port.name] for port in kernel.outline.outputs)
    moved = [name for name in ("q", "v", "s") if f"{name}_next" in known and known[name].size]
    copies = tuple((known[f"{name}_next"], known[name]) for name in moved)
    return engine.bind(kernel, inputs, outputs, copies)
