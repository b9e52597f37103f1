"""Compiled steps and stages of mechanisms, kept while the mechanism lives and is not edited."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from rbd.array_functions.function import RecordedFunction
from rbd.array_functions.record import record_uncached, recorded_function
from rbd.array_functions.recording_spec import RecordingSpec
from rbd.errors import ScalarError, SingularError
from rbd.mechanism import Mechanism

if TYPE_CHECKING:
    from rbd.native.compiled_program import CompiledProgram

_MAX_FUNCTIONS: Final = 32
"""Functions kept per mechanism; beyond that all are dropped."""
_Versions = tuple[int, int]
_cache: WeakKeyDictionary[Mechanism, dict[Hashable, tuple[_Versions, RecordedFunction]]] = WeakKeyDictionary()


def compiled_step(
    mechanism: Mechanism, name: str, spec: RecordingSpec, sources: tuple[object, ...] | None = None
) -> CompiledProgram | None:
    """Return the machine code of a step of `mechanism` as it is now; None where it cannot be recorded or compiled.

    `name` identifies the specification, together with objects of this process, `sources`, if it contains any.
    """
    key = name, sources
    functions = _cache.setdefault(mechanism, {})
    versions = (mechanism.structure_version, mechanism.parameter_version)
    cached = functions.get(key)
    try:
        if cached is None or cached[0] != versions:
            if len(functions) >= _MAX_FUNCTIONS:
                functions.clear()
            record = recorded_function if sources is None else record_uncached
            cached = functions[key] = versions, record(spec, mechanism, name)
        return cached[1].evaluation.executable.compile()
    except (ScalarError, SingularError):  # symbols among the parameters, joints that cannot be recorded, no inertia
        return None
