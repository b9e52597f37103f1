"""Recorded functions of one mechanism by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import final

from rbd import native
from rbd.arguments import require_kind, several
from rbd.compiled.function import RecordedFunction
from rbd.compiled.record import recorded_function
from rbd.compiled.recording_specs import RecordingSpec
from rbd.errors import StaleStateError
from rbd.kernels.parameters import ParameterName, parameter_shape
from rbd.mechanism import Mechanism
from rbd.progress import Listener, require_progress


@final
class FunctionTable:
    """Recorded functions of one mechanism by name, each recorded at its first use and compiled at its first call."""

    def __init__(self, mechanism: Mechanism, parameters: Iterable[ParameterName], progress: bool | Listener) -> None:
        """Set the mechanism, with `parameters` as inputs; records nothing. See `rbd.compile`."""
        require_kind(mechanism, Mechanism, operation="rbd.compile", argument="mechanism")
        require_progress(progress)
        names = several(parameters, "parameters", "names of parameters")
        for name in names:
            parameter_shape(mechanism, name)
        self.mechanism = mechanism
        self.parameters: tuple[ParameterName, ...] = tuple(dict.fromkeys(names))
        self.versions = (mechanism.structure_version, mechanism.parameter_version)
        self.functions: dict[str, RecordedFunction] = {}
        self._lock = native.Lock()
        self._progress = progress

    def recorded(self, key: str, spec: Callable[[], RecordingSpec]) -> RecordedFunction:
        """Return the function `key`, recorded from a specification at its first use."""
        return self.function(key, lambda: recorded_function(spec(), self.mechanism, key, self.parameters))

    def function(self, key: str, make: Callable[[], RecordedFunction]) -> RecordedFunction:
        """Return the function `key`, made at its first use; raise StaleStateError if the mechanism was edited."""
        self.require_current()
        return self.functions.get(key) or self._made(key, make)

    def require_current(self) -> None:
        """Raise StaleStateError if the mechanism was edited."""
        versions = (self.mechanism.structure_version, self.mechanism.parameter_version)
        if versions != self.versions:
            advice = ", with parameters=[...] for values that change" if versions[0] == self.versions[0] else ""
            message = f"the mechanism was edited after this robot was compiled; call rbd.compile again{advice}"
            raise StaleStateError(message, made_with=self.versions, now=versions)

    def _made(self, key: str, make: Callable[[], RecordedFunction]) -> RecordedFunction:
        with self._lock.inner:
            known = self.functions.get(key)
            if known is None:
                known = make()
                known.evaluation.executable.progress = self._progress
                self.functions[key] = known
            return known
