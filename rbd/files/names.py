"""Names in robot files: which are legal, and which known one is closest."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

from rbd.errors import quoted

_MAX_COMPARED: Final = 500


def name_problem(name: str, max_length: int) -> str | None:
    """Return the reason for which a name is refused; None for a legal one."""
    if not name or name.isspace():
        return "is empty"
    if len(name) > max_length:
        return f"has {len(name)} characters, at most {max_length} are read"
    if not name.isprintable():
        return "has control or invisible characters"
    if name != name.strip():
        return "begins or ends with a blank"
    return None


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Return the end of a message about an unknown name: "; did you mean ...?", or those that exist, or nothing."""
    # sets of words have another order in every process; names of a file are shown in its order
    ordered = sorted(names) if isinstance(names, (set, frozenset)) else names
    # bounded: names come from strangers, and difflib is quadratic in their length
    candidates = [other for other in ordered if abs(len(other) - len(name)) <= 8][:_MAX_COMPARED]
    near = get_close_matches(name, candidates, 1)
    if near:
        return f"; did you mean {quoted(near[0])}?"
    shown = ", ".join(map(quoted, candidates[:5]))
    return f"; there are {shown}{', ...' if len(candidates) > 5 else ''}" if shown else ""


def claim_name(name: str, taken: set[str]) -> str:
    """Return `name`, with as many "#" behind it as make it new, and put it among those taken."""
    while name in taken:
        name += "#"
    taken.add(name)
    return name
