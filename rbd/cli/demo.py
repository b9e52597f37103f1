"""`rbd demo`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rbd.cli.options import Command, add_duration, file_path

_EXAMPLES = """
rbd demo
rbd demo --duration 5 --picture pendulum.png
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument(
        "--picture", type=file_path, default=Path("double-pendulum.png"), metavar="FILE", help="picture to write"
    )
    add_duration(parser, 10.0)


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    from rbd.cli import double_pendulum

    double_pendulum.run(options.picture, final_time=options.time, progress=sys.stderr.isatty())
    return 0


COMMAND = Command("demo", "build, simulate and plot a double pendulum", _EXAMPLES, add_options, run)
