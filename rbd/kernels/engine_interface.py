"""Interface of engines: they evaluate the kernels of a state, cache passes and pack results.

Algorithms use it as `state.engine`. Scalar states have a `SourceEngine`, which runs the Python source; live states have
a `LiveEngine`, which runs recorded programs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from rbd.errors import StaleStateError
from rbd.kernels.calls import KernelCall, Shapes

if TYPE_CHECKING:
    from rbd.indexing.layout import Layout
    from rbd.kernels.kernel import Kernel
    from rbd.kernels.query_builtins import QueryBuiltins, QueryTable
    from rbd.kernels.state_view import StateView
    from rbd.mechanism import Mechanism

R = TypeVar("R")
Dependencies = Literal["parameters", "q", "qv"]
"""Dependencies of a pass; parameters are always included."""


class Engine(ABC):
    """The engine of one state; abstract."""

    takes_arrays: bool = False
    """Whether arguments that are arrays of float64 may go to a builtin as they are."""

    def __init__(self, mechanism: Mechanism, layout: Layout) -> None:
        """Initialise without cached results."""
        self.mechanism = mechanism
        self.layout = layout
        self.cache: dict[object, tuple[tuple[int, ...], object]] = {}

    def __getstate__(self) -> dict[str, object]:
        """Omit cached results: a copy computes them again."""
        return {**self.__dict__, "cache": {}}

    def check(self) -> None:
        """Raise StaleStateError if the mechanism's structure was edited since the state was made."""
        made, now = self.layout.version, self.mechanism.structure_version
        if made != now:
            raise StaleStateError(
                f"the mechanism was edited (structure version {now}) after this state was made (version {made}); "
                "make a new MechanismState",
                made_with=made,
                now=now,
            )

    @abstractmethod
    def dependency_versions(self, dependencies: Dependencies) -> tuple[int, ...]:
        """Return version numbers that change with the dependencies of a pass."""

    @abstractmethod
    def request_builtin(
        self,
        table: QueryTable,
        key: object,
        places: object,
        make: Callable[[QueryBuiltins], Callable[[], Any] | None],
    ) -> None:
        """Request a builtin of a query; this engine may put one into `table`, made by `make`, now or after more calls.

        `key` has names and identities of `places`, which are kept alive.
        """

    @abstractmethod
    def evaluate(self, state: StateView, kernel: Kernel[..., Any], args: Sequence[Any]) -> Any:
        """Return the result of a kernel for `state`: nested tuples of scalars, or framed values."""

    @abstractmethod
    def run(self, state: StateView, call: KernelCall[Any], key: object = None, array_count: int = 0) -> Any:
        """Return the result of a call; a live engine opens a fast path for `array_count` arrays under `key`."""

    @abstractmethod
    def require_finite(self, name: str, *numbers: object) -> None:
        """Raise NotFiniteError, naming the result, for floats that are not finite; other scalars pass."""

    @abstractmethod
    def pack(self, values: Any, name: str, shape: tuple[int, ...], out: Any = None) -> Any:
        """Return nested scalars as an array of `shape`, or write them to `out`; `name` is for messages."""

    @abstractmethod
    def require_out(self, out: Any, array: Any, name: str) -> None:
        """Raise ShapeError unless the entries of `array` can be written to `out`."""

    def call_result(self, call: KernelCall[Any], value: Any) -> Any:
        """Return the result of a call from the value of its kernel."""
        if call.shapes is None:
            return call.result_of_value(value)
        return call.result_of_arrays(self.pack_arrays(value, call.shapes, call.out))

    def pack_arrays(self, value: Any, shapes: Shapes, out: Any = None) -> list[Any]:
        """Return the value of a kernel, nested scalars, as one array per shape; for one shape, as a single array."""
        values = (value,) if len(shapes) == 1 else value
        return [self.pack(entry, name, shape, out) for entry, (name, shape) in zip(values, shapes.items(), strict=True)]

    def pass_result(self, state: StateView, kernel: Kernel[[], R], dependencies: Dependencies) -> R:
        """Return the result of a pass, cached until one of its dependencies changes."""
        self.check()
        return self.cached_value(kernel, dependencies, lambda: kernel.function(state))

    def cached_value(self, key: object, dependencies: Dependencies, compute: Callable[[], R]) -> R:
        """Return `compute()`, cached under `key` until one of its dependencies changes."""
        current = self.dependency_versions(dependencies)
        cached: tuple[tuple[int, ...], Any] | None = self.cache.get(key)
        if cached is not None and cached[0] == current:
            value: R = cached[1]
            return value
        value = compute()
        self.cache[key] = (current, value)
        return value
