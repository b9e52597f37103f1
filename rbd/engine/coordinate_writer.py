"""Writer of the coordinates of a live state: Python at first, a builtin that checks them after many writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import numpy as np

from rbd import native
from rbd.engine.bound_builtin import Builtin
from rbd.engine.live_buffers import OWNER, Q
from rbd.scalars.arrays import Array

if TYPE_CHECKING:
    from rbd.engine.live_engine import LiveEngine

WRITES_BEFORE_BUILTIN = 32
"""Number of writes of q or v in Python after which a builtin writes them."""


def _no_builtin(values: object) -> Any:
    """Return NotImplemented: coordinates are written in Python."""
    return NotImplemented


@final
class CoordinateWriter:
    """Writer of q or v."""

    __slots__ = ("_count", "_engine", "_which", "builtin")

    def __init__(self, engine: LiveEngine, which: int) -> None:
        """Set the coordinates to write, Q or V."""
        self._engine, self._which, self._count = engine, which, 0
        self.builtin: Builtin = _no_builtin
        """Checks and writes coordinates; returns NotImplemented where it does not."""

    def write(self, values: Array) -> None:
        """Write coordinates that are checked."""
        self._engine.buffers.write(self._which, values)
        self._count += 1
        if self.builtin is _no_builtin and self._count >= WRITES_BEFORE_BUILTIN and native.available():
            self.builtin = self._compiled_builtin()

    def _compiled_builtin(self) -> Builtin:
        """Return the builtin once there is machine code."""
        engine, which = self._engine, self._which
        executable = engine.kernels.coordinate_check(engine.mechanism, "q" if which == Q else "v")
        compiled = None if executable is None else executable.code_for_builtin()
        if compiled is None:
            return _no_builtin
        from rbd.native.builtins.builtin import Binding, make_builtin

        buffers, scratch = engine.buffers, tuple(np.zeros(port.shape) for port in compiled.outline.outputs[1:])
        targets = buffers.q if which == Q else buffers.v, *scratch
        guards, version = buffers.structure_guard(), buffers.word(which)
        binding = Binding(buffers.word(OWNER), guards, (None,), targets, (), version)
        return make_builtin(compiled, None, binding) or _no_builtin
