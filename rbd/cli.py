"""The `rbd` command: `rbd demo`, `rbd info FILE`, `rbd check FILE`, `rbd bench`.

Exit codes: 0 all is well, 1 the file is refused or something went wrong, 2 the command line is wrong (argparse's own).
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import rbd
from rbd.errors import RbdError, quoted

if TYPE_CHECKING:
    from rbd.mechanism import Mechanism
    from rbd.urdf import UrdfReport

# Commands import what they need: `rbd --help` answers at once.


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code.

    >>> from rbd.cli import main
    >>> main(["check", "missing.urdf"])
    1
    """
    parser = make_parser()
    options = parser.parse_args(arguments)
    try:
        return int(options.command(options))
    except RbdError as error:
        print(f"rbd: {error}", file=sys.stderr)
    except OSError as error:
        print(f"rbd: {error.filename or ''}: {error.strerror or error}", file=sys.stderr)
    except KeyboardInterrupt:
        print("rbd: interrupted", file=sys.stderr)
    return 1


def make_parser() -> argparse.ArgumentParser:
    """Describe the commands."""
    parser = argparse.ArgumentParser(prog="rbd", description=(rbd.__doc__ or "").splitlines()[0])
    parser.add_argument("--version", action="version", version=f"rbd {rbd.__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    demo = commands.add_parser("demo", help="build and simulate a double pendulum, ask it questions, draw it")
    demo.add_argument("--picture", type=Path, default=Path("double-pendulum.png"), metavar="FILE", help="PNG to write")
    demo.add_argument("--time", type=_positive, default=10.0, metavar="SECONDS", help="how long to simulate")
    demo.set_defaults(command=run_demo)

    info = commands.add_parser("info", help="show what a robot file (URDF) holds")
    _add_file_options(info)
    info.set_defaults(command=run_info)

    check = commands.add_parser("check", help="read a robot file (URDF) strictly: exit code 0 if all is well, 1 if not")
    _add_file_options(check)
    check.set_defaults(command=run_check)

    bench = commands.add_parser("bench", help="measure how fast rbd is here, next to other engines where installed")
    _add_bench_options(bench)
    bench.set_defaults(command=run_bench)
    return parser


def _add_bench_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--robots", nargs="+", default=[], metavar="ROBOT", help="names, or URDF files")
    parser.add_argument("--quick", action="store_true", help="seconds instead of minutes; numbers not to quote")
    parser.add_argument("--no-peers", action="store_true", help="measure rbd alone")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything measured as JSON")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the tables as a page")


def _add_file_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--floating", action="store_true", help="let the base float")
    parser.add_argument("--keep-fixed", action="store_true", help="keep bodies on fixed joints apart")


def _positive(text: str) -> float:
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"must be a positive number of seconds, not {quoted(text)}")
    return value


def run_demo(options: argparse.Namespace) -> int:
    """Build, simulate, ask, draw."""
    from rbd import demo

    demo.run(options.picture, final_time=options.time, progress=sys.stderr.isatty())
    return 0


def run_info(options: argparse.Namespace) -> int:
    """Show the tree, the sizes, and what reading the file left out or doubted."""
    mechanism, report = _load(options, strict=False)
    title = f"{report.name} ({options.file})" if report.name else str(options.file)
    print("\n".join([title, _sizes(mechanism), "", str(mechanism), *_remarks(report)]))
    return 0


def run_check(options: argparse.Namespace) -> int:
    """Read strictly; say what is wrong on standard error."""
    mechanism, report = _load(options, strict=True)
    for warning in report.warnings:
        print(f"{options.file}:{warning.line}: warning: {warning.element}: {warning.message}", file=sys.stderr)
    print(f"{options.file}: ok: {_sizes(mechanism)}")
    return 0


def run_bench(options: argparse.Namespace) -> int:
    """Measure, print the tables, write files; on standard error, say what is being measured."""
    from rbd import bench

    def say(text: str) -> None:
        print(f"rbd: {text}", file=sys.stderr)

    settings = bench.Settings(tuple(options.robots), quick=options.quick, peers=not options.no_peers)
    for file in filter(None, (options.json, options.markdown)):
        file.touch()  # better now than after minutes
    report = bench.run(settings, say)
    print(bench.as_text(report))
    if options.json is not None:
        options.json.write_text(report.to_json(), encoding="utf-8")
    if options.markdown is not None:
        options.markdown.write_text(bench.as_markdown(report), encoding="utf-8")
    return 0


def _load(options: argparse.Namespace, *, strict: bool) -> tuple[Mechanism, UrdfReport]:
    from rbd.urdf import UrdfReport, load_urdf

    report = UrdfReport()
    mechanism = load_urdf(
        options.file,
        floating=options.floating,
        remove_fixed_joints=not options.keep_fixed,
        strict=strict,
        report=report,
    )
    return mechanism, report


def _sizes(mechanism: Mechanism) -> str:
    bodies, joints = len(mechanism.bodies) - 1, len(mechanism.joints)
    return f"{bodies} bodies, {joints} joints, nq = {mechanism.nq}, nv = {mechanism.nv}, mass {mechanism.mass:g} kg"


def _remarks(report: UrdfReport) -> list[str]:
    """Return what reading a file doubted, moved and ignored, as lines to print."""
    groups = {
        "doubtful": [f"line {w.line}: {w.element}: {w.message}" for w in report.warnings],
        "snapped to the nearest aligned value": [f"line {s.line}: {s.element}: {s.what}" for s in report.snapped],
        "ignored": _ignored(report),
    }
    lines: list[str] = []
    for title, entries in groups.items():
        if entries:
            lines += ["", f"{title}:", *(f"  {entry}" for entry in entries)]
    return lines


def _ignored(report: UrdfReport) -> list[str]:
    """Return one line for each kind of thing that is not honoured: files repeat them for every link."""
    lines: dict[str, list[int]] = {}
    for entry in report.ignored:
        kind = re.sub(r" '[^']*'", "", entry.element) + (f" {entry.attribute}" if entry.attribute else "")
        lines.setdefault(kind, []).append(entry.line)
    return [
        f"{kind}: line {found[0]}" + (f" and {len(found) - 1} more" if len(found) > 1 else "")
        for kind, found in lines.items()
    ]
