"""Base class of the methods of compiled robots: recorded functions, options, default torques."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rbd.algorithms.derivatives.space import Space
from rbd.compiled.call_options import CallOptions
from rbd.compiled.evaluation import Result
from rbd.compiled.function import RecordedFunction
from rbd.compiled.recorded_algorithms import RecordedAlgorithms
from rbd.compiled.wrenches import WrenchArrays, WrenchFrame, WrenchInputs, wrench_inputs
from rbd.errors import ArgumentError
from rbd.indexing.layout import layout_of
from rbd.scalars.arrays import Array


class RobotMethods:
    """Base of the classes that have the methods of compiled robots."""

    def __init__(self, algorithms: RecordedAlgorithms) -> None:
        """Set the recorded functions."""
        self._algorithms = algorithms

    def __init_subclass__(cls) -> None:
        """Let methods that take parameters of the mechanism by name tell unknown names."""
        super().__init_subclass__()
        for name, method in tuple(vars(cls).items()):
            if inspect.isfunction(method) and any(p.kind is p.VAR_KEYWORD for p in _parameters(method)):
                setattr(cls, name, cls._naming_unknown(method))

    @staticmethod
    def _naming_unknown(method: Callable[..., Any]) -> Callable[..., Any]:
        """Return a method that names an unknown argument where Python would name only those that are missing."""

        @wraps(method)
        def call(self: RobotMethods, *arrays: ArrayLike, **named: object) -> Any:
            try:
                return method(self, *arrays, **named)
            except TypeError as error:
                if error.__traceback__ is not None and error.__traceback__.tb_next is None:  # the call itself failed
                    self._refuse_unknown(method, len(arrays), named)
                raise

        return call

    def _refuse_unknown(self, method: Callable[..., Any], positional: int, named: Mapping[str, object]) -> None:
        """Raise ArgumentError if a named argument is neither the method's nor a parameter of the mechanism."""
        own = [each for each in _parameters(method) if each.kind is not each.VAR_KEYWORD]
        names = (*(each.name for each in own), *self._algorithms.parameters)
        missing = [each.name for each in own[positional:] if each.default is each.empty and each.name not in named]
        for name, value in named.items():
            if name not in names:
                instead = f", not {missing[0]}" if missing else ""
                message = f"{method.__name__} takes {', '.join(names)}; got {name}{instead}"
                raise ArgumentError(message, argument=name, value=value, allowed=names) from None

    def _called(self, name: str, function: RecordedFunction) -> None:
        """Note that the method `name` has called its function, with its options at their defaults."""

    def _array(
        self,
        name: str,
        arrays: tuple[ArrayLike, ...],
        options: CallOptions,
        external: WrenchArrays | None = None,
        frame: WrenchFrame = "body",
    ) -> Array:
        """Return the result of an algorithm with one array."""
        wrenches, components = self._wrench_inputs(external, frame)
        function = self._algorithms.algorithm(name, wrenches)
        result = only_array(options.call(function, (*arrays, *components)))
        if not wrenches:
            self._called(name, function)
        return result

    def _derivatives(self, name: str, space: Space, arrays: tuple[ArrayLike, ...], options: CallOptions) -> Result:
        """Return the derivatives of an algorithm."""
        function = self._algorithms.derivatives(name, space)
        result = options.call(function, arrays)
        if space == "tangent":
            self._called(name, function)
        return result

    def _wrench_inputs(
        self, external: WrenchArrays | None, frame: WrenchFrame
    ) -> tuple[WrenchInputs, tuple[ArrayLike, ...]]:
        """Return the inputs of external wrenches, and their components."""
        if external is None and frame == "body":
            return (), ()
        return wrench_inputs(layout_of(self._algorithms.mechanism), external, frame)

    def _torques(self, tau: ArrayLike | None) -> ArrayLike:
        """Return torques unchanged, zeros for None."""
        return np.zeros(self._algorithms.mechanism.nv) if tau is None else tau


def _parameters(method: Callable[..., Any]) -> tuple[inspect.Parameter, ...]:
    """Return the parameters of a method but the first, which is the robot."""
    return tuple(inspect.signature(method).parameters.values())[1:]


def only_array(result: Array | Sequence[Array]) -> Array:
    """Return the single output of a function."""
    return result if isinstance(result, np.ndarray) else result[0]
