"""Every class and function of the API pages has an example that runs."""

from __future__ import annotations

import importlib
import inspect
import re
from functools import cache

import pytest

from tests.docs.examples import ROOT, pages

API = "\n".join(path.read_text(encoding="utf-8") for path in sorted(ROOT.glob("docs/api/*.md")))
NAMES = sorted(set(re.findall(r"^\.\. auto(?:class|function):: (rbd\.[\w.]+)$", API, re.MULTILINE)))

ELSEWHERE = {f"rbd.bridges.jax_{name}": "jax" for name in ("dynamics", "function")}
ELSEWHERE |= {f"rbd.bridges.torch_{name}": "torch" for name in ("dynamics", "function", "step")}
"""Functions that need a package of an extra, whose examples are the tests for that package."""


@cache
def shown() -> set[str]:
    """Return the words of all Python blocks of the pages, which run."""
    blocks = (
        re.findall(r"^```python$(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
        for page in pages()
    )
    return {word for found in blocks for block in found for word in re.findall(r"\w+", block)}


def described(name: str) -> object:
    """Return what a dotted name means."""
    module, _, last = name.rpartition(".")
    try:
        return getattr(importlib.import_module(module), last)
    except ImportError:
        return getattr(described(module), last)


def has_example(thing: object) -> bool:
    """Return whether a docstring, its own or that of a method, has an example."""
    members = vars(thing).values() if inspect.isclass(thing) else ()
    return any(">>>" in (getattr(each, "__doc__", None) or "") for each in (thing, *members))


@pytest.mark.parametrize("name", NAMES)
def test_public_name_has_an_example(name: str) -> None:
    last = name.rpartition(".")[2]
    if name in ELSEWHERE:
        tests = (ROOT / "tests" / "export" / f"test_{ELSEWHERE[name]}.py").read_text(encoding="utf-8")
        assert re.search(rf"\b{last}\(", tests)
    else:
        assert has_example(described(name)) or last in shown()


def test_names_are_found() -> None:
    assert len(NAMES) > 200
    assert not has_example(test_names_are_found)
