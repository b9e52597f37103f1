"""Every example of the documentation runs, prints what it shows, and passes both type checkers in strict mode."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from sybil.example import SybilFailure

from tests.docs import examples
from tests.docs.examples import ROOT


@pytest.mark.parametrize("page", examples.pages(), ids=examples.name_of)
def test_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # what an example writes does not litter the repository
    examples.run_page(page)


@pytest.mark.parametrize("module", examples.modules(), ids=examples.name_of)
def test_docstrings_run(module: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for docstring in examples.docstrings(module):
        examples.run_docstring(docstring)


def write_modules(pages: Iterable[Path], folder: Path) -> None:
    for page in pages:
        (folder / f"{examples.module_name(page)}.py").write_text(examples.page_source(page), encoding="utf-8")


def mypy(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run mypy on the modules of a folder; only their own errors count."""
    command = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml")]
    command += ["--follow-imports=silent", "--cache-dir", str(ROOT / ".mypy_cache" / "docs"), str(folder)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def pyright(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run pyright in strict mode on the modules of a folder."""
    settings = {
        "include": ["."],
        "extraPaths": [str(ROOT)],
        "stubPath": str(ROOT / "typings"),
        "typeCheckingMode": "strict",
        "pythonVersion": "3.11",
        "reportMissingTypeStubs": False,  # a page may use what has no types, such as SymPy
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "--project", str(folder)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


CHECKERS = [mypy, pyright]


@pytest.mark.parametrize("checker", CHECKERS)
def test_examples_are_typed(checker: object, tmp_path: Path) -> None:
    write_modules(examples.pages(), tmp_path)
    assert callable(checker)
    result = checker(tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr


# -- the harness itself -----------------------------------------------------------------------------------------------


def page(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "page.md"
    path.write_text("# A page\n\n```python\n" + "\n".join(lines) + "\n```\n", encoding="utf-8")
    return path


def test_right_output_passes(tmp_path: Path) -> None:
    examples.run_page(page(tmp_path, "print(1 / 3)", "#> 0.333", "print('a\\n\\nb')", "#> a", "#>", "#> b"))


@pytest.mark.parametrize("shown", [[], ["#> 2"], ["#> 1", "#> 1"]], ids=["none", "wrong", "too much"])
def test_wrong_output_fails(tmp_path: Path, shown: list[str]) -> None:
    with pytest.raises(SybilFailure, match="line 4 prints"):
        examples.run_page(page(tmp_path, "print(1)", *shown))


def test_comments_alone_pass(tmp_path: Path) -> None:
    examples.run_page(page(tmp_path, "# pyright: basic"))


def test_missing_output_fails(tmp_path: Path) -> None:
    with pytest.raises(SybilFailure, match="nothing"):
        examples.run_page(page(tmp_path, "x = 1", "#> 1"))


def test_update_writes_what_is_printed(tmp_path: Path) -> None:
    path = page(tmp_path, "for i in range(2):", "    print(i)", "#> 7", "print('...')", "x = 1")
    assert examples.update(path) == 2
    assert path.read_text(encoding="utf-8").splitlines()[3:10] == [
        "for i in range(2):",
        "    print(i)",
        "#> 0",
        "#> 1",
        "print('...')",
        "#> ...",
        "x = 1",
    ]
    examples.run_page(path)


def test_update_leaves_out_digits_that_do_not_last(tmp_path: Path) -> None:
    path = page(tmp_path, "print(0.1 + 0.2, 3 - 2**-50, 1 / 3e10, 0.25)")
    assert examples.update(path) == 1
    assert path.read_text(encoding="utf-8").splitlines()[4] == "#> 0.3 3.0 3.33333e-11 0.25"
    examples.run_page(path)


def test_tracebacks_name_the_line_of_the_page(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        examples.run_page(page(tmp_path, "x = 0", "1 / x"))
    assert caught.traceback[-1].lineno == 4  # counted from 0


@pytest.mark.parametrize("checker", CHECKERS)
def test_type_errors_are_found(checker: object, tmp_path: Path) -> None:
    (tmp_path / "modules").mkdir()
    write_modules([page(tmp_path, "x: int = 'a'")], tmp_path / "modules")
    assert callable(checker)
    result = checker(tmp_path / "modules")
    assert result.returncode == 1
    assert "page_page.py:4:" in result.stdout
