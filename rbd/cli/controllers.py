"""Controllers of `rbd simulate`: none, hold, gravity compensation, the actuators of the file."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from rbd.cli.robot_file import RobotFile
from rbd.errors import ArgumentError
from rbd.state import MechanismState

if TYPE_CHECKING:
    from rbd.contact import JointOptions
    from rbd.mjcf import MjcfReport
    from rbd.scalars.arrays import Array

ControllerName: TypeAlias = Literal["none", "hold", "gravity", "actuators"]
Control: TypeAlias = "Callable[[float, MechanismState], Array]"
NAMES: Final[tuple[ControllerName, ...]] = ("none", "hold", "gravity", "actuators")


class RobotControl(NamedTuple):
    """Control of a simulation, and the options of joints in steps with contact; None where there is none."""

    control: Control | None
    joint_options: JointOptions | None = None


def robot_control(
    name: ControllerName, robot: RobotFile, state: MechanismState, dt: float, *, pose: str | None, contact: bool
) -> RobotControl:
    """Return the control of a name for a state.

    Springs and gravity compensation of the file (MJCF) act whatever the controller is.
    """
    from rbd.control.posture import GravityController, PostureController
    from rbd.mjcf import MjcfReport

    report = robot.report if isinstance(robot.report, MjcfReport) else None
    if name == "actuators":
        if report is None or not report.actuators:
            message = "--controller actuators: the file has no actuators; take hold, gravity or none"
            raise ArgumentError(message, argument="controller", value=name, allowed=NAMES)
        return RobotControl(report.controller(robot.mechanism, report.controls.get(pose or "")))
    passive, actuated = _passive(robot, report), _actuated(report, state)
    if name == "hold":
        posture = PostureController(state, actuated, dt, contact=contact)
        return RobotControl(_sum(posture, passive), posture.joint_options)
    return RobotControl(_sum(GravityController(state, actuated) if name == "gravity" else None, passive))


def _actuated(report: MjcfReport | None, state: MechanismState) -> Array:
    """Return 1 for velocities of joints that have an actuator; without actuators, that do not float."""
    mask = np.zeros(state.mechanism.nv)
    actuators = [] if report is None else report.actuators
    names = {name for actuator in actuators for name, _ in actuator.moment_arms}
    for joint in state.mechanism.tree_joints:
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
    """Return the sum of two controls, or the one that is not None."""
    if active is None or passive is None:
        return active or passive
    return lambda t, state: active(t, state) + passive(t, state)
