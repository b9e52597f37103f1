"""`rbd view`: a robot file in the browser."""

from __future__ import annotations

import argparse
import contextlib
import math
import re
import threading
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rbd.cli.initial_state import add_initial_state, initial_state
from rbd.cli.options import Command, add_file, file_path, positive
from rbd.cli.robot_file import RobotFile, read_robot
from rbd.cli.streams import print_note
from rbd.errors import ArgumentError, ShapeError, printable, quoted

if TYPE_CHECKING:
    from rbd.simulation import Trajectory
    from rbd.viz import Viewer

_EXAMPLES = """
rbd view robot.urdf
rbd view gymnasium:ant.xml --layers shapes frames names
rbd simulate gymnasium:ant.xml --ground --out ant.npz && rbd view gymnasium:ant.xml --trajectory ant.npz
rbd view robot.urdf --no-browser --screenshot robot.png
"""
_MAX_PORT = 65535
_UNDECLARED = re.compile(r"pass packages=\{'([^']*)': directory\}$")
"""End of the message about an undeclared package, which is for Python."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_file(parser)
    add_initial_state(parser, velocities=False)
    parser.add_argument(
        "--trajectory",
        type=file_path,
        metavar="FILE",
        help="play this file of `rbd simulate --out` once the page is open: .npz",
    )
    parser.add_argument(
        "--playback-speed",
        "--rate",
        type=positive,
        default=1.0,
        metavar="FACTOR",
        help="trajectory time per real time (1)",
    )
    parser.add_argument("--layers", nargs="+", metavar="LAYER", help="what is shown at first, such as frames")
    parser.add_argument(
        "--pixel-ratio", type=positive, metavar="RATIO", help="0.5: half the pixels, faster without GPU"
    )
    parser.add_argument("--screenshot", type=file_path, metavar="FILE", help="write a picture and end: .png or .jpg")
    parser.add_argument(
        "--record", type=file_path, metavar="FILE", help="write the trajectory as a film and end: .gif, .mp4"
    )
    parser.add_argument("--port", type=_port, default=8080, help="port of the page (8080, or the next free one)")
    parser.add_argument("--no-browser", dest="browser", action="store_false", help="open no browser")
    parser.add_argument(
        "--duration", type=positive, metavar="SECONDS", help="end after so much real time, else by Ctrl-C"
    )


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    robot = read_robot(options)
    state = initial_state(robot, options)
    motion = None if options.trajectory is None else _motion(robot, options.trajectory)
    with contextlib.suppress(KeyboardInterrupt), _viewer(robot, options) as viewer:  # Ctrl-C ends it
        if motion is not None:
            motion.show_on(state, float(motion.t[0 if options.screenshot is None else -1]))
        viewer.show(state)
        if _write_pictures(viewer, motion, options):
            return 0
        print(f"{robot.title}: {viewer.url}", flush=True)
        end = math.inf if options.duration is None else time.monotonic() + options.duration
        if motion is not None and viewer.wait_for_page(options.duration):
            viewer.animate(motion, speed=options.playback_speed)
        _wait(viewer, end)
    return 0


def _write_pictures(viewer: Viewer, motion: Trajectory | None, options: argparse.Namespace) -> bool:
    """Write picture and film, if wanted; return whether there was one."""
    if options.screenshot is not None:
        viewer.screenshot(options.screenshot)
    if options.record is not None:
        if motion is None:
            raise ArgumentError("--record needs the motion: add --trajectory FILE", argument="record", value=True)
        viewer.record(options.record, motion, speed=options.playback_speed)
    written = [path for path in (options.screenshot, options.record) if path is not None]
    for path in written:
        print(f"Wrote {printable(str(path))}")
    return bool(written)


def _motion(robot: RobotFile, path: Path) -> Trajectory:
    """Return a trajectory of the robot from a file."""
    from rbd.simulation import Trajectory

    motion, nq = Trajectory.load(path), robot.mechanism.nq
    if motion.q.shape[1] != nq:
        message = f"--trajectory: {path} has {motion.q.shape[1]} coordinates, the robot has {nq}"
        raise ShapeError(message, argument="trajectory", expected=(nq,), actual=motion.q.shape[1:])
    return motion


def _viewer(robot: RobotFile, options: argparse.Namespace) -> Viewer:
    """Return a viewer with the shapes of the file; those that it cannot show are named on standard error."""
    from rbd.viz import Viewer, ViewerWarning

    browser = options.browser and options.screenshot is None and options.record is None
    ratio, layers = options.pixel_ratio, {} if options.layers is None else {"layers": options.layers}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        viewer = Viewer(
            robot.mechanism, robot.report, pixel_ratio=ratio, port=options.port, open_browser=browser, **layers
        )
    for text in [str(warning.message) for warning in caught if not issubclass(warning.category, ViewerWarning)]:
        print_note(text)
    if viewer.missing:
        print_note(_not_shown(viewer.missing))
    return viewer


def _not_shown(missing: Sequence[str]) -> str:
    """Return one line about meshes that are not shown, with the option that may help."""
    subject = "1 mesh is" if len(missing) == 1 else f"{len(missing)} meshes are"
    first = _UNDECLARED.sub(r"add --package \1=FOLDER", missing[0])
    return f"{subject} not shown; the first: {first}"


def _wait(viewer: Viewer, end: float) -> None:
    """Wait for Ctrl-C, or until a time."""
    if math.isinf(end):
        viewer.wait()
    else:
        time.sleep(min(max(end - time.monotonic(), 0.0), threading.TIMEOUT_MAX))


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > _MAX_PORT:
        raise argparse.ArgumentTypeError(f"must be 0 to {_MAX_PORT}, not {quoted(text)}")
    return int(text)


COMMAND = Command("view", "show a robot file (URDF, MJCF) in the browser", _EXAMPLES, add_options, run)
