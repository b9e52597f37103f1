"""Everything a public module exports is on a page of the reference."""

from __future__ import annotations

import importlib
import re

import pytest

from tests.docs.examples import ROOT

MODULES = [
    *("algorithms", "contact", "joints", "mechanism", "robots", "scalars", "simulation", "spatial", "testing", "urdf"),
    *("gym", "rollout", "viz"),
]
PAGES = "\n".join(path.read_text(encoding="utf-8") for path in sorted(ROOT.glob("docs/api/*.md")))
WHOLE = set(re.findall(r"^\.\. automodule:: rbd\.(\w+)$\n   :imported-members:", PAGES, re.MULTILINE))
NAMES = [
    f"{module}.{name}"
    for module in MODULES
    for name in importlib.import_module(f"rbd.{module}").__all__
    if module not in WHOLE
]


@pytest.mark.parametrize("name", NAMES)
def test_name_is_on_a_page(name: str) -> None:
    _, last = name.split(".")
    directive = rf"^\.\. auto\w+:: rbd\.(\w+\.)*{last}$"
    assert re.search(directive, PAGES, re.MULTILINE) or re.search(rf"`(rbd\.\w+\.)?{last}`", PAGES)


def test_whole_modules_are_those_meant() -> None:
    assert {"robots", "testing"} == WHOLE
