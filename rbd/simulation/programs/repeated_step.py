"""Repeated steps: the program of one step takes many steps per call, where no callback needs the state in between.

They serve mechanisms that move freely, under a zero-order hold or under a recorded controller, by one of the two
integrators that compiled robots have. Machine code refuses a step in which a number leaves its range; Python
takes that step, or raises the error.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, final

import numpy as np

from rbd.algorithms.time_steps.fixed_step import FixedStepMethod
from rbd.compiled.specs import step_spec
from rbd.engine.interpreted import is_interpreted
from rbd.mechanism import Mechanism
from rbd.native.executable import ArrayExecutable
from rbd.program.status import SUCCESS
from rbd.progress import Progress
from rbd.scalars.arrays import Array
from rbd.simulation.callbacks import RecordedControl
from rbd.simulation.equations_of_motion import EquationsOfMotion
from rbd.simulation.integrator import Integrator
from rbd.simulation.munthe_kaas import MuntheKaas
from rbd.simulation.programs.interpreted_loop import interpret_into
from rbd.simulation.programs.recorded_steps import MachineCodeChoice, recorded_step
from rbd.simulation.programs.specs import controlled_step_spec
from rbd.simulation.semi_implicit import SemiImplicitEuler
from rbd.simulation.tableau import RUNGE_KUTTA_4
from rbd.state import MechanismState

if TYPE_CHECKING:
    from rbd.native.repeat import StridedArrays

_MIN_STEPS: Final = 500
"""The least number of steps for which the steps of a large or edited mechanism are recorded, or those under force
elements: fixed, so that results do not depend on the speed of a machine."""
_MAX_SMALL: Final = 48
"""The largest number of joints, and of contact points, of a mechanism whose steps are recorded for any run."""
_MAX_JOINTS: Final = 128
"""The largest number of joints of a compiled step, which is straight-line code of four forward dynamics."""
_MAX_CONTACTS: Final = 256
"""The largest number of contact points of a compiled step."""
_STEPS_PER_CALL: Final = 20_000
"""Steps between updates of the progress bar and checks for interrupts, for one joint; fewer for more."""


@final
class RepeatedStep:
    """Blocks of steps of one mechanism, by the program of one step, which short runs interpret."""

    def __init__(self, mechanism: Mechanism, executable: ArrayExecutable, max_steps: int, *, controlled: bool) -> None:
        """Use the program of one step, with inputs q, v, then t and t_next, or tau and dt."""
        self._executable, self._controlled = executable, controlled
        self._choice = MachineCodeChoice((executable,))
        self._torques = np.zeros(mechanism.nv)
        self.max_steps = max_steps
        """The largest number of steps of a block."""

    def prepare(self, steps: int) -> None:
        """Compile now if that pays for a run of that many steps."""
        self._choice.prepare(steps)

    def set_torques(self, torques: Array) -> None:
        """Use these torques from now on."""
        self._torques[:] = torques

    def advance(self, times: Array, q: Array, v: Array, s: Array, bar: Progress) -> tuple[Array, Array, Array]:
        """Return q, v and s at `times[1:]` from those at `times[0]`, up to the first step that machine code refuses.

        The bar tells of steps in machine code together, and of interpreted steps each.
        """
        steps = len(times) - 1
        start = (q, v, s) if s.size else (q, v)
        history = tuple(np.empty((steps + 1, x.size)) for x in start)
        for rows, x in zip(history, start, strict=True):
            rows[0] = x
        states: StridedArrays = [(rows, rows.shape[1]) for rows in history]
        following: StridedArrays = [(rows[1:], rows.shape[1]) for rows in history]
        done = self._repeat(steps, [*states, *self._other_inputs(times)], following, bar)
        ends = [rows[1 : done + 1] for rows in history]
        return ends[0], ends[1], ends[2] if s.size else np.empty((done, 0))

    def _repeat(self, steps: int, inputs: StridedArrays, outputs: StridedArrays, bar: Progress) -> int:
        """Take steps, each of which moves on in the arrays; return how many are taken before one is refused."""
        if not self._choice.choose_for(steps):
            return _interpreted_steps(self._executable, steps, inputs, outputs, bar)
        from rbd.native.repeat import repeat  # loads LLVM

        code = self._executable.machine_code
        assert code is not None
        done = repeat(code, steps, inputs, outputs).completed
        if done:
            bar.update(done)
        return done

    def _other_inputs(self, times: Array) -> StridedArrays:
        if self._controlled:
            return [(times, 1), (times[1:], 1)]
        return [(self._torques, 0), (np.diff(times), 1)]


def _interpreted_steps(
    executable: ArrayExecutable, steps: int, inputs: StridedArrays, outputs: StridedArrays, bar: Progress
) -> int:
    """Interpret steps; arguments and result are those of `RepeatedStep._repeat`."""
    ports = (*executable.outline.inputs, *executable.outline.outputs)
    flat = [(each.reshape(-1), stride, port) for (each, stride), port in zip((*inputs, *outputs), ports, strict=True)]
    for k in range(steps):
        arrays = [each[stride * k : stride * k + port.size].reshape(port.shape) for each, stride, port in flat]
        if interpret_into(executable, arrays[: len(inputs)], arrays[len(inputs) :]) != SUCCESS:
            return k
        bar.update()
    return steps


def repeated_step(state: MechanismState, name: FixedStepMethod, control: RecordedControl | None) -> RepeatedStep | None:
    """Return the repeated step of a mechanism; None where a step cannot be recorded."""
    if control is not None and state.layout.contact_pairs:
        return None
    ns = state.layout.ns
    if control is None:
        executable = recorded_step(state.mechanism, f"step {name}", partial(step_spec, name, ns))
    else:
        program = control.function.program
        spec = partial(controlled_step_spec, name, program)
        executable = recorded_step(state.mechanism, f"controlled step {name}", spec, (program.digest,))
    if executable is None:
        return None
    return RepeatedStep(state.mechanism, executable, steps_per_call(state), controlled=control is not None)


def steps_per_call(state: MechanismState) -> int:
    """Return the largest number of steps of one call of machine code."""
    return max(_STEPS_PER_CALL // max(len(state.nodes), 1), 1)


def records_steps(state: MechanismState, equations: EquationsOfMotion, steps: int) -> bool:
    """Return whether the steps of a run are recorded.

    That depends on the arguments of the run only, since it decides the last bits of its results. Of edited mechanisms
    and force elements recordings are not kept on disk, and those of large mechanisms take long: runs must be long, too.
    """
    layout = state.layout
    joints, contacts = len(layout.nodes), len(layout.contact_pairs)
    is_small = joints <= _MAX_SMALL and contacts <= _MAX_SMALL
    is_quick = is_small and not equations.forces and not state.mechanism.parameter_version
    moderate = 0 < joints <= _MAX_JOINTS and contacts <= _MAX_CONTACTS
    return moderate and (is_quick or steps >= _MIN_STEPS) and not is_interpreted()


def step_name(integrator: Integrator) -> FixedStepMethod | None:
    """Return the name of an integrator whose steps compiled robots have."""
    if isinstance(integrator, SemiImplicitEuler):
        return "semi-implicit-euler"
    return "munthe-kaas-rk4" if isinstance(integrator, MuntheKaas) and integrator.tableau == RUNGE_KUTTA_4 else None
