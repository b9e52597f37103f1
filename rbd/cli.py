"""The `rbd` command: `rbd demo`, `rbd info FILE`, `rbd check FILE`, `rbd bench`.

Exit codes: 0 for success, 1 for an error, 2 for invalid arguments (argparse).
"""

from __future__ import annotations

import argparse
import io
import re
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import rbd
from rbd.errors import ArgumentError, RbdError, printable, quoted
from rbd.files.xml import root_tag

if TYPE_CHECKING:
    from rbd.files.report import Finding
    from rbd.mechanism import Mechanism
    from rbd.mjcf import MjcfReport
    from rbd.urdf import UrdfReport

_BEGINNING = 1_000_000
"""Bytes in which the first element of a file is looked for."""

# Commands import their modules, which keeps `rbd --help` fast.


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code.

    >>> from rbd.cli import main
    >>> main(["check", "missing.urdf"])
    1
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # terminals may not have all letters
            stream.reconfigure(errors="backslashreplace")
    parser = make_parser()
    options = parser.parse_args(arguments)
    try:
        return int(options.command(options))
    except RbdError as error:
        for line in (str(error), *getattr(error, "__notes__", ())):
            print(f"rbd: {line}", file=sys.stderr)
    except OSError as error:
        print(f"rbd: {printable(str(error.filename or ''))}: {error.strerror or error}", file=sys.stderr)
    except KeyboardInterrupt:
        print("rbd: interrupted", file=sys.stderr)
    return 1


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(prog="rbd", description=(rbd.__doc__ or "").splitlines()[0])
    parser.add_argument("--version", action="version", version=f"rbd {rbd.__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    demo = commands.add_parser("demo", help="build, simulate and plot a double pendulum")
    demo.add_argument("--picture", type=Path, default=Path("double-pendulum.png"), metavar="FILE", help="PNG to write")
    demo.add_argument("--time", type=_positive, default=10.0, metavar="SECONDS", help="simulated time")
    demo.set_defaults(command=run_demo)

    info = commands.add_parser("info", help="show the contents of a robot file (URDF, MJCF)")
    _add_file_options(info)
    info.set_defaults(command=run_info)

    check = commands.add_parser(
        "check", help="list all findings in a robot file (URDF, MJCF): exit code 0 if it is valid, 1 if not"
    )
    _add_file_options(check)
    check.set_defaults(command=run_check)

    bench = commands.add_parser("bench", help="run the benchmarks, with other engines if they are installed")
    _add_bench_options(bench)
    bench.set_defaults(command=run_bench)
    return parser


def _add_bench_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--robots", nargs="+", default=[], metavar="ROBOT", help="names, or URDF files")
    parser.add_argument("--quick", action="store_true", help="a short run; the numbers are not reliable")
    parser.add_argument("--no-peers", action="store_true", help="measure rbd only")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results as JSON")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the tables as Markdown")


def _add_file_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--floating", action="store_true", help="attach the root link with a floating joint")
    parser.add_argument("--keep-fixed", action="store_true", help="keep fixed joints")


def _positive(text: str) -> float:
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"must be a positive number of seconds, not {quoted(text)}")
    return value


def run_demo(options: argparse.Namespace) -> int:
    """Run `rbd demo`."""
    from rbd import demo

    demo.run(options.picture, final_time=options.time, progress=sys.stderr.isatty())
    return 0


def run_info(options: argparse.Namespace) -> int:
    """Run `rbd info`: show the tree, the sizes, and the report of the reader."""
    mechanism, report = _load(options)
    file = printable(str(options.file))
    title = f"{printable(report.name)} ({file})" if report.name else file
    print("\n".join([title, _sizes(mechanism), "", str(mechanism), *_remarks(report)]))
    return 0


def run_check(options: argparse.Namespace) -> int:
    """Run `rbd check`: list all findings, warnings on standard error; fail for those that `strict=True` refuses."""
    mechanism, report = _load(options)
    file = printable(str(options.file))
    for finding in sorted(report.warnings, key=_place):
        word = "error" if finding.refused else "warning"
        place = f"{printable(finding.file)}:{finding.line}"
        print(f"{place}: {word}: {finding.element}: {finding.message}", file=sys.stderr)
    for note in sorted([*report.ignored, *_snapped(report)], key=_place):
        attribute = f" {note.attribute}" if note.attribute else ""
        print(f"{printable(note.file)}:{note.line}: note: {note.element}{attribute}: {note.message}")
    failed = any(finding.refused for finding in report.warnings)
    print(f"{file}: {'doubtful' if failed else 'ok'}: {_sizes(mechanism)}")
    return int(failed)


