"""Runs of mypy and pyright, one of each over all files that tests check: start-up takes most of their time."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from tests.docs import examples
from tests.docs.examples import ROOT

TYPING = ROOT / "tests" / "typing"
MUST_PASS, MUST_FAIL = TYPING / "must_pass.py", TYPING / "must_fail.py"
ERRONEOUS_PAGE = "# A page\n\n```python\nx: int = 'a'\n```\n"
"""A page with a mistake: that nothing is found elsewhere says something only if this one is."""
ERRONEOUS_MODULE = "page_erroneous.py"
Report = dict[str, dict[int, str]]
"""By name of the file and line, what a checker says."""


def write_modules(folder: Path) -> list[str]:
    """Write the examples of every page, and of the erroneous one, as modules; return all files to be checked."""
    erroneous = folder / "erroneous.md"
    erroneous.write_text(ERRONEOUS_PAGE, encoding="utf-8")
    for page in [*examples.pages(), erroneous]:
        (folder / f"{examples.module_name(page)}.py").write_text(examples.page_source(page), encoding="utf-8")
    return [str(path) for path in [*sorted(folder.glob("*.py")), MUST_PASS, MUST_FAIL]]


@cache
def mypy() -> Report:
    """Return what mypy says of these files in strict mode; what it says of others is no matter."""
    command = ["mypy", "--config-file", str(ROOT / "pyproject.toml")]
    command += ["--cache-dir", str(ROOT / ".mypy_cache" / "tests"), "--strict", "--follow-imports=silent"]
    command += ["--no-error-summary", "--hide-error-context", "--output=json"]
    with tempfile.TemporaryDirectory() as folder:
        entries = [json.loads(line) for line in _run(ROOT, *command, *write_modules(Path(folder))).splitlines()]
    return _sorted((e["file"], e["line"], e["message"]) for e in entries if e["severity"] == "error")


@cache
def pyright() -> Report:
    """Return what pyright says of these files in strict mode."""
    settings = {
        "extraPaths": [str(ROOT)],
        "stubPath": str(ROOT / "typings"),
        "typeCheckingMode": "strict",
        "pythonVersion": "3.11",
        "reportMissingTypeStubs": False,  # a page may use what has no types, such as SymPy
    }
    with tempfile.TemporaryDirectory() as folder:
        files = write_modules(Path(folder))
        (Path(folder) / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
        found = json.loads(_run(Path(folder), "pyright", "--pythonpath", sys.executable, "--outputjson", *files))
    assert found["summary"]["filesAnalyzed"] >= len(files)
    entries = found["generalDiagnostics"]
    return _sorted((e["file"], e["range"]["start"]["line"] + 1, e["message"]) for e in entries)


def _run(folder: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=600).stdout


def _sorted(entries: Iterable[tuple[str, int, str]]) -> Report:
    report: Report = {}
    for file, line, message in entries:
        report.setdefault(Path(file).name, {})[line] = message
    return report
