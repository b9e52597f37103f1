"""Base class of the methods of compiled robots: options and calls of recorded functions, default torques."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, TypeVar, cast, final

import attrs
import numpy as np
from numpy.typing import ArrayLike

from rbd.algorithms.derivatives.space import Space
from rbd.array_functions.evaluation import Result
from rbd.array_functions.function import RecordedFunction
from rbd.array_functions.row_status import RowStatus
from rbd.array_functions.wrench_inputs import (
    WrenchArrays,
    WrenchFrame,
    WrenchInputs,
    require_wrench_frame,
    wrench_inputs,
)
from rbd.compiled.function_table import FunctionTable
from rbd.compiled.method_builtins import NOT_FOR_BUILTINS, RecordedOptions, WrenchKeys
from rbd.errors import ArgumentError
from rbd.indexing.layout import layout_of
from rbd.scalars.arrays import Array

Method = TypeVar("Method", bound=Callable[..., Any])


@final
@attrs.frozen(eq=False)
class CallOptions:
    """Options of a call: output arrays, threads, status, parameters of the mechanism; see `CompiledRobot`."""

    out: Array | Sequence[Array] | None
    threads: int
    status: RowStatus | None
    parameters: Mapping[str, ArrayLike]

    def call(self, function: RecordedFunction, arrays: Sequence[ArrayLike]) -> Result:
        """Return the outputs of a function of arrays."""
        return function.call(arrays, self.parameters, self.out, self.threads, self.status)


class MethodBase:
    """Base of the classes that have the methods of compiled robots."""

    def __init__(self, table: FunctionTable) -> None:
        """Set the recorded functions."""
        self._table = table

    def _use_builtin(self, name: str, function: RecordedFunction, options: RecordedOptions) -> None:
        """Use a builtin for calls of the method `name` with these options, which are frequent; here, do nothing.

        Calls with `NOT_FOR_BUILTINS` among their options have none.
        """

    def _evaluate(
        self,
        name: str,
        arrays: tuple[ArrayLike, ...],
        options: CallOptions,
        external: WrenchArrays | None = None,
        frame: WrenchFrame = "body",
    ) -> Array:
        """Return the result of an algorithm with one array."""
        wrenches, components = self._wrench_inputs(external, frame)
        function = self._table.algorithm(name, wrenches)
        result = only_array(options.call(function, (*arrays, *components)))
        if function.is_warm:
            self._use_builtin(name, function, self._wrench_options(external, wrenches, frame))
        return result

    def _evaluate_derivatives(
        self, name: str, space: Space, arrays: tuple[ArrayLike, ...], options: CallOptions
    ) -> Result:
        """Return the derivatives of an algorithm."""
        function = self._table.derivatives(name, space)
        result = options.call(function, arrays)
        if function.is_warm:
            self._use_builtin(name, function, {"space": space})
        return result

    def _wrench_inputs(
        self, external: WrenchArrays | None, frame: WrenchFrame
    ) -> tuple[WrenchInputs, tuple[ArrayLike, ...]]:
        """Return the inputs of external wrenches, and their components."""
        if external is None:
            require_wrench_frame(frame)
            return (), ()
        return wrench_inputs(layout_of(self._table.mechanism), external, frame)

    def _wrench_options(
        self, external: WrenchArrays | None, inputs: WrenchInputs, frame: WrenchFrame
    ) -> dict[str, object]:
        """Return the options of a call with external wrenches; builtins take them as arrays only."""
        keys: object = None
        if external and all(type(value) is np.ndarray for value in external.values()):
            layout = layout_of(self._table.mechanism)
            bodies = sorted(external, key=layout.body_index)
            keys = WrenchKeys(tuple(bodies), inputs)
        elif external:
            keys = NOT_FOR_BUILTINS
        return {"external_wrenches": keys, "wrench_frame": frame}

    def _torques(self, tau: ArrayLike | None) -> ArrayLike:
        """Return torques unchanged, zeros for None."""
        return np.zeros(self._table.mechanism.nv) if tau is None else tau


def refuses_unknown_names(method: Method) -> Method:
    """Decorate a method to name an unknown argument, where Python would name only those that are missing."""

    @wraps(method)
    def call(self: MethodBase, *arrays: ArrayLike, **named: object) -> Any:
        try:
            return method(self, *arrays, **named)
        except TypeError as error:
            if error.__traceback__ is not None and error.__traceback__.tb_next is None:  # the call itself failed
                parameters = self._table.parameters  # pyright: ignore[reportPrivateUsage]  # `call` is a method
                _refuse_unknown_names(method, parameters, len(arrays), named)
            raise

    return cast("Method", call)


def _refuse_unknown_names(
    method: Callable[..., Any], parameters: Sequence[str], positional: int, named: Mapping[str, object]
) -> None:
    """Raise ArgumentError if a named argument is neither the method's nor one of `parameters` of the mechanism."""
    _, *taken = inspect.signature(method).parameters.values()
    taken = [each for each in taken if each.kind is not each.VAR_KEYWORD]
    names = (*(each.name for each in taken), *parameters)
    missing = [each.name for each in taken[positional:] if each.default is each.empty and each.name not in named]
    for name, value in named.items():
        if name not in names:
            instead = f", not {missing[0]}" if missing else ""
            message = f"{method.__name__} takes {', '.join(names)}; got {name}{instead}"
            raise ArgumentError(message, argument=name, value=value, allowed=names) from None


def only_array(result: Array | Sequence[Array]) -> Array:
    """Return the single output of a function."""
    return result if isinstance(result, np.ndarray) else result[0]
