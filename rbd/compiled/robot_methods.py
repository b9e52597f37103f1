"""What the methods of compiled robots share: recorded functions, options, default torques."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from rbd.algorithms.derivatives.space import Space
from rbd.compiled.call_options import CallOptions
from rbd.compiled.evaluation import Result
from rbd.compiled.function import RecordedFunction
from rbd.compiled.robot_recordings import RobotRecordings
from rbd.compiled.wrenches import WrenchArrays, WrenchFrame
from rbd.scalars.arrays import Array


class RobotMethods:
    """Base of the classes that have the methods of compiled robots."""

    def __init__(self, recordings: RobotRecordings) -> None:
        """Set the recorded functions."""
        self._recordings = recordings

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
        wrenches, components = self._recordings.wrench_inputs(external, frame)
        function = self._recordings.algorithm(name, wrenches)
        result = only_array(options.call(function, (*arrays, *components)))
        if not wrenches:
            self._called(name, function)
        return result

    def _derivatives(self, name: str, space: Space, arrays: tuple[ArrayLike, ...], options: CallOptions) -> Result:
        """Return the derivatives of an algorithm."""
        function = self._recordings.derivatives(name, space)
        result = options.call(function, arrays)
        if space == "tangent":
            self._called(name, function)
        return result

    def _torques(self, tau: ArrayLike | None) -> ArrayLike:
        """Return torques unchanged, zeros for None."""
        return np.zeros(self._recordings.table.mechanism.nv) if tau is None else tau


def only_array(result: Array | Sequence[Array]) -> Array:
    """Return the single output of a function."""
    return result if isinstance(result, np.ndarray) else result[0]
