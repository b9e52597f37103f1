"""`rbd simulate`."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Final

import numpy as np

from rbd.cli.controllers import NAMES, RobotControl, robot_control
from rbd.cli.ground import floating_joint, ground_model, place_on_ground
from rbd.cli.initial_state import add_initial_state, initial_state
from rbd.cli.options import Command, add_duration, add_file, at_least_zero, file_path, positive
from rbd.cli.results import PICTURES, TRAJECTORIES, draw_trajectory, require_suffix, write_trajectory
from rbd.cli.robot_file import RobotFile, read_robot
from rbd.cli.streams import print_note
from rbd.errors import ArgumentError, printable

if TYPE_CHECKING:
    from rbd.simulation import Trajectory
    from rbd.state import MechanismState

_EXAMPLES = """
rbd simulate arm.urdf --set shoulder=0.5,elbow=-1 --controller gravity --out arm.npz
rbd simulate quadruped.urdf --floating --ground --controller hold --out quadruped.csv
rbd simulate gymnasium:ant.xml --ground --time 3 --speed root=0:0:1:0:0:0
"""
_FRICTION: Final = 0.8
_TINY: Final = 1e-12


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_file(parser)
    add_duration(parser, 5.0)
    parser.add_argument("--dt", type=positive, default=1e-3, metavar="SECONDS", help="time step (1 ms)")
    add_initial_state(parser)
    parser.add_argument("--controller", choices=NAMES, default="none", help="torques (none)")
    parser.add_argument("--ground", action="store_true", help="hard contact with the planes of the file, or z = 0")
    parser.add_argument("--height", type=at_least_zero, metavar="M", help="distance from the ground at the start")
    parser.add_argument("--friction", type=at_least_zero, metavar="MU", help="with the ground (0.8)")
    parser.add_argument("--self-collisions", action="store_true", help="with --ground: also among bodies")
    parser.add_argument(
        "--out", type=file_path, action="append", default=[], metavar="FILE", help="trajectory: .npz or .csv"
    )
    parser.add_argument("--picture", type=file_path, metavar="FILE", help="plot of the trajectory: .png, .svg or .pdf")
    parser.add_argument("--progress", action=argparse.BooleanOptionalAction, help="show a bar (on terminals)")


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    _require_suffixes(options)
    _require_ground(options)
    robot = read_robot(options)
    state = initial_state(robot, options)
    progress = sys.stderr.isatty() if options.progress is None else options.progress
    trajectory = (_on_ground if options.ground else _free)(robot, state, options, progress)
    _print_result(robot, trajectory)
    _write_files(robot, trajectory, options)
    return 0


def _require_suffixes(options: argparse.Namespace) -> None:
    """Raise ArgumentError for files that are not written, before the simulation."""
    for path in options.out:
        require_suffix(path, "trajectory", TRAJECTORIES)
    if options.picture is not None:
        require_suffix(options.picture, "picture", PICTURES)


def _require_ground(options: argparse.Namespace) -> None:
    """Raise ArgumentError for options of the ground without one."""
    given = {"height": options.height, "friction": options.friction, "self-collisions": options.self_collisions or None}
    for name, value in given.items():
        if value is not None and not options.ground:
            raise ArgumentError(f"--{name} is for contact: add --ground", argument=name, value=value)


def _write_files(robot: RobotFile, trajectory: Trajectory, options: argparse.Namespace) -> None:
    """Write the trajectory and its picture, and say so."""
    for path in options.out:
        write_trajectory(path, trajectory, robot.mechanism)
    if options.picture is not None:
        draw_trajectory(options.picture, trajectory, robot.mechanism)
    for path in filter(None, (*options.out, options.picture)):
        print(f"Wrote {printable(str(path))}")


def _free(robot: RobotFile, state: MechanismState, options: argparse.Namespace, progress: bool) -> Trajectory:
    """Simulate without contact."""
    from rbd.simulation import ZeroOrderHold, simulate

    control = _control(robot, state, options).control
    held = ZeroOrderHold(control, options.dt) if control is not None and options.controller == "hold" else control
    return simulate(state, options.time, held, dt=options.dt, progress=progress)


def _on_ground(robot: RobotFile, state: MechanismState, options: argparse.Namespace, progress: bool) -> Trajectory:
    """Simulate with hard contact; URDF does not say where a floating robot is: it starts on the ground."""
    from rbd.contact import ContactSimulator, JointOptions
    from rbd.simulation import Trajectory

    model, remarks = ground_model(robot, among_bodies=options.self_collisions)
    for remark in remarks:
        print_note(f"--ground: {remark}")
    if options.height is not None or (robot.file_format == "urdf" and floating_joint(state) is not None):
        place_on_ground(state, model, options.height or 0.0)
    control, joint_options = _control(robot, state, options)
    joints, mu = joint_options or JointOptions(), _FRICTION if options.friction is None else options.friction
    simulator = ContactSimulator(robot.mechanism, model, control, options.dt, friction=mu, joints=joints)
    result = simulator.run(state, options.time, progress=progress)
    return Trajectory(result.t, result.q, result.v)


def _control(robot: RobotFile, state: MechanismState, options: argparse.Namespace) -> RobotControl:
    return robot_control(options.controller, robot, state, options.dt, pose=options.pose, contact=options.ground)


def _print_result(robot: RobotFile, trajectory: Trajectory) -> None:
    """Print the configuration and the largest velocity at the end."""
    print(f"{robot.title}: {trajectory.t[-1]:g} s in {len(trajectory) - 1} steps")
    print("q at the end: " + " ".join(map(_format_number, trajectory.q[-1].tolist())))
    print(f"largest velocity at the end: {_format_number(float(np.abs(trajectory.v[-1]).max(initial=0.0)))}")


def _format_number(x: float) -> str:
    return f"{x if abs(x) > _TINY else 0.0:.4g}"


COMMAND = Command("simulate", "simulate a robot file (URDF, MJCF)", _EXAMPLES, add_options, run)
