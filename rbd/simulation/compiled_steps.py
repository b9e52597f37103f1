"""Compiled steps and stages of mechanisms, kept while the mechanism lives and is not edited."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from rbd.compiled.function import RecordedFunction
from rbd.compiled.record import record_uncached, recorded_function
from rbd.compiled.recording_specs import RecordingSpec
from rbd.errors import ScalarError, SingularError
from rbd.mechanism import Mechanism

if TYPE_CHECKING:
    from rbd.native.compiled_program import CompiledProgram

_MAX_FUNCTIONS: Final = 32
"""Functions kept per mechanism; beyond that all are dropped."""
_Versions = tuple[int, int]
_cache: WeakKeyDictionary[Mechanism, dict[Hashable, tuple[_Versions, RecordedFunction]]] = WeakKeyDictionary()


def compiled_step(
    mechanism: Mechanism, name: str, spec: RecordingSpec, own: tuple[object, ...] | None = None
) -> CompiledProgram | None:
    """Return the machine code of a step of `mechanism` as it is now; None where it cannot be recorded or compiled.

    `name` identifies the specification, together with objects of this process, `own`, if it contains any.
    """
    key = name, own
    known = _cache.setdefault(mechanism, {})
    versions = (mechanism.structure_version, mechanism.parameter_version)
    found = known.get(key)
    try:
        if found is None or found[0] != versions:
            if len(known) >= _MAX_FUNCTIONS:
                known.clear()
            record = recorded_function if own is None else record_uncached
            found = known[key] = versions, record(spec, mechanism, name)
        return found[1].evaluation.executable.compile()
    except (ScalarError, SingularError):  # symbols among the parameters, joints that cannot be recorded, no inertia
        return None
