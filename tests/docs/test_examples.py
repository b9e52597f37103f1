"""Every example of the documentation runs, prints what it shows, and passes both type checkers in strict mode."""

from __future__ import annotations

from pathlib import Path

import pytest
from sybil.example import SybilFailure

from tests import checkers
from tests.docs import examples

RUN_FOR_LONG = ("docs/tutorials/learning-to-walk.md",)
"""Pages whose machine code runs for longer than it is optimised."""
PAGES = [
    pytest.param(page, marks=[pytest.mark.optimised] if examples.name_of(page) in RUN_FOR_LONG else [])
    for page in examples.pages()
]


@pytest.mark.parametrize("page", PAGES, ids=examples.name_of)
def test_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # what an example writes does not litter the repository
    examples.run_page(page)


@pytest.mark.parametrize("module", examples.modules(), ids=examples.name_of)
def test_docstrings_run(module: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for docstring in examples.docstrings(module):
        examples.run_docstring(docstring)


def test_examples_are_typed(type_report: checkers.Report) -> None:
    others = {checkers.ERRONEOUS_MODULE, checkers.MUST_PASS.name, checkers.MUST_FAIL.name}
    assert {name: found for name, found in type_report.items() if name not in others} == {}


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


def test_type_errors_are_found(type_report: checkers.Report) -> None:
    assert list(type_report[checkers.ERRONEOUS_MODULE]) == [4]
