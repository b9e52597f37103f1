"""Calls of kernels, which algorithms return: the kernel, its arguments, and the conversion of its result."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar, final

import attrs
from typing_extensions import override

if TYPE_CHECKING:
    from rbd.kernels.kernel import Kernel
    from rbd.kernels.state_view import StateView

R = TypeVar("R")
Shapes: TypeAlias = "Mapping[str, tuple[int, ...]]"
"""Shapes of the arrays returned by a kernel, by their names in messages."""


class Call(ABC, Generic[R]):
    """A deferred computation, which an algorithm returns to `fast_path`; abstract."""

    @abstractmethod
    def run(self, owner: Any, key: object = None, array_count: int = 0) -> R:
        """Return the result; `owner`, a state or a result, opens a fast path for `array_count` arrays under `key`."""


@final
@attrs.frozen(eq=False)
class ComputedCall(Call[R]):
    """A call whose result is already computed; it has no fast path."""

    value: R

    @override
    def run(self, owner: object, key: object = None, array_count: int = 0) -> R:
        """Return the result."""
        return self.value


@final
@attrs.frozen(eq=False)
class KernelCall(Call[R]):
    """A call of a kernel: its arguments, and the conversion of its result."""

    kernel: Kernel[..., Any]
    args: tuple[Any, ...] = ()
    shapes: Shapes | None = None
    """Shapes of the arrays to return; None for the kernel's result as it is."""
    convert: Callable[..., R] | None = None
    """Converts the arrays, or the kernel's result, to the algorithm's result; must not refer to the state."""
    convert_array: Callable[[Any], R] | None = None
    """Converts the kernel's result as `convert` does, if it is one array; fast paths then do not make tuples of it."""
    out: Any = None
    """An array for a result of one array."""
    key_determines_args: bool = False
    """Whether the key of the fast path and the parameters determine the arguments, whose numbers it binds then."""

    @override
    def run(self, owner: StateView, key: object = None, array_count: int = 0) -> R:
        """Return the result for a state."""
        result: R = owner.engine.run(owner, self, key, array_count)
        return result

    def result_of_arrays(self, arrays: Sequence[Any]) -> Any:
        """Return the algorithm's result from the arrays."""
        if self.convert is not None:
            return self.convert(*arrays)
        return arrays[0] if len(arrays) == 1 else tuple(arrays)

    def result_of_value(self, value: Any) -> Any:
        """Return the algorithm's result from the kernel's result, for calls without arrays."""
        return value if self.convert is None else self.convert(value)
