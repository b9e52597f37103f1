"""Tables of pages that scripts write: each stands between `<!-- table NAME -->` and `<!-- end -->`."""

from __future__ import annotations

import re
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
