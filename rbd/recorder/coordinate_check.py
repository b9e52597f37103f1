"""Program that checks coordinates and copies them, with which machine code writes those of live states."""

from __future__ import annotations

from typing import Final, Literal

import numpy as np

from rbd.indexing.layout import Layout
from rbd.program.program import Program
from rbd.program.recording import recording
from rbd.scalars import absolute, positive

_NORM_TOLERANCE: Final = 1.75 * float(np.finfo(np.float64).eps)
"""Tolerance of norms: within it, the Python path, which rounds differently, leaves coordinates unchanged."""


def coordinate_check_program(layout: Layout, name: Literal["q", "v"]) -> Program | None:
    """Return a program that copies q or v and checks it: finite, and quaternions of norm one; None for no coordinates.

    Its tolerance of norms is stricter than that of the Python path, which handles the rest.
    """
    size = layout.nq if name == "q" else layout.nv
    if not size:
        return None
    normalized = [node for node in layout.nodes if name == "q" and node.joint.nq != node.joint.nv]
    with recording() as graph:
        values = graph.input(name, (size,))
        outputs: dict[str, object] = {"copy": values}
        if normalized:
            errors = (node.joint.type.normalization_error(values[node.q_slice]) for node in normalized)
            outputs["slack"] = tuple(positive(_NORM_TOLERANCE - absolute(error), "slack") for error in errors)
        return Program.of(graph, f"set_{name}", outputs)
