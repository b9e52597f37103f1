"""Initial states: keyframes, values of joints, closed loops."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from rbd.cli.options import AddAssignments, assignments
from rbd.cli.robot_file import Keyframes, RobotFile
from rbd.errors import ShapeError, UnknownNameError, quoted
from rbd.scalars import to_float

if TYPE_CHECKING:
    from rbd.state import MechanismState

REFERENCE = "qpos0"


def add_initial_state(parser: argparse.ArgumentParser, *, velocities: bool = True) -> None:
    """Add the options of the initial state."""
    parser.add_argument("--pose", metavar="NAME", help="keyframe to start from (MJCF)")
    parser.add_argument(
        "--set",
        type=assignments,
        action=AddAssignments,
        default={},
        metavar="JOINT=VALUE,...",
        help="initial coordinates of joints (rad, m; q0:q1:... of a joint)",
    )
    if velocities:
        parser.add_argument(
            "--speed",
            type=assignments,
            action=AddAssignments,
            default={},
            metavar="JOINT=VALUE,...",
            help="initial velocities of joints, likewise (rad/s, m/s)",
        )


def initial_state(robot: RobotFile, options: argparse.Namespace) -> MechanismState:
    """Return the state of a keyframe, else zero within the bounds of the joints, changed by --set and --speed.

    Loops are closed, with the joints of --set as they are.
    """
    from rbd.algorithms import close_loops
    from rbd.state import MechanismState

    state = MechanismState(robot.mechanism)
    _set_pose(state, robot.keyframes, options.pose)
    _set(state, options.set, velocities=False)
    _set(state, getattr(options, "speed", {}), velocities=True)
    if robot.mechanism.nc:
        close_loops(state, fixed=list(options.set))
    return state


def _set_pose(state: MechanismState, keyframes: Keyframes, name: str | None) -> None:
    """Set the state to a keyframe: that of the name, or of the reference; without one, to zero within the bounds."""
    if name is not None or REFERENCE in keyframes:
        q, v = _keyframe(keyframes, name or REFERENCE)
        state.set_configuration(q)
        state.set_velocity(v)
    else:
        _move_into_bounds(state)


def _keyframe(keyframes: Keyframes, name: str) -> tuple[np.ndarray, np.ndarray]:
    if name not in keyframes:
        known = ", ".join(map(quoted, keyframes)) or "none"
        message = f"there is no keyframe {quoted(name)}; there are {known}"
        raise UnknownNameError(message, kind="keyframe", name=name, known=tuple(keyframes), suggestion=None)
    return keyframes[name]


def _move_into_bounds(state: MechanismState) -> None:
    """Move joints of one coordinate from zero to the nearest position within their bounds."""
    for joint in state.mechanism.tree_joints:
        if joint.nq == 1 and joint.position_bounds:
            [(low, high)] = joint.position_bounds
            state.set_configuration(joint, min(max(0.0, to_float(low)), to_float(high)))


def _set(state: MechanismState, values: Mapping[str, tuple[float, ...]], *, velocities: bool) -> None:
    """Set coordinates or velocities of joints by name."""
    for name, given in values.items():
        joint = state.mechanism.joint(name)
        size = joint.nv if velocities else joint.nq
        if len(given) != size:
            what = "velocities" if velocities else "coordinates"
            message = f"joint {quoted(name)} has {size} {what}, not {len(given)}: write {name}={':'.join(['0'] * size)}"
            raise ShapeError(message, argument=name, expected=(size,), actual=(len(given),))
        (state.set_velocity if velocities else state.set_configuration)(joint, given)
