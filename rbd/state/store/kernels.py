"""The table of a mechanism: for every algorithm and form of arguments, what was recorded and how it is run.

Room: state (internal); may import mechanism and above. Tables are kept per mechanism and structure, are shared by all
its states and threads, and go with the mechanism. They are never pickled.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias, final
from weakref import WeakKeyDictionary

import attrs
import numpy as np

from rbd.mechanism import Mechanism
from rbd.scalars.arrays import Array
from rbd.scalars.graph import Graph
from rbd.scalars.program import Program
from rbd.state.recording import coordinate_inputs, recording_state
from rbd.state.store.arguments import Structure, UnsuitableError, put_together, taken_apart
from rbd.state.store.body import Body
from rbd.state.store.edits import Edits
from rbd.state.store.moulds import cast_of
from rbd.state.store.runner import Runner

if TYPE_CHECKING:
    from rbd.state.parameters import ParameterName

_MOST: Final = 512
"""Kernels kept per mechanism; the one unused for longest goes first."""
Key: TypeAlias = tuple[Any, ...]


@final
@attrs.frozen(eq=False)
class Entry:
    """One kernel: what runs it, which parameters it takes, and how its outputs become a result."""

    runner: Runner
    parameters: tuple[Array, ...]
    shape: Callable[[Sequence[Array]], Any]


class _Unserved:
    """Stands for "run the readable source instead"."""


UNSERVED: Final = _Unserved()


@final
class Kernels:
    """The kernels of one mechanism at one version of its structure."""

    def __init__(self, structure: int) -> None:
        """Begin with none."""
        self.structure = structure
        self.edits = Edits()
        self._entries: OrderedDict[Key, Entry | None] = OrderedDict()
        self._lock = threading.RLock()

    def __reduce__(self) -> tuple[object, ...]:
        """Copy and pickle as an empty table."""
        return Kernels, (self.structure,)

    def run(
        self,
        mechanism: Mechanism,
        body: Body,
        coordinates: tuple[Array, Array],
        args: Sequence[object],
        named: Mapping[str, object],
    ) -> Any:
        """Return what `body` gives at these coordinates, or UNSERVED when that is for the readable source to find out.

        That is so when an argument or a parameter is no real number, when the source cannot be recorded, and when a
        check fails or a number leaves its range: the source says what is wrong.
        """
        try:
            structures, numbers = _apart(args, named)
        except UnsuitableError:
            return UNSERVED
        entry = self.entry(mechanism, body, structures)
        if entry is None:
            return UNSERVED
        arrays = entry.runner([*coordinates, *numbers, *entry.parameters])
        return UNSERVED if arrays is None else entry.shape(arrays)

    def entry(self, mechanism: Mechanism, body: Body, structures: tuple[Structure, ...]) -> Entry | None:
        """Return the kernel for these arguments, recorded now if need be; None when there can be none."""
        edits = self.edits
        with self._lock:
            edits.notice(mechanism)
            if not edits.are_plain:
                return None
            key = (body.function, structures, edits.varying, edits.generation)
            known = self._entries.get(key, UNSERVED)
            if isinstance(known, _Unserved):
                known = self._entries[key] = self._recorded(mechanism, body, structures)
                if len(self._entries) > _MOST:
                    self._entries.popitem(last=False)
            else:
                self._entries.move_to_end(key)
            return known

    def _recorded(self, mechanism: Mechanism, body: Body, structures: tuple[Structure, ...]) -> Entry | None:
        varying = self.edits.varying
        try:
            program, shape = recorded(mechanism, body, structures, varying)
        except Exception:  # whatever went wrong, the readable source says it better
            return None
        return Entry(Runner(program), tuple(self.edits.arrays[name] for name in varying), shape)


def _apart(args: Sequence[object], named: Mapping[str, object]) -> tuple[tuple[Structure, ...], list[Array]]:
    """Return the structure of all arguments, and an array of numbers for each that has some."""
    structures: list[Structure] = []
    arrays: list[Array] = []
    for value in (*args, *((name, named[name]) for name in sorted(named))):
        numbers: list[float] = []
        structures.append(taken_apart(value, numbers))
        if numbers:
            arrays.append(np.array(numbers))
    return (len(args), *structures), arrays


def recorded(
    mechanism: Mechanism,
    body: Body,
    structures: tuple[Structure, ...],
    parameters: tuple[ParameterName, ...] = (),
) -> tuple[Program, Callable[[Sequence[Array]], Any]]:
    """Return the program of a kernel, and how its outputs become its result.

    Inputs are q, v, one per argument that has numbers, then the parameters.
    """
    graph = Graph()
    coordinates = coordinate_inputs(graph, mechanism)
    count, *given = structures
    values = [_argument(graph, structure, k) for k, structure in enumerate(given)]
    state = recording_state(graph, mechanism, coordinates, parameters, regroup=body.regroup)
    cast = cast_of(body.function(state, *values[:count], **dict(values[count:])))
    return Program.of(graph, body.name, cast.outputs), cast.shape


def _argument(graph: Graph, structure: Structure, number: int) -> Any:
    """Return an argument with recorded scalars in the place of its numbers."""
    size = count_numbers(structure)
    return put_together(structure, iter(graph.input(f"argument_{number}", (size,)) if size else ()))


def count_numbers(structure: Structure) -> int:
    """Return how many numbers there are in a structure."""
    size = 0

    def counted() -> Any:
        nonlocal size
        while True:
            size += 1
            yield 0.0

    put_together(structure, counted())
    return size


_tables: WeakKeyDictionary[Mechanism, Kernels] = WeakKeyDictionary()
_lock = threading.Lock()


def kernels_of(mechanism: Mechanism) -> Kernels:
    """Return the table of `mechanism` for its structure as it is now."""
    with _lock:
        table = _tables.get(mechanism)
        if table is None or table.structure != mechanism.structure_version:
            table = _tables[mechanism] = Kernels(mechanism.structure_version)
        return table
