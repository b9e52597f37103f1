"""Branch coverage of rbd by its tests, package by package.

    python scripts/branch_coverage.py                        all tests but those of types (half an hour)
    python scripts/branch_coverage.py tests/mjcf tests/urdf  some of them, added to the last run
    python scripts/branch_coverage.py --report               the report of the last run, again

Runs `coverage run -m pytest` for one folder of tests at a time, `--jobs` at a time, and adds up what they reach.
Tracing is slow: of tests with many parametrised cases `--cases` run, and hypothesis draws few examples, so that the
figures are lower bounds. Processes that tests start are not traced. Prints the coverage of each package and the lines
and branches that no test reaches; `--page` writes packages into docs/reliability.md, all or those of the folders. Tests
may fail while they are traced, such as those that count lines: this shows what is reached, not what is right.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / ".coverage-shards"
SKIPPED = ("typing", "data")
_FOLDERS = ("arguments", "cli", "docs", "gym", "mjcf", "rational", "recorded_arrays", "spatial", "state", "urdf", "viz")
FOLDERS_WITH_ALL_CASES = tuple(f"tests/{folder}" for folder in _FOLDERS)
"""Folders whose cases are different inputs, not the same on other robots."""
HEADING = ("package", "statements", "branches", "not reached", "coverage")
OPTIONS = (
    "-m",
    "not deep and not bench",  # comparisons with other engines run where these are installed
    "-p",
    "tests.plugins.few_cases",
    "--deselect=tests/docs/test_examples.py::test_examples_are_typed",
    "--deselect=tests/docs/test_examples.py::test_type_errors_are_found",
)


def main(arguments: Sequence[str]) -> int:
    """Run the shards that were asked for, and report."""
    options = parse_arguments(arguments)
    shards = [] if options.report else options.tests or folders()
    if not options.report and not options.tests:
        coverage("erase")
    with ThreadPoolExecutor(options.jobs) as pool:
        for shard, line in zip(
            shards, pool.map(partial(run, seconds=options.seconds, cases=options.cases), shards), strict=True
        ):
            print(f"{shard}: {line}", flush=True)
    if shards:
        coverage("combine", "--append", "--quiet")
    coverage("json", "--quiet", "-o", str(DATA / "report.json"))
    files: dict[str, Any] = json.loads((DATA / "report.json").read_text(encoding="utf-8"))["files"]
    print_missing(files)
    rows = package_rows(files)
    for row in rows:
        print(*row)
    if options.page:
        write_page(rows, options.tests)
    return 0


def parse_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("tests", nargs="*", help="folders or files of tests (default: all)")
    parser.add_argument("--cases", type=int, default=3, help="parametrised cases of each test")
    parser.add_argument("--jobs", type=int, default=2, help="shards at a time")
    parser.add_argument(
        "--seconds", type=float, default=3600.0, help="what a shard may take; what it has reached counts"
    )
    parser.add_argument("--report", action="store_true", help="run nothing, report the last run")
    parser.add_argument("--page", action="store_true", help="write the table into docs/reliability.md")
    return parser.parse_args(arguments)


def folders() -> list[str]:
    """Return the tests in no folder, and the folders of tests, the smallest first."""
    tests = ROOT / "tests"
    inner = [each for each in tests.iterdir() if each.is_dir() and each.name not in (*SKIPPED, "__pycache__")]
    count = {each: sum(len(path.read_text(encoding="utf-8")) for path in each.rglob("test_*.py")) for each in inner}
    files = sorted(tests.glob("test_*.py"))
    return [str(path.relative_to(ROOT)) for path in (*files, *sorted(inner, key=lambda each: count[each]))]


def run(tests: str, seconds: float, cases: int) -> str:
    """Run tests with tracing; return the last line that pytest prints."""
    command = [sys.executable, "-m", "coverage", "run", "-m", "pytest", "-q", "-n", "0", "-p", "no:randomly"]
    count = 10**6 if tests in FOLDERS_WITH_ALL_CASES else cases
    variables = environment() | {"HYPOTHESIS_PROFILE": "few", "RBD_CASES": str(count)}
    log = DATA / f"{tests.replace('/', '-')}.log"
    with log.open("w", encoding="utf-8") as output:
        process = subprocess.Popen([*command, *OPTIONS, tests], cwd=ROOT, env=variables, stdout=output, stderr=output)
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.terminate()  # what it has reached is stored
            process.wait(60)
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return lines[-1] if lines else f"exit {process.returncode}"


def environment() -> dict[str, str]:
    """Return the environment of all processes: where the data are, and rbd."""
    DATA.mkdir(exist_ok=True)
    return {**os.environ, "COVERAGE_FILE": str(DATA / "data"), "PYTHONPATH": str(ROOT)}


def coverage(*command: str) -> None:
    """Run a command of coverage.py."""
    subprocess.run([sys.executable, "-m", "coverage", *command], cwd=ROOT, env=environment(), check=True)


def print_missing(files: dict[str, Any]) -> None:
    """Print what no test reaches."""
    for path, found in sorted(files.items()):
        lines = ", ".join(map(str, found["missing_lines"]))
        branches = ", ".join(f"{a}->{b}" for a, b in found["missing_branches"] if b not in found["missing_lines"])
        if lines or branches:
            print(f"{path}: lines {lines or 'none'}; branches {branches or 'none'}")


def write_page(rows: Sequence[tuple[object, ...]], tests: Sequence[str]) -> None:
    """Write rows into the page: all, or those of packages whose own tests were run, beside what it has."""
    sys.path.insert(0, str(ROOT))
    from docs.page_tables import commit, known, put, table

    page, heading = ROOT / "docs" / "reliability.md", (*HEADING, "commit")
    chosen = {f"`{Path(each).name}`" for each in tests}
    before = {row[0]: row for row in known(page, "coverage")} if tests else {}
    found = {str(row[0]): (*row, commit()) for row in rows if not tests or row[0] in chosen}
    put(page, {"coverage": table(heading, list((before | found).values()))})


def package_rows(files: dict[str, Any]) -> list[tuple[object, ...]]:
    """Return a row per package, and one of all."""
    names = ("num_statements", "num_branches", "missing_lines", "missing_branches")
    sums: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(names, 0))
    for path, found in files.items():
        parts = Path(path).parts
        package = f"`{parts[1]}`" if len(parts) > 2 else "modules of `rbd`"
        for key in (package, "all"):
            for name in names:
                sums[key][name] += found["summary"][name]
    order = sorted(sums, key=lambda key: (key == "all", key))
    return [package_row(key, sums[key]) for key in order]


def package_row(key: str, counted: dict[str, int]) -> tuple[object, ...]:
    """Return the row of a package; coverage as coverage.py has it: statements and branches reached, of all."""
    total = counted["num_statements"] + counted["num_branches"]
    missed = counted["missing_lines"] + counted["missing_branches"]
    share = f"{100 * (total - missed) / max(1, total):.1f} %"
    return key, counted["num_statements"], counted["num_branches"], missed, share


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
