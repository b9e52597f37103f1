"""Tables of pages that scripts write: each stands between `<!-- table NAME -->` and `<!-- end -->`."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

Row = Sequence[object]


def table(heading: Row, rows: Sequence[Row]) -> str:
    """Return a table in Markdown; floats have two digits."""
    lines = [heading, ["---"] * len(heading), *rows]
    return "\n".join("| " + " | ".join(map(cell, line)) + " |" for line in lines)


def cell(value: object) -> str:
    """Return the text of a cell."""
    return f"{value:.1e}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)


def commit() -> str:
    """Return the commit of this copy of the repository, with a plus sign where rbd or its tests are others."""
    here = Path(__file__).resolve().parents[1]
    questions = (("rev-parse", "--short=8", "HEAD"), ("status", "--porcelain", "rbd", "tests"))
    runs = (subprocess.run(["git", *each], cwd=here, capture_output=True, text=True, check=False) for each in questions)
    name, changed = (run.stdout for run in runs)
    return f"{name.strip() or 'unknown'}{'+' if changed else ''}"


def known(page: Path, name: str) -> list[tuple[str, ...]]:
    """Return the rows that a table of a page has, as texts."""
    (body,) = re.findall(rf"<!-- table {name} -->\n(.*?)<!-- end -->", page.read_text(encoding="utf-8"), re.DOTALL)
    lines = [line.strip().removeprefix("| ").removesuffix(" |") for line in body.splitlines()[2:] if line.strip()]
    return [tuple(cell.strip() for cell in line.split(" | ")) for line in lines]


def put(page: Path, tables: Mapping[str, str]) -> None:
    """Replace tables of a page; raise KeyError for one that it has no place for."""
    text = page.read_text(encoding="utf-8")
    for name, content in tables.items():
        before, mark, rest = text.partition(f"<!-- table {name} -->\n")
        _, end, after = rest.partition("<!-- end -->")
        if not end:
            raise KeyError(name)
        text = f"{before}{mark}{content}\n{end}{after}"
    page.write_text(text, encoding="utf-8")
