"""The table of a mechanism: for every algorithm and form of arguments, what was recorded and how it is run.

Room: state (internal); may import mechanism and above. Tables are kept per mechanism and structure, are shared by all
its states and threads, and go with the mechanism. They are never pickled.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, cast, final
from weakref import WeakKeyDictionary

import attrs
import numpy as np

from rbd import native
from rbd.mechanism import Mechanism
from rbd.scalars.arrays import Array
from rbd.scalars.graph import Graph
from rbd.scalars.outline import Source
from rbd.scalars.program import Program
from rbd.state.finding import found, key_of
from rbd.state.layout import layout_of
from rbd.state.recording import coordinate_inputs, recording_state
from rbd.state.store.arguments import (
    Structure,
    UnsuitableError,
    count_numbers,
    is_portable,
    is_vector,
    put_together,
    taken_apart,
)
from rbd.state.store.body import Body
from rbd.state.store.edits import Edits
from rbd.state.store.moulds import cast_of, gives_arrays, shape_of
from rbd.state.store.runner import Runner
from rbd.state.store.writing import writing_program

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
    free: int
    """How many arguments with numbers it takes beside coordinates and parameters."""
    plain: bool
    """Whether these are vectors and numbers."""

    @property
    def gives_arrays(self) -> bool:
        """Whether its result is an array or a tuple of arrays, which are its outputs."""
        return gives_arrays(self.shape)


@final
class Kernels:
    """The kernels of one mechanism at one version of its structure."""

    def __init__(self, structure: int) -> None:
        """Begin with none."""
        self.structure = structure
        self.edits = Edits()
        self._entries: OrderedDict[Key, Entry | None] = OrderedDict()
        self._writers: dict[str, Program | None] = {}
        self._lock = native.Lock()

    def __reduce__(self) -> tuple[object, ...]:
        """Copy and pickle as an empty table."""
        return Kernels, (self.structure,)

    def find(
        self, mechanism: Mechanism, body: Body, args: Sequence[object], named: Mapping[str, object]
    ) -> tuple[Entry | None, list[Array]]:
        """Return the kernel for these arguments, and their numbers; no kernel where the readable source must run.

        That is so when an argument or a parameter is no real number, and when the source cannot be recorded.
        """
        try:
            structures, numbers = _apart(args, named)
        except UnsuitableError:
            return None, []
        return self.entry(mechanism, body, structures), numbers

    def entry(self, mechanism: Mechanism, body: Body, structures: tuple[Structure, ...]) -> Entry | None:
        """Return the kernel for these arguments, recorded now if need be; None when there can be none."""
        edits = self.edits
        with self._lock.inner:
            edits.notice(mechanism)
            if not edits.are_plain:
                return None
            key = (body.function, structures, edits.varying, edits.generation)
            if key not in self._entries:
                self._entries[key] = self._recorded(mechanism, body, structures)
                if len(self._entries) > _MOST:
                    self._entries.popitem(last=False)
            self._entries.move_to_end(key)
            return self._entries[key]

    def _recorded(self, mechanism: Mechanism, body: Body, structures: tuple[Structure, ...]) -> Entry | None:
        varying = self.edits.varying
        parameters = tuple(self.edits.arrays[name] for name in varying)
        given = [structure for structure in structures[1:] if count_numbers(structure)]
        free, plain = len(given), all(map(is_vector, given))
        what = repr((body.name, body.regroup, body.several, structures, varying))
        key = key_of(mechanism, what) if native.is_loaded() and is_portable(structures) and _is_ours(body) else None
        source = found(mechanism, key, what, lambda now: recorded(now, body, structures, varying)[0])
        shape = None if source is None else shape_of([port.name for port in source.outline.outputs])
        if source is not None and shape is not None:
            return Entry(Runner(source), parameters, shape, free, plain)
        try:
            program, shape = recorded(mechanism, body, structures, varying)
        except Exception:  # whatever went wrong, the readable source says it better
            return None
        source = Source.of(program)
        return Entry(Runner(source, partial(_keep, key, source)), parameters, shape, free, plain)

    def writer(self, mechanism: Mechanism, name: Literal["q", "v"]) -> Program | None:
        """Return what copies and checks coordinates, recorded once; None when there is nothing to copy."""
        with self._lock.inner:
            if name not in self._writers:
                try:
                    self._writers[name] = writing_program(layout_of(mechanism), name)
                except Exception:  # a joint type of somebody else's that cannot be recorded
                    self._writers[name] = None
            return self._writers[name]


def _keep(key: str | None, source: Source) -> None:
    """Let other processes find what was compiled here."""
    if key is not None:
        native.keep_outline(key, source.outline)


def _is_ours(body: Body) -> bool:
    """Return whether a kernel is rbd's own, so that its name and rbd's sources determine it."""
    return body.function.__module__.startswith("rbd.")


def _apart(args: Sequence[object], named: Mapping[str, object]) -> tuple[tuple[Structure, ...], list[Array]]:
    """Return the structure of all arguments, and an array of numbers for each that has some."""
    structures: list[Structure] = []
    arrays: list[Array] = []
    for value in (*args, *((name, named[name]) for name in sorted(named))):
        numbers: list[float] = []
        structures.append(taken_apart(value, numbers))
        if numbers:
            arrays.append(np.array(numbers[0] if structures[-1] is float else numbers))
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
    count, given = cast("int", structures[0]), structures[1:]
    values = [_argument(graph, structure, k) for k, structure in enumerate(given)]
    state = recording_state(graph, mechanism, coordinates, parameters, regroup=body.regroup)
    result = cast_of(body.function(state, *values[:count], **dict(values[count:])), several=body.several)
    return Program.of(graph, body.name, result.outputs), result.shape


def _argument(graph: Graph, structure: Structure, number: int) -> Any:
    """Return an argument with recorded scalars in the place of its numbers."""
    size, name = count_numbers(structure), f"argument_{number}"
    if structure is float:
        return graph.input(name, ())
    return put_together(structure, iter(graph.input(name, (size,)) if size else ()))


_tables: WeakKeyDictionary[Mechanism, Kernels] = WeakKeyDictionary()
_lock = native.Lock()


def kernels_of(mechanism: Mechanism) -> Kernels:
    """Return the table of `mechanism` for its structure as it is now."""
    with _lock.inner:
        table = _tables.get(mechanism)
        if table is None or table.structure != mechanism.structure_version:
            table = _tables[mechanism] = Kernels(mechanism.structure_version)
        return table
