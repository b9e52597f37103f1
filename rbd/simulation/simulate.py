"""`simulate`: from a state to where it is at a later time, every step recorded.

Room: simulation. A failed run changes nothing: the state goes back to where it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Literal, TypeAlias, final

import numpy as np

from rbd.errors import DivergedError, NotFiniteError, UnknownNameError, quoted
from rbd.progress import progress_bar
from rbd.scalars.arrays import Array
from rbd.simulation.clock import time_grid
from rbd.simulation.flow import Control, External, ForcedMotion
from rbd.simulation.integrator import Integrator
from rbd.simulation.munthe_kaas import MuntheKaas
from rbd.simulation.semi_implicit import SemiImplicitEuler
from rbd.simulation.trajectory import Trajectory
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
    progress: bool = False,
) -> Trajectory:
    """Move `state` from time 0 to `final_time` (s), which is hit exactly; return every step on the way.

    `control(t, state)` returns torques, one per velocity, or None for none; `external(t, state)` returns wrenches by
    body, in frames fixed to their bodies or in the root frame. Both are asked at every evaluation (four per step
    of the default method) and must leave the state as it is. Times are i * dt; the last step is shortened to
    fit. `integrator` is a name or an `Integrator`. `progress` shows a bar.

    Raises ShapeError or NotFiniteError when the control returns something else, ArgumentError for bad times,
    UnknownNameError for an unknown integrator, DivergedError (with the time, the joint and the last good q and v) when
    the motion leaves the finite numbers; exceptions of the callbacks pass through with a note that says when. After
    any of them the state is where it was before the call.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), q=[0.3, 0.0])
    >>> trajectory = rbd.simulate(state, 0.05, lambda t, state: -0.1 * state.v, dt=0.01)
    >>> trajectory
    Trajectory(6 samples, t = 0 ... 0.05 s)
    >>> bool((state.q == trajectory.q[-1]).all())
    True
    """
    method = _integrator(integrator)
    times = time_grid(final_time, dt)
    motion = ForcedMotion(control, external)
    samples = _Samples(times, state)
    with _restored_on_failure(state), progress_bar(len(times) - 1, "simulate", progress) as bar:
        s = np.zeros(0)
        for i in range(len(times) - 1):
            with _divergence_named(motion, samples, i, state):
                s = method.step(motion, state, s, float(times[i]), float(times[i + 1]))
            samples.take(i + 1, state)
            bar.advance()
    return samples.trajectory()


@final
class _Samples:
    """The growing record of a run."""

    def __init__(self, times: Array, state: MechanismState) -> None:
        self.t = times
        self.q = np.empty((len(times), len(state.q)))
        self.v = np.empty((len(times), len(state.v)))
        self.take(0, state)

    def take(self, index: int, state: MechanismState) -> None:
        self.q[index] = state.q
        self.v[index] = state.v

    def trajectory(self) -> Trajectory:
        return Trajectory(self.t, self.q, self.v, np.zeros((len(self.t), 0)))


@contextmanager
def _restored_on_failure(state: MechanismState) -> Iterator[None]:
    """Put the state back where it was if anything goes wrong, an interrupt from the keyboard included."""
    q, v = state.q.copy(), state.v.copy()
    try:
        yield
    except BaseException:
        state.set_configuration(q)
        state.set_velocity(v)
        raise


@contextmanager
def _divergence_named(motion: ForcedMotion, samples: _Samples, index: int, state: MechanismState) -> Iterator[None]:
    """Turn a number that is no longer finite into DivergedError, unless a callback complained about it."""
    try:
        yield
    except (NotFiniteError, OverflowError) as error:
        if error is motion.callback_error:
            raise
        time, q, v = float(samples.t[index]), samples.q[index].copy(), samples.v[index].copy()
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
