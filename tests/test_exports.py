"""Public names equal tests/data/public_api.json, can be imported, and are documented."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import operator
import re
from pathlib import Path

import pytest

import rbd

ROOT = Path(__file__).resolve().parents[1]
API = json.loads((ROOT / "tests" / "data" / "public_api.json").read_text(encoding="utf-8"))
NAMES = sorted(API["rbd"])
MEMBERS = [(owner, name) for owner, names in API["members"].items() for name in names]
WHOLE = [owner for owner in API["members"] if owner not in API["partly listed"]["members"]]
"""Classes whose public members are all listed."""
INTERNAL = re.compile("^_|^trusted$|(?<!^from)_components$")
MODULES = API["modules"]
DOCUMENTED = set(
    re.findall(
        r"^\.\. auto(?:class|function|data|exception|module):: *([\w.]+)",
        "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").glob("**/*.md"))),
        re.MULTILINE,
    )
)


def test_public_names_equal_the_stored_list() -> None:
    assert sorted(set(rbd.__all__) - {"__version__"}) == NAMES


def test_type_checkers_see_the_public_names_and_modules() -> None:
    """Names stand twice in the package: in a table, and in imports that only type checkers follow."""
    tree = ast.parse(Path(rbd.__file__).read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module is not None]
    seen = {
        alias.asname: str(node.module)
        for node in imports
        for alias in node.names
        if str(node.module).startswith("rbd") and alias.asname == alias.name
    }
    names = {name for name, module in seen.items() if module != "rbd"}
    assert names == {*rbd.__all__, "compile"} - {"__version__"}
    modules = {name for name, module in seen.items() if module == "rbd"}
    assert modules == {*rbd._MODULES, *rbd._UNLISTED_MODULES}
    for name in names:
        assert getattr(rbd, name) is getattr(importlib.import_module(seen[name]), name)


def test_variables_of_its_loops_do_not_stay_in_the_package() -> None:
    assert [name for name in vars(rbd) if re.fullmatch("_[a-z]+", name)] == []


def test_public_names_are_sorted_and_unique() -> None:
    assert list(rbd.__all__) == sorted(set(rbd.__all__))


@pytest.mark.parametrize("name", rbd.__all__)
def test_name_exists(name: str) -> None:
    assert hasattr(rbd, name)


@pytest.mark.parametrize("name", [n for n in rbd.__all__ if n != "__version__"])
def test_name_has_a_docstring_of_its_own(name: str) -> None:
    thing = getattr(rbd, name)
    assert thing.__doc__
    assert not inspect.isclass(thing) or vars(thing).get("__doc__")  # not one inherited


@pytest.mark.parametrize("name", [n for n in rbd.__all__ if n != "__version__"])
def test_name_is_on_an_api_page(name: str) -> None:
    assert f"rbd.{name}" in DOCUMENTED


@pytest.mark.parametrize(("owner", "name"), MEMBERS)
def test_member_exists_and_is_described(owner: str, name: str) -> None:
    kind = operator.attrgetter(owner)(rbd)
    assert hasattr(kind, name) or name in kind.__annotations__
    member = inspect.getattr_static(kind, name, None)
    if callable(member) or isinstance(member, property | classmethod | staticmethod):
        assert name.startswith("__") or inspect.getdoc(getattr(kind, name))


@pytest.mark.parametrize("module", MODULES)
def test_every_promised_name_of_a_module_exists(module: str) -> None:
    loaded = importlib.import_module(module)
    missing = [n for n in MODULES[module] if not hasattr(loaded, n)]
    assert missing == []
    assert inspect.getdoc(loaded)


@pytest.mark.parametrize("module", ["rbd.simulation", "rbd.control", "rbd.compiled", "rbd.gym"])
def test_names_of_a_module_equal_the_stored_list(module: str) -> None:
    assert sorted(importlib.import_module(module).__all__) == sorted(MODULES[module])


@pytest.mark.parametrize("owner", WHOLE)
def test_members_equal_the_stored_list(owner: str) -> None:
    listed = {name for name in API["members"][owner] if not name.startswith("__")}
    kind = operator.attrgetter(owner)(rbd)
    assert {name for name in dir(kind) if not INTERNAL.search(name)} == listed


def test_star_import_shadows_no_builtin() -> None:
    assert not set(rbd.__all__) & set(dir(__builtins__))
