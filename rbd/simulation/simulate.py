"""`simulate`: from a state to where it is at a later time, every step recorded.

A failed run changes nothing: the state goes back to where it was. What happens during a run is in `run.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Literal, TypeAlias

from numpy.typing import ArrayLike

from rbd.algorithms import Stabilization
from rbd.algorithms.stabilization import DEFAULT, gains_of_loops
from rbd.arguments import described, several
from rbd.compiled import RecordedFunction
from rbd.errors import ArgumentError, UnknownNameError, quoted
from rbd.progress import Listener, Progress, progress_bar
from rbd.simulation.adaptive import AdaptiveMuntheKaas
from rbd.simulation.callbacks import Control, External
from rbd.simulation.clock import time_grid
from rbd.simulation.events import Event
from rbd.simulation.flow import ForcedMotion
from rbd.simulation.forces import ForceElement
from rbd.simulation.integrator import Integrator
from rbd.simulation.monitors import Monitor
from rbd.simulation.munthe_kaas import MuntheKaas
from rbd.simulation.native_steps import RecordedControl, native_steps
from rbd.simulation.realtime import Throttle
from rbd.simulation.run import Onlookers, Run, divergence_named, restored_on_failure, starting_contacts
from rbd.simulation.semi_implicit import SemiImplicitEuler
from rbd.simulation.sinks import Growing, Sink
from rbd.simulation.trajectory import Trajectory
from rbd.simulation.variational import VariationalMidpoint
from rbd.spatial.values import require_kind
from rbd.state import MechanismState

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
    stabilization: Stabilization = DEFAULT,
    contact_states: ArrayLike | None = None,
    events: Sequence[Event] = (),
    monitors: Sequence[Monitor] = (),
    sink: Sink | None = None,
    realtime: float | Throttle | None = None,
    progress: bool | Listener | Progress = False,
) -> Trajectory:
    """Move `state` from time 0 to `final_time` (s), which is hit exactly; return every step on the way.

    `control(t, state)` returns torques, one per velocity, or None for none; `external(t, state)` returns wrenches by
    body, in frames fixed to their bodies or in the root frame. Both are asked at every evaluation (four per step of the
    default method) and must leave the state as it is; a `ZeroOrderHold` is asked at its own instants only. Times are
    i * dt; the last step is shortened to fit. `integrator` is a name or an `Integrator`.

    `control` may also be a recorded controller, `rbd.record(controller, mechanism)`, with `t=()` if it needs the time.
    Runs of 500 steps and more of mechanisms that move freely, or under such a controller, by "munthe-kaas-rk4" or
    "semi-implicit-euler", take their steps in machine code; that changes results by rounding.

    `forces` are springs and dampers. `stabilization` draws loops together as in `dynamics`. Contacts begin with
    displacements `contact_states` (zero if not given), which are reset when a point has lifted off. `events` add a
    sample where they happen, and may end the run or change the state; `monitors` look at every sample; `sink` takes
    them instead of memory; `realtime=1` waits for the wall clock. `progress=True` shows a bar; a function of (steps
    done, steps) is called instead.

    Raises ShapeError or NotFiniteError when the control returns something else, ArgumentError for bad times or when a
    callback moves the state, UnknownNameError for an unknown integrator, SingularError when a joint moves nothing that
    has inertia, SolverError when an integrator or a monitor gives up, and DivergedError, with the time, the joint and
    the last good q and v, when the motion leaves the finite numbers. Exceptions of the callbacks pass through with a
    note that says when. After any of them the state is where it was before the call.

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
    method = _integrator(integrator)
    gains_of_loops(state, stabilization)  # raises for what is no stabilisation
    watched = several(events, "events", "events")
    for event in watched:
        require_kind(event, Event, operation="simulate", argument="events")
    elements = several(forces, "forces", "force elements")
    times: list[float] = time_grid(final_time, dt).tolist()
    asked = RecordedControl(control, state.mechanism) if isinstance(control, RecordedFunction) else control
    recorded = asked if isinstance(asked, RecordedControl) else None
    motion = ForcedMotion(asked, external, forces=elements, stabilization=stabilization)
    throttle = Throttle(realtime) if isinstance(realtime, (int, float)) else realtime
    onlookers = Onlookers(Growing() if sink is None else sink, several(monitors, "monitors", "monitors"), throttle)
    s = starting_contacts(state, contact_states)
    bar = progress_bar(len(times) - 1, "simulate", progress)
    usual = (control is None or recorded is not None) and (stabilization == DEFAULT or not state.layout.loops)
    alone = usual and not (external or elements or watched or onlookers.need_states)
    with restored_on_failure(state), onlookers:
        native = native_steps(state, len(times) - 1, method, recorded) if alone else None
        run = Run(method.begin(), motion, state, s, watched, onlookers, native)
        with divergence_named(run), bar:
            run.go(times, bar)
    return onlookers.trajectory(run.occurrences)


def _integrator(integrator: object) -> Integrator:
    if isinstance(integrator, Integrator):
        return integrator
    if not isinstance(integrator, str):
        message = f"integrator must be a name or an Integrator, not {described(integrator)}"
        raise ArgumentError(message, argument="integrator", value=integrator, allowed=tuple(_INTEGRATORS))
    if integrator in _INTEGRATORS:
        return _INTEGRATORS[integrator]
    known = sorted(_INTEGRATORS)
    suggestion = next(iter(get_close_matches(integrator, known)), None)
    message = f"no integrator is called {quoted(integrator)}; there are {', '.join(known)}"
    raise UnknownNameError(message, kind="integrator", name=integrator, known=known, suggestion=suggestion)
