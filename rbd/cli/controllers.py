"""Controllers of `rbd simulate`: none, hold, gravity compensation, the actuators of the file."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, final

import numpy as np

from rbd.cli.robot_file import RobotFile
from rbd.errors import ArgumentError
from rbd.state import MechanismState

if TYPE_CHECKING:
    from rbd.contact import JointOptions
    from rbd.mechanism import Joint
    from rbd.mjcf import MjcfReport
    from rbd.scalars.arrays import Array

Name: TypeAlias = Literal["none", "hold", "gravity", "actuators"]
Control: TypeAlias = "Callable[[float, MechanismState], Array]"
NAMES: Final[tuple[Name, ...]] = ("none", "hold", "gravity", "actuators")

_FREQUENCY: Final = 20.0
"""Natural frequency of held joints (rad/s)."""


def controller(
    name: Name, robot: RobotFile, state: MechanismState, dt: float, *, pose: str | None, contact: bool
) -> tuple[Control | None, JointOptions | None]:
    """Return a controller for a state, and the options of joints in steps with contact.

    Springs and gravity compensation of the file (MJCF) act whatever the controller is.
    """
    from rbd.mjcf import MjcfReport

    report = robot.report if isinstance(robot.report, MjcfReport) else None
    if name == "actuators":
        if report is None or not report.actuators:
            message = "--controller actuators: the file has no actuators; take hold, gravity or none"
            raise ArgumentError(message, argument="controller", value=name, allowed=NAMES)
        return report.controller(robot.mechanism, report.controls.get(pose or "")), None
    passive, actuated = _passive(robot, report), _actuated(robot, state)
    if name == "hold":
        hold = HoldController(state, actuated, dt, contact=contact)
        return _sum(hold, passive), hold.joint_options
    return _sum(GravityController(state, actuated) if name == "gravity" else None, passive), None


def _actuated(robot: RobotFile, state: MechanismState) -> Array:
    """Return 1 for velocities of joints that have an actuator; without actuators, that do not float."""
    mask = np.zeros(robot.mechanism.nv)
    actuators = getattr(robot.report, "actuators", [])
    names = {name for actuator in actuators for name, _ in actuator.moment_arms}
    for joint in robot.mechanism.tree_joints:
        mask[state.v_slice(joint)] = joint.name in names if names else not joint.is_floating
    return mask


def _passive(robot: RobotFile, report: MjcfReport | None) -> Control | None:
    """Return the springs and the gravity compensation of a file, if it has some."""
    if report is None or not (report.springs or report.gravity_compensations):
        return None
    others = type(report)()
    others.update_from(report)
    others.actuators = []
    return others.controller(robot.mechanism)


def _sum(active: Control | None, passive: Control | None) -> Control | None:
    if active is None or passive is None:
        return active or passive
    return lambda t, state: active(t, state) + passive(t, state)


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
        from rbd.algorithms import gravity_torques

        torques: Array = np.clip(gravity_torques(state), *self._bounds) * self._actuated
        return torques


@final
class HoldController:
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
        self._q0, self._dt, self._actuated, self._predicts = state.q.copy(), dt, actuated, not contact
        self._bounds = _effort_bounds(state)
        self._anchored = _anchored(state, actuated)
        inertia = _inertias(state, self._anchored) * actuated
        self._k, self._d = _FREQUENCY**2 * inertia, 2 * _FREQUENCY * inertia

    @property
    def joint_options(self) -> JointOptions:
        """The gains, for steps with contact."""
        from rbd.contact import JointOptions

        return JointOptions(stiffness=self._k.tolist(), damping=self._d.tolist())

    def __call__(self, t: float, state: MechanismState) -> Array:
        """Return the torques."""
        from rbd.algorithms import gravity_torques

        error = state.local_coordinates(self._q0)[0] + self._predicts * self._dt * state.v
        torques = self._anchored * gravity_torques(state) - self._k * error - self._d * state.v
        if self._predicts:
            torques = torques - self._dt * self._d * self._acceleration(state, torques)
        limited: Array = np.clip(torques, *self._bounds) * self._actuated
        return limited

    def _acceleration(self, state: MechanismState, torques: Array) -> Array:
        """Return the accelerations of the step, with the damping at its end."""
        from rbd.algorithms import dynamics_bias, mass_matrix, passive_torques

        M = mass_matrix(state) + np.diag(self._dt * self._d)
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
    from rbd.algorithms import mass_matrix

    carried: Array = np.diag(mass_matrix(state)).copy()
    whole = state.composite_inertia(state.mechanism.root_body)
    for joint in state.mechanism.tree_joints:
        S, entries = state.motion_subspace(joint), state.v_slice(joint)
        total = np.einsum("ij,ij->j", S.matrix, (whole @ S).matrix)
        rest = np.where(anchored[entries], 0.0, total - carried[entries])
        carried[entries] = np.maximum(carried[entries], rest)
    return carried
