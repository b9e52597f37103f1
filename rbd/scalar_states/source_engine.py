"""Engine of scalar states: runs the Python source of kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast, final

import numpy as np
from typing_extensions import override

from rbd.errors import ShapeError
from rbd.indexing.layout import Layout
from rbd.kernels.calls import KernelCall
from rbd.kernels.engine_interface import Dependencies, Engine
from rbd.kernels.kernel import Kernel
from rbd.kernels.state_view import StateView
from rbd.mechanism import Mechanism
from rbd.program.status import range_error
from rbd.pytrees.finite import require_finite_numbers, require_finite_result
from rbd.scalars.arrays import ScalarArray, pack
from rbd.scalars.entries import is_masked
from rbd.scalars.registry import ARRAYS


@final
class SourceEngine(Engine):
    """Engine of scalar states: runs the Python source of kernels."""

    def __init__(self, mechanism: Mechanism, layout: Layout, float_type: type[Any] | None) -> None:
        """Set the type of the state's scalars: float or complex, which must be finite; None for other families."""
        super().__init__(mechanism, layout)
        self._float_type = float_type

    @override
    def dependency_versions(self, dependencies: Dependencies) -> tuple[int, ...]:
        """Return the version of the parameters: coordinates do not change."""
        return (self.mechanism.parameter_version,)

    @override
    def request_builtin(self, table: object, key: object, places: object, make: object) -> None:
        """Do nothing: the source has no fast paths."""

    @override
    def evaluate(self, state: StateView, kernel: Kernel[..., Any], args: Sequence[Any]) -> Any:
        """Run the Python source of a kernel."""
        value = kernel.function(state, *args)
        if self._float_type is not None:
            require_finite_result(value, kernel.name, self._float_type)
        return value

    @override
    def run(self, state: StateView, call: KernelCall[Any], key: object = None, array_count: int = 0) -> Any:
        """Run the Python source of a call's kernel; arrays are tested for infinities when they are packed."""
        self.check()
        if call.shapes is None:
            return self.call_result(call, self.evaluate(state, call.kernel, call.args))
        return self.call_result(call, call.kernel.function(state, *call.args))

    @override
    def require_finite(self, name: str, *numbers: object) -> None:
        """Raise NotFiniteError, naming the result, for floats and complex numbers that are not finite."""
        if self._float_type is not None:
            require_finite_numbers(numbers, name)

    @override
    def pack(self, values: Any, name: str, shape: tuple[int, ...], out: Any = None) -> ScalarArray:
        """Return nested scalars as an array of `shape`."""
        array = cast("ScalarArray", pack(values)).reshape(shape)
        if self._float_type is not None and array.dtype != np.object_ and not np.isfinite(array).all():
            raise range_error(name)
        if out is None:
            return array
        self.require_out(out, array, name)
        out[...] = array
        return cast("ScalarArray", out)

    @override
    def require_out(self, out: Any, array: Any, name: str) -> None:
        """Raise ShapeError unless `out` can hold the entries of `array` exactly."""
        _require_exact(out, array, f"out (for the {name})")


def _require_exact(out: ScalarArray, array: ScalarArray, name: str) -> None:
    if not isinstance(out, ARRAYS) or is_masked(out):
        raise ShapeError(f"{name} must be an array, got {type(out).__name__}", argument=name, expected=array.shape)
    if out.shape != array.shape:
        message = f"{name} has shape {out.shape}, needs {array.shape}"
        raise ShapeError(message, argument=name, expected=array.shape, actual=out.shape)
    if not np.can_cast(array.dtype, out.dtype, "safe"):
        message = f"{name} has dtype {out.dtype}, which cannot hold {array.dtype}"
        raise ShapeError(message, argument=name, expected=array.dtype.name, actual=out.dtype.name)
    if not out.flags.writeable:
        raise ShapeError(f"{name} must be writeable", argument=name, expected=array.shape, actual=out.shape)
