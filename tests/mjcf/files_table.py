"""Which MJCF files of installed packages load, and whether they move as MuJoCo's models do: `docs/files.md`.

python -m tests.mjcf.files_table [--write docs/files.md] [--in DIRECTORY] [PACKAGE ...]
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rbd.errors import RbdError
from rbd.mjcf import MjcfReport, MjcfWarning, load_mjcf
from tests.mjcf.comparison import differences

PACKAGES = ("gymnasium", "dm_control", "mujoco_playground", "mjlab")
TOLERANCE = 1e-9
HEAD = """\
# Model files

The MJCF files of installed packages: whether `load_mjcf` loads them, and whether they match, that is, body poses, mass
matrix (armature included), bias forces, mass and energy at 20 random states equal those of MuJoCo's model of the same
file, with its contacts and constraints off. Numbers are compared relative to the largest of their kind, at 1e-9. Files
that MuJoCo does not read are parts of others, name files that the package does not have, or are meant to be faulty;
they do not count.

MuJoCo diagonalises inertias with an absolute tolerance of 1e-12 kg m². This limits the agreement for models of insects.

This page is written by `python -m tests.mjcf.files_table --in FOLDER --write docs/files.md`. Some of the packages
depend on gigabytes of others, but only their files are needed: `pip install --no-deps --target FOLDER gymnasium
dm-control playground mjlab` gets them.

"""


class Row(NamedTuple):
    """One file: its path below the package, whether MuJoCo reads it, whether rbd does, and what is to be said."""

    file: str
    read_by_mujoco: bool
    loads: bool
    worst: float | None
    remark: str

    @property
    def matches(self) -> bool:
        return self.worst is not None and self.worst <= TOLERANCE


def files_of(package: str, directory: Path | None) -> Iterator[Path]:
    """Yield the MJCF files of an installed package, or of one unpacked in `directory`."""
    home = directory / package if directory else None
    if home is None:
        spec = importlib.util.find_spec(package)
        home = Path(next(iter(spec.submodule_search_locations or []))) if spec else None
    if home is not None and home.is_dir():
        for path in sorted(home.rglob("*.xml")):
            if "<mujoco" in path.read_text(encoding="utf-8", errors="replace"):
                yield path


def row(path: Path, package: Path, count: int = 20) -> Row:
    """Return what can be said of one file."""
    import mujoco

    name, report = str(path.relative_to(package.parent)), MjcfReport()
    try:
        model = mujoco.MjModel.from_xml_path(str(path))
        refusal = ""
    except ValueError as error:
        model, refusal = None, str(error).strip().splitlines()[0]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MjcfWarning)
            mechanism = load_mjcf(path, root=package, report=report)
    except RbdError as error:
        return Row(name, model is not None, False, None, f"{type(error).__name__}: {_short(str(error), path)}")
    if model is None:
        return Row(name, False, True, None, f"MuJoCo: {_short(refusal, path)}")
    try:
        worst = differences(mechanism, model, count=count).worst
    except (RbdError, ValueError) as error:
        return Row(name, True, True, None, f"{type(error).__name__}: {_short(str(error), path)}")
    return Row(name, True, True, worst, _told(report))


def _short(message: str, path: Path) -> str:
    for place in (path.parent, *path.parents):
        message = message.replace(f"{place}/", "")
    return re.sub(r"\S*/(?=\S+/\S+')", "", message).replace("|", "/")[:160]


def _told(report: MjcfReport) -> str:
    return "; ".join(sorted({finding.message for finding in report.warnings}))[:200]


def table(rows: list[Row]) -> str:
    """Return the page."""
    comparable = [r for r in rows if r.read_by_mujoco]
    matching = [r for r in comparable if r.matches]
    share = 100 * len(matching) / max(1, len(comparable))
    lines = [
        f"Of {len(rows)} files MuJoCo reads {len(comparable)}; rbd loads {sum(r.loads for r in comparable)} of these, "
        f"and {len(matching)} ({share:.1f} %) match.",
        "",
        "| file | loads | matches | remarks |",
        "|---|---|---|---|",
    ]
    for r in rows:
        same = ("yes" if r.matches else f"no: {r.worst:.1e}") if r.worst is not None else ""
        lines.append(f"| {r.file} | {'yes' if r.loads else 'no'} | {same} | {r.remark} |")
    return HEAD + "\n".join(lines) + "\n"


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("packages", nargs="*", default=PACKAGES)
    parser.add_argument("--in", dest="directory", type=Path)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--count", type=int, default=20)
    options = parser.parse_args(arguments)
    rows = []
    for package in options.packages:
        for path in files_of(package, options.directory):
            home = next(parent for parent in path.parents if parent.name == package)
            rows.append(row(path, home, options.count))
    text = table(rows)
    if options.write:
        options.write.write_text(text, encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main(sys.argv[1:])
