"""States and results as text: a line of sizes, then a line per joint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rbd.display import numbers, table
from rbd.indexing.layout import Layout


def joint_table(kind: str, layout: Layout, values: Mapping[str, Sequence[Any]], remark: str = "") -> str:
    """Return a table of arrays of q or v by joint; `values` are named after what they are."""
    sizes = f"nq = {layout.nq}, nv = {layout.nv}" + (f", nc = {layout.nc}" if layout.is_constrained else "")
    title = f"{kind} of {layout.bodies[0].name!r}: {len(layout.bodies)} bodies, {sizes}{remark}"
    columns = {name: tuple(x) for name, x in values.items()}
    rows: list[list[str]] = []
    for node in layout.nodes:
        parts = ((name, column[node.q if name == "q" else node.v]) for name, column in columns.items())
        if node.joint.nv:
            rows.append([node.joint.name, *(f"{name} = {numbers(part)}" for name, part in parts)])
    return table(title, rows)
