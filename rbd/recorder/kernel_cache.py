"""Cache of the recorded kernels of a mechanism, by kernel and template of arguments.

There is one cache per mechanism and version of its structure. All states and threads share it, and it is freed with the
mechanism.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, Final, Literal, TypeAlias, final
from weakref import WeakKeyDictionary

from rbd import native
from rbd.indexing.layout import layout_of
from rbd.kernels.kernel import Kernel
from rbd.mechanism import Mechanism
from rbd.mechanism.members import PARAMETERS, versions_of
from rbd.native.live_executable import LiveExecutable
from rbd.program.lazy_program import LazyProgram
from rbd.pytrees.flattening import FlatteningError
from rbd.recorder.coordinate_check import coordinate_check_program
from rbd.recorder.parameter_edits import ParameterEdits
from rbd.recorder.record_kernel import Templates, flatten_arguments, record_kernel
from rbd.recorder.recorded_kernel import RecordedKernel, RecordingFailure
from rbd.recorder.recording_cache import cache_key, load_program, store_program
from rbd.recorder.result_form import ARRAY_FORMS, ResultForm
from rbd.scalar_states.parameter_arrays import ParameterName
from rbd.scalars.arrays import Array

_MAX_KERNELS: Final = 512
"""Maximum number of kernels per mechanism; the least recently used is evicted first."""
Key: TypeAlias = tuple[Any, ...]
_NO_ARGUMENTS: Final[tuple[Templates, Sequence[Array]]] = ((), ())


@final
class KernelCache:
    """The recorded kernels of one mechanism at one version of its structure."""

    def __init__(self, mechanism: Mechanism) -> None:
        """Initialise an empty cache, which does not keep the mechanism alive."""
        self.structure_version = mechanism.structure_version
        self._versions = versions_of(mechanism)
        self.edits = ParameterEdits()
        self._kernels: OrderedDict[Key, RecordedKernel | RecordingFailure] = OrderedDict()
        self._coordinate_checks: dict[str, LiveExecutable | None] = {}
        self._lock = native.Lock()

    def get_or_record(
        self, mechanism: Mechanism, kernel: Kernel[..., Any], args: Sequence[object]
    ) -> tuple[RecordedKernel | RecordingFailure | None, Sequence[Array]]:
        """Return the recorded kernel for these arguments, and an array for each argument with numbers.

        Returns None unless arguments and parameters are floats. Raises MemoryError.
        """
        try:
            templates, arrays = flatten_arguments(args) if args else _NO_ARGUMENTS
        except FlatteningError:
            return None, ()
        edits = self.edits
        with self._lock.inner:
            if self._versions[PARAMETERS] != edits.version:
                edits.update(mechanism)
            if not edits.are_floats:
                return None, ()
            key = (kernel, templates, edits.varying, edits.generation)
            recorded = self._kernels.get(key)
            if recorded is None:
                recorded = self._kernels[key] = self._record(mechanism, kernel, templates)
                if len(self._kernels) > _MAX_KERNELS:
                    self._kernels.popitem(last=False)
            self._kernels.move_to_end(key)
            return recorded, arrays

    def compiled_kernel(
        self, mechanism: Mechanism, kernel: Kernel[..., Any], args: Sequence[object] = ()
    ) -> RecordedKernel | None:
        """Return the recorded kernel for these arguments if it is compiled, else None; records it as needed."""
        recorded, _ = self.get_or_record(mechanism, kernel, args)
        return (
            recorded if isinstance(recorded, RecordedKernel) and recorded.executable.machine_code is not None else None
        )

    def _record(
        self, mechanism: Mechanism, kernel: Kernel[..., Any], templates: Templates
    ) -> RecordedKernel | RecordingFailure:
        """Return a kernel for templates of arguments: from disk, or recorded."""
        varying = self.edits.varying
        try:
            executable, form = _executable_and_form(mechanism, kernel, templates, varying)
        except MemoryError:  # a later call may have enough
            raise
        except Exception as error:  # the source raises the error, or runs instead
            return RecordingFailure(error)
        parameters = tuple(self.edits.arrays[name] for name in varying)
        return RecordedKernel(executable, parameters, form, sum(template.count > 0 for template in templates))

    def coordinate_check(self, mechanism: Mechanism, name: Literal["q", "v"]) -> LiveExecutable | None:
        """Return the program that checks and copies coordinates, recorded once.

        None where there are no coordinates, where a joint type cannot be recorded, and without memory for it.
        """
        with self._lock.inner:
            if name not in self._coordinate_checks:
                try:
                    program = coordinate_check_program(layout_of(mechanism), name)
                    check = None if program is None else LiveExecutable(LazyProgram.of(program))
                except MemoryError:  # a later write may have enough
                    return None
                except Exception:  # a user's joint type that cannot be recorded: coordinates are written in Python
                    check = None
                self._coordinate_checks[name] = check
            return self._coordinate_checks[name]


def _executable_and_form(
    mechanism: Mechanism, kernel: Kernel[..., Any], templates: Templates, varying: tuple[ParameterName, ...]
) -> tuple[LiveExecutable, ResultForm]:
    """Return the executable of a kernel and the form of its result: from disk, or recorded.

    Machine code of recorded ones of `ARRAY_FORMS` goes to disk, under keys with the form.
    """
    is_portable = all(template.is_portable for template in templates) and kernel.function.__module__.startswith("rbd.")
    keys = dict[ResultForm, str | None]()
    for form in ARRAY_FORMS if is_portable and native.is_loaded() else ():
        what = repr((kernel.name, kernel.regroup, kernel.multiple_outputs, templates, varying, form.name))
        keys[form] = cache_key(mechanism, what)
        cached = load_program(
            mechanism, keys[form], what, lambda now: record_kernel(kernel, now, templates, varying).program
        )
        if cached is not None:
            return LiveExecutable(cached), form
    program, form = record_kernel(kernel, mechanism, templates, varying)
    lazy_program, key = LazyProgram.of(program), keys.get(form)
    return LiveExecutable(lazy_program, keep=lambda: store_program(key, lazy_program)), form


_caches: WeakKeyDictionary[Mechanism, KernelCache] = WeakKeyDictionary()
_lock = native.Lock()


def kernel_cache(mechanism: Mechanism) -> KernelCache:
    """Return the cache of `mechanism` for its current structure."""
    with _lock.inner:
        cache = _caches.get(mechanism)
        if cache is None or cache.structure_version != mechanism.structure_version:
            cache = _caches[mechanism] = KernelCache(mechanism)
        return cache
