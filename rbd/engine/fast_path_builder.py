"""Builder of fast paths: builtins that return the results of algorithms, on the buffers of a live state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, final

from rbd.engine.bound_builtin import Builtin, bound_builtin
from rbd.engine.kernel_cache import KernelCache
from rbd.engine.live_buffers import LiveBuffers
from rbd.engine.recorded_kernel import RecordedKernel
from rbd.indexing.layout import Layout
from rbd.kernels.calls import KernelCall
from rbd.mechanism import Mechanism
from rbd.native.runtime import abi
from rbd.scalars.arrays import Array

if TYPE_CHECKING:
    from rbd.engine.native_queries import NativeQueries

_MAX_FAST_PATHS: Final = 256
"""Maximum number of fast paths of a state; above it, all are discarded."""


@final
class FastPathBuilder:
    """Adds builtins to the fast paths of one state."""

    def __init__(self, mechanism: Mechanism, layout: Layout, buffers: LiveBuffers, kernels: KernelCache) -> None:
        """Start without fast paths."""
        self.fast: dict[object, Builtin] = {}
        """Builtins by the keys of calls."""
        self._opened: dict[object, tuple[RecordedKernel, int]] = {}
        """Recorded kernels of fast paths, with their versions of the parameters."""
        self._mechanism, self._layout, self._buffers, self._kernels = mechanism, layout, buffers, kernels
        self._queries: NativeQueries | None = None

    @property
    def queries(self) -> NativeQueries:
        """The maker of builtins that return framed values."""
        from rbd.engine.native_queries import NativeQueries  # rarely used: keeps `import rbd` fast

        if self._queries is None:
            self._queries = NativeQueries(self._mechanism, self._layout, self._buffers, self._kernels)
        return self._queries

    def open(
        self, key: object, count: int, recorded: RecordedKernel, call: KernelCall[Any], numbers: Sequence[Array]
    ) -> None:
        """Add a fast path: a builtin of the last `count` arguments, with the result of the algorithm.

        It requires that only these arrays change from call to call, or nothing at all; `numbers` are those of the
        arguments of this call.
        """
        opened = recorded, self._buffers.versions[1]
        if self._opened.get(key) == opened or not (call.key_fixes_arguments or recorded.array_arguments == count):
            return
        if len(self._opened) >= _MAX_FAST_PATHS:
            self._opened.clear()
            self.fast.clear()
        self._opened[key] = opened
        builtin = None if count else self._value_builtin(recorded, call, numbers)
        if builtin is None:
            builtin = self._array_builtin(recorded, call, [*numbers[: len(numbers) - count], *[None] * count])
        if builtin is None:
            self.fast.pop(key, None)
        else:
            self.fast[key] = builtin

    def _value_builtin(
        self, recorded: RecordedKernel, call: KernelCall[Any], numbers: Sequence[Array]
    ) -> Builtin | None:
        """Return a builtin of the value that a call returns, for bound `numbers`; None for arrays."""
        if call.shapes is not None or not abi.is_supported():
            return None
        if recorded.form.is_arrays and call.finish_array is not None:
            return self.queries.of_array(recorded, numbers, call.finish_array)
        builtin = self.queries.result(recorded, numbers)
        return builtin if builtin is None or call.finish is None else _converted(builtin, call.finish, one=True)

    def _array_builtin(
        self, recorded: RecordedKernel, call: KernelCall[Any], arguments: Sequence[Array | None]
    ) -> Builtin | None:
        """Return a builtin of the arguments that are None, by way of the arrays that the kernel computes."""
        builtin = bound_builtin(self._buffers, recorded, arguments)
        if builtin is None:
            return None
        one = len(recorded.executable.outline.outputs) == 1
        if call.finish_array is not None and recorded.form.is_arrays and one:
            return _converted(builtin, call.finish_array, one=True)
        if call.shapes is not None:
            return builtin if call.finish is None else _converted(builtin, call.finish, one=one)
        return _unflattened(builtin, recorded.form.unflatten, call.finish, one)


def _converted(builtin: Builtin, convert: Builtin, *, one: bool) -> Builtin:
    """Return a function that converts the array of a builtin, or its arrays."""

    def call(*args: Any) -> Any:
        found = builtin(*args)
        return found if found is NotImplemented else convert(found) if one else convert(*found)

    return call


def _unflattened(builtin: Builtin, unflatten: Builtin, finish: Builtin | None, one: bool) -> Builtin:
    """Return a function that makes the result of a kernel, and of the algorithm, from the arrays of a builtin."""

    def call(*args: Any) -> Any:
        found = builtin(*args)
        if found is NotImplemented:
            return found
        value = unflatten((found,) if one else found)
        return value if finish is None else finish(value)

    return call