def run_bench(options: argparse.Namespace) -> int:
    """Run `rbd bench`: print the tables, write files, report progress on standard error."""
    from rbd import bench

    def say(text: str) -> None:
        print(f"rbd: {text}", file=sys.stderr)

    settings = bench.BenchSettings(tuple(options.robots), quick=options.quick, peers=not options.no_peers)
    for file in filter(None, (options.json, options.markdown)):
        file.touch()  # fails before the measurements if the file cannot be written
    report = bench.run(settings, say)
    print(bench.as_text(report))
    if options.json is not None:
        options.json.write_text(report.to_json(), encoding="utf-8")
    if options.markdown is not None:
        options.markdown.write_text(bench.as_markdown(report), encoding="utf-8")
    return 0


def _load(options: argparse.Namespace) -> tuple[Mechanism, UrdfReport | MjcfReport]:
    """Read a file, URDF or MJCF; what is warned of is in the report."""
    from rbd.mjcf import MjcfReport, MjcfWarning, load_mjcf
    from rbd.urdf import UrdfReport, UrdfWarning, load_urdf

    merge = not options.keep_fixed
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UrdfWarning)
        warnings.simplefilter("ignore", MjcfWarning)
        if _is_mjcf(options.file):
            if options.floating:
                message = "--floating is for URDF; an MJCF file says which bodies float (<freejoint/>)"
                raise ArgumentError(message, argument="floating", value=True)
            found = MjcfReport()
            return load_mjcf(options.file, remove_fixed_joints=merge, report=found), found
        report = UrdfReport()
        mechanism = load_urdf(options.file, floating=options.floating, remove_fixed_joints=merge, report=report)
        return mechanism, report


def _is_mjcf(file: Path) -> bool:
    """Whether the root element of a file is that of MJCF."""
    if not file.is_file():
        return False
    with file.open("rb") as stream:
        return root_tag(stream.read(_BEGINNING)) == "mujoco"


def _place(finding: Finding) -> tuple[str, int]:
    return finding.file, finding.line


def _snapped(report: UrdfReport | MjcfReport) -> list[Finding]:
    """Return what was snapped to the nearest aligned value, as findings."""
    from rbd.files.report import Finding
    from rbd.urdf import UrdfReport

    entries = report.snapped if isinstance(report, UrdfReport) else []
    message = "{} snapped to the nearest aligned one"
    return [Finding(report.file, s.line, s.element, None, message.format(s.what)) for s in entries]


def _sizes(mechanism: Mechanism) -> str:
    bodies, joints = len(mechanism.bodies) - 1, len(mechanism.joints)
    return f"{bodies} bodies, {joints} joints, nq = {mechanism.nq}, nv = {mechanism.nv}, mass {mechanism.mass:g} kg"


def _remarks(report: UrdfReport | MjcfReport) -> list[str]:
    """Return the warnings, snapped values and ignored elements of a report, as lines."""
    groups = {
        "doubtful": [f"{_where(report, w)}: {w.element}: {w.message}" for w in report.warnings],
        "snapped": [f"line {s.line}: {s.element}: {s.message}" for s in _snapped(report)],
        "ignored": _ignored(report),
    }
    lines: list[str] = []
    for title, entries in groups.items():
        if entries:
            lines += ["", f"{title}:", *(f"  {entry}" for entry in entries)]
    return lines


def _where(report: UrdfReport | MjcfReport, finding: Finding) -> str:
    """Return the line of a finding, with the name of an included file."""
    return f"line {finding.line}" if finding.file == report.file else f"{finding.file}, line {finding.line}"


def _ignored(report: UrdfReport | MjcfReport) -> list[str]:
    """Return one line for each kind of ignored element: files repeat them for every link."""
    lines: dict[str, list[str]] = {}
    for entry in report.ignored:
        kind = re.sub(r" '[^']*'", "", entry.element) + (f" {entry.attribute}" if entry.attribute else "")
        lines.setdefault(kind, []).append(_where(report, entry))
    return [
        f"{kind}: {found[0]}" + (f" and {len(found) - 1} more" if len(found) > 1 else "")
        for kind, found in lines.items()
    ]
