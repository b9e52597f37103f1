"""`rbd check`: all findings, warnings on standard error; failure for those that `strict=True` refuses."""

from __future__ import annotations

import argparse
import sys

from rbd.cli.findings import place_of, snapped
from rbd.cli.options import Command, add_file
from rbd.cli.robot_file import read_robot
from rbd.errors import printable

_EXAMPLES = """
rbd check robot.urdf
rbd check robot.xml && echo valid
"""


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    robot = read_robot(options)
    report = robot.report
    for finding in sorted(report.warnings, key=place_of):
        word = "error" if finding.refused else "warning"
        place = f"{printable(finding.file)}:{finding.line}"
        print(f"{place}: {word}: {finding.element}: {finding.message}", file=sys.stderr)
    for note in sorted([*report.ignored, *snapped(report)], key=place_of):
        attribute = f" {note.attribute}" if note.attribute else ""
        print(f"{printable(note.file)}:{note.line}: note: {note.element}{attribute}: {note.message}")
    failed = any(finding.refused for finding in report.warnings)
    print(f"{robot.printable_path}: {'invalid' if failed else 'ok'}: {robot.summary}")
    return int(failed)


COMMAND = Command(
    "check",
    "list all findings in a robot file (URDF, MJCF): exit code 0 if it is valid, 1 if not",
    _EXAMPLES,
    add_file,
    run,
)
