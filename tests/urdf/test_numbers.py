"""One grammar for numbers: what it takes, what it refuses, under every locale."""

from __future__ import annotations

import math
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rbd.errors import FileError
from rbd.files.formats import URDF
from rbd.files.numbers import numbers_in
from rbd.files.xml import XmlElement
from rbd.urdf import format_urdf, load_urdf
from tests.urdf.files import ARM, HERE


def read(text: str) -> float:
    """What an attribute with this text is read as."""
    (value,) = numbers_in(URDF, XmlElement("limit", {"lower": text}, 1, 1, "f.urdf"), "lower", 1, 1)
    return value


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_finite_float_is_read_back_exactly(value: float) -> None:
    found = read(repr(value))
    assert found == value
    assert math.copysign(1.0, found) == math.copysign(1.0, value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1.0),
        ("+1.", 1.0),
        (".5", 0.5),
        ("-.5E+1", -5.0),
        ("007", 7.0),
        (" 2\t", 2.0),
        ("1e-400", 0.0),
        ("\n3", 3.0),
    ],
)
def test_spellings(text: str, value: float) -> None:
    assert read(text) == value


@given(st.text(st.sampled_from("0123456789+-.eE _,xnaif٣\u00a0\t"), max_size=8))
@example("1_0")
@example("nan")
@example("١")
def test_nothing_but_the_grammar_is_read(text: str) -> None:
    legal = re.fullmatch(r"[ \t]*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?[ \t]*", text, re.ASCII)
    if legal and math.isfinite(float(text)):
        assert read(text) == float(text)
    else:
        with pytest.raises(FileError):
            read(text)


def test_the_largest_float_is_the_last() -> None:
    assert read("1.7976931348623157e308") == sys.float_info.max
    with pytest.raises(FileError, match="too large"):
        read("1.8e308")


PROGRAM = """
import locale, sys
locale.setlocale(locale.LC_ALL, "")
assert locale.localeconv()["decimal_point"] == ",", "the locale is not active"
from rbd.urdf import format_urdf, load_urdf
sys.stdout.write(format_urdf(load_urdf(sys.argv[1])))
"""


@pytest.mark.skipif(shutil.which("localedef") is None, reason="needs localedef to make a locale with decimal commas")
def test_a_locale_with_decimal_commas_changes_nothing(tmp_path: Path) -> None:
    made = subprocess.run(
        ["localedef", "-i", "de_DE", "-f", "UTF-8", str(tmp_path / "de_DE.UTF-8")], capture_output=True, check=False
    )
    if made.returncode > 1:
        pytest.skip("the sources of the German locale are not installed")
    root = HERE.parents[1]
    environment = {**os.environ, "LC_ALL": "de_DE.UTF-8", "LOCPATH": str(tmp_path), "PYTHONPATH": str(root)}
    run = [sys.executable, "-c", PROGRAM, str(ARM)]
    written = subprocess.run(run, env=environment, capture_output=True, check=True, encoding="utf-8").stdout
    assert written == format_urdf(load_urdf(ARM))
