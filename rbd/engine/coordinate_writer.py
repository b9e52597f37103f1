"""Writing of coordinates by machine code: the program that checks and copies them, bound to a state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from rbd.engine.bound_builtin import Builtin
from rbd.engine.live_buffers import OWNER, LiveBuffers, Q
from rbd.indexing.layout import Layout
from rbd.program.program import Program
from rbd.program.recording import recording
from rbd.scalars import absolute, positive

if TYPE_CHECKING:
    from rbd.native.compiled_program import CompiledProgram

_NEAR: Final = 1.75 * float(np.finfo(np.float64).eps)
"""Tolerance of norms: within it, the Python path, which rounds differently, leaves coordinates unchanged."""


def coordinate_check_program(layout: Layout, name: Literal["q", "v"]) -> Program | None:
    """Return a program that copies q or v and checks it: finite, and quaternions of norm one; None for no coordinates.

    Its tolerance of norms is stricter than that of the Python path, which handles the rest.
    """
    size = layout.nq if name == "q" else layout.nv
    if not size:
        return None
    with recording() as graph:
        values = graph.input(name, (size,))
        outputs: dict[str, object] = {"copy": values}
        if name == "q":
            kinds = [(node.joint.type, values[node.q]) for node in layout.nodes if node.joint.nq != node.joint.nv]
            slack = tuple(positive(_NEAR - absolute(kind.normalization_error(q)), "slack") for kind, q in kinds)
            outputs |= {"slack": slack} if slack else {}
        return Program.of(graph, f"set_{name}", outputs)


def no_builtin(values: object) -> Any:
    """Return NotImplemented: coordinates are written in Python."""
    return NotImplemented


def coordinate_writer(buffers: LiveBuffers, compiled: CompiledProgram, which: int) -> Builtin:
    """Return a builtin that checks coordinates (Q or V) and writes them to a state; else it returns NotImplemented."""
    from rbd.native.builtins.builtin import Binding, make_builtin

    scratch = tuple(np.zeros(port.shape) for port in compiled.outline.outputs[1:])
    target = buffers.q if which == Q else buffers.v
    owner, version, guards = buffers.word(OWNER), buffers.word(which), buffers.topology_guard()
    binding = Binding(owner, guards, (None,), (target, *scratch), (), version)
    return make_builtin(compiled, None, binding) or no_builtin
