"""Programs of the stages of a step: recorded once per mechanism, for methods that have them.

A step whose torques are constant is one program; otherwise there is one per stage.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Final, NamedTuple, TypeAlias

from rbd.algorithms.loops.loop_gains import recorded_gains
from rbd.algorithms.time_steps.continuous_dynamics import ContinuousDynamics
from rbd.algorithms.time_steps.fixed_step import FixedStepMethod
from rbd.algorithms.time_steps.runge_kutta import CLASSICAL, ScalarTableau
from rbd.array_functions.recording_spec import RecordingSpec
from rbd.array_functions.wrench_inputs import WrenchInputs, key_with_wrenches, with_wrenches
from rbd.compiled.specs import step_spec
from rbd.native.executable import ArrayExecutable
from rbd.native.runtime import abi
from rbd.scalars import to_float
from rbd.simulation.adaptive import AdaptiveMuntheKaas
from rbd.simulation.equations_of_motion import EquationsOfMotion
from rbd.simulation.forces import is_recordable
from rbd.simulation.integrator import Integrator
from rbd.simulation.munthe_kaas import MuntheKaas
from rbd.simulation.programs.recorded_steps import recorded_step
from rbd.simulation.programs.specs import stage_spec
from rbd.simulation.programs.stage_loads import all_wrench_inputs, has_called_forces, recorded_loads
from rbd.simulation.semi_implicit import SemiImplicitEuler
from rbd.simulation.tableau import ButcherTableau, scalar_tableau
from rbd.state import MechanismState

StageProgram: TypeAlias = tuple[ArrayExecutable, float]
"""The program of a stage and its time, as a fraction of the step."""
_SINGLE_STAGE: Final = (0.0,)


def stage_programs(
    state: MechanismState, integrator: Integrator, equations: EquationsOfMotion
) -> list[StageProgram] | None:
    """Return the programs of the stages of `integrator`; None unless all can be recorded."""
    method = _runge_kutta_method(integrator)
    if not abi.is_supported() or not (method or isinstance(integrator, SemiImplicitEuler)):
        return None
    recorded = [recorded_step(state.mechanism, *spec) for spec in _specs(state, equations, method)]
    programs = [program for program in recorded if program is not None]
    if len(programs) < len(recorded):
        return None
    fractions = method.fractions if method and len(recorded) > 1 else _SINGLE_STAGE
    return list(zip(programs, fractions, strict=True))


class _RungeKuttaMethod(NamedTuple):
    """A Runge-Kutta method: its tableau, the name of its numbers, and its times as fractions of the step."""

    tableau: ScalarTableau
    key: str
    fractions: tuple[float, ...]


def _runge_kutta_method(integrator: Integrator) -> _RungeKuttaMethod | None:
    """Return the Runge-Kutta method of an integrator, if it is one."""
    if isinstance(integrator, (MuntheKaas, AdaptiveMuntheKaas)):
        return _method_of_tableau(integrator.tableau, isinstance(integrator, AdaptiveMuntheKaas))
    return None


@lru_cache(maxsize=32)
def _method_of_tableau(given: ButcherTableau, estimates_error: bool) -> _RungeKuttaMethod:
    """Return the Runge-Kutta method of a tableau, with the estimate of its error if that is asked for."""
    tableau = scalar_tableau(given, estimates_error=estimates_error)
    return _RungeKuttaMethod(tableau, tableau.key, tuple(map(to_float, tableau.c)))


def _specs(
    state: MechanismState, equations: EquationsOfMotion, method: _RungeKuttaMethod | None
) -> list[tuple[str, Callable[[], RecordingSpec], tuple[object, ...] | None]]:
    """Return names, makers of specifications, and objects of this process in them, of the stages of a step."""
    ns, (gains, suffix) = state.layout.ns, recorded_gains(state.layout, equations.stabilization)
    forces = tuple(element for element in equations.forces if is_recordable(element)) or None
    wrenches = all_wrench_inputs(state) if has_called_forces(equations) else ()
    is_plain = not (suffix or forces or wrenches)
    if is_plain and (method is None or (method.tableau == CLASSICAL and equations.callbacks.is_held)):
        name: FixedStepMethod = "munthe-kaas-rk4" if method else "semi-implicit-euler"
        return [(f"step {name}", partial(step_spec, name, ns), None)]
    dynamics = ContinuousDynamics(gains, recorded_loads(forces or ()))
    return [
        (key_with_wrenches(name + suffix, wrenches), partial(_with_wrenches, spec, wrenches), forces)
        for name, spec in _named_stages(method, ns, dynamics).items()
    ]


def _with_wrenches(spec: Callable[[], RecordingSpec], wrenches: WrenchInputs) -> RecordingSpec:
    return with_wrenches(spec(), wrenches)


def _named_stages(
    method: _RungeKuttaMethod | None, ns: int, dynamics: ContinuousDynamics
) -> dict[str, Callable[[], RecordingSpec]]:
    """Return the specifications of the stages of a Runge-Kutta method; without one, of a semi-implicit step."""
    if method is None:
        return {"semi-implicit step": partial(step_spec, "semi-implicit-euler", ns, dynamics)}
    tableau = method.tableau
    stages = range(tableau.stage_count)
    return {f"stage {k} of {method.key}": partial(stage_spec, tableau, k, ns, dynamics) for k in stages}
