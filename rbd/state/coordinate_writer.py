"""Coordinates on their way into a state, as a program."""

from __future__ import annotations

from typing import Final, Literal

import numpy as np

from rbd.program.graph import Graph
from rbd.program.program import Program
from rbd.scalars import absolute, positive
from rbd.state.layout import Layout

_NEAR: Final = 1.75 * float(np.finfo(np.float64).eps)
"""So close to norm 1, the long way, whose rounding may differ by 2.5 epsilon, finds it within the 4 it leaves alone."""


def writing_program(layout: Layout, name: Literal["q", "v"]) -> Program | None:
    """Return what copies q or v and checks it: finite, and of norm one where that is wanted; None if there is nothing.

    It accepts less than the long way does: what is barely normalised is for that to decide.
    """
    graph = Graph()
    size = layout.nq if name == "q" else layout.nv
    values = graph.input(name, (size,))
    outputs: dict[str, object] = {"copy": values}
    if name == "q":
        kinds = [(link.joint.type, values[link.q]) for link in layout.links if link.joint.nq != link.joint.nv]
        slack = tuple(positive(_NEAR - absolute(kind.normalization_error(q)), "slack") for kind, q in kinds)
        outputs |= {"slack": slack} if slack else {}
    return Program.of(graph, f"set_{name}", outputs) if size else None
