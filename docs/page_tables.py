"""Tables of pages that scripts write: each stands between `<!-- table NAME -->` and `<!-- end -->`."""

from __future__ import annotations

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
