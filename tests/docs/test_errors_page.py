"""The page of errors has a section for every code, and its example raises that error."""

from __future__ import annotations

import inspect
import re

import pytest

from rbd import errors
from tests.docs.examples import ROOT

PAGE = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
KINDS = [k for k in vars(errors).values() if inspect.isclass(k) and issubclass(k, errors.RbdError)]
CODES = {kind.code: kind for kind in KINDS if kind is not errors.RbdError}
# Raising these takes a machine without memory, and minutes; file, urdf and mjcf are the bases of those below them.
WITHOUT_EXAMPLE = {"workspace", "recording-limit", "missing-package", "file", "urdf", "mjcf"}


def section(code: str) -> str:
    """Return the text below the heading of a code."""
    _, _, rest = PAGE.partition(f"# `{code}`\n")
    return re.split(r"^#+ `", rest, maxsplit=1, flags=re.MULTILINE)[0]


def test_codes_are_unique() -> None:
    assert len(CODES) == len(KINDS) - 1


def test_there_is_no_section_without_an_error() -> None:
    assert set(re.findall(r"^#+ `([\w-]+)`$", PAGE, re.MULTILINE)) == set(CODES)


@pytest.mark.parametrize("code", CODES)
def test_section_names_the_error(code: str) -> None:
    assert f"`{CODES[code].__name__}`" in section(code)


@pytest.mark.parametrize("code", sorted(set(CODES) - WITHOUT_EXAMPLE))
def test_section_raises_the_error(code: str) -> None:
    text = section(code)
    assert f"except {CODES[code].__name__} as error" in text
    assert re.search(rf"^#> {code}\b", text, re.MULTILINE)


def test_errors_without_an_example_have_none() -> None:
    assert not any("```" in section(code) for code in WITHOUT_EXAMPLE)
