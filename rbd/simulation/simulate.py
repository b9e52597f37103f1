"""`simulate`: integrate the equations of motion and record every step.

A failed run restores the state. The steps of a run are in `run.py`, the choice of machine code for them in
`path_choice.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Literal, TypeAlias

from numpy.typing import ArrayLike

from rbd.algorithms import Stabilization
from rbd.algorithms.loops.loop_gains import gains_of_constraints
from rbd.algorithms.loops.stabilization import DEFAULT_STABILIZATION
from rbd.arguments import described, require_kind, sequence
from rbd.array_functions.function import RecordedFunction
from rbd.errors import ArgumentError, UnknownNameError, quoted
from rbd.progress import Listener, NoProgress, Progress, progress_bar
from rbd.simulation.adaptive import AdaptiveMuntheKaas
from rbd.simulation.callbacks import Control, External, as_control
from rbd.simulation.equations_of_motion import EquationsOfMotion, initial_contact_states
from rbd.simulation.events import Event
from rbd.simulation.forces import ForceElement
from rbd.simulation.integrator import Integrator
from rbd.simulation.monitors import Monitor
from rbd.simulation.munthe_kaas import MuntheKaas
from rbd.simulation.outputs import Outputs
from rbd.simulation.path_choice import RunSettings, choose_path
from rbd.simulation.realtime import Throttle
from rbd.simulation.run import Run
from rbd.simulation.semi_implicit import SemiImplicitEuler
from rbd.simulation.sinks import Sink
from rbd.simulation.time_grid import time_grid
from rbd.simulation.trajectory import Trajectory
from rbd.simulation.variational import VariationalMidpoint
from rbd.state import MechanismState
from rbd.state.saved_state import restored_on_failure

IntegratorName: TypeAlias = Literal["munthe-kaas-rk4", "semi-implicit-euler", "variational-midpoint", "dormand-prince"]
_INTEGRATORS: dict[str, Integrator] = {
    "munthe-kaas-rk4": MuntheKaas(),
    "semi-implicit-euler": SemiImplicitEuler(),
    "variational-midpoint": VariationalMidpoint(),
    "dormand-prince": AdaptiveMuntheKaas(),
}


def simulate(
    state: MechanismState,
    final_time: float,
    control: Control | RecordedFunction | None = None,
    *,
    dt: float = 1e-3,
    integrator: IntegratorName | Integrator = "munthe-kaas-rk4",
    external: External | None = None,
    forces: Sequence[ForceElement] = (),
    stabilization: Stabilization = DEFAULT_STABILIZATION,
    contact_states: ArrayLike | None = None,
    events: Sequence[Event] = (),
    monitors: Sequence[Monitor] = (),
    sink: Sink | None = None,
    realtime: float | Throttle | None = None,
    progress: bool | Listener | Progress = False,
) -> Trajectory:
    """Move `state` from time 0 to `final_time` (s), which is reached exactly; return every step on the way.

    `control(t, state)` returns torques, one per velocity, or None for none; `external(t, state)` returns wrenches by
    body, in frames fixed to their bodies or in the root frame. Both are evaluated at every stage (four per step of the
    default method) and must leave the state as it is; a `ZeroOrderHold` is sampled at its own instants only. Times are
    i * dt; the last step is shortened to fit. `integrator` is a name or an `Integrator`.

    `control` may also be a recorded controller, `rbd.record(controller, mechanism)`, with `t=()` if it needs the time.
    Steps are recorded programs, which long runs compile; callbacks in Python are called between the stages.
    "variational-midpoint", which is implicit, runs its iterations in machine code, and Python between them.

    `forces` are springs and dampers. `stabilization` stabilizes loops as in `dynamics`. Contacts begin with
    displacements `contact_states` (zero if not given), which are reset when a point has lifted off. `events` add a
    sample where they happen, and may end the run or change the state; `monitors` receive every sample; `sink` receives
    them instead of memory; `realtime=1` waits for the wall clock. `progress=True` shows a bar; a function of (steps
    done, steps) is called instead.

    Raises ShapeError or NotFiniteError when the control returns something else, ArgumentError for bad times or when a
    callback moves the state, UnknownNameError for an unknown integrator, SingularError when a joint moves nothing that
    has inertia, SolverError when an integrator or a monitor fails, and DivergedError, with the time, the joint and
    the last good q and v, when a number is not finite. Exceptions of the callbacks pass through with a note of the
    time. After any of them the state is where it was before the call.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), q=[0.3, 0.0])
    >>> trajectory = rbd.simulate(state, 0.05, lambda t, state: -0.1 * state.v, dt=0.01)
    >>> trajectory
    Trajectory(6 samples, t = 0 ... 0.05 s)
    >>> bool((state.q == trajectory.q[-1]).all())
    True
    """
    require_kind(state, MechanismState, operation="simulate", argument="state")
    state.engine.check()
    chosen = _integrator(integrator)
    gains_of_constraints(state.layout, stabilization)  # raises unless it is a Stabilization
    checked_events, times = _events(events), time_grid(final_time, dt).tolist()
    checked_control = as_control(control, state.mechanism)
    equations = EquationsOfMotion(checked_control, external, forces=forces, stabilization=stabilization)
    outputs = Outputs(sink, monitors, realtime)
    s = initial_contact_states(state, contact_states)
    bar = progress_bar(len(times) - 1, "simulate", progress)
    with restored_on_failure(state), outputs:
        settings = RunSettings(
            chosen,
            equations,
            state,
            times,
            needs_states=bool(checked_events) or outputs.needs_states,
            shows_samples=not outputs.only_stores or not isinstance(bar, NoProgress),
            is_paced=outputs.is_paced,
        )
        path = choose_path(settings)
        run = Run(path.integrator.begin(), equations, state, s, checked_events, outputs)
        path.complete(run, times, bar)
    return outputs.trajectory(run.occurrences)


def _events(events: Sequence[Event]) -> tuple[Event, ...]:
    checked: tuple[Event, ...] = sequence(events, "events", "events")
    for event in checked:
        require_kind(event, Event, operation="simulate", argument="events")
    return checked


def _integrator(integrator: object) -> Integrator:
    if isinstance(integrator, Integrator):
        return integrator
    if not isinstance(integrator, str):
        message = f"integrator must be a name or an Integrator, not {described(integrator)}"
        raise ArgumentError(message, argument="integrator", value=integrator, allowed=tuple(_INTEGRATORS))
    if integrator in _INTEGRATORS:
        return _INTEGRATORS[integrator]
    names = sorted(_INTEGRATORS)
    suggestion = next(iter(get_close_matches(integrator, names)), None)
    message = f"no integrator is called {quoted(integrator)}; there are {', '.join(names)}"
    raise UnknownNameError(message, kind="integrator", name=integrator, known=names, suggestion=suggestion)
