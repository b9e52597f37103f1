"""Programs of steps and stages of mechanisms, kept while the mechanism lives and is not edited.

A short run interprets them, a long one compiles them: the bits are the same. The choice counts operations, never time.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Final, final
from weakref import WeakKeyDictionary

from rbd import native
from rbd.array_functions.function import RecordedFunction
from rbd.array_functions.record import load_or_record_spec, record_spec
from rbd.array_functions.recording_spec import RecordingSpec
from rbd.errors import ScalarError, SingularError
from rbd.mechanism import Mechanism
from rbd.native.executable import ArrayExecutable
from rbd.native.live_executable import COMPILING_COST
from rbd.native.runtime.function_caches import register_function_cache

_MAX_FUNCTIONS: Final = 32
"""Functions kept per mechanism; beyond that all are dropped."""
_CALLING_COST: Final = 100
"""Cost of interpreting a program besides its operations: its callback, and arrays as lists of numbers."""
_Versions = tuple[int, int]
_cache: WeakKeyDictionary[Mechanism, dict[Hashable, tuple[_Versions, RecordedFunction]]] = WeakKeyDictionary()
register_function_cache(_cache.clear)


def recorded_step(
    mechanism: Mechanism, name: str, spec: Callable[[], RecordingSpec], sources: tuple[object, ...] | None = None
) -> ArrayExecutable | None:
    """Return the program of a step of `mechanism` as it is now; None where it cannot be recorded.

    `spec` makes the specification. `name` identifies it, together with objects of this process, `sources`, if it
    contains any.
    """
    key = name, sources
    functions = _cache.setdefault(mechanism, {})
    versions = (mechanism.structure_version, mechanism.parameter_version)
    cached = functions.get(key)
    try:
        if cached is None or cached[0] != versions:
            if len(functions) >= _MAX_FUNCTIONS:
                functions.clear()
            record = load_or_record_spec if sources is None else record_spec
            cached = functions[key] = versions, record(spec(), mechanism, name)
    except (ScalarError, SingularError):  # symbols among the parameters, joints that cannot be recorded, no inertia
        return None
    return cached[1].executable


@final
class MachineCodeChoice:
    """Choice between the interpreter and machine code for the steps of a run, made before the run begins.

    It is made again only where a run takes more steps than it was prepared for, as those of adaptive methods.
    """

    def __init__(self, executables: Sequence[ArrayExecutable]) -> None:
        """Choose for the programs of a step."""
        self._executables = executables
        self._is_native = self._is_final = False
        self._prepared = self._taken = 0

    def prepare(self, steps: int, *, is_final: bool = False) -> bool:
        """Choose for that many steps more, for the whole run if final; return whether machine code takes them."""
        self._prepared, self._is_final = self._prepared + steps, is_final
        self._is_native = self._is_native or prepare_machine_code(self._executables, steps)
        return self._is_native

    def choose_for(self, steps: int) -> bool:
        """Return whether machine code takes the next steps; each new choice doubles the steps prepared for."""
        if not (self._is_native or self._is_final):
            self._taken += steps
            if self._taken > self._prepared:
                self.prepare(max(steps, self._prepared))
        return self._is_native


def prepare_machine_code(executables: Sequence[ArrayExecutable], calls: int) -> bool:
    """Return whether all these programs have machine code, for that many calls of each.

    They are compiled now if interpreting the calls, with those that were interpreted before, costs more. Machine code
    in the disk cache is loaded if the compiler is loaded or if loading it costs less than the calls.
    """
    if all(executable.is_compiled for executable in executables):
        return True
    each = sum(executable.outline.cost + _CALLING_COST for executable in executables)
    if _load_or_compile(executables, each * (calls + max(executable.interpreted_calls for executable in executables))):
        return True
    for executable in executables:
        executable.interpreted_calls += calls
    return False


def _load_or_compile(executables: Sequence[ArrayExecutable], cost: int) -> bool:
    """Load or compile where interpreting costs more; return whether there is machine code."""
    if not native.available():
        if cost > COMPILING_COST[0]:
            native.warn_interpreted()
        return False
    if native.is_loaded() or cost > COMPILING_COST[0]:
        native.use_fused_builtins()  # loads the compiler
        if all(executable.load() for executable in executables):
            return True
    if cost <= COMPILING_COST[0] + COMPILING_COST[1] * sum(len(each.program.code) for each in executables):
        return False
    return all(executable.compile() is not None for executable in executables)
