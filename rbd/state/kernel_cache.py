"""The recorded kernels of one mechanism: for every kernel and template of arguments, what runs it.

Caches are kept per mechanism and structure, are shared by all its states and threads, and go with the mechanism. They
are never pickled.
"""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias, cast, final
from weakref import WeakKeyDictionary

import attrs
import numpy as np

from rbd import native
from rbd.mechanism import Mechanism
from rbd.native.executable import Executable
from rbd.program.graph import Graph
from rbd.program.outline import Source
from rbd.program.program import Program
from rbd.scalars.arrays import Array
from rbd.state.coordinate_writer import writing_program
from rbd.state.kernel import Kernel
from rbd.state.layout import layout_of
from rbd.state.parameter_edits import ParameterEdits
from rbd.state.parameters import ParameterName
from rbd.state.recorder import record_program
from rbd.state.recording_cache import found_source, keep_source, source_key
from rbd.state.value_tree import (
    ResultForm,
    Template,
    UnsuitableError,
    count_numbers,
    flatten,
    is_portable,
    named_form,
    result_form,
    unflattener,
)

_MOST: Final = 512
"""Kernels kept per mechanism; the least recently used goes first."""
Key: TypeAlias = tuple[Any, ...]


@final
@attrs.frozen(eq=False)
class RecordedKernel:
    """A kernel recorded for some template of arguments."""

    executable: Executable
    parameters: tuple[Array, ...]
    """The parameters that are inputs, kept up to date in place."""
    form: ResultForm
    array_arguments: int
    """How many arguments with numbers it takes beside coordinates and parameters."""


@final
class Unrecorded:
    """A kernel that cannot be recorded for some template of arguments: its source runs instead."""

    def __init__(self, reason: BaseException) -> None:
        """Keep the reason."""
        self.reason = reason
        self._warned = False

    def warn(self, name: str) -> None:
        """Warn, once, that the source runs in the place of machine code."""
        if not self._warned:
            self._warned = True
            message = f"{name} runs as Python source, hundreds of times slower than machine code: {self.reason}"
            warnings.warn(message, native.InterpretedWarning, stacklevel=2)


@final
class KernelCache:
    """The recorded kernels of one mechanism at one version of its structure."""

    def __init__(self, structure: int) -> None:
        """Begin with none."""
        self.structure = structure
        self.edits = ParameterEdits()
        self._kernels: OrderedDict[Key, RecordedKernel | Unrecorded] = OrderedDict()
        self._writers: dict[str, Executable | None] = {}
        self._lock = native.Lock()

    def __reduce__(self) -> tuple[object, ...]:
        """Copy and pickle as an empty cache."""
        return KernelCache, (self.structure,)

    def find(
        self,
        mechanism: Mechanism,
        version: int,
        kernel: Kernel[..., Any],
        args: Sequence[object],
        named: Mapping[str, object],
    ) -> tuple[RecordedKernel | Unrecorded | None, list[Array]]:
        """Return what runs a kernel with these arguments, recorded now if need be, and an array for each with numbers.

        `version` is that of the mechanism's parameters. None where arguments or parameters are no floats.
        """
        templates: list[Template] = [len(args)]
        arrays: list[Array] = []
        try:
            for value in (*args, *(named[name] for name in sorted(named))) if named else args:
                numbers: list[float] = []
                templates.append(flatten(value, numbers))
                if numbers:
                    arrays.append(np.array(numbers[0] if templates[-1] is float else numbers))
        except UnsuitableError:
            return None, []
        edits = self.edits
        with self._lock.inner:
            if version != edits.version:
                edits.update(mechanism)
            if not edits.are_floats:
                return None, []
            key = (kernel, *templates, *sorted(named), edits.varying, edits.generation)
            found = self._kernels.get(key)
            if found is None:
                found = self._kernels[key] = self._recorded(mechanism, kernel, tuple(templates), sorted(named))
                if len(self._kernels) > _MOST:
                    self._kernels.popitem(last=False)
            self._kernels.move_to_end(key)
            return found, arrays

    def _recorded(
        self, mechanism: Mechanism, kernel: Kernel[..., Any], templates: tuple[Template, ...], names: list[str]
    ) -> RecordedKernel | Unrecorded:
        varying = self.edits.varying
        parameters = tuple(self.edits.arrays[name] for name in varying)
        count = sum(map(bool, map(count_numbers, templates[1:])))
        what = repr((kernel.name, kernel.regroup, kernel.several, templates, names, varying))
        portable = native.is_loaded() and is_portable(templates) and kernel.function.__module__.startswith("rbd.")
        key = source_key(mechanism, what) if portable else None
        found = found_source(mechanism, key, what, lambda now: record_kernel(kernel, now, templates, names, varying)[0])
        form = None if found is None else named_form([port.name for port in found.outline.outputs])
        if found is not None and form is not None:
            return RecordedKernel(Executable(found, patient=True), parameters, form, count)
        try:
            program, form = record_kernel(kernel, mechanism, templates, names, varying)
        except Exception as error:  # the source says what is wrong, or runs in its place
            return Unrecorded(error)
        source = Source.of(program)
        executable = Executable(source, patient=True, keep=lambda: keep_source(key, source))
        return RecordedKernel(executable, parameters, form, count)

    def writer(self, mechanism: Mechanism, name: Literal["q", "v"]) -> Executable | None:
        """Return what copies and checks coordinates, recorded once; None when there is nothing to copy."""
        with self._lock.inner:
            if name not in self._writers:
                try:
                    program = writing_program(layout_of(mechanism), name)
                except Exception:  # a user's joint type that cannot be recorded: Python writes its coordinates
                    program = None
                self._writers[name] = None if program is None else Executable(Source.of(program), patient=True)
            return self._writers[name]


def record_kernel(
    kernel: Kernel[..., Any],
    mechanism: Mechanism,
    templates: tuple[Template, ...],
    names: Sequence[str] = (),
    parameters: Sequence[ParameterName] = (),
) -> tuple[Program, ResultForm]:
    """Return the program of a kernel, and the form of its result.

    `templates` are the number of arguments by position, the templates of these, then of those called `names`. Inputs
    are q, v, one per argument that has numbers, then the parameters.
    """
    forms: list[ResultForm] = []

    def arguments(graph: Graph) -> tuple[tuple[Any, ...], Mapping[str, Any]]:
        values = [_argument(graph, template, k) for k, template in enumerate(templates[1:])]
        count = cast("int", templates[0])
        return tuple(values[:count]), dict(zip(names, values[count:], strict=True))

    def outputs(result: object) -> Mapping[str, object]:
        forms.append(result_form(result, several=kernel.several))
        return forms[0].outputs

    program = record_program(
        kernel.function, mechanism, kernel.name, arguments, outputs, parameters=parameters, regroup=kernel.regroup
    )
    return program, forms[0]


def _argument(graph: Graph, template: Template, number: int) -> Any:
    """Return an argument with recorded scalars in the place of its numbers."""
    size, name = count_numbers(template), f"argument_{number}"
    if template is float:
        return graph.input(name, ())
    return unflattener(template)(graph.input(name, (size,)) if size else ())


_caches: WeakKeyDictionary[Mechanism, KernelCache] = WeakKeyDictionary()
_lock = native.Lock()


def kernel_cache(mechanism: Mechanism) -> KernelCache:
    """Return the kernels of `mechanism` for its structure as it is now."""
    with _lock.inner:
        cache = _caches.get(mechanism)
        if cache is None or cache.structure != mechanism.structure_version:
            cache = _caches[mechanism] = KernelCache(mechanism.structure_version)
        return cache
