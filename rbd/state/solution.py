"""Solutions of the equations of motion: kernels that write the arrays of a result, and their fast paths."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, final

import attrs
import numpy as np
from typing_extensions import override

from rbd.engine.live_engine import LiveEngine
from rbd.kinematics.engine_interface import Call
from rbd.kinematics.kernel import Kernel
from rbd.kinematics.layout import Layout
from rbd.kinematics.queries import State
from rbd.kinematics.state_view import StateView
from rbd.mechanism import Mechanism
from rbd.scalars import Scalar, Vector
from rbd.scalars.arrays import Array
from rbd.spatial import Wrench

if TYPE_CHECKING:
    from rbd.engine.recorded_kernel import RecordedKernel
    from rbd.state.result import DynamicsResult

_MAX_FAST_PATHS: Final = 64
"""Maximum number of fast paths of a result; above it, all are discarded."""
BodyWrenchesOf = Callable[[StateView], "tuple[Wrench[Any], ...]"]
"""Returns the joint wrenches of a state: one per body, applied by its joint, in its frame."""
Contacts = Sequence["Wrench[Any] | None"]


@final
@attrs.frozen(eq=False)
class LoopReactions:
    """The loop constraints of a solution."""

    multipliers: Vector
    """One per constraint."""
    wrenches: BodyWrenchesOf
    """Returns the wrenches of the loop joints on their successors, for a state (in the root frame)."""


@final
@attrs.frozen(eq=False)
class ReactionSolver:
    """Functions that compute joint wrenches and loop reactions of a solution."""

    inputs: tuple[str, ...]
    """The arrays that are copied, independent of writes of callers to the result; vd is the first."""
    solve: Callable[..., tuple[BodyWrenchesOf, LoopReactions | None]]
    """Returns the functions for joint wrenches and loop reactions, from external wrenches (a mapping, or as kernels
    take them) and the copied arrays."""


@final
@attrs.frozen(eq=False)
class SolvingKernel:
    """A kernel of torques and external wrenches whose outputs are arrays of a result."""

    kernel: Kernel[..., Any]
    names: tuple[str, ...]
    """The arrays of the result for the outputs."""
    reactions: ReactionSolver


@final
@attrs.frozen(eq=False)
class Solution:
    """A solution, as stored by a result."""

    reactions: ReactionSolver
    kept: tuple[Any, ...]
    """Copies of q, v, and the inputs of the reactions."""
    external: object
    parameters: int
    """The version of the mechanism's parameters."""
    contacts: Contacts = ()


@final
@attrs.frozen(eq=False)
class SolveCall(Call["DynamicsResult"]):
    """The call that `dynamics` returns: a solver with arguments, for a state."""

    solver: SolvingKernel
    state: State[Any]
    args: tuple[Any, ...]
    external: object = None
    frames: Mapping[Any, Any] = attrs.field(factory=dict[Any, Any])
    """The bodies with external wrenches, or their names, with the frames of the wrenches."""
    contacts: Contacts = ()
    extra: Mapping[str, Sequence[Scalar]] = attrs.field(factory=dict[str, "Sequence[Scalar]"])
    """Further arrays of the result, by name."""

    @override
    def run(self, owner: DynamicsResult, key: object = None, count: int = 0) -> DynamicsResult:
        """Solve, and write a result; open a fast path under `key` once there is machine code."""
        result = owner
        engine = self.state.engine
        shapes = {name.replace("_", " "): result.engine.arrays[name].shape for name in self.solver.names}
        found = engine.arrays(self.state, self.solver.kernel, self.args, shapes)
        arrays = dict(zip(self.solver.names, found, strict=True))
        result.take(self.state, self.solver.reactions, {**arrays, **self.extra}, self.external, self.contacts)
        if key is not None and not self.contacts and isinstance(engine, LiveEngine):
            recorded = engine.recorded(self.solver.kernel, self.args)
            if recorded is not None and recorded.array_arguments == count:
                result.engine.open_fast_path(key, engine, recorded, self)
        return result


