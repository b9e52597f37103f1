"""Fast paths of a result: machine code that writes its arrays."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final, final

import attrs
import numpy as np

from rbd.algorithms.results.solution import COPIED_ARRAYS, ResultCall, ResultKernel, Solution
from rbd.engine.bound_builtin import bound_builtin
from rbd.engine.live_engine import LiveEngine
from rbd.indexing.layout import Layout
from rbd.mechanism import Mechanism
from rbd.scalars.arrays import Array
from rbd.spatial import Wrench
from rbd.uninterrupted import run_uninterrupted

if TYPE_CHECKING:
    from rbd.recorder.recorded_kernel import RecordedKernel

_MAX_FAST_PATHS: Final = 64
"""Maximum number of fast paths of a result; above it, all are discarded."""


@final
@attrs.frozen(eq=False)
class ResultFastPath:
    """A fast path of a result: the machine code, and what it writes besides the arrays of the result."""

    number: int
    """Its place among the fast paths."""
    recorded: RecordedKernel
    copies: Mapping[str, Array]
    parameters: int
    frames: Mapping[Any, Any]
    """The frames of external wrenches, by body."""
    wrenches: Array
    """The numbers of the external wrenches of the last solution, (n, 6)."""

    def solution(self) -> Solution:
        """Return the last solution of this fast path."""
        rows: list[list[float]] = self.wrenches.tolist()
        external = {
            body: Wrench.trusted(frame, (a, b, c), (x, y, z))
            for (body, frame), (a, b, c, x, y, z) in zip(self.frames.items(), rows, strict=True)
        }
        return Solution(self.copies, external or None, self.parameters)


@final
class ResultWriter:
    """Writer of a result: machine code that writes its arrays.

    A builtin writes all that belongs to a solution in one call, its number and that of its fast path included, so that
    no interrupt comes between them.
    """

    def __init__(self, mechanism: Mechanism, layout: Layout, arrays: dict[str, Any]) -> None:
        """Initialise without fast paths."""
        self.mechanism = mechanism
        self.layout = layout
        self.arrays = arrays
        self.builtins: dict[object, Callable[..., Any]] = {}
        """Builtins by the keys of calls; they return None after writing the arrays."""
        self._engine: LiveEngine | None = None
        """The state that fast paths read."""
        self._fast_paths: dict[object, ResultFastPath] = {}
        self._last_path = np.zeros(1)
        """The number of the fast path of the last solution written by machine code."""
        self._counter = array("q", [0])
        """Number of solutions written by machine code."""
        self._read_count = 0

    def new_solution(self) -> Solution | None:
        """Return the solution that machine code has written since the last one that was marked as read, or None."""
        if self._read_count == self._counter[0]:
            return None
        return list(self._fast_paths.values())[int(self._last_path[0])].solution()

    def mark_read_call(self) -> Callable[[], None]:
        """Return a call that marks the solution written by machine code as read: it, or another one, is stored."""
        return partial(object.__setattr__, self, "_read_count", self._counter[0])

    def open_fast_path(self, key: object, engine: LiveEngine, recorded: RecordedKernel, call: ResultCall) -> None:
        """Open a fast path: machine code writes solutions of a state to the arrays, if possible."""
        if self._is_open(key, engine, recorded):
            return
        if engine is not self._engine or len(self._fast_paths) >= _MAX_FAST_PATHS:
            self.close_fast_paths()
        self._engine = engine
        number = self._fast_paths[key].number if key in self._fast_paths else len(self._fast_paths)
        path = self._new_path(number, recorded, call)
        builtin = self._builtin(engine, path, call.result_kernel)
        update = (
            partial(self.builtins.pop, key, None)
            if builtin is None
            else partial(self.builtins.__setitem__, key, builtin)
        )
        run_uninterrupted([update, partial(self._fast_paths.__setitem__, key, path)])

    def _is_open(self, key: object, engine: LiveEngine, recorded: RecordedKernel) -> bool:
        """Return whether a fast path runs this program for this state, with the present parameters."""
        path, version = self._fast_paths.get(key), self.mechanism.parameter_version
        return path is not None and engine is self._engine and (path.recorded, path.parameters) == (recorded, version)

    def _new_path(self, number: int, recorded: RecordedKernel, call: ResultCall) -> ResultFastPath:
        copies = {
            name: np.zeros_like(self.arrays[name])
            for name in COPIED_ARRAYS
            if name in ("q", "v", *call.result_kernel.names)
        }
        wrenches = np.zeros((len(call.frames), 6))
        return ResultFastPath(number, recorded, copies, self.mechanism.parameter_version, call.frames, wrenches)

    def _builtin(
        self, engine: LiveEngine, path: ResultFastPath, result_kernel: ResultKernel
    ) -> Callable[..., Any] | None:
        """Return a builtin that writes solutions, or None."""
        buffers = engine.buffers
        sources = {**self.arrays, "q": buffers.q, "v": buffers.v}
        further = ((buffers.q, self.arrays["q"]), (buffers.v, self.arrays["v"]), (_number(path), self._last_path))
        copies = (*further, *((sources[name], copy) for name, copy in path.copies.items()))
        targets = tuple(self.arrays[name] for name in result_kernel.names)
        arguments = (None,) * path.recorded.array_arguments
        if not path.frames:
            return bound_builtin(buffers, path.recorded, arguments, targets, copies, self._counter)
        numbers = np.zeros_like(path.wrenches)
        copies = (*copies, (numbers, path.wrenches))
        builtin = bound_builtin(buffers, path.recorded, arguments, targets, copies, self._counter)
        return None if builtin is None else _with_wrenches(builtin, numbers)

    def close_fast_paths(self) -> None:
        """Discard all fast paths; what they have written must have been read."""
        self._engine = None
        self.builtins.clear()
        self._fast_paths.clear()


def _number(path: ResultFastPath) -> Array:
    return np.array([path.number], dtype=np.float64)


def _with_wrenches(builtin: Callable[..., Any], copied: Array) -> Callable[..., Any]:
    """Return a builtin that keeps the numbers of external wrenches, its last argument, in `copied`."""
    flat = copied.reshape(-1)

    def call(torques: object, numbers: Array) -> Any:
        flat[:] = numbers
        return builtin(torques, numbers)

    return call
