"""Native stages: the stages of a step run in machine code, a control in Python is called between them.

A loop in machine code (`rbd.native.builtins.step_loop`) works on the buffers of the state, so the controller sees a
live state. Where the loop refuses (a number out of range, an edited mechanism) the same method in Python takes the step
again from its start, with the torques that are known already, or raises.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, cast, final

import numpy as np
from numpy.typing import ArrayLike
from typing_extensions import override

from rbd.algorithms.loops.stabilization import STANDARD, gains_in
from rbd.algorithms.time_steps.formulas import FixedStepMethod
from rbd.algorithms.time_steps.runge_kutta import CLASSICAL, RungeKuttaScheme
from rbd.algorithms.time_steps.step_dynamics import PLAIN, StepOptions
from rbd.compiled.recording_specs import RecordingSpec, stage_spec, step_spec
from rbd.compiled.wrenches import key_with_wrenches, with_wrenches
from rbd.engine.live_engine import LiveEngine
from rbd.errors import ArgumentError
from rbd.native.runtime import abi
from rbd.scalars import to_float
from rbd.scalars.arrays import Array, float_array
from rbd.simulation.adaptive import AdaptiveMuntheKaas
from rbd.simulation.compiled_steps import compiled_step
from rbd.simulation.equations_of_motion import EquationsOfMotion
from rbd.simulation.forces import is_recordable
from rbd.simulation.integrator import Flow, Integrator, Rates
from rbd.simulation.munthe_kaas import ROUNDING, MuntheKaas
from rbd.simulation.semi_implicit import SemiImplicitEuler
from rbd.simulation.stage_loads import PythonForces, all_places, is_called, recorded_loads
from rbd.simulation.tableau import RUNGE_KUTTA_4, ButcherTableau
from rbd.state import MechanismState
from rbd.state.callback_guard import state_changed

if TYPE_CHECKING:
    from rbd.native.builtins.step_loop import Stage, StepLoop
    from rbd.native.compiled_program import CompiledProgram

Histories = Sequence[Array]
"""Rows of q, v and, with contact states, s."""
_SINGLE_STAGE: Final = (0.0,)


@final
class NativeStages(Integrator):
    """An integrator with its stages in machine code and the control in Python."""

    def __init__(
        self,
        method: Integrator,
        flow: EquationsOfMotion,
        state: MechanismState,
        compiled: Sequence[tuple[CompiledProgram, float]],
        most_steps: int,
        *,
        samples_hold: bool,
    ) -> None:
        """Bind the machine code of the stages to the buffers of `state`; `method` takes the steps it refuses."""
        self._method, self._flow, self._callbacks, self._state = method, flow, flow.callbacks, state
        self.max_steps = most_steps
        """The largest number of steps that `take` takes."""
        self.settles = not isinstance(method, AdaptiveMuntheKaas)
        self._contact_states = np.zeros(state.layout.ns)
        self._called = PythonForces(flow, state, len(compiled)) if is_called(flow) else None
        known = {"s": self._contact_states, "error": np.zeros(())}
        if isinstance(method, AdaptiveMuntheKaas):
            known |= {"rtol": np.array(method.rtol), "atol": np.array(method.atol)}
        self._square_error = known["error"]
        hold = flow.holds[0] if flow.holds else None
        self.samples_hold = samples_hold and hold is not None and len(compiled) == 1 and self._called is None
        """Whether the loop samples the control, a zero-order hold, where `take` is told to."""
        control = hold.sampled if self.samples_hold and hold is not None else flow.callbacks.control
        self._loop = _loop(state, compiled, self._called or control, known, most_steps)
        self._torques = [stage.vector for stage in self._loop.stages]

    @override
    def step(self, flow: Flow, state: MechanismState, s: Array, start: float, end: float) -> Array:
        if s.size:
            self._contact_states[:] = s
        self._loop.run(array("d", (start, end)), self)
        return self._contact_states.copy() if s.size else s

    def attempt(self, flow: Flow, state: MechanismState, s: Array, start: float, end: float) -> tuple[Array, float]:
        """Take a step of an adaptive method; return the contact states at its end and its error."""
        return self.step(flow, state, s, start, end), math.sqrt(self._square_error)

    def take(self, times: array[float], s: Array, keep: Callable[[int, Histories], None], asks: bytes = b"") -> None:
        """Move the state through `times`, then call keep(steps, rows), also where the control raises.

        Row k of the histories is the state at `times[k]`, for k = 1 ... steps; contact states begin at `s`. Where the
        stages sample a hold, `asks` says whether it is sampled at the beginning of a step.
        """
        rows = [np.empty((len(times), each.size)) for each in self._loop.moving]
        self._contact_states[:] = s
        try:
            self._loop.run(times, self, rows, asks=asks if self.samples_hold else b"")
        finally:
            keep(self._loop.steps_taken, rows)

    def convert(self, answer: object, vector: Array) -> None:
        """Write torques of the control to the vector of a stage."""
        vector[:] = float_array(cast("ArrayLike", answer), vector.shape, "control")

    def state_changed(self) -> ArgumentError:
        """Return the error of a control that changed the state."""
        return state_changed("control")

    def failed(self, error: BaseException, t: float) -> None:
        """Annotate an error of the control with the time; called forces do so themselves."""
        if self._called is None:
            self._callbacks.failed(error, t)

    def take_step(self) -> bool:
        """Take the current step in Python; for the stages the loop has begun the control is not called again."""
        state, loop = self._state, self._loop
        start, end = loop.times[loop.steps_taken : loop.steps_taken + 2]
        flow = self._flow_of(self._known_torques(loop.stage + 1))
        state.set_configuration(loop.origins[0])
        state.set_velocity(loop.origins[1])
        s = loop.origins[2].copy() if len(loop.origins) > 2 else self._contact_states
        if isinstance(self._method, AdaptiveMuntheKaas):
            s, error = self._method.attempt(flow, state, s, start, end)
            self._square_error[...] = error * error
        else:
            s = self._flow.settle(state, self._method.step(flow, state, s, start, end))
        self._contact_states[:] = s
        return True

    def _known_torques(self, count: int) -> list[Array]:
        """Return the torques of the first `count` stages of the current step, those of the last one checked."""
        if self._called is not None:
            return list(self._called.torques)[-count:]
        known = [each.copy() for each in self._torques[:count]]
        if self._callbacks.control is not None:
            self._callbacks.checked(known[-1], self._loop.time, self._state)
        return known

    def _flow_of(self, known: list[Array]) -> Flow:
        """Return the right-hand side with these torques at the first stages."""
        torques = iter(known if len(self._torques) > 1 else known * CLASSICAL.stages)

        def flow(t: float, state: MechanismState, s: Array) -> Rates:
            tau = next(torques, None)
            return self._flow(t, state, s) if tau is None else self._flow.rates(tau.copy(), t, state, s)

        return flow


def native_stages(
    state: MechanismState, method: Integrator, flow: EquationsOfMotion, most_steps: int, *, samples_hold: bool = False
) -> NativeStages | None:
    """Return the native stages of `method`; None for methods without, and where a stage cannot be recorded.

    A step whose torques are constant is one stage. With `samples_hold`, a hold is sampled between the steps.
    """
    scheme = _scheme(method)
    if not abi.is_supported() or not (scheme or isinstance(method, SemiImplicitEuler)):
        return None
    compiled = [compiled_step(state.mechanism, *each) for each in _specs(state, flow, scheme)]
    found = [program for program in compiled if program is not None]
    if len(found) < len(compiled):
        return None
    fractions = tuple(map(to_float, scheme.c)) if scheme and len(compiled) > 1 else _SINGLE_STAGE
    stages = list(zip(found, fractions, strict=True))
    return NativeStages(method, flow, state, stages, most_steps, samples_hold=samples_hold)


def _scheme(method: Integrator) -> RungeKuttaScheme | None:
    """Return the Runge-Kutta method of an integrator, if it is one."""
    if isinstance(method, MuntheKaas):
        tableau = method.tableau
        return CLASSICAL if tableau == RUNGE_KUTTA_4 else RungeKuttaScheme(tableau.a, tableau.b, _times(tableau))
    if isinstance(method, AdaptiveMuntheKaas):
        tableau = method.tableau
        error = tuple(x - y for x, y in zip(tableau.b, tableau.b_hat or (), strict=True))
        return RungeKuttaScheme(tableau.a, tableau.b, _times(tableau), error)
    return None


def _times(tableau: ButcherTableau) -> tuple[float, ...]:
    """Return the times of the stages; 1 where rounding has moved it: controllers compare times."""
    return tuple(1.0 if abs(c - 1) < ROUNDING else c for c in tableau.c)


def _specs(
    state: MechanismState, flow: EquationsOfMotion, scheme: RungeKuttaScheme | None
) -> list[tuple[str, RecordingSpec, tuple[object, ...] | None]]:
    """Return names, specifications, and objects of this process in them, of the stages of a step."""
    layout = state.layout
    ns, gains = layout.ns, gains_in(layout, flow.stabilization)
    own = tuple(each for each in flow.forces if is_recordable(each)) or None
    usual = gains is STANDARD or not layout.is_constrained
    options = PLAIN if usual and own is None else StepOptions(STANDARD if usual else gains, recorded_loads(own or ()))
    places = all_places(state) if is_called(flow) else ()
    if options is PLAIN and not places and (scheme is None or (scheme == CLASSICAL and flow.callbacks.is_held)):
        name: FixedStepMethod = "munthe-kaas-rk4" if scheme else "semi-implicit-euler"
        return [(f"step {name}", step_spec(name, ns), None)]
    if scheme is None:
        named = {"semi-implicit step": step_spec("semi-implicit-euler", ns, options)}
    else:
        named = {f"stage {k} of {scheme.key}": stage_spec(scheme, k, ns, options) for k in range(scheme.stages)}
    suffix = "" if usual else f" {gains!r}"
    return [
        (key_with_wrenches(name + suffix, places), with_wrenches(spec, places), own) for name, spec in named.items()
    ]


def _loop(
    state: MechanismState,
    compiled: Sequence[tuple[CompiledProgram, float]],
    callback: Callable[..., object] | None,
    known: dict[str, Array],
    most_steps: int,
) -> StepLoop:
    """Return the loop over compiled programs and their times; what they read and write is in arrays by name."""
    from rbd.native.builtins.step_loop import Clock, StepLoop

    engine, clock = cast("LiveEngine", state.engine), Clock()
    q, v = engine.buffers.q, engine.buffers.v
    known |= {"q": q, "v": v, "dt": clock.length}
    stages = [_stage(state, program, t, known) for program, t in compiled]
    moving = [q, v, known["s"]] if known["s"].size else [q, v]
    return StepLoop(stages, callback, clock, moving, engine.loop_binding(state), most_steps=most_steps)


def _stage(state: MechanismState, program: CompiledProgram, fraction: float, known: dict[str, Array]) -> Stage:
    """Return a stage with torques and wrenches of its own; all else is in the arrays `known` by name."""
    from rbd.native.builtins.step_loop import Stage

    loads = [port for port in program.outline.inputs if port.name == "tau" or port.name.startswith("external_wrench")]
    vector, own, start = np.zeros(sum(port.size for port in loads)), dict[str, Array](), 0
    for port in loads:
        own[port.name] = vector[start : start + port.size]
        start += port.size
    for port in (*program.outline.inputs, *program.outline.outputs):
        if port.name not in known and port.name not in own:
            known[port.name] = np.zeros(port.shape)
    arrays = known | own
    inputs = [arrays[port.name] for port in program.outline.inputs]
    outputs = [arrays[port.name] for port in program.outline.outputs]
    moved = [name for name in ("q", "v", "s") if f"{name}_next" in known and known[name].size]
    copies = [(known[f"{name}_next"], known[name]) for name in moved]
    return Stage(program, fraction, inputs, outputs, copies, vector)
