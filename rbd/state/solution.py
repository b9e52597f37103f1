"""Solutions of the equations of motion: kernels whose outputs fill the arrays of a result, and fast paths to them."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, final

import attrs
import numpy as np
from typing_extensions import override

from rbd.mechanism import Mechanism, RigidBody
from rbd.scalars import Scalar
from rbd.scalars.arrays import Array
from rbd.spatial import Wrench
from rbd.state.base import StateView
from rbd.state.engine import Call
from rbd.state.kernel import Kernel
from rbd.state.kernel_cache import RecordedKernel
from rbd.state.layout import Layout
from rbd.state.live_engine import LiveEngine
from rbd.state.queries import State

if TYPE_CHECKING:
    from rbd.state.result import DynamicsResult

_MOST: Final = 64
"""Fast paths of a result; beyond, all are made anew."""
BodyWrenchesOf = Callable[[StateView], "tuple[Wrench[Any], ...]"]
"""Returns, for a state, what each joint applies to its body (one wrench per body, in its frame)."""
Contacts = Sequence["Wrench[Any] | None"]


@final
@attrs.frozen(eq=False)
class LoopReactions:
    """What the loops have to do with one solution."""

    rank: Scalar
    """How many of the constraints are independent."""
    wrenches: BodyWrenchesOf
    """Returns, for a state, what each loop joint applies to its successor (one per loop, in the root frame)."""


@final
@attrs.frozen(eq=False)
class SolutionReading:
    """How joint wrenches and loop reactions are found from a solution."""

    kept: tuple[str, ...]
    """The arrays of which a copy is kept, safe from callers who write into those of the result; vd is the first."""
    read: Callable[..., tuple[BodyWrenchesOf, LoopReactions | None]]
    """Returns the functions for joint wrenches and loop reactions, from external wrenches (a mapping, or as kernels
    take them) and what is kept."""


@final
@attrs.frozen(eq=False)
class SolvingKernel:
    """A kernel of torques and external wrenches whose outputs are arrays of a result."""

    kernel: Kernel[..., Any]
    names: tuple[str, ...]
    """The arrays of the result that the outputs go to."""
    reading: SolutionReading


@final
@attrs.frozen(eq=False)
class Solution:
    """One solution as a result keeps it."""

    reading: SolutionReading
    kept: tuple[Any, ...]
    """Copies of q, v, and of what the reading needs."""
    external: object
    parameters: int
    """The version of the mechanism's parameters."""
    contacts: Contacts = ()


@final
@attrs.frozen(eq=False)
class Solve(Call["DynamicsResult"]):
    """What `dynamics` asks for: a solver with arguments, for the state it is solved for."""

    solver: SolvingKernel
    state: State[Any]
    args: tuple[Any, ...]
    external: object = None
    frames: Mapping[RigidBody, Any] = attrs.field(factory=dict["RigidBody", Any])
    """The bodies that external wrenches act on, with the frames these are given in."""
    contacts: Contacts = ()
    extra: Mapping[str, Sequence[Scalar]] = attrs.field(factory=dict[str, "Sequence[Scalar]"])
    """Further arrays of the result, by name."""

    @override
    def run(self, owner: DynamicsResult, key: object = None, count: int = 0) -> DynamicsResult:
        """Solve, and fill a result; open a fast path under `key` once there is machine code."""
        result = owner
        engine = self.state.engine
        shapes = {name.replace("_", " "): result.engine.arrays[name].shape for name in self.solver.names}
        found = engine.arrays(self.state, self.solver.kernel, self.args, shapes)
        arrays = dict(zip(self.solver.names, found, strict=True))
        result.take(self.state, self.solver.reading, {**arrays, **self.extra}, self.external, self.contacts)
        if key is not None and not self.contacts and isinstance(engine, LiveEngine):
            recorded = engine.recorded(self.solver.kernel, self.args)
            if recorded is not None and recorded.array_arguments == count:
                result.engine.open(key, engine, recorded, self)
        return result


