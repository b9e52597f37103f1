"""Long runs in machine code: many steps at a time, where nobody needs to see the state in between.

A run goes this way when a mechanism moves freely or under a recorded controller, by one of the two integrators that
compiled robots have, and is long enough to be worth compiling a step. Every other run, and any step in which a number
leaves its range, goes the ordinary way, which says what is wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final
from weakref import WeakKeyDictionary

import numpy as np

from rbd import native
from rbd.compiled import RecordedFunction
from rbd.compiled.recipes import controlled_step_recipe, step_recipe
from rbd.compiled.record import recorded_anew, recorded_function
from rbd.compiled.stepping import Integrator as StepName
from rbd.errors import ArgumentError, ScalarError, SingularError
from rbd.mechanism import Mechanism
from rbd.program.program import Port
from rbd.scalars.arrays import Array
from rbd.simulation.integrator import Integrator
from rbd.simulation.munthe_kaas import MuntheKaas
from rbd.simulation.semi_implicit import SemiImplicitEuler
from rbd.simulation.tableau import RUNGE_KUTTA_4
from rbd.state import MechanismState
from rbd.state.interpreted import is_interpreted
from rbd.state.layout import layout_of

if TYPE_CHECKING:
    from rbd.native.kernel import NativeKernel
    from rbd.native.repeat import Moving

WORTH_IT: Final = 500
"""Steps from which on a run is compiled: a fixed number, so that results do not depend on how fast a machine is."""
LARGEST: Final = 128
"""Joints up to which a step is compiled: it is straight-line code, four forward dynamics long."""
MOST_TOUCHES: Final = 256
"""Contact points up to which a step is compiled."""
STRETCH: Final = 20_000
"""Steps between two looks at the progress bar and the keyboard, for one joint; fewer for more joints."""


@final
class RecordedControl:
    """A recorded controller as a callback: called with a time and a state, it returns torques."""

    def __init__(self, function: RecordedFunction, mechanism: Mechanism) -> None:
        """Take a function of q, v and perhaps t. Raises ArgumentError when it is none, or of another mechanism."""
        program = function.program
        ports = (Port("q", (mechanism.nq,)), Port("v", (mechanism.nv,)), Port("t", ()))
        fits = program.inputs in (ports[:2], ports) and [port.shape for port in program.outputs] == [(mechanism.nv,)]
        if not fits:
            message = (
                f"control is {program.name}({', '.join(port.name for port in program.inputs)}), recorded; it must take "
                f"q, v and perhaps t=(), and return {mechanism.nv} torques"
            )
            raise ArgumentError(message, argument="control", value=function, allowed="a recorded controller")
        self.function, self._asks_time = function, len(program.inputs) == len(ports)

    def __call__(self, t: float, state: MechanismState) -> Array:
        """Return the torques at time `t`."""
        result = self.function(state.q, state.v, t) if self._asks_time else self.function(state.q, state.v)
        return result if isinstance(result, np.ndarray) else result[0]


@final
class NativeSteps:
    """Steps of one mechanism in machine code."""

    def __init__(self, mechanism: Mechanism, kernel: NativeKernel, *, controlled: bool) -> None:
        """Take a kernel of one step, with inputs q, v, then t and t_next, or tau and dt."""
        self._kernel, self._controlled = kernel, controlled
        self._torques = np.zeros(mechanism.nv)
        self.stretch = max(STRETCH // max(len(mechanism.tree_joints), 1), 1)
        """How many steps to ask for at a time."""

    def take(self, times: Array, q: Array, v: Array, s: Array) -> tuple[Array, Array, Array]:
        """Return q, v and s at `times[1:]`, or as many of them as machine code comes to, from those at `times[0]`."""
        from rbd.native.repeat import repeat

        steps = len(times) - 1
        start = (q, v, s) if s.size else (q, v)
        history = tuple(np.empty((steps + 1, x.size)) for x in start)
        for rows, x in zip(history, start, strict=True):
            rows[0] = x
        states: Moving = [(rows, rows.shape[1]) for rows in history]
        following: Moving = [(rows[1:], rows.shape[1]) for rows in history]
        done = repeat(self._kernel, steps, [*states, *self._others(times)], following).done
        found = [rows[1 : done + 1] for rows in history]
        return found[0], found[1], found[2] if s.size else np.empty((done, 0))

    def _others(self, times: Array) -> Moving:
        if self._controlled:
            return [(times, 1), (times[1:], 1)]
        return [(self._torques, 0), (np.diff(times), 1)]


def native_steps(
    state: MechanismState, steps: int, method: Integrator, control: RecordedControl | None
) -> NativeSteps | None:
    """Return what takes `steps` steps of `state` in machine code; None where that is not worth it, or not possible."""
    name = _name(method)
    if name is None or steps < WORTH_IT or not _is_plain(state, control) or not native.available() or is_interpreted():
        return None
    try:
        kernel = _step(state.mechanism, name, control).evaluation.executable.compile()
    except (ScalarError, SingularError):  # symbols among the parameters, joints that cannot be recorded, no inertia
        return None
    return None if kernel is None else NativeSteps(state.mechanism, kernel, controlled=control is not None)


def _name(method: Integrator) -> StepName | None:
    if isinstance(method, SemiImplicitEuler):
        return "semi-implicit-euler"
    return "munthe-kaas-rk4" if isinstance(method, MuntheKaas) and method.tableau is RUNGE_KUTTA_4 else None


def _is_plain(state: MechanismState, control: RecordedControl | None) -> bool:
    """Return whether the mechanism is of moderate size, and touches nothing while it is controlled."""
    layout = state.layout
    if len(layout.touches) > MOST_TOUCHES or (control is not None and layout.touches):
        return False
    return 0 < len(layout.links) <= LARGEST


_Key = tuple[StepName, str]
_Known = dict[_Key, tuple[tuple[int, int], RecordedFunction]]
_steps: WeakKeyDictionary[Mechanism, _Known] = WeakKeyDictionary()
_MOST: Final = 16
"""Steps kept per mechanism; beyond that all are forgotten."""


def _step(mechanism: Mechanism, name: StepName, control: RecordedControl | None) -> RecordedFunction:
    """Return a step of `mechanism` as it is now, recorded at most once."""
    known = _steps.setdefault(mechanism, {})
    key = (name, "" if control is None else control.function.program.digest)
    versions = (mechanism.structure_version, mechanism.parameter_version)
    found = known.get(key)
    if found is None or found[0] != versions:
        if len(known) >= _MOST:
            known.clear()
        found = known[key] = versions, _recorded(mechanism, name, control)
    return found[1]


def _recorded(mechanism: Mechanism, name: StepName, control: RecordedControl | None) -> RecordedFunction:
    if control is None:
        return recorded_function(step_recipe(name, layout_of(mechanism).ns), mechanism, f"step {name}")
    return recorded_anew(controlled_step_recipe(name, control.function.program), mechanism, "controlled_step")
