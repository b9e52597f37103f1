"""Cycles of names: of links and their parents, of joints that mimic each other."""

from __future__ import annotations

from typing import Final

from rbd.errors import quoted

MAX_SHOWN: Final = 12
"""Names that a message lists."""


def find_cycle(step: dict[str, str]) -> list[str]:
    """Return the names on the first cycle of a map from names to names, in the order of its steps; empty if none."""
    finished: set[str] = set()
    for start in step:
        trail: dict[str, None] = {}
        name = start
        while name in step and name not in finished and name not in trail:
            trail[name] = None
            name = step[name]
        if name in trail:
            names = list(trail)
            return names[names.index(name) :]
        finished.update(trail)
    return []


def cycle_text(cycle: list[str]) -> str:
    """Return a cycle as text; a long one with its middle left out."""
    names = [quoted(name) for name in cycle[:MAX_SHOWN]]
    omitted = [f"... ({len(cycle) - MAX_SHOWN} more)"] if len(cycle) > MAX_SHOWN else []
    return " -> ".join([*names, *omitted, quoted(cycle[0])])
