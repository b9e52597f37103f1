"""Table of the fast paths of a live state: builtins that return the results of algorithms, by the keys of calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, final

from rbd.engine.bound_builtin import Builtin, bound_builtin, bound_value_builtin
from rbd.engine.live_buffers import LiveBuffers
from rbd.kernels.calls import KernelCall
from rbd.mechanism.members import PARAMETERS
from rbd.native.runtime import abi
from rbd.recorder.recorded_kernel import RecordedKernel
from rbd.scalars import to_float
from rbd.scalars.arrays import Array

_MAX_FAST_PATHS: Final = 256
"""Maximum number of fast paths of a state; above it, all are discarded."""


@final
class FastPathTable:
    """The fast paths of one state."""

    def __init__(self, buffers: LiveBuffers) -> None:
        """Start without fast paths."""
        self.builtins: dict[object, Builtin] = {}
        """Builtins by the keys of calls."""
        self._opened: dict[object, tuple[RecordedKernel, int]] = {}
        """Sources of builtins that were made, or tried: recorded kernels, with the versions of the parameters."""
        self._buffers = buffers

    def open(
        self, key: object, array_count: int, recorded: RecordedKernel, call: KernelCall[Any], numbers: Sequence[Array]
    ) -> None:
        """Add a fast path: a builtin of the last `array_count` arguments, with the result of the algorithm.

        It requires that only these arrays change from call to call, or nothing at all; `numbers` are those of the
        arguments of this call.
        """
        opened = recorded, self._buffers.versions[PARAMETERS]
        if self._opened.get(key) == opened or not (
            call.key_determines_args or recorded.array_argument_count == array_count
        ):
            return
        if len(self._opened) >= _MAX_FAST_PATHS:
            self._opened.clear()
            self.builtins.clear()
        self._opened[key] = opened
        builtin = None if array_count else self._value_builtin(recorded, call, numbers)
        if builtin is None:
            builtin = self._array_builtin(
                recorded, call, [*numbers[: len(numbers) - array_count], *[None] * array_count]
            )
        if builtin is None:
            self.builtins.pop(key, None)
        else:
            self.builtins[key] = builtin

    def _value_builtin(
        self, recorded: RecordedKernel, call: KernelCall[Any], numbers: Sequence[Array]
    ) -> Builtin | None:
        """Return a builtin of the value that a call returns, for bound `numbers`; None for arrays."""
        if call.shapes is not None or not abi.is_supported():
            return None
        if recorded.form.holds_arrays and call.convert_array is not None:
            return bound_value_builtin(self._buffers, recorded, numbers, call.convert_array)
        builtin = bound_value_builtin(self._buffers, recorded, numbers)
        if builtin is None or call.convert is None or call.convert is to_float:  # numbers of machine code are floats
            return builtin
        return _converted(builtin, call.convert, one=True)

    def _array_builtin(
        self, recorded: RecordedKernel, call: KernelCall[Any], arguments: Sequence[Array | None]
    ) -> Builtin | None:
        """Return a builtin of the arguments that are None, by way of the arrays that the kernel computes."""
        builtin = bound_builtin(self._buffers, recorded, arguments)
        if builtin is None:
            return None
        one = recorded.has_one_output
        if call.convert_array is not None and recorded.form.holds_arrays and one:
            return _converted(builtin, call.convert_array, one=True)
        if call.shapes is not None:
            return builtin if call.convert is None else _converted(builtin, call.convert, one=one)
        return _unflattened(builtin, recorded.form.unflatten, call.convert, one)


def _converted(builtin: Builtin, convert: Callable[..., Any], *, one: bool) -> Builtin:
    """Return a function that converts the array of a builtin, or its arrays."""

    def call(*args: Any) -> Any:
        found = builtin(*args)
        return found if found is NotImplemented else convert(found) if one else convert(*found)

    return call


def _unflattened(
    builtin: Builtin, unflatten: Callable[..., Any], convert: Callable[..., Any] | None, one: bool
) -> Builtin:
    """Return a function that makes the result of a kernel, and of the algorithm, from the arrays of a builtin."""

    def call(*args: Any) -> Any:
        found = builtin(*args)
        if found is NotImplemented:
            return found
        value = unflatten((found,) if one else found)
        return value if convert is None else convert(value)

    return call
