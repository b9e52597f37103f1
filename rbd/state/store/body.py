"""What a kernel is: the source of an algorithm under its name.

Room: state (internal); may import mechanism and above.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, final

import attrs


@final
@attrs.frozen(eq=False)
class Body:
    """The readable source of a kernel, and how it may be recorded."""

    name: str
    function: Callable[..., Any]
    regroup: bool = False
    """Whether it gives torques, masses and accelerations of joints only, so that inertias may be regrouped."""
    several: bool = False
    """Whether it gives a tuple of arrays, which are not to become one even where they could."""


_passes: dict[Callable[..., Any], Body] = {}


def pass_body(compute: Callable[..., Any]) -> Body:
    """Return a pass as a kernel."""
    found = _passes.get(compute)
    if found is None:
        found = _passes[compute] = Body(compute.__name__, compute)
    return found
