"""Names, files and links that pages and docstrings mention exist."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from tests.docs.examples import ROOT

PAGES = [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/**/*.md"))]
PACKAGES = sorted(path for path in (ROOT / "rbd").iterdir() if path.suffix == ".py" or (path / "__init__.py").exists())
FORMER = {
    "rbd.algorithms.dynamics_result",
    "rbd.evaluation",
    "rbd.contact.solver",
    "rbd.kinematics.scalar_state",
    "rbd.mechanism.attach",
    "rbd.mjcf.mesh_files",
    "rbd.native.has_code",
    "rbd.scalars.Operations",
    "rbd.solvers.quadratic_program",
}
"""Names that the list of changes says have moved or are gone."""


def _prose(page: Path) -> str:
    """Return a page without its fenced blocks."""
    return re.sub(r"^ *```.*?^ *```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def _docstrings(package: Path) -> Iterator[str]:
    for path in [package] if package.is_file() else sorted(package.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                yield ast.get_docstring(node) or ""


def _exists(name: str) -> bool:
    """Return whether a dotted name is a module, or an attribute or annotated field of one."""
    module, _, last = name.rpartition(".")
    try:
        import_module(name)
    except ImportError:
        parent = _found(module)
        fields = {key for kind in getattr(parent, "__mro__", ()) for key in getattr(kind, "__annotations__", {})}
        return hasattr(parent, last) or last in fields
    return True


def _found(name: str) -> object:
    try:
        return import_module(name)
    except ImportError:
        module, _, last = name.rpartition(".")
        return getattr(_found(module), last, None) if module else None


def _unknown_names(text: str) -> list[str]:
    names = set(re.findall(r"`~?(rbd(?:\.\w+)+)", text)) - FORMER
    return sorted(name for name in names if not _exists(name))


def _missing_files(text: str, package: Path = ROOT / "rbd" / "algorithms") -> list[str]:
    """Return paths of files in backticks that are not below the repository, `rbd` or a package."""
    paths = set(re.findall(r"`(?:python3? )?((?:\w+/)+\w+\.(?:py|sh|toml|json|npz))\b", text))
    homes = (ROOT, ROOT / "rbd", package)
    return sorted(path for path in paths if not any((home / path).exists() for home in homes))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_names_files_and_links_of_a_page_exist(page: Path) -> None:
    text = _prose(page)
    links = re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", text)
    assert not _unknown_names(text)
    assert not _missing_files(text)
    assert not [
        link for link in links if not (page.parent / link).exists() and not (page.parent / f"{link}.md").exists()
    ]


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.stem)
def test_names_and_files_of_docstrings_exist(package: Path) -> None:
    text = "\n".join(_docstrings(package))
    assert not _unknown_names(text)
    assert not _missing_files(text, package)


def test_former_names_are_gone() -> None:
    assert not [name for name in sorted(FORMER) if _exists(name)]


def test_what_does_not_exist_is_found() -> None:
    assert _unknown_names("`rbd.MechanismState.q`, `rbd.Point.xyzw`, {func}`~rbd.nothing`") == [
        "rbd.Point.xyzw",
        "rbd.nothing",
    ]
    assert _missing_files("`rbd/errors.py`, `loops/close_loops.py`, `rbd/gone.py`") == ["rbd/gone.py"]


def _git(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)


def test_commits_of_measurements_exist() -> None:
    """Whoever squashes commits writes the one that is left into the tables."""
    if shutil.which("git") is None or _git("rev-parse", "--is-shallow-repository").stdout.strip() != "false":
        pytest.skip("needs the history")
    cell = re.compile(r"\| (?:before )?([0-9a-f]{8}) (?=\|)")
    named = {commit: page.name for page in PAGES for commit in cell.findall(page.read_text(encoding="utf-8"))}
    assert named
    assert {commit: page for commit, page in named.items() if _git("cat-file", "-e", commit).returncode} == {}
