"""Sources and letters: kernels, solvers and contacts cite sources; algorithms use the letters of docs/notation.md."""

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

# Names, then the year, perhaps in parentheses, perhaps after a journal: "Featherstone (2008), table 7.1".
CITATION = re.compile(r"(?P<names>[A-Z][^.():]{2,60}?),? (?:\((?:[A-Z][A-Za-z ]+ \d+, )?)?(?P<year>(?:18|19|20)\d\d)\b")
TABLE = PAGE.split("## Letters of the algorithms")[1].split("\n## ")[0]
BOOKS = PAGE.split("## Books")[1]


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def functions(path: Path) -> list[ast.FunctionDef]:
    return [node for node in ast.walk(tree_of(path)) if isinstance(node, ast.FunctionDef)]


def is_kernel(function: ast.FunctionDef) -> bool:
    return any(ast.unparse(decorator).split("(")[0] == "kernel" for decorator in function.decorator_list)


EVERY = [path for path in sorted((ROOT / "rbd").rglob("*.py")) if "@kernel" in path.read_text(encoding="utf-8")]
KERNELS = [(path, function) for path in EVERY for function in functions(path) if is_kernel(function)]
NAMES = [function.name for _, function in KERNELS]


def test_the_search_finds_the_kernels() -> None:
    assert len(KERNELS) > 30
    assert {"mass_matrix_kernel", "inverse_dynamics_kernel", "variational_iteration_kernel"} <= set(NAMES)


def sources(node: ast.FunctionDef | ast.Module) -> list[tuple[str, str]]:
    """Return the names and years that a docstring cites."""
    text = " ".join((ast.get_docstring(node) or "").split())
    return [(m["names"], m["year"]) for m in CITATION.finditer(text)]


def cited(path: Path, function: ast.FunctionDef) -> list[tuple[str, str]]:
    """Return the names and years that a function, or else its module, cites."""
    return sources(function) or sources(tree_of(path))


@pytest.mark.parametrize(("path", "function"), KERNELS, ids=NAMES)
def test_every_kernel_cites_its_source(path: Path, function: ast.FunctionDef) -> None:
    assert cited(path, function)


SOLVERS = [path for path in sorted((ROOT / "rbd" / "solvers").rglob("*.py")) if path.name != "__init__.py"]
NO_METHOD = {"intervals", "operands", "row_pattern", "scaling", "workspace"}
"""Modules of solvers without a published method: operands, units, sparsity, arrays."""
CONTACT = ROOT / "rbd" / "contact"
METHODS = [
    "geometry/box_distance",
    "geometry/clipped_polygons",
    "geometry/convex_features",
    "geometry/ellipsoid_distance",
    "geometry/segment_distance",
    "geometry/simplices",
    "geometry/support_polygons",
    "model/broad_phase",
    "dynamics/accelerations/coulomb",
    "dynamics/accelerations/repeated_programs",
    "dynamics/gauss_principle",
    "dynamics/friction_cone",
    "dynamics/impacts",
    "stepping/spring_rows",
    "stepping/derivatives",
    "stepping/problem",
    "stepping/transport",
]
"""Modules of contacts that have published methods."""


def cited_by_module(path: Path) -> list[tuple[str, str]]:
    """Return the names and years that a module, or else its package, cites."""
    return sources(tree_of(path)) or sources(tree_of(path.with_name("__init__.py")))


@pytest.mark.parametrize("path", SOLVERS, ids=lambda path: path.relative_to(ROOT / "rbd" / "solvers").as_posix())
def test_every_solver_cites_its_source(path: Path) -> None:
    assert bool(cited_by_module(path)) or path.stem in NO_METHOD


@pytest.mark.parametrize("module", METHODS)
def test_published_methods_of_contacts_cite_their_sources(module: str) -> None:
    assert sources(tree_of(CONTACT / f"{module}.py"))


def test_intrinsics_of_contacts_have_published_methods() -> None:
    """But for the look-up in a table."""
    found = {
        path.relative_to(CONTACT).with_suffix("").as_posix()
        for path in CONTACT.rglob("*.py")
        if "= Intrinsic(" in path.read_text(encoding="utf-8")
    }
    assert len(found) > 3
    assert found - set(METHODS) == {"geometry/height_lookup"}


def test_every_source_is_listed_on_the_notation_page() -> None:
    every = {source for path, function in KERNELS for source in cited(path, function)}
    every |= {source for path in SOLVERS for source in cited_by_module(path)}
    every |= {source for module in METHODS for source in sources(tree_of(CONTACT / f"{module}.py"))}
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
