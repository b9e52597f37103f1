"""Recorded functions of one mechanism, each compiled at its first call."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from typing_extensions import override

from rbd import native
from rbd.algorithms.derivatives.space import Space, check_space
from rbd.arguments import several
from rbd.compiled.evaluation import Result
from rbd.compiled.function import RecordedFunction
from rbd.compiled.method_builtins import builtin_documentation, version_guards
from rbd.compiled.parameter_checks import require_possible
from rbd.compiled.record import recorded_function
from rbd.compiled.recording_specs import SPECS, RecordingSpec
from rbd.compiled.status import RowStatus
from rbd.compiled.wrenches import Places, WrenchArrays, WrenchFrame, key_with_wrenches, placed_wrenches, with_wrenches
from rbd.errors import StaleStateError
from rbd.kinematics.layout import layout_of
from rbd.kinematics.parameters import ParameterName, parameter_shape
from rbd.mechanism import Mechanism
from rbd.progress import Listener, require_progress
from rbd.scalars.arrays import Array
from rbd.spatial.values import require_kind


class CompiledFunctions(ABC):
    """Recorded functions of a mechanism, by name; frequently called methods become builtins."""

    def __init__(
        self, mechanism: Mechanism, parameters: Iterable[ParameterName] = (), *, progress: bool | Listener = False
    ) -> None:
        """Set the mechanism, with `parameters` as inputs; compiles nothing. See `rbd.compile`."""
        require_kind(mechanism, Mechanism, operation="rbd.compile", argument="mechanism")
        require_progress(progress)
        names = several(parameters, "parameters", "names of parameters")
        for name in names:
            parameter_shape(mechanism, name)
        self._mechanism = mechanism
        self._parameters: tuple[ParameterName, ...] = tuple(dict.fromkeys(names))
        self._versions = (mechanism.structure_version, mechanism.parameter_version)
        self._functions: dict[str, RecordedFunction] = {}
        self._lock = native.Lock()
        self._gets_faster = True
        self._progress = progress

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism of the functions."""
        return self._mechanism

    @override
    def __repr__(self) -> str:
        compiled = ", ".join(self._functions)
        return (
            f"<compiled robot, nq = {self._mechanism.nq}, nv = {self._mechanism.nv}; compiled: {compiled or 'nothing'}>"
        )

    def _call(
        self,
        name: str,
        arrays: tuple[ArrayLike, ...],
        out: Array | None,
        threads: int,
        status: RowStatus | None,
        parameters: Mapping[str, ArrayLike],
        external: WrenchArrays | None = None,
        frame: WrenchFrame = "body",
    ) -> Array:
        require_possible(parameters)
        places, wrenches = self._placed(external, frame)
        recorded = self._function(key_with_wrenches(name, places), lambda: with_wrenches(SPECS[name], places))
        result = only(recorded.call((*arrays, *wrenches), parameters, out, threads, status))
        if not places:
            self._offer(name, recorded)
        return result

    def _placed(self, external: WrenchArrays | None, frame: WrenchFrame) -> tuple[Places, tuple[ArrayLike, ...]]:
        """Return where external wrenches act, and their components."""
        if external is None and frame == "body":
            return (), ()
        return placed_wrenches(layout_of(self._mechanism), external, frame)

    def _derivatives(
        self,
        name: str,
        space: Space,
        arrays: tuple[ArrayLike, ...],
        out: Sequence[Array] | None,
        threads: int,
        status: RowStatus | None,
        parameters: Mapping[str, ArrayLike],
    ) -> tuple[Array, Array, Array]:
        check_space(space)
        require_possible(parameters)
        key = f"{name} {space}"
        recorded = self._function(key, lambda: SPECS[key])
        first, second, third = recorded.call(arrays, parameters, out, threads, status)
        if space == "tangent":
            self._offer(name, recorded)
        return first, second, third

    def _torques(self, tau: ArrayLike | None) -> ArrayLike:
        """Return torques unchanged, zeros for None."""
        return np.zeros(self._mechanism.nv) if tau is None else tau

    @abstractmethod
    def _twin(self) -> Self:
        """Return another instance for the same mechanism."""

    def _offer(self, name: str, function: RecordedFunction) -> None:
        """Replace the method `name` of this robot by a builtin, once it is called often.

        For other calls the builtin calls the method of a twin without builtins. This avoids reference cycles, so that
        the robot is freed with its last reference.
        """
        if self._gets_faster and not self._parameters and function.is_warm and name not in self.__dict__:
            twin = self._twin()
            twin._versions, twin._functions, twin._gets_faster = self._versions, self._functions, False
            twin._lock, twin._progress = self._lock, self._progress
            guards = version_guards(self._mechanism, self._versions)
            method: Callable[..., object] = getattr(twin, name)
            setattr(self, name, function.builtin(method, name, builtin_documentation(method), guards))

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the mechanism only; the copy compiles again."""
        return type(self), (self._mechanism, self._parameters)

    def _function(self, key: str, spec: Callable[[], RecordingSpec]) -> RecordedFunction:
        """Return the recorded function for `key`, recorded at the first call."""
        versions = (self._mechanism.structure_version, self._mechanism.parameter_version)
        if versions != self._versions:
            raise StaleStateError(
                "the mechanism was edited after this robot was compiled; call rbd.compile again",
                made_with=self._versions,
                now=versions,
            )
        return self._functions.get(key) or self._recorded(key, spec)

    def _recorded(self, key: str, spec: Callable[[], RecordingSpec]) -> RecordedFunction:
        with self._lock.inner:
            known = self._functions.get(key)
            if known is None:
                known = recorded_function(spec(), self._mechanism, key, self._parameters)
                known.evaluation.executable.progress = self._progress
                self._functions[key] = known
            return known


def only(result: Result) -> Array:
    """Return the single output of a function."""
    return result if isinstance(result, np.ndarray) else result[0]
