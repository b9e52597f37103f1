"""Writer of a result: its arrays and the solution in them, stored from Python or written by machine code."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final, final

import attrs
import numpy as np

from rbd.algorithms.results.solution import COPIED_ARRAYS, ResultCall, ResultKernel, Solution
from rbd.atomic_calls import call_atomically
from rbd.engine.bound_builtin import bound_builtin
from rbd.engine.live_engine import LiveEngine
from rbd.indexing.layout import Layout
from rbd.scalars.arrays import Array
from rbd.spatial import Wrench

if TYPE_CHECKING:
    from rbd.recorder.recorded_kernel import RecordedKernel

_MAX_FAST_PATHS: Final = 64
"""Maximum number of fast paths of a result; above it, all are discarded."""


@final
@attrs.frozen(eq=False)
class ResultFastPath:
    """A fast path of a result: the machine code, and what it writes besides the arrays of the result."""

    index: int
    """Its index among the fast paths."""
    recorded: RecordedKernel
    copies: Mapping[str, Array]
    parameter_version: int
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
        return Solution(self.copies, external or None, self.parameter_version)


@final
class ResultWriter:
    """Writer of a result, which owns its arrays and its solution.

    A builtin writes all that belongs to a solution in one call, the index of its fast path and the count
    included, so that no interrupt comes between them. What `store` writes is stored in one call, too.
    """

    def __init__(self, layout: Layout) -> None:
        """Allocate the arrays."""
        self.layout = layout
        self.arrays = _zero_arrays(layout)
        self.stored: Solution | None = None
        """The last solution that was stored from Python or read; machine code writes later ones only."""
        self._initialize_fast_paths()

    def _initialize_fast_paths(self) -> None:
        self.builtins: dict[object, Callable[..., Any]] = {}
        """Builtins by the keys of calls; they return None after writing the arrays."""
        self._engine: LiveEngine | None = None
        """The state that fast paths read."""
        self._fast_paths: list[ResultFastPath] = []
        self._index_of_key: dict[object, int] = {}
        """Indices of the fast paths by the keys of calls."""
        self._last_index = np.zeros(1)
        """Index of the fast path whose builtin wrote last: float64, because builtins copy float64 arrays only."""
        self._written_count = array("q", [0])
        """Number of solutions written by machine code."""
        self._read_count = 0

    def __getstate__(self) -> tuple[Layout, dict[str, Array], Solution | None]:
        """Omit fast paths, which hold addresses of this process."""
        return self.layout, self.arrays, self.solution

    def __setstate__(self, content: tuple[Layout, dict[str, Array], Solution | None]) -> None:
        """Restore without fast paths."""
        self.layout, self.arrays, self.stored = content
        self._initialize_fast_paths()

    @property
    def solution(self) -> Solution | None:
        """The last solution, stored from Python or written by machine code; None if there is none yet."""
        self._read_solution()
        return self.stored

    def _read_solution(self) -> None:
        """Store the last solution that machine code has written, if it was not read yet."""
        if self._read_count != self._written_count[0]:
            path = self._fast_paths[int(self._last_index[0])]
            call_atomically(self._set_solution_calls(path.solution()))

    def store(
        self, arrays: Mapping[str, Array], solution: Solution, further_writes: Iterable[Callable[[], object]]
    ) -> None:
        """Store a solution and its arrays, and make further calls, all at once."""
        writes = [write for name, array in arrays.items() for write in self._array_writes(name, array)]
        call_atomically([*writes, *further_writes, *self._set_solution_calls(solution)])

    def _array_writes(self, name: str, array: Array) -> list[Callable[[], object]]:
        """Return the calls that store an array: in place if it holds floats."""
        buffer = self.arrays[name]
        if array.dtype == buffer.dtype:
            return [partial(buffer.__setitem__, ..., array)]
        self._close_fast_paths()  # they write to the previous buffer
        return [partial(self.arrays.__setitem__, name, array)]

    def _set_solution_calls(self, solution: Solution) -> list[Callable[[], object]]:
        """Return the calls that set the last solution: what machine code has written is read, or replaced."""
        values = {"_read_count": self._written_count[0], "stored": solution}
        return [partial(object.__setattr__, self, name, value) for name, value in values.items()]

    def open_fast_path(self, key: object, engine: LiveEngine, recorded: RecordedKernel, call: ResultCall) -> None:
        """Open a fast path: machine code writes solutions of a state to the arrays, if possible."""
        if self._is_open(key, engine, recorded):
            return
        if engine is not self._engine or len(self._fast_paths) >= _MAX_FAST_PATHS:
            self._close_fast_paths()
        self._engine = engine
        index = self._index_of_key.get(key, len(self._fast_paths))
        path = self._new_path(index, engine, recorded, call)
        builtin = self._builtin(engine, path, call.result_kernel)
        update = (
            partial(self.builtins.pop, key, None)
            if builtin is None
            else partial(self.builtins.__setitem__, key, builtin)
        )
        add_path = partial(self._fast_paths.__setitem__, slice(index, index + 1), (path,))  # or replaces it
        call_atomically([update, add_path, partial(self._index_of_key.__setitem__, key, index)])

    def _is_open(self, key: object, engine: LiveEngine, recorded: RecordedKernel) -> bool:
        """Return whether a fast path runs this program for this state, with the present parameters."""
        index = self._index_of_key.get(key)
        if index is None or engine is not self._engine:
            return False
        path = self._fast_paths[index]
        return (path.recorded, path.parameter_version) == (recorded, engine.mechanism.parameter_version)

    def _new_path(self, index: int, engine: LiveEngine, recorded: RecordedKernel, call: ResultCall) -> ResultFastPath:
        copies = {
            name: np.zeros_like(self.arrays[name])
            for name in COPIED_ARRAYS
            if name in ("q", "v", *call.result_kernel.names)
        }
        wrenches = np.zeros((len(call.frames), 6))
        return ResultFastPath(index, recorded, copies, engine.mechanism.parameter_version, call.frames, wrenches)

    def _builtin(
        self, engine: LiveEngine, path: ResultFastPath, result_kernel: ResultKernel
    ) -> Callable[..., Any] | None:
        """Return a builtin that writes solutions, or None."""
        buffers, index = engine.buffers, np.array([path.index], dtype=np.float64)
        sources, numbers = {**self.arrays, "q": buffers.q, "v": buffers.v}, np.zeros_like(path.wrenches)
        copies = [(buffers.q, self.arrays["q"]), (buffers.v, self.arrays["v"]), (index, self._last_index)]
        copies += [(sources[name], copy) for name, copy in path.copies.items()]
        if path.frames:
            copies.append((numbers, path.wrenches))
        targets = tuple(self.arrays[name] for name in result_kernel.names)
        arguments = (None,) * path.recorded.array_argument_count
        builtin = bound_builtin(buffers, path.recorded, arguments, targets, copies, self._written_count)
        return _with_wrenches(builtin, numbers) if builtin is not None and path.frames else builtin

    def _close_fast_paths(self) -> None:
        """Discard all fast paths; the solution in them is read first."""
        self._read_solution()
        self._engine = None
        self.builtins.clear()
        self._fast_paths.clear()
        self._index_of_key.clear()


def _with_wrenches(builtin: Callable[..., Any], copied: Array) -> Callable[..., Any]:
    """Return a builtin that keeps the numbers of external wrenches, its last argument, in `copied`."""
    flat = copied.reshape(-1)

    def call(torques: object, numbers: Array) -> Any:
        flat[:] = numbers
        return builtin(torques, numbers)

    return call


def _zero_arrays(layout: Layout) -> dict[str, Array]:
    """Return the arrays of an empty result."""
    nq, nv, nc = layout.nq, layout.nv, layout.nc
    return {
        "q": np.zeros(nq),
        "v": np.zeros(nv),
        "qd": np.zeros(nq),
        "vd": np.zeros(nv),
        "mass_matrix": np.zeros((nv, nv)),
        "dynamics_bias": np.zeros(nv),
        "passive_torques": np.zeros(nv),
        "constraint_jacobian": np.zeros((nc, nv)),
        "constraint_bias": np.zeros(nc),
        "multipliers": np.zeros(nc),
        "sd": np.zeros(layout.ns),
        "rank": np.zeros(()),
    }
