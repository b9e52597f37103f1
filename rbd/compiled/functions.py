"""Functions of one mechanism, each compiled when it is first called."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from typing_extensions import override

from rbd import native
from rbd.algorithms.spaces import Space, check_space
from rbd.arguments import several
from rbd.compiled.evaluation import Result
from rbd.compiled.function import RecordedFunction
from rbd.compiled.methods import described, version_guard
from rbd.compiled.recipes import RECIPES, Recipe
from rbd.compiled.record import recorded_function
from rbd.errors import StaleStateError
from rbd.mechanism import Mechanism
from rbd.progress import Listener, require_progress
from rbd.scalars.arrays import Array
from rbd.spatial.values import require_kind
from rbd.state.parameters import ParameterName, parameter_shape


class Functions(ABC):
    """Recorded functions by name, for a mechanism as it was; methods called often become builtins."""

    def __init__(
        self, mechanism: Mechanism, parameters: Iterable[ParameterName] = (), *, progress: bool | Listener = False
    ) -> None:
        """Take `mechanism` as it is, with `parameters` as inputs; nothing is compiled yet. See `rbd.compile`."""
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
        """The mechanism the functions are for."""
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
        parameters: Mapping[str, ArrayLike],
    ) -> Array:
        recorded = self._function(name, lambda: RECIPES[name])
        result = only(recorded.call(arrays, parameters, out, threads))
        self._offer(name, recorded)
        return result

    def _derivatives(
        self,
        name: str,
        space: Space,
        arrays: tuple[ArrayLike, ...],
        out: Sequence[Array] | None,
        threads: int,
        parameters: Mapping[str, ArrayLike],
    ) -> tuple[Array, Array, Array]:
        check_space(space)
        key = f"{name} {space}"
        recorded = self._function(key, lambda: RECIPES[key])
        first, second, third = recorded.call(arrays, parameters, out, threads)
        if space == "tangent":
            self._offer(name, recorded)
        return first, second, third

    @abstractmethod
    def _twin(self) -> Self:
        """Return another one for the same mechanism."""

    def _offer(self, name: str, function: RecordedFunction) -> None:
        """Put a builtin in the place of the method `name` of this robot, once the method is called often.

        What the builtin does not serve, it hands to the method of a twin, which keeps no builtins: that way nothing
        refers to itself, and everything is freed with the last reference.
        """
        if self._gets_faster and not self._parameters and function.is_warm and name not in self.__dict__:
            twin = self._twin()
            twin._versions, twin._functions, twin._gets_faster = self._versions, self._functions, False
            twin._lock = self._lock
            guard = version_guard(self._mechanism, self._versions)
            method: Callable[..., object] = getattr(twin, name)
            setattr(self, name, function.builtin(method, name, described(method), guard))

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the mechanism; everything else is made anew."""
        return type(self), (self._mechanism, self._parameters)

    def _function(self, key: str, recipe: Callable[[], Recipe]) -> RecordedFunction:
        """Return the recorded function for `key`, recording it when it is asked for the first time."""
        versions = (self._mechanism.structure_version, self._mechanism.parameter_version)
        if versions != self._versions:
            raise StaleStateError(
                "the mechanism was edited after this robot was compiled; call rbd.compile again",
                made_with=self._versions,
                now=versions,
            )
        return self._functions.get(key) or self._recorded(key, recipe)

    def _recorded(self, key: str, recipe: Callable[[], Recipe]) -> RecordedFunction:
        with self._lock.inner:
            known = self._functions.get(key)
            if known is None:
                known = recorded_function(recipe(), self._mechanism, key, self._parameters)
                known.evaluation.executable.progress = self._progress
                self._functions[key] = known
            return known


def only(result: Result) -> Array:
    """Return the one array a function gives."""
    return result if isinstance(result, np.ndarray) else result[0]
