"""`rbd bench`: tables on standard output, progress on standard error."""

from __future__ import annotations

import argparse

from rbd.cli.options import Command, file_path
from rbd.cli.streams import print_note
from rbd.errors import printable

_EXAMPLES = """
rbd bench --quick --no-peers
rbd bench --robots arm7 robot.urdf --json results.json
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("--robots", nargs="+", default=[], metavar="ROBOT", help="names, or URDF files")
    parser.add_argument("--quick", action="store_true", help="a short run; the numbers are not reliable")
    parser.add_argument("--no-peers", action="store_true", help="measure rbd only")
    parser.add_argument("--json", type=file_path, metavar="FILE", help="write the results as JSON")
    parser.add_argument("--markdown", type=file_path, metavar="FILE", help="write the tables as Markdown")


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    from rbd import bench

    settings = bench.BenchSettings(tuple(options.robots), quick=options.quick, peers=not options.no_peers)
    for file in filter(None, (options.json, options.markdown)):
        file.touch()  # fails before the measurements if the file cannot be written
    report = bench.run(settings, print_note)
    print("\n".join(map(printable, bench.as_text(report).splitlines())))
    if options.json is not None:
        options.json.write_text(report.to_json(), encoding="utf-8")
    if options.markdown is not None:
        options.markdown.write_text(bench.as_markdown(report), encoding="utf-8")
    return 0


COMMAND = Command("bench", "run the benchmarks, with other engines if they are installed", _EXAMPLES, add_options, run)
