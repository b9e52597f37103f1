"""Forces of the stages of a step: those recorded with a stage, and those that Python adds before it.

Springs of rbd do not change, so they become part of the machine code of a stage. External wrenches and force elements
of users are called: one callback returns torques and wrenches of all bodies as one vector.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import final

import numpy as np

from rbd.algorithms.external_wrenches import AppliedWrench, AppliedWrenches, applied_wrenches
from rbd.algorithms.time_steps.continuous_dynamics import AppliedLoads
from rbd.array_functions.wrench_inputs import WrenchInput, WrenchInputs
from rbd.scalar_states.scalar_state import ScalarState
from rbd.scalars import Vector
from rbd.scalars.arrays import Array
from rbd.simulation.equations_of_motion import EquationsOfMotion
from rbd.simulation.forces import ForceElement, is_recordable
from rbd.state import MechanismState


def has_called_forces(equations: EquationsOfMotion) -> bool:
    """Return whether forces besides the control must be asked for in Python."""
    return equations.callbacks.has_external_wrenches or not all(map(is_recordable, equations.forces))


def recorded_loads(elements: Sequence[ForceElement]) -> AppliedLoads | None:
    """Return the forces of elements as a function of the state of a stage; None without elements."""
    if not elements:
        return None

    def loads(state: ScalarState, tau: Vector) -> tuple[Vector, AppliedWrenches]:
        torques, wrenches = list(tau), list[AppliedWrench]()
        for element in elements:
            action = element.act(state)
            for joint, tau_joint in action.torques.items():
                indices = range(*state.layout.node(joint).v_slice.indices(len(torques)))
                for i, x in zip(indices, tau_joint, strict=True):
                    torques[i] = torques[i] + x
            wrenches += applied_wrenches(state, action.wrenches)
        return tuple(torques), wrenches

    return loads


def all_wrench_inputs(state: MechanismState) -> WrenchInputs:
    """Return inputs of wrenches on all bodies but the root, in their default frames."""
    bodies = state.layout.bodies
    return tuple(WrenchInput(i, body.name, "body") for i, body in enumerate(bodies) if i)


@final
class PythonForces:
    """Control, external wrenches and force elements of users as one callback."""

    def __init__(self, equations: EquationsOfMotion, state: MechanismState, stages: int) -> None:
        """Set the callbacks of steps of so many stages; springs of rbd are none."""
        self._equations, self._nv = equations, state.layout.nv
        self._elements = [element for element in equations.forces if not is_recordable(element)]
        self._vector = np.zeros(self._nv + 6 * (len(state.layout.bodies) - 1))
        self._rows = {body: self._nv + 6 * (i - 1) for i, body in enumerate(state.layout.bodies)}
        self.torques = deque[Array](maxlen=stages)
        """The torques of the last calls of the control, those of one step."""

    def __call__(self, t: float, state: MechanismState) -> Array:
        """Return torques, then six numbers per body."""
        torques, vector = self._equations.callbacks.torques(t, state), self._vector
        self.torques.append(torques.copy())
        loads = self._equations.loads(torques, t, state, self._elements)
        vector[self._nv :] = 0
        vector[: self._nv] = torques
        for body, wrench in loads.items():
            if not body.is_root:
                row = self._rows[body]
                vector[row : row + 6] = wrench.vector
        return vector