@final
@attrs.frozen(eq=False)
class FastPath:
    """A fast path of a result: the machine code, and the buffers of its copies."""

    recorded: RecordedKernel
    reactions: ReactionSolver
    kept: tuple[Array, ...]
    parameters: int
    frames: Mapping[Any, Any]
    """The frames of external wrenches, by body."""


@final
class ResultWriter:
    """Engine of a result: machine code writes its arrays."""

    def __init__(self, mechanism: Mechanism, layout: Layout, arrays: dict[str, Any]) -> None:
        """Initialise without fast paths."""
        self.mechanism = mechanism
        self.layout = layout
        self.arrays = arrays
        self.fast: dict[object, Callable[..., Any]] = {}
        """Builtins by the keys of calls; they return None after writing the arrays."""
        self._engine: LiveEngine | None = None
        """The state that fast paths read."""
        self._fast_paths: dict[object, FastPath] = {}
        self._plain: FastPath | None = None
        """The fast path without external wrenches."""
        self._counter = array("q", [0])
        """Number of solutions written by machine code."""
        self._read_count = 0
        self._last_wrenches: list[tuple[FastPath, Array, int]] = []
        """The last solution with external wrenches: its fast path, their numbers, and the number of solutions."""

    def new_solution(self) -> Solution | None:
        """Return the solution that machine code has written since the last call, or None."""
        count = self._counter[0]
        if self._read_count == count:
            return None
        self._read_count, path, external = count, self._plain, None
        if self._last_wrenches and self._last_wrenches[0][2] == count:
            path, numbers, _ = self._last_wrenches[0]
            rows: list[list[float]] = numbers.reshape(-1, 6).tolist()
            pairs = zip(path.frames.items(), rows, strict=True)
            external = {
                body: Wrench.trusted(frame, (a, b, c), (x, y, z)) for (body, frame), (a, b, c, x, y, z) in pairs
            }
        assert path is not None
        return Solution(path.reactions, path.kept, external, path.parameters)

    def mark_read_call(self) -> Callable[[], None]:
        """Return a call that discards the solution written by machine code: another one replaces it."""
        return partial(object.__setattr__, self, "_read_count", self._counter[0])

    def open_fast_path(self, key: object, engine: LiveEngine, recorded: RecordedKernel, solve: SolveCall) -> None:
        """Open a fast path: machine code writes solutions of a state to the arrays, if possible."""
        known, version = self._fast_paths.get(key), self.mechanism.parameter_version
        if known is not None and engine is self._engine and (known.recorded, known.parameters) == (recorded, version):
            return
        if engine is not self._engine or len(self._fast_paths) >= _MAX_FAST_PATHS:
            self.close_fast_paths()
        self._engine = engine
        frames = solve.frames
        copies = tuple(np.zeros_like(self.arrays[name]) for name in ("q", "v", *solve.solver.reactions.inputs))
        path = self._fast_paths[key] = FastPath(recorded, solve.solver.reactions, copies, version, frames)
        moved = (
            (engine.q, self.arrays["q"]),
            (engine.q, copies[0]),
            (engine.v, self.arrays["v"]),
            (engine.v, copies[1]),
        )
        further = tuple(
            (self.arrays[name], copy) for name, copy in zip(solve.solver.reactions.inputs, copies[2:], strict=True)
        )
        targets = tuple(self.arrays[name] for name in solve.solver.names)
        builtin = engine.bound_builtin(recorded, targets, (*moved, *further), self._counter)
        if builtin is None:
            self.fast.pop(key, None)
        elif frames:
            self.fast[key] = _with_wrenches(builtin, path, self._last_wrenches, self._counter)
        else:
            self.fast[key], self._plain = builtin, path

    def close_fast_paths(self) -> None:
        """Discard all fast paths."""
        self._engine = self._plain = None
        self.fast.clear()
        self._fast_paths.clear()


def _with_wrenches(
    builtin: Callable[..., Any], path: FastPath, last_wrenches: list[tuple[FastPath, Array, int]], counter: array[int]
) -> Callable[..., Any]:
    """Return a builtin that stores the numbers of external wrenches, its last argument."""

    def call(torques: object, numbers: Array) -> Any:
        found = builtin(torques, numbers)
        if found is None:
            last_wrenches[:] = ((path, numbers, counter[0]),)
        return found

    return call
