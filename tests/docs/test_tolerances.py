"""The table of tolerances of solvers has all of them, with their values."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

from rbd.scalars import to_float
from tests.docs.examples import ROOT

SOLVERS = ROOT / "rbd" / "solvers"
ROW = re.compile(r"^\| ((?:\w+/)*\w+\.py) \| (\w+) \| (\S+) \|", re.MULTILINE)
CONSTANT = re.compile(r"^(_?[A-Z][A-Z_]+): Final = (?:const\(1, 10|\d.*e-\d)", re.MULTILINE)


def value_of(file: Path, name: str) -> float:
    module = import_module(".".join(("rbd", "solvers", *file.relative_to(SOLVERS).with_suffix("").parts)))
    return to_float(getattr(module, name))


def test_the_table_of_tolerances_is_that_of_the_sources() -> None:
    page = (ROOT / "docs" / "contact-solvers.md").read_text(encoding="utf-8")
    shown = {(file, name): float(value) for file, name, value in ROW.findall(page)}
    found = {
        (file.relative_to(SOLVERS).as_posix(), name): value_of(file, name)
        for file in SOLVERS.rglob("*.py")
        for name in CONSTANT.findall(file.read_text(encoding="utf-8"))
    }
    assert len(found) > 30
    assert shown == found
