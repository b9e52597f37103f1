"""Docstrings, also those of attributes, name the thing in their first line with the field's noun."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from tests.docs.examples import ROOT

VERBS = "return|yield|tell|tells|say|read|write|set|take|store|record|list|plot|measure"
PARAPHRASE = re.compile(rf"(({VERBS}) )?(what|how|where|when|which|who)\b", re.IGNORECASE)


def _first_lines(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            docstring = ast.get_docstring(node)
            if docstring:
                yield node.body[0].lineno, docstring.partition("\n")[0]


def _attributes(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the first lines of texts below assignments."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        body = getattr(node, "body", ())
        for before, after in pairwise(body if isinstance(body, list) else ()):
            match before, after:
                case ast.Assign() | ast.AnnAssign(), ast.Expr(value=ast.Constant(value=str(text))):
                    yield after.lineno, text.partition("\n")[0]
                case _:
                    pass


def _described_names() -> Iterator[tuple[str, str]]:
    page = (ROOT / "docs" / "api" / "names.md").read_text(encoding="utf-8")
    yield from re.findall(r"^\| `(\w+)` \| (.*) \|$", page, re.MULTILINE)


def test_no_first_line_of_a_docstring_paraphrases() -> None:
    paths = sorted((ROOT / "rbd").rglob("*.py"))
    lines = [(path.relative_to(ROOT), number, line) for path in paths for number, line in _first_lines(path)]
    assert len(lines) > 5000
    assert [each for each in lines if PARAPHRASE.match(each[2])] == []


def test_no_text_of_an_attribute_paraphrases() -> None:
    paths = sorted((ROOT / "rbd").rglob("*.py"))
    lines = [(path.relative_to(ROOT), number, line) for path in paths for number, line in _attributes(path)]
    assert len(lines) > 1000
    assert [each for each in lines if re.match(r"(what|how|where|which|who)\b", each[2], re.IGNORECASE)] == []


def test_no_description_of_a_public_name_paraphrases() -> None:
    assert [each for each in _described_names() if PARAPHRASE.match(each[1])] == []


@pytest.mark.parametrize(
    "line", ["What a joint stands on.", "Return how far loops are open.", "Where blocks are.", "Write where it is."]
)
def test_paraphrases_are_recognised(line: str) -> None:
    assert PARAPHRASE.match(line)


@pytest.mark.parametrize("line", ["Return whether a body floats.", "Whatsoever.", "Mass matrix, where loops are cut."])
def test_names_of_things_pass(line: str) -> None:
    assert not PARAPHRASE.match(line)
