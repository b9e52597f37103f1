"""What computes for a state: evaluates kernels, remembers passes, packs results, keeps fast paths.

Algorithms reach it through the one attribute `state.engine`. Scalar states have the engine of this module, which runs
the readable source; live states have `live_engine.LiveEngine`, which runs what was recorded of it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, final

import attrs
from typing_extensions import override

from rbd.errors import StaleStateError

if TYPE_CHECKING:
    from rbd.mechanism import Mechanism
    from rbd.state.base import StateView
    from rbd.state.kernel import Kernel
    from rbd.state.layout import Layout

R = TypeVar("R")
Depends = Literal["parameters", "q", "qv"]
"""What a pass depends on; parameters are always included."""
Shapes = Mapping[str, tuple[int, ...]]
"""The arrays a kernel returns, by the names messages call them."""


class Call(ABC, Generic[R]):
    """What an algorithm returns to `fast_path`: how its result is computed; abstract."""

    @abstractmethod
    def run(self, owner: Any, key: object = None, count: int = 0) -> R:
        """Return the result; `owner`, a state or a result, opens a fast path for `count` arrays under `key`."""


@final
@attrs.frozen(eq=False)
class Done(Call[R]):
    """A result that is there already: no fast path leads to it."""

    value: R

    @override
    def run(self, owner: object, key: object = None, count: int = 0) -> R:
        """Return it."""
        return self.value


@final
@attrs.frozen(eq=False)
class KernelCall(Call[R]):
    """What an algorithm asks the engine of its state for: a kernel with arguments, and how its result is returned."""

    kernel: Kernel[..., Any]
    args: tuple[Any, ...] = ()
    shapes: Shapes | None = None
    """The arrays wanted; None for the value that the kernel returns."""
    finish: Callable[..., R] | None = None
    """Makes the algorithm's result of the arrays, or of the value; must not refer to the state."""
    out: Any = None
    """An array for the result, if it is one array."""

    @override
    def run(self, owner: StateView, key: object = None, count: int = 0) -> R:
        """Return the result for a state."""
        result: R = owner.engine.run(owner, self, key, count)
        return result

    def of_arrays(self, arrays: Sequence[Any]) -> Any:
        """Return the algorithm's result from the arrays wanted."""
        if self.finish is not None:
            return self.finish(*arrays)
        return arrays[0] if len(arrays) == 1 else tuple(arrays)

    def of_value(self, value: Any) -> Any:
        """Return the algorithm's result from what the kernel returns, where no arrays are wanted."""
        return value if self.finish is None else self.finish(value)


class Engine(ABC):
    """Computes for one state; abstract."""

    def __init__(self, mechanism: Mechanism, layout: Layout) -> None:
        """Begin with nothing computed."""
        self.fast: dict[object, Callable[..., Any]] = {}
        """Builtins by the keys of calls; only live states have some."""
        self.mechanism = mechanism
        self.layout = layout
        self.memory: dict[object, tuple[tuple[int, ...], object]] = {}

    def __getstate__(self) -> dict[str, object]:
        """Leave out what is remembered: a copy computes it again."""
        return {**self.__dict__, "memory": {}}

    def check(self) -> None:
        """Raise StaleStateError when the mechanism's structure was edited since the state was made."""
        made, now = self.layout.version, self.mechanism.structure_version
        if made != now:
            raise StaleStateError(
                f"the mechanism was edited (structure version {now}) after this state was made (version {made}); "
                "make a new MechanismState",
                made_with=made,
                now=now,
            )

    @abstractmethod
    def stamp(self, depends: Depends) -> tuple[int, ...]:
        """Return numbers that change whenever something a pass depends on does."""

    @abstractmethod
    def evaluate(
        self, state: StateView, kernel: Kernel[..., Any], args: Sequence[Any], named: Mapping[str, Any]
    ) -> Any:
        """Return what a kernel returns for `state`: nested tuples of scalars, or framed values."""

    @abstractmethod
    def arrays(self, state: StateView, kernel: Kernel[..., Any], args: Sequence[Any], shapes: Shapes) -> Sequence[Any]:
        """Return what a kernel returns as arrays of the state's scalars."""

    @abstractmethod
    def require_finite(self, name: str, *numbers: object) -> None:
        """Raise NotFiniteError, naming the result, when floats have left their range; other scalars pass."""

    @abstractmethod
    def pack(self, values: Any, name: str, shape: tuple[int, ...], out: Any = None) -> Any:
        """Return nested scalars as an array of `shape`, filling `out` when given; `name` is for messages."""

    def run(self, state: StateView, call: KernelCall[Any], key: object, count: int) -> Any:
        """Return the result of a call; a live engine opens a fast path under `key`."""
        self.check()
        if call.shapes is None:
            return call.of_value(self.evaluate(state, call.kernel, call.args, {}))
        if call.out is None:
            return call.of_arrays(self.arrays(state, call.kernel, call.args, call.shapes))
        ((name, shape),) = call.shapes.items()
        return call.of_arrays([self.pack(self.evaluate(state, call.kernel, call.args, {}), name, shape, call.out)])

    def remembered(self, state: StateView, kernel: Kernel[[], R], depends: Depends) -> R:
        """Return what a pass returns, computed at most once while what it depends on stays the same."""
        self.check()
        return self.recalled(kernel, depends, lambda: kernel.function(state))

    def recalled(self, key: object, depends: Depends, compute: Callable[[], R]) -> R:
        """Return `compute()`, remembered under `key` until something it depends on changes."""
        stamp = self.stamp(depends)
        known: tuple[tuple[int, ...], Any] | None = self.memory.get(key)
        if known is not None and known[0] == stamp:
            value: R = known[1]
            return value
        value = compute()
        self.memory[key] = (stamp, value)
        return value


def packed(engine: Engine, value: Any, shapes: Shapes) -> list[Any]:
    """Return what a kernel returns, as nested scalars, as arrays: one per shape; for one shape it is all it returns."""
    values = (value,) if len(shapes) == 1 else value
    return [engine.pack(each, name, shape) for each, (name, shape) in zip(values, shapes.items(), strict=True)]
