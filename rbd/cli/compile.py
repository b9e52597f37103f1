"""`rbd compile`: the functions of a robot as a C library."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rbd.cli.options import Command, add_file, file_path
from rbd.cli.robot_file import RobotFile, read_robot
from rbd.errors import ArgumentError, printable

if TYPE_CHECKING:
    from rbd.array_functions.function import RecordedFunction
    from rbd.compiled.robot import CompiledRobot

_EXAMPLES = """
rbd compile arm.urdf --functions inverse_dynamics mass_matrix --out arm_c
rbd compile gymnasium:ant.xml --functions forward_dynamics step geometric_jacobian:torso --prefix ant --out ant_c
rbd compile arm.urdf --dtype float32 --out arm_c && make -C arm_c
"""
_DEFAULT: Final = ("forward_kinematics", "inverse_dynamics", "mass_matrix", "dynamics_bias", "forward_dynamics")
_JACOBIAN: Final = "geometric_jacobian"
_NOT_IN_NAMES: Final = re.compile(r"[^A-Za-z0-9_]+")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_file(parser)
    parser.add_argument(
        "--functions",
        nargs="+",
        default=_DEFAULT,
        metavar="NAME",
        help=f"methods of rbd.compile(robot); geometric_jacobian:BODY ({', '.join(_DEFAULT)})",
    )
    parser.add_argument(
        "--out", type=file_path, default=Path(), metavar="FOLDER", help="folder for the files (this one)"
    )
    parser.add_argument("--prefix", metavar="NAME", help="begin of the names in C (the name of the robot)")
    parser.add_argument("--dtype", choices=("float64", "float32"), default="float64", help="precision (float64)")


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    import rbd
    from rbd.export import write_c_library

    robot = read_robot(options)
    compiled = rbd.compile(robot.mechanism)
    functions = dict(_function(compiled, name) for name in options.functions)
    library = write_c_library(functions, options.out, prefix=options.prefix or _c_name(robot), dtype=options.dtype)
    for path in (library.header, *library.sources, library.makefile):
        print(f"Wrote {printable(str(path))}")
    print(f"Compile in {printable(str(options.out))} with\n  {library.build_line}")
    return 0


def _function(robot: CompiledRobot, text: str) -> tuple[str, RecordedFunction]:
    """Return the name in C and the function of NAME or NAME:BODY."""
    name, colon, body = text.partition(":")
    if (name == _JACOBIAN) != bool(colon):
        message = f"--functions: write {_JACOBIAN}:BODY for the Jacobian of a body, and names alone for all others"
        raise ArgumentError(message, argument="functions", value=text)
    if not colon:
        return name, robot.function(name)
    return f"{name}_{_NOT_IN_NAMES.sub('_', body)}", robot.function(name, body=body)


def _c_name(robot: RobotFile) -> str:
    """Return the name of a robot as C can have it."""
    name = _NOT_IN_NAMES.sub("_", robot.report.name or robot.path.stem).strip("_")
    return name if name and not name[0].isdigit() else f"robot{'_' if name else ''}{name}"


COMMAND = Command("compile", "write functions of a robot (URDF, MJCF) as C", _EXAMPLES, add_options, run)
