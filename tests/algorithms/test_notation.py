"""Sources and letters: every kernel cites its source, and algorithms use the identifiers of docs/notation.md."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import rbd

ROOT = Path(rbd.__file__).parents[1]
PAGE = (ROOT / "docs" / "notation.md").read_text(encoding="utf-8")
MODULES = sorted((ROOT / "rbd" / "algorithms").rglob("*.py"))

# Names, then the year, perhaps in parentheses: "Featherstone (2008), table 7.1".
CITATION = re.compile(r"(?P<names>[A-Z][^.():]{2,60}?),? \(?(?P<year>(?:18|19|20)\d\d)\b")
TABLE = PAGE.split("## Letters of the algorithms")[1].split("\n## ")[0]
BOOKS = PAGE.split("## Books")[1]


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def functions(path: Path) -> list[ast.FunctionDef]:
    return [node for node in ast.walk(tree_of(path)) if isinstance(node, ast.FunctionDef)]


def is_kernel(function: ast.FunctionDef) -> bool:
    return any(ast.unparse(decorator).split("(")[0] == "kernel" for decorator in function.decorator_list)


KERNELS = [(path, function) for path in MODULES for function in functions(path) if is_kernel(function)]
NAMES = [function.name for _, function in KERNELS]


def test_the_search_finds_the_kernels() -> None:
    assert len(KERNELS) > 30
    assert {"mass_matrix_kernel", "inverse_dynamics_kernel", "forward_dynamics_kernel"} <= set(NAMES)


def cited(path: Path, function: ast.FunctionDef) -> list[tuple[str, str]]:
    """Return the names and years that a function, or else its module, cites."""
    for node in (function, tree_of(path)):
        text = " ".join((ast.get_docstring(node) or "").split())
        found = [(m["names"], m["year"]) for m in CITATION.finditer(text)]
        if found:
            return found
    return []


@pytest.mark.parametrize(("path", "function"), KERNELS, ids=NAMES)
def test_every_kernel_cites_its_source(path: Path, function: ast.FunctionDef) -> None:
    assert cited(path, function)


def test_every_source_is_listed_on_the_notation_page() -> None:
    every = {source for path, function in KERNELS for source in cited(path, function)}
    listed = [line for line in BOOKS.split("\n- ") if line.strip()]
    missing = {source for source in every if not any(is_in(line, *source) for line in listed)}
    assert missing == set()


def is_in(line: str, names: str, year: str) -> bool:
    """Return whether a line of the bibliography has the year, and one of the names as an author."""
    authors = line.split("*")[0]
    return year in line and any(name in authors for name in re.findall(r"[A-Z][a-zö]{2,}", names))


def rows() -> list[tuple[str, list[str]]]:
    """Return the modules of the table of letters, each with its identifiers."""
    found: list[tuple[str, list[str]]] = []
    for line in TABLE.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| ") and cells[0] != "letter" and not cells[0].startswith("-"):
            modules = re.findall(r"`([\w/]+\.py)`", cells[-1])
            found += [(module, re.findall(r"`([\w]+)`", cells[1])) for module in modules]
    return found


def identifiers(path: Path) -> set[str]:
    """Return the names of variables, parameters and fields in a module."""
    names = {node.id for node in ast.walk(tree_of(path)) if isinstance(node, ast.Name)}
    names |= {node.arg for node in ast.walk(tree_of(path)) if isinstance(node, ast.arg)}
    return names | {node.attr for node in ast.walk(tree_of(path)) if isinstance(node, ast.Attribute)}


def test_the_table_of_letters_is_not_empty() -> None:
    assert len(rows()) > 20


@pytest.mark.parametrize(("module", "letters"), rows(), ids=[f"{m} {' '.join(n)}" for m, n in rows()])
def test_letters_of_the_notation_page_are_those_of_the_algorithms(module: str, letters: list[str]) -> None:
    assert letters
    assert set(letters) <= identifiers(ROOT / "rbd" / "algorithms" / module)


RIDDLES = {"drifts", "handles", "spare", "handed", "whirl", "bent", "felt", "sped", "turned", "moved", "swept"}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT / "rbd" / "algorithms").as_posix())
def test_algorithms_have_no_other_names_for_these_letters(path: Path) -> None:
    assert not RIDDLES & identifiers(path)
