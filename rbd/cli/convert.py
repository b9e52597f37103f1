"""`rbd convert`: URDF to MJCF and back; losses are found by reading the result."""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import Final

from rbd.atomic_files import replaced_file
from rbd.cli.findings import ignored_lines, warning_lines
from rbd.cli.losses import losses, named_frames
from rbd.cli.options import Command, add_file, file_path
from rbd.cli.robot_file import FileFormat, RobotFile, parse_robot, read_robot
from rbd.errors import ArgumentError, printable, quoted

_EXAMPLES = """
rbd convert robot.urdf robot.xml
rbd convert --floating robot.urdf robot.xml
rbd convert gymnasium:ant.xml ant.urdf
rbd convert robot.urdf copy.urdf --strict
"""
_FORMATS: Final[dict[str, FileFormat]] = {".urdf": "urdf", ".xml": "mjcf", ".mjcf": "mjcf"}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_file(parser, keep_fixed=False)
    parser.add_argument("result", type=file_path, metavar="RESULT", help="file to write: .urdf, .xml or .mjcf")
    parser.add_argument("--to", choices=("urdf", "mjcf"), help="format of RESULT, if its ending does not tell")
    parser.add_argument("--merge-fixed", dest="keep_fixed", action="store_false", help="merge links at fixed joints")
    parser.add_argument("--strict", action="store_true", help="write nothing if something would be lost")


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    file_format = options.to or _format_of(options.result)
    robot = read_robot(options)
    text = _text(robot, file_format)
    lost = losses(robot, parse_robot(text, file_format, options.result))
    groups = {"lost": lost, "warnings": warning_lines(robot.report), "ignored": ignored_lines(robot.report)}
    for title, lines in groups.items():
        if lines:
            print("\n".join([f"{title}:", *(f"  {line}" for line in lines)]))
    shown = printable(str(options.result))
    if lost and options.strict:
        raise ArgumentError(f"{shown} is not written: --strict allows no losses", argument="strict", value=True)
    with replaced_file(options.result) as partial:
        partial.write_text(text, encoding="utf-8", newline="\n")
    print(f"Wrote {shown} ({file_format.upper()})")
    return 0


def _format_of(result: Path) -> FileFormat:
    file_format = _FORMATS.get(result.suffix.lower())
    if file_format is None:
        message = f"the suffix of {quoted(result)} does not determine the format; add --to urdf or --to mjcf"
        raise ArgumentError(message, argument="result", value=result, allowed=tuple(_FORMATS))
    return file_format


def _text(robot: RobotFile, file_format: FileFormat) -> str:
    """Return the robot in a format, without what the format does not have."""
    from rbd.mjcf import format_mjcf
    from rbd.urdf import format_urdf

    write = format_urdf if file_format == "urdf" else format_mjcf
    name = robot.report.name or robot.path.stem
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # those about the robot are in its report
        return write(robot.mechanism, name=name, frames=named_frames(robot.mechanism), strict=False)


COMMAND = Command(
    "convert", "write a robot file in another format (URDF, MJCF), and list what was lost", _EXAMPLES, add_options, run
)
