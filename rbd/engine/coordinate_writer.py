"""Writing of coordinates by machine code, which checks them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rbd.engine.bound_builtin import Builtin
from rbd.engine.live_buffers import OWNER, LiveBuffers, Q

if TYPE_CHECKING:
    from rbd.native.compiled_program import CompiledProgram


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
