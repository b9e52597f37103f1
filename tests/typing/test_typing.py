"""mypy --strict and pyright (strict) find every planted frame mistake, and accept everything that is right."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from rbd.errors import FrameMismatchError

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
MUST_PASS, MUST_FAIL = HERE / "must_pass.py", HERE / "must_fail.py"
FEWEST_MISTAKES = 100
Report = dict[tuple[str, int], str]


def run(*arguments: str) -> str:
    command = [sys.executable, "-m", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=600).stdout


def mypy_report() -> Report:
    """Return what mypy says, by file and line."""
    options = ("--strict", "--follow-imports=silent", "--no-error-summary", "--hide-error-context", "--output=json")
    lines = [json.loads(line) for line in run("mypy", *options, str(MUST_PASS), str(MUST_FAIL)).splitlines()]
    return {(Path(e["file"]).name, e["line"]): e["message"] for e in lines if e["severity"] == "error"}


def pyright_report() -> Report:
    """Return what pyright says, by file and line."""
    found = json.loads(run("pyright", "--outputjson", str(MUST_PASS), str(MUST_FAIL)))
    assert found["summary"]["filesAnalyzed"] >= 2
    entries = found["generalDiagnostics"]
    return {(Path(e["file"]).name, e["range"]["start"]["line"] + 1): e["message"] for e in entries}


@pytest.fixture(scope="module", params=[mypy_report, pyright_report], ids=["mypy", "pyright"])
def report(request: pytest.FixtureRequest) -> Report:
    result: Report = request.param()
    return result


def marked_lines() -> set[int]:
    lines = MUST_FAIL.read_text(encoding="utf-8").splitlines()
    return {number for number, line in enumerate(lines, 1) if line.endswith("  # E")}


def test_enough_mistakes_are_planted() -> None:
    assert len(marked_lines()) >= FEWEST_MISTAKES


def test_every_mistake_is_found(report: Report) -> None:
    found = {line for name, line in report if name == MUST_FAIL.name}
    assert marked_lines() - found == set()


def test_nothing_else_is_reported(report: Report) -> None:
    marked = {(MUST_FAIL.name, line) for line in marked_lines()}
    assert {where: message for where, message in report.items() if where not in marked} == {}


def test_the_examples_run() -> None:
    """What the checkers accept works; the values themselves are tests of their own."""
    from tests.typing import must_pass

    for check in (must_pass.transforms, must_pass.literals, must_pass.points_and_vectors, must_pass.motions):
        check()
    must_pass.forces()
    must_pass.matrices()
    must_pass.comparison()


def test_the_check_at_run_time_sees_what_types_cannot() -> None:
    """Values without tags pass the checkers; their frames are compared all the same."""
    from tests.typing import must_pass

    with pytest.raises(FrameMismatchError):
        must_pass.frames_born_at_run_time(["a", "b", "c"])
