"""Controllers of the command line, to keep a posture: gravity compensation, and proportional-derivative control."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import numpy as np

from rbd.algorithms import dynamics_bias, gravity_torques, mass_matrix, passive_torques
from rbd.contact import JointOptions
from rbd.scalars.arrays import Array
from rbd.state import MechanismState

if TYPE_CHECKING:
    from rbd.mechanism import Joint

_FREQUENCY: Final = 20.0
"""Natural frequency of held joints (rad/s)."""


def _effort_bounds(state: MechanismState) -> tuple[Array, Array]:
    low, high = np.array(state.mechanism.effort_bounds, dtype=np.float64)
    return low, high


@final
class GravityController:
    """Torques that carry the weight of the robot, within the effort bounds; none at joints without an actuator."""

    def __init__(self, state: MechanismState, actuated: Array) -> None:
        """Act on the velocities for which `actuated` is 1."""
        self._actuated, self._bounds = actuated, _effort_bounds(state)

    def __call__(self, t: float, state: MechanismState) -> Array:
        """Return the torques."""
        torques: Array = np.clip(gravity_torques(state), *self._bounds) * self._actuated
        return torques


@final
class PostureController:
    """Proportional-derivative control to the initial configuration.

    The gains of a joint are those of a natural frequency of 20 rad/s with critical damping. Joints of an arm move what
    they carry, and get its weight as feedforward. Those behind a joint that floats move the larger of the two sides: a
    leg that stands carries the trunk. Torques are within the effort bounds.

    Position and velocity in the control law are those at the end of the step, which is stable for any gains. Without
    contact they are predicted, as in stable proportional-derivative control (Tan, Liu, Turk 2011). Steps with contact
    take the gains implicitly: `joint_options`.
    """

    def __init__(self, state: MechanismState, actuated: Array, dt: float, *, contact: bool) -> None:
        """Hold the configuration of `state`, with steps of `dt`, by the velocities for which `actuated` is 1."""
        self._q0, self._actuated = state.q.copy(), actuated
        self._prediction_time = 0.0 if contact else dt
        self._bounds = _effort_bounds(state)
        self._anchored = _anchored(state, actuated)
        inertia = _inertias(state, self._anchored) * actuated
        self._k, self._d = _FREQUENCY**2 * inertia, 2 * _FREQUENCY * inertia

    @property
    def joint_options(self) -> JointOptions:
        """The gains, for steps with contact."""
        return JointOptions(stiffness=self._k.tolist(), damping=self._d.tolist())

    def __call__(self, t: float, state: MechanismState) -> Array:
        """Return the torques."""
        error = state.local_coordinates(self._q0)[0] + self._prediction_time * state.v
        torques = self._anchored * gravity_torques(state) - self._k * error - self._d * state.v
        if self._prediction_time:
            torques = torques - self._prediction_time * self._d * self._acceleration(state, torques)
        limited: Array = np.clip(torques, *self._bounds) * self._actuated
        return limited

    def _acceleration(self, state: MechanismState, torques: Array) -> Array:
        """Return the accelerations of the step, with the damping at its end."""
        M = mass_matrix(state) + np.diag(self._prediction_time * self._d)
        return np.asarray(np.linalg.solve(M, torques + passive_torques(state) - dynamics_bias(state)), dtype=np.float64)


def _anchored(state: MechanismState, actuated: Array) -> Array:
    """Return 1 for velocities of joints that are actuated, and all joints towards the root as well."""
    mechanism, mask = state.mechanism, actuated.copy()
    anchored: dict[Joint | None, bool] = {None: True}
    for joint in mechanism.tree_joints:  # parents first
        before = mechanism.parent_joint(mechanism.predecessor(joint))
        mask[state.v_slice(joint)] *= anchored[before]
        anchored[joint] = anchored[before] and bool(mask[state.v_slice(joint)].all())
    return mask


def _inertias(state: MechanismState, anchored: Array) -> Array:
    """Return the inertia about each axis: of what the joint carries, or the larger one of the two sides."""
    carried: Array = np.diag(mass_matrix(state)).copy()
    robot_inertia = state.composite_inertia(state.mechanism.root_body)
    for joint in state.mechanism.tree_joints:
        S, entries = state.motion_subspace(joint), state.v_slice(joint)
        total = np.einsum("ij,ij->j", S.matrix, (robot_inertia @ S).matrix)
        other_side = np.where(anchored[entries], 0.0, total - carried[entries])
        carried[entries] = np.maximum(carried[entries], other_side)
    return carried
