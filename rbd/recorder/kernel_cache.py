"""Cache of the recorded kernels of a mechanism, by kernel and template of arguments.

There is one cache per mechanism and topology. All states and threads share it, and it is freed with the mechanism.
Caches are not pickled.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias, final
from weakref import WeakKeyDictionary

import numpy as np

from rbd import native
from rbd.indexing.layout import layout_of
from rbd.indexing.parameter_arrays import ParameterName
from rbd.kernels.kernel import Kernel
from rbd.mechanism import Mechanism
from rbd.native.live_executable import LiveExecutable
from rbd.program.graph import Graph
from rbd.program.lazy_program import LazyProgram
from rbd.program.program import Program
from rbd.pytrees.flattening import UnsuitableError, flatten
from rbd.pytrees.templates import NUMBER, Template
from rbd.recorder.coordinate_check import coordinate_check_program
from rbd.recorder.parameter_edits import ParameterEdits
from rbd.recorder.record_program import record_program
from rbd.recorder.recorded_kernel import RecordedKernel, RecordingFailure
from rbd.recorder.recording_cache import cache_key, load_program, store_program
from rbd.recorder.result_form import ResultForm, named_form, result_form
from rbd.scalars.arrays import Array

_MAX_KERNELS: Final = 512
"""Maximum number of kernels per mechanism; the least recently used is evicted first."""
Key: TypeAlias = tuple[Any, ...]
Templates: TypeAlias = tuple[Template, ...]
"""Templates of the arguments of a kernel."""
_NO_ARGUMENTS: Final[tuple[Templates, Sequence[Array]]] = ((), ())


@final
class KernelCache:
    """The recorded kernels of one mechanism at one version of its topology."""

    def __init__(self, structure: int) -> None:
        """Initialise an empty cache."""
        self.structure = structure
        self.edits = ParameterEdits()
        self._kernels: OrderedDict[Key, RecordedKernel | RecordingFailure] = OrderedDict()
        self._coordinate_checks: dict[str, LiveExecutable | None] = {}
        self._lock = native.Lock()

    def __reduce__(self) -> tuple[object, ...]:
        """Copy and pickle as an empty cache."""
        return KernelCache, (self.structure,)

    def get_or_record(
        self, mechanism: Mechanism, version: int, kernel: Kernel[..., Any], args: Sequence[object]
    ) -> tuple[RecordedKernel | RecordingFailure | None, Sequence[Array]]:
        """Return the recorded kernel for these arguments, and an array for each argument with numbers.

        `version` is that of the mechanism's parameters. Returns None unless arguments and parameters are floats.
        """
        try:
            templates, arrays = _split(args) if args else _NO_ARGUMENTS
        except UnsuitableError:
            return None, ()
        edits = self.edits
        with self._lock.inner:
            if version != edits.version:
                edits.update(mechanism)
            if not edits.are_floats:
                return None, ()
            key = (kernel, templates, edits.varying, edits.generation)
            found = self._kernels.get(key)
            if found is None:
                found = self._kernels[key] = self._record(mechanism, kernel, templates)
                if len(self._kernels) > _MAX_KERNELS:
                    self._kernels.popitem(last=False)
            self._kernels.move_to_end(key)
            return found, arrays

    def compiled(
        self, mechanism: Mechanism, version: int, kernel: Kernel[..., Any], args: Sequence[object] = ()
    ) -> RecordedKernel | None:
        """Return the recorded kernel for these arguments if it is compiled, else None; records it as needed."""
        found, _ = self.get_or_record(mechanism, version, kernel, args)
        return found if isinstance(found, RecordedKernel) and found.executable.machine_code is not None else None

    def _record(
        self, mechanism: Mechanism, kernel: Kernel[..., Any], templates: Templates
    ) -> RecordedKernel | RecordingFailure:
        """Return a kernel for templates of arguments: from disk, or recorded."""
        varying = self.edits.varying
        try:
            executable, form = _executable_and_form(mechanism, kernel, templates, varying)
        except Exception as error:  # the source raises the error, or runs instead
            return RecordingFailure(error)
        parameters = tuple(self.edits.arrays[name] for name in varying)
        return RecordedKernel(executable, parameters, form, sum(template.count > 0 for template in templates))

    def coordinate_check(self, mechanism: Mechanism, name: Literal["q", "v"]) -> LiveExecutable | None:
        """Return the program that checks and copies coordinates, recorded once; None for no coordinates."""
        with self._lock.inner:
            if name not in self._coordinate_checks:
                try:
                    program = coordinate_check_program(layout_of(mechanism), name)
                except Exception:  # a user's joint type that cannot be recorded: coordinates are written in Python
                    program = None
                self._coordinate_checks[name] = None if program is None else LiveExecutable(LazyProgram.of(program))
            return self._coordinate_checks[name]


def _executable_and_form(
    mechanism: Mechanism, kernel: Kernel[..., Any], templates: Templates, varying: tuple[ParameterName, ...]
) -> tuple[LiveExecutable, ResultForm]:
    """Return the executable of a kernel and the form of its result; machine code of recorded ones goes to disk."""
    what = repr((kernel.name, kernel.regroup, kernel.multiple_outputs, templates, varying))
    is_portable = all(template.is_portable for template in templates) and kernel.function.__module__.startswith("rbd.")
    key = cache_key(mechanism, what) if is_portable and native.is_loaded() else None
    cached = load_program(mechanism, key, what, lambda now: record_kernel(kernel, now, templates, varying)[0])
    form = None if cached is None else named_form([port.name for port in cached.outline.outputs])
    if cached is not None and form is not None:
        return LiveExecutable(cached), form
    program, form = record_kernel(kernel, mechanism, templates, varying)
    lazy_program = LazyProgram.of(program)
    return LiveExecutable(lazy_program, keep=lambda: store_program(key, lazy_program)), form


def record_kernel(
    kernel: Kernel[..., Any], mechanism: Mechanism, templates: Templates, parameters: Sequence[ParameterName] = ()
) -> tuple[Program, ResultForm]:
    """Return the program of a kernel for templates of its arguments, and the form of its result.

    Inputs are q, v, one per argument with numbers, then the parameters.
    """
    forms: list[ResultForm] = []

    def arguments(graph: Graph) -> tuple[tuple[Any, ...], Mapping[str, Any]]:
        return tuple(_argument(graph, template, k) for k, template in enumerate(templates)), {}

    def outputs(result: object) -> Mapping[str, object]:
        forms.append(result_form(result, multiple_outputs=kernel.multiple_outputs))
        return forms[0].outputs

    program = record_program(
        kernel.function, mechanism, kernel.name, arguments, outputs, parameters=parameters, regroup=kernel.regroup
    )
    return program, forms[0]


def _split(args: Sequence[object]) -> tuple[Templates, Sequence[Array]]:
    """Return the templates of arguments, and their numbers; raise UnsuitableError for other numbers than floats."""
    templates: list[Template] = []
    arrays: list[Array] = []
    for value in args:
        numbers: list[float] = []
        template = flatten(value, numbers)
        templates.append(template)
        if numbers:
            arrays.append(np.array(numbers[0] if template is NUMBER else numbers))
    return tuple(templates), arrays


def _argument(graph: Graph, template: Template, number: int) -> Any:
    """Return an argument with recorded scalars in the place of its numbers."""
    size, name = template.count, f"argument_{number}"
    if template is NUMBER:
        return graph.input(name, ())
    return template.unflattener()(graph.input(name, (size,)) if size else ())


_caches: WeakKeyDictionary[Mechanism, KernelCache] = WeakKeyDictionary()
_lock = native.Lock()


def kernel_cache(mechanism: Mechanism) -> KernelCache:
    """Return the cache of `mechanism` for its current topology."""
    with _lock.inner:
        cache = _caches.get(mechanism)
        if cache is None or cache.structure != mechanism.structure_version:
            cache = _caches[mechanism] = KernelCache(mechanism.structure_version)
        return cache
