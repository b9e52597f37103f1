"""`simulate`: from a state to where it is at a later time, every step recorded.

Room: simulation. A failed run changes nothing: the state goes back to where it was.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from difflib import get_close_matches
from itertools import pairwise
from typing import Literal, TypeAlias, final

import numpy as np

from rbd.errors import DivergedError, NotFiniteError, UnknownNameError, quoted
from rbd.progress import Listener, Progress, progress_bar
from rbd.scalars.arrays import Array
from rbd.simulation.clock import time_grid
from rbd.simulation.flow import Control, External, ForcedMotion
from rbd.simulation.integrator import Integrator
from rbd.simulation.munthe_kaas import MuntheKaas
from rbd.simulation.semi_implicit import SemiImplicitEuler
from rbd.simulation.trajectory import Trajectory
from rbd.spatial.values import require_kind
from rbd.state import MechanismState

IntegratorName: TypeAlias = Literal["munthe-kaas-rk4", "semi-implicit-euler"]
_INTEGRATORS: dict[str, Integrator] = {"munthe-kaas-rk4": MuntheKaas(), "semi-implicit-euler": SemiImplicitEuler()}


def simulate(
    state: MechanismState,
    final_time: float,
    control: Control | None = None,
    *,
    dt: float = 1e-3,
    integrator: IntegratorName | Integrator = "munthe-kaas-rk4",
    external: External | None = None,
    progress: bool | Listener | Progress = False,
) -> Trajectory:
    """Move `state` from time 0 to `final_time` (s), which is hit exactly; return every step on the way.

    `control(t, state)` returns torques, one per velocity, or None for none; `external(t, state)` returns wrenches by
    body, in frames fixed to their bodies or in the root frame. Both are asked at every evaluation (four per step of the
    default method) and must leave the state as it is. Times are i * dt; the last step is shortened to fit. `integrator`
    is a name or an `Integrator`. `progress=True` shows a bar; a function of (steps done, steps) is called instead.

    Raises ShapeError or NotFiniteError when the control returns something else, ArgumentError for bad times or when a
    callback moves the state, UnknownNameError for an unknown integrator, TopologyError for mechanisms with loop joints,
    SingularError when a joint moves nothing that has inertia, and DivergedError, with the time, the joint and the last
    good q and v, when the motion leaves the finite numbers. Exceptions of the callbacks pass through with a note that
    says when. After any of them the state is where it was before the call.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), q=[0.3, 0.0])
    >>> trajectory = rbd.simulate(state, 0.05, lambda t, state: -0.1 * state.v, dt=0.01)
    >>> trajectory
    Trajectory(6 samples, t = 0 ... 0.05 s)
    >>> bool((state.q == trajectory.q[-1]).all())
    True
    """
    require_kind(state, MechanismState, operation="simulate", argument="state")
    state.require_current()
    method = _integrator(integrator)
    samples = _Samples(time_grid(final_time, dt), state)
    motion = ForcedMotion(control, external)
    bar = progress_bar(len(samples.t) - 1, "simulate", progress)
    with _restored_on_failure(state), _divergence_named(motion, samples, state), bar:
        _run(method, motion, state, samples, bar)
    return samples.trajectory()


def _run(method: Integrator, motion: ForcedMotion, state: MechanismState, samples: _Samples, bar: Progress) -> None:
    """Take all steps."""
    s = np.zeros(0)
    times: list[float] = samples.t.tolist()
    for start, end in pairwise(times):
        s = method.step(motion, state, s, start, end)
        samples.take(state)
        bar.update()


@final
class _Samples:
    """The growing record of a run."""

    def __init__(self, times: Array, state: MechanismState) -> None:
        self.t = times
        self._q = np.empty((len(times), len(state.q)))
        self._v = np.empty((len(times), len(state.v)))
        self._taken = 0
        self.take(state)

    def take(self, state: MechanismState) -> None:
        """Record where the state is now."""
        self._q[self._taken] = state.q
        self._v[self._taken] = state.v
        self._taken += 1

    def last(self) -> tuple[float, Array, Array]:
        """Return time, q and v of the last sample."""
        i = self._taken - 1
        return float(self.t[i]), self._q[i].copy(), self._v[i].copy()

    def trajectory(self) -> Trajectory:
        """Return the whole record."""
        return Trajectory(self.t, self._q, self._v, np.zeros((len(self.t), 0)))


@contextmanager
def _restored_on_failure(state: MechanismState) -> Generator[None, None, None]:
    """Put the state back where it was if anything goes wrong, an interrupt from the keyboard included."""
    q, v = state.q.copy(), state.v.copy()
    try:
        yield
    except BaseException:
        state.set_configuration(q)
        state.set_velocity(v)
        raise


@contextmanager
def _divergence_named(motion: ForcedMotion, samples: _Samples, state: MechanismState) -> Generator[None, None, None]:
    """Turn a number that is no longer finite into DivergedError, unless a callback complained about it."""
    try:
        yield
    except (NotFiniteError, OverflowError) as error:
        if error is motion.callback_error:
            raise
        time, q, v = samples.last()
        joint = _culprit(error, v, state)
        message = f"the simulation diverged at joint {joint} after t = {time!r} s: {error}; a smaller dt may help"
        raise DivergedError(message, time=time, joint=joint, q=q, v=v) from error


def _culprit(error: Exception, v: Array, state: MechanismState) -> str:
    """Return the velocity whose number was not finite, or else the one that was fastest before."""
    index = error.fields.get("index") if isinstance(error, NotFiniteError) else None
    return state.layout.velocity_names[index if isinstance(index, int) else int(np.argmax(np.abs(v)))]


def _integrator(integrator: str | Integrator) -> Integrator:
    if isinstance(integrator, Integrator):
        return integrator
    if integrator in _INTEGRATORS:
        return _INTEGRATORS[integrator]
    known = sorted(_INTEGRATORS)
    suggestion = next(iter(get_close_matches(str(integrator), known)), None)
    message = f"no integrator is called {quoted(integrator)}; there are {', '.join(known)}"
    raise UnknownNameError(message, kind="integrator", name=integrator, known=known, suggestion=suggestion)
