"""Recorded functions of one mechanism, each compiled at its first call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike
from typing_extensions import override

from rbd.algorithms.derivatives.space import Space, check_space
from rbd.compiled.evaluation import Result
from rbd.compiled.function import RecordedFunction
from rbd.compiled.function_table import FunctionTable
from rbd.compiled.method_builtins import builtin_documentation, version_guards
from rbd.compiled.parameter_checks import require_possible
from rbd.compiled.recording_specs import SPECS
from rbd.compiled.status import RowStatus
from rbd.compiled.wrenches import Places, WrenchArrays, WrenchFrame, key_with_wrenches, placed_wrenches, with_wrenches
from rbd.indexing.layout import layout_of
from rbd.indexing.parameters import ParameterName
from rbd.mechanism import Mechanism
from rbd.progress import Listener
from rbd.scalars.arrays import Array


class CompiledFunctions:
    """Calls of the recorded functions of a mechanism; frequently called methods become builtins."""

    def __init__(
        self, mechanism: Mechanism, parameters: Iterable[ParameterName] = (), *, progress: bool | Listener = False
    ) -> None:
        """Set the mechanism, with `parameters` as inputs; compiles nothing. See `rbd.compile`."""
        self._table = FunctionTable(mechanism, parameters, progress)
        self._gets_faster = True

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism of the functions."""
        return self._table.mechanism

    @override
    def __repr__(self) -> str:
        mechanism, compiled = self.mechanism, ", ".join(self._table.functions)
        return f"<compiled robot, nq = {mechanism.nq}, nv = {mechanism.nv}; compiled: {compiled or 'nothing'}>"

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
        recorded = self._table.recorded(key_with_wrenches(name, places), lambda: with_wrenches(SPECS[name], places))
        result = only(recorded.call((*arrays, *wrenches), parameters, out, threads, status))
        if not places:
            self._offer(name, recorded)
        return result

    def _placed(self, external: WrenchArrays | None, frame: WrenchFrame) -> tuple[Places, tuple[ArrayLike, ...]]:
        """Return where external wrenches act, and their components."""
        if external is None and frame == "body":
            return (), ()
        return placed_wrenches(layout_of(self.mechanism), external, frame)

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
        recorded = self._table.recorded(key, lambda: SPECS[key])
        first, second, third = recorded.call(arrays, parameters, out, threads, status)
        if space == "tangent":
            self._offer(name, recorded)
        return first, second, third

    def _torques(self, tau: ArrayLike | None) -> ArrayLike:
        """Return torques unchanged, zeros for None."""
        return np.zeros(self.mechanism.nv) if tau is None else tau

    def _offer(self, name: str, function: RecordedFunction) -> None:
        """Replace the method `name` of this robot by a builtin, once it is called often.

        For other calls the builtin calls the method of a twin without builtins, with the same functions. This avoids
        reference cycles, so that the robot is freed with its last reference.
        """
        if self._gets_faster and not self._table.parameters and function.is_warm and name not in self.__dict__:
            twin = type(self).__new__(type(self))
            twin._table, twin._gets_faster = self._table, False
            guards = version_guards(self.mechanism, self._table.versions)
            method: Callable[..., object] = getattr(twin, name)
            setattr(self, name, function.builtin(method, name, builtin_documentation(method), guards))

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the mechanism only; the copy compiles again."""
        return type(self), (self.mechanism, self._table.parameters)


def only(result: Result) -> Array:
    """Return the single output of a function."""
    return result if isinstance(result, np.ndarray) else result[0]
