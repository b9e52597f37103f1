"""Programs of the stages of a step: recorded once per mechanism, for methods that have them.

A step whose torques are constant is one program; otherwise there is one per stage.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from rbd.algorithms.loops.loop_gains import STANDARD, gains_of_constraints
from rbd.algorithms.time_steps.formulas import FixedStepMethod
from rbd.algorithms.time_steps.runge_kutta import CLASSICAL, RungeKuttaScheme
from rbd.algorithms.time_steps.step_dynamics import PLAIN, StepOptions
from rbd.array_functions.recording_spec import RecordingSpec
from rbd.array_functions.wrench_inputs import key_with_wrenches, with_wrenches
from rbd.compiled.specs import stage_spec, step_spec
from rbd.native.executable import ArrayExecutable
from rbd.native.runtime import abi
from rbd.scalars import to_float
from rbd.simulation.adaptive import AdaptiveMuntheKaas
from rbd.simulation.equations_of_motion import EquationsOfMotion
from rbd.simulation.forces import is_recordable
from rbd.simulation.integrator import Integrator
from rbd.simulation.munthe_kaas import MuntheKaas
from rbd.simulation.native.recorded_steps import recorded_step
from rbd.simulation.native.stage_loads import all_wrench_inputs, has_called_forces, recorded_loads
from rbd.simulation.semi_implicit import SemiImplicitEuler
from rbd.simulation.tableau import scheme_of
from rbd.state import MechanismState

StageProgram: TypeAlias = tuple[ArrayExecutable, float]
"""The program of a stage and its time, as a fraction of the step."""
_SINGLE_STAGE: Final = (0.0,)


def stage_programs(
    state: MechanismState, method: Integrator, equations: EquationsOfMotion
) -> list[StageProgram] | None:
    """Return the programs of the stages of `method`; None for methods without, and where one cannot be recorded."""
    scheme = _scheme(method)
    if not abi.is_supported() or not (scheme or isinstance(method, SemiImplicitEuler)):
        return None
    recorded = [recorded_step(state.mechanism, *spec) for spec in _specs(state, equations, scheme)]
    programs = [program for program in recorded if program is not None]
    if len(programs) < len(recorded):
        return None
    fractions = tuple(map(to_float, scheme.c)) if scheme and len(recorded) > 1 else _SINGLE_STAGE
    return list(zip(programs, fractions, strict=True))


def _scheme(method: Integrator) -> RungeKuttaScheme | None:
    """Return the Runge-Kutta method of an integrator, if it is one."""
    if isinstance(method, (MuntheKaas, AdaptiveMuntheKaas)):
        return scheme_of(method.tableau, estimates_error=isinstance(method, AdaptiveMuntheKaas))
    return None


def _specs(
    state: MechanismState, equations: EquationsOfMotion, scheme: RungeKuttaScheme | None
) -> list[tuple[str, RecordingSpec, tuple[object, ...] | None]]:
    """Return names, specifications, and objects of this process in them, of the stages of a step."""
    layout = state.layout
    ns, gains = layout.ns, gains_of_constraints(layout, equations.stabilization)
    forces = tuple(element for element in equations.forces if is_recordable(element)) or None
    usual = gains is STANDARD or not layout.is_constrained
    is_plain = usual and forces is None
    options = PLAIN if is_plain else StepOptions(STANDARD if usual else gains, recorded_loads(forces or ()))
    wrenches = all_wrench_inputs(state) if has_called_forces(equations) else ()
    if options is PLAIN and not wrenches and (scheme is None or (scheme == CLASSICAL and equations.callbacks.is_held)):
        name: FixedStepMethod = "munthe-kaas-rk4" if scheme else "semi-implicit-euler"
        return [(f"step {name}", step_spec(name, ns), None)]
    suffix = "" if usual else f" {gains!r}"
    return [
        (key_with_wrenches(name + suffix, wrenches), with_wrenches(spec, wrenches), forces)
        for name, spec in _named_stages(scheme, ns, options).items()
    ]


def _named_stages(scheme: RungeKuttaScheme | None, ns: int, options: StepOptions) -> dict[str, RecordingSpec]:
    """Return the specifications of the stages of a Runge-Kutta method; without one, of a semi-implicit step."""
    if scheme is None:
        return {"semi-implicit step": step_spec("semi-implicit-euler", ns, options)}
    return {f"stage {k} of {scheme.key}": stage_spec(scheme, k, ns, options) for k in range(scheme.stages)}