@final
@attrs.frozen(eq=False)
class Way:
    """A fast path of a result: the machine code, and where it keeps copies."""

    recorded: RecordedKernel
    reading: SolutionReading
    kept: tuple[Array, ...]
    parameters: int
    frames: Mapping[RigidBody, Any]
    """The frames in which external wrenches on bodies are given."""


@final
class ResultEngine:
    """Lets machine code fill the arrays of a result."""

    def __init__(self, mechanism: Mechanism, layout: Layout, arrays: dict[str, Any]) -> None:
        """Begin without fast paths."""
        self.mechanism = mechanism
        self.layout = layout
        self.arrays = arrays
        self.fast: dict[object, Callable[..., Any]] = {}
        """Builtins by the keys of calls; they return None when they have filled the arrays."""
        self._engine: LiveEngine | None = None
        """The state that fast paths read."""
        self._ways: dict[object, Way] = {}
        self._plain: Way | None = None
        """The fast path without external wrenches."""
        self._counter = array("q", [0])
        """Solutions that machine code has written."""
        self._seen = 0
        self._pushed: list[tuple[Way, Array, int]] = []
        """Of the last solution with external wrenches: its fast path, their numbers, and the count after it."""

    def written(self) -> Solution | None:
        """Return the solution that machine code has written since the last look, if it has."""
        count = self._counter[0]
        if self._seen == count:
            return None
        self._seen, way, external = count, self._plain, None
        if self._pushed and self._pushed[0][2] == count:
            way, numbers, _ = self._pushed[0]
            rows: list[list[float]] = numbers.reshape(-1, 6).tolist()
            pairs = zip(way.frames.items(), rows, strict=True)
            external = {
                body: Wrench.trusted(frame, (a, b, c), (x, y, z)) for (body, frame), (a, b, c, x, y, z) in pairs
            }
        assert way is not None
        return Solution(way.reading, way.kept, external, way.parameters)

    def skip(self) -> None:
        """Take what machine code has written as seen: another solution has replaced it."""
        self._seen = self._counter[0]

    def open(self, key: object, engine: LiveEngine, recorded: RecordedKernel, solve: Solve) -> None:
        """Let machine code write solutions of a state into the arrays, from now on, if that is possible."""
        known, version = self._ways.get(key), self.mechanism.parameter_version
        if known is not None and engine is self._engine and (known.recorded, known.parameters) == (recorded, version):
            return
        if engine is not self._engine or len(self._ways) >= _MOST:
            self.close()
        self._engine = engine
        frames = solve.frames
        copies = tuple(np.zeros_like(self.arrays[name]) for name in ("q", "v", *solve.solver.reading.kept))
        way = self._ways[key] = Way(recorded, solve.solver.reading, copies, version, frames)
        moved = (
            (engine.q, self.arrays["q"]),
            (engine.q, copies[0]),
            (engine.v, self.arrays["v"]),
            (engine.v, copies[1]),
        )
        further = tuple(
            (self.arrays[name], copy) for name, copy in zip(solve.solver.reading.kept, copies[2:], strict=True)
        )
        targets = tuple(self.arrays[name] for name in solve.solver.names)
        builtin = engine.bound(recorded, targets, (*moved, *further), self._counter)
        if builtin is None:
            self.fast.pop(key, None)
        elif frames:
            self.fast[key] = _with_wrenches(builtin, way, self._pushed, self._counter)
        else:
            self.fast[key], self._plain = builtin, way

    def close(self) -> None:
        """Forget all fast paths."""
        self._engine = self._plain = None
        self.fast.clear()
        self._ways.clear()


def _with_wrenches(
    builtin: Callable[..., Any], way: Way, pushed: list[tuple[Way, Array, int]], counter: array[int]
) -> Callable[..., Any]:
    """Return a builtin that keeps the numbers of external wrenches, its last argument."""

    def call(torques: object, numbers: Array) -> Any:
        found = builtin(torques, numbers)
        if found is None:
            pushed[:] = ((way, numbers, counter[0]),)
        return found

    return call
