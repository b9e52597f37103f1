"""Engine of live states: runs the recorded kernels of a mechanism on the buffers of the state."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, final

import numpy as np
from typing_extensions import override

from rbd import native
from rbd.engine.bound_builtin import Builtin
from rbd.engine.fast_path_table import FastPathTable
from rbd.engine.interpreted import INTERPRETED_CONTEXTS, interpreted, is_interpreted
from rbd.engine.live_buffers import OWNER, LiveBuffers, Q, V
from rbd.engine.query_counts import QueryCounts
from rbd.errors import ScalarError
from rbd.indexing.layout import Layout
from rbd.kernels.calls import KernelCall
from rbd.kernels.engine_interface import Dependencies, Engine
from rbd.kernels.kernel import Kernel
from rbd.kernels.query_builtins import QueryBuiltins, QueryTable
from rbd.mechanism import Mechanism
from rbd.mechanism.members import PARAMETERS, STRUCTURE
from rbd.native.runtime import abi
from rbd.program.status import range_error
from rbd.pytrees.finite import require_finite_numbers, require_finite_result
from rbd.recorder.kernel_cache import kernel_cache
from rbd.recorder.recorded_kernel import RecordedKernel
from rbd.scalars.arrays import Array, check_out

if TYPE_CHECKING:
    from rbd.engine.native_queries import NativeQueries
    from rbd.kernels.state_view import StateView
    from rbd.native.builtins.step_loop import LoopBinding

R = TypeVar("R")


@final
class LiveEngine(Engine):
    """Runs recorded programs of the mechanism: interpreted, or as machine code on the state's buffers."""

    takes_arrays = True

    def __init__(self, mechanism: Mechanism, layout: Layout) -> None:
        """Initialise all coordinates to zero; the calling thread is the owner."""
        super().__init__(mechanism, layout)
        self.buffers = LiveBuffers(mechanism, layout)
        self.zero_torques: Array = np.zeros(layout.nv)
        self.kernels = kernel_cache(mechanism)
        """Recorded kernels; shared by all states of the mechanism."""
        self._fast_paths = FastPathTable(self.buffers)
        self.builtins = self._fast_paths.builtins
        """Builtins by the keys of calls."""
        self.builtins_by_identity: dict[tuple[object, int, int], tuple[Builtin, object, object]] = {}
        """Builtins of calls about an object and a frame, by their identities, with the objects."""
        self._words, self._versions = self.buffers.words, self.buffers.versions
        self._query_counts = QueryCounts()
        self._native_queries: NativeQueries | None = None

    @override
    def check(self) -> None:
        """Raise StaleStateError after an edit of the structure, WrongThreadError in other threads than the owner."""
        if threading.get_ident() != self._words[OWNER]:
            raise self.buffers.wrong_thread()
        if self.layout.version != self._versions[STRUCTURE]:
            super().check()

    @override
    def dependency_versions(self, dependencies: Dependencies) -> tuple[int, ...]:
        """Return the versions of the dependencies."""
        return self.buffers.dependency_versions(dependencies)

    # --- kernels -----------------------------------------------------------------------------------------------------

    @override
    def evaluate(self, state: StateView, kernel: Kernel[..., Any], args: Sequence[Any]) -> Any:
        """Return the result of a kernel: from its program, or else from its source."""
        return self.run(state, KernelCall(kernel, tuple(args)))

    @override
    def run(self, state: StateView, call: KernelCall[Any], key: object = None, array_count: int = 0) -> Any:
        """Return the result of a call; open a fast path under `key` once there is machine code."""
        self.check()
        if INTERPRETED_CONTEXTS[0] and is_interpreted():
            return self._run_source(state, call)
        recorded, numbers = self.kernels.get_or_record(self.mechanism, call.kernel, call.args)
        if not isinstance(recorded, RecordedKernel):
            result = self._run_source(state, call)
            if recorded is not None:
                recorded.warn(call.kernel.name)
            return result
        arrays = recorded.executable(recorded.inputs(self.buffers.q, self.buffers.v, numbers))
        if arrays is None:  # the source raises the error of a failed program
            return self._run_source(state, call)
        if key is not None and recorded.executable.builtin is not None:
            self._fast_paths.open(key, array_count, recorded, call, numbers)
        return self._result(call, recorded, arrays)

    def _result(self, call: KernelCall[Any], recorded: RecordedKernel, arrays: Sequence[Array]) -> Any:
        """Return the result of a call from the outputs of its program."""
        if call.shapes is None:
            return call.result_of_value(recorded.form.unflatten(arrays))
        if not recorded.form.holds_arrays or len(arrays) != len(call.shapes):
            arrays = self.pack_arrays(recorded.form.unflatten(arrays), call.shapes)
        found: list[Array] = []
        for each, (name, shape) in zip(arrays, call.shapes.items(), strict=True):
            array = each.reshape(shape)
            found.append(array if call.out is None else self._copied(array, name, call.out))
        return found[0] if call.convert is None and len(found) == 1 else call.result_of_arrays(found)

    def _run_source(self, state: StateView, call: KernelCall[Any]) -> Any:
        """Return the result of a call by running the source of its kernel."""
        with interpreted():
            value = call.kernel.function(state, *call.args)
        require_finite_result(value, call.kernel.name)
        return self.call_result(call, value)

    @override
    def pass_result(self, state: StateView, kernel: Kernel[[], R], dependencies: Dependencies) -> R:
        """Return the result of a pass, cached until one of its dependencies changes."""
        words, versions = self._words, self._versions
        if words[OWNER] != threading.get_ident() or versions[STRUCTURE] != self.layout.version:
            self.check()
        if dependencies == "parameters" or (INTERPRETED_CONTEXTS[0] and is_interpreted()):
            return self.cached_value((kernel, is_interpreted()), dependencies, lambda: kernel.function(state))
        current = (
            (versions[PARAMETERS], words[Q]) if dependencies == "q" else (versions[PARAMETERS], words[Q], words[V])
        )
        cached: tuple[tuple[int, ...], Any] | None = self.cache.get(kernel)
        if cached is not None and cached[0] == current:
            value: R = cached[1]
            return value
        builtin = self.builtins.get(kernel)
        result: Any = NotImplemented if builtin is None else builtin()
        if result is NotImplemented:
            result = self.run(state, KernelCall(kernel), kernel)
        self.cache[kernel] = current, result
        value = result
        return value

    # --- results -----------------------------------------------------------------------------------------------------

    @override
    def require_finite(self, name: str, *numbers: object) -> None:
        """Raise NotFiniteError, naming the result, for floats that are not finite."""
        require_finite_numbers(numbers, name)

    @override
    def pack(self, values: Any, name: str, shape: tuple[int, ...], out: Any = None) -> Array:
        """Return nested floats as a float64 array."""
        try:
            packed: Array = np.asarray(values, dtype=np.float64).reshape(shape)
        except (TypeError, ValueError) as error:  # of symbols, and of intervals of any width
            raise ScalarError(
                f"{name}: a parameter or an argument is not a float; use state.with_scalars() for other scalars",
                scalar=values,
                function=name,
            ) from error
        if not np.isfinite(packed).all():
            raise range_error(name)
        return packed if out is None else self._copied(packed, name, out)

    @override
    def require_out(self, out: Any, array: Any, name: str) -> None:
        """Raise ShapeError unless `out` is a writeable C-contiguous float64 array of the shape of `array`."""
        check_out(out, array.shape, f"out (for the {name})")

    def _copied(self, values: Array, name: str, out: Any) -> Array:
        self.require_out(out, values, name)
        out[...] = values
        filled: Array = out
        return filled

    # --- machine code ------------------------------------------------------------------------------------------------

    def compiled(self, kernel: Kernel[..., Any], args: Sequence[Any]) -> RecordedKernel | None:
        """Return the recorded kernel for these arguments if it is compiled, else None."""
        return self.kernels.compiled_kernel(self.mechanism, kernel, args)

    def loop_binding(self, state: object) -> LoopBinding:
        """Return the binding of a loop over steps of `state`, which has this engine, without the kernels."""
        from rbd.native.builtins.step_loop import LoopBinding

        return LoopBinding(state, self.buffers.all_words(), self.buffers.guards())

    @override
    def request_builtin(
        self,
        table: QueryTable,
        key: object,
        places: object,
        make: Callable[[QueryBuiltins], Builtin | None],
    ) -> None:
        """Add a builtin once a query is asked often, and again when parameters were edited."""
        if INTERPRETED_CONTEXTS[0] or not abi.is_supported() or not native.available():
            return
        asked, version = self._query_counts.count_call(table, key, places), self._versions[PARAMETERS]
        builtin = make(self._queries()) if asked.is_due(version) else None
        if builtin is not None:
            asked.built_at, table[key] = version, builtin

    def _queries(self) -> NativeQueries:
        """Return the maker of builtins of framed queries."""
        from rbd.engine.native_queries import NativeQueries  # rarely used: keeps `import rbd` fast

        if self._native_queries is None:
            self._native_queries = NativeQueries(self.mechanism, self.layout, self.buffers, self.kernels)
        return self._native_queries
