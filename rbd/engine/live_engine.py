"""Engine of live states: float64 buffers for machine code, versions, and the kernels of the mechanism."""

from __future__ import annotations

import math
import threading
from array import array
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, TypeVar, final

import attrs
import numpy as np
from typing_extensions import override

from rbd import native
from rbd.engine.interpreted import OPEN_BLOCKS, interpreted, is_interpreted
from rbd.engine.ownership import own
from rbd.engine.recorded_kernel import RecordedKernel, RecordingFailure
from rbd.errors import ScalarError, WrongThreadError
from rbd.evaluation.calls import KernelCall, Shapes
from rbd.evaluation.engine import Depends, Engine, packed
from rbd.evaluation.finite import require_finite_numbers, require_finite_result
from rbd.evaluation.kernel import Kernel
from rbd.evaluation.query_builtins import QueryBuiltins
from rbd.indexing.layout import Layout
from rbd.mechanism import Mechanism
from rbd.mechanism.body import registry_of
from rbd.native.runtime import abi
from rbd.program.status import range_error
from rbd.scalars import Vector
from rbd.scalars.arrays import Array, check_out

if TYPE_CHECKING:
    from rbd.engine.native_queries import NativeQueries
    from rbd.evaluation.state_view import StateView
    from rbd.native.builtins.context import Guards, Word
    from rbd.native.builtins.step_loop import LoopBinding
    from rbd.native.compiled_program import CompiledProgram

OWNER, Q, V = 0, 1, 2
"""Indices in the words of a state: the owner thread, and the versions of its coordinates."""
_CALLS_BEFORE_QUERY: Final = 16
"""Number of calls of a query after which a builtin is made for it, which takes as long as some hundred calls."""
_MAX_QUERIES: Final = 4096
"""Maximum number of queries of a state that are counted; above it, all are forgotten."""
_MAX_FAST_PATHS: Final = 256
"""Maximum number of fast paths of a state; above it, all are discarded."""
R = TypeVar("R")
Builtin = Callable[..., Any]
Copies = tuple[tuple[Array, Array], ...]


@final
@attrs.define(eq=False)
class _Asked:
    """How often a query was asked; keeps alive the places whose identities are its key."""

    places: object
    count: int = 0
    version: int = -1
    """That of the parameters of its builtin."""


@final
class LiveEngine(Engine):
    """Runs recorded programs of the mechanism: interpreted, or as machine code on the state's buffers."""

    takes_arrays = True

    def __init__(self, mechanism: Mechanism, layout: Layout) -> None:
        """Initialise all coordinates to zero; the calling thread is the owner."""
        from rbd.engine.kernel_cache import kernel_cache

        super().__init__(mechanism, layout)
        self.words = array("q", [0, 0, 0])
        """The owner thread and the versions of q and v, which machine code reads and writes."""
        own(self.words)
        self.versions = versions_of(mechanism)
        """The versions of the mechanism's topology and parameters, which edits increment in place."""
        self.q: Array = np.zeros(layout.nq)
        self.v: Array = np.zeros(layout.nv)
        self.zero_torques: Array = np.zeros(layout.nv)
        self._opened: dict[object, tuple[RecordedKernel, int]] = {}
        """Recorded kernels of fast paths, with their versions of the parameters."""
        self._kernels = kernel_cache(mechanism)
        self._scalars: dict[int, tuple[int, Vector]] = {}
        self._queries: NativeQueries | None = None
        self._asked: dict[tuple[int, object], _Asked] = {}

    @override
    def check(self) -> None:
        """Raise StaleStateError after an edit of the topology, WrongThreadError in other threads than the owner."""
        caller, owner = threading.get_ident(), self.words[OWNER]
        if caller != owner:
            ended = "a thread that has ended, or that Python did not start and that has returned from it,"
            whose = f"thread {owner}" if owner else ended
            raise WrongThreadError(
                f"this state belongs to {whose} and is used from thread {caller}; make one state per "
                "thread, or transfer it with state.adopt()",
                owner=owner,
                caller=caller,
            )
        if self.layout.version != self.versions[0]:
            super().check()

    @override
    def stamp(self, depends: Depends) -> tuple[int, ...]:
        """Return the versions of the dependencies."""
        parameters = self.versions[1]
        if depends == "parameters":
            return (parameters,)
        words = self.words
        return (parameters, words[Q]) if depends == "q" else (parameters, words[Q], words[V])

    def adopt(self) -> None:
        """Make the calling thread the owner."""
        own(self.words)

    # --- coordinates -------------------------------------------------------------------------------------------------

    def write(self, which: int, values: Array) -> None:
        """Copy checked coordinates (Q or V) into the buffer."""
        target = self.q if which == Q else self.v
        if target.size:
            target[...] = values
        self.words[which] += 1

    def floats(self, which: int) -> Vector:
        """Return coordinates (Q or V) as Python floats, cached per version."""
        known, now = self._scalars.get(which), self.words[which]
        if known is None or known[0] != now:
            known = self._scalars[which] = now, tuple((self.q if which == Q else self.v).tolist())
        return known[1]

    def writer(self, which: int) -> Builtin | None:
        """Return a builtin that checks and writes coordinates (Q or V), or None without machine code."""
        executable = self._kernels.writer(self.mechanism, "q" if which == Q else "v") if native.available() else None
        if executable is None or not executable.request():
            return None
        from rbd.native.builtins.builtin import Binding, make_builtin
        from rbd.native.builtins.context import Word

        compiled = executable.machine_code
        assert compiled is not None
        scratch = tuple(np.zeros(port.shape) for port in compiled.outline.outputs[1:])
        guard, target = (Word(self.versions, 0), self.versions[0]), self.q if which == Q else self.v
        binding = Binding(Word(self.words, OWNER), (guard,), (None,), (target, *scratch), (), Word(self.words, which))
        return make_builtin(compiled, None, binding)

    # --- evaluation --------------------------------------------------------------------------------------------------

    @override
    def evaluate(
        self, state: StateView, kernel: Kernel[..., Any], args: Sequence[Any], named: Mapping[str, Any]
    ) -> Any:
        """Return the result of a kernel: from its program, or else from its source."""
        self.check()
        recorded, arrays = self._computed(kernel, args, named)
        if arrays is None:
            return self._from_source(state, kernel, args, named, recorded)
        assert type(recorded) is RecordedKernel
        return recorded.form.unflatten(arrays)

    @override
    def arrays(
        self, state: StateView, kernel: Kernel[..., Any], args: Sequence[Any], shapes: Shapes
    ) -> Sequence[Array]:
        """Return the result of a kernel as arrays."""
        found: list[Array] = self.run(state, KernelCall(kernel, tuple(args), shapes, _as_list), None, 0)
        return found

    @override
    def run(self, state: StateView, call: KernelCall[Any], key: object, count: int) -> Any:
        """Return the result of a call; open a fast path under `key` once there is machine code."""
        self.check()
        recorded, arrays = self._computed(call.kernel, call.args, {})
        if arrays is None or type(recorded) is not RecordedKernel:
            return self._run_source(state, call, recorded)
        if key is not None and recorded.executable.is_compiled:
            self._open(key, count, recorded, call)
        shapes = call.shapes
        if shapes is None:
            return call.of_value(recorded.form.unflatten(arrays))
        if not recorded.form.is_arrays or len(arrays) != len(shapes):
            arrays = packed(self, recorded.form.unflatten(arrays), shapes)
        found: list[Array] = []
        for each, (name, shape) in zip(arrays, shapes.items(), strict=True):
            array = each.reshape(shape)
            found.append(array if call.out is None else self._copied(array, name, call.out))
        return found[0] if call.finish is None and len(found) == 1 else call.of_arrays(found)

    def _run_source(
        self, state: StateView, call: KernelCall[Any], recorded: RecordedKernel | RecordingFailure | None
    ) -> Any:
        """Return the result of a call by running the source of its kernel."""
        value = self._from_source(state, call.kernel, call.args, {}, recorded)
        if call.shapes is None:
            return call.of_value(value)
        found = packed(self, value, call.shapes)
        if call.out is not None:
            (name,) = call.shapes
            found = [self._copied(found[0], name, call.out)]
        return call.of_arrays(found)

    def _computed(
        self, kernel: Kernel[..., Any], args: Sequence[Any], named: Mapping[str, Any]
    ) -> tuple[RecordedKernel | RecordingFailure | None, Sequence[Array] | None]:
        """Return a recorded kernel and its output arrays, or None for both if the source must run."""
        if OPEN_BLOCKS[0] and is_interpreted():
            return None, None
        recorded, numbers = self._kernels.get_or_record(self.mechanism, self.versions[1], kernel, args, named)
        if type(recorded) is not RecordedKernel:
            return recorded, None
        return recorded, recorded.executable([self.q, self.v, *numbers, *recorded.parameters])

    def _from_source(
        self,
        state: StateView,
        kernel: Kernel[..., Any],
        args: Sequence[Any],
        named: Mapping[str, Any],
        recorded: RecordedKernel | RecordingFailure | None,
    ) -> Any:
        """Run the Python source: on request, without a program, or for the error of a failed program."""
        with interpreted():
            value = kernel.function(state, *args, **named)
        require_finite_result(value, kernel.name)
        if type(recorded) is RecordingFailure:
            recorded.warn(kernel.name)
        return value

    @override
    def pass_result(self, state: StateView, kernel: Kernel[[], R], depends: Depends) -> R:
        """Return the result of a pass, cached until one of its dependencies changes."""
        words, versions = self.words, self.versions
        if words[OWNER] != threading.get_ident() or versions[0] != self.layout.version:
            self.check()
        if depends == "parameters" or (OPEN_BLOCKS[0] and is_interpreted()):
            return self.cached_value((kernel, is_interpreted()), depends, lambda: kernel.function(state))
        stamp = (versions[1], words[Q]) if depends == "q" else (versions[1], words[Q], words[V])
        known: tuple[tuple[int, ...], Any] | None = self.cache.get(kernel)
        if known is not None and known[0] == stamp:
            value: R = known[1]
            return value
        fast = self.fast.get(kernel)
        found: Any = NotImplemented if fast is None else fast()
        if found is NotImplemented:
            found = self.run(state, KernelCall(kernel), kernel, 0)
        self.cache[kernel] = stamp, found
        value = found
        return value

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

    # --- fast paths --------------------------------------------------------------------------------------------------

    def _open(self, key: object, count: int, recorded: RecordedKernel, call: KernelCall[Any]) -> None:
        """Add a fast path: a builtin of `count` arrays on the state's buffers, with the result of the algorithm.

        It requires that only these arrays change from call to call, or nothing at all.
        """
        wanted = recorded, self.versions[1]
        if self._opened.get(key) == wanted or not (call.key_fixes_arguments or recorded.array_arguments == count):
            return
        if len(self._opened) >= _MAX_FAST_PATHS:
            self._opened.clear()
            self.fast.clear()
        self._opened[key] = wanted
        bound, to_array = list[Array](), call.of_array is not None and recorded.form.is_arrays
        if call.key_fixes_arguments:
            bound = self._kernels.get_or_record(self.mechanism, wanted[1], call.kernel, call.args, {})[1]
        made = None if count else self._value_builtin(recorded, call, bound, to_array=to_array)
        if made is not None:
            self.fast[key] = made
        else:
            # Arrays are the last arguments.
            numbers = [*bound[: len(bound) - count], *[None] * count] if call.key_fixes_arguments else None
            self._open_on_arrays(key, recorded, call, self.bound_builtin(recorded, numbers=numbers), to_array=to_array)

    def _open_on_arrays(
        self, key: object, recorded: RecordedKernel, call: KernelCall[Any], builtin: Builtin | None, *, to_array: bool
    ) -> None:
        """Add a fast path of a builtin that returns arrays."""
        one = len(recorded.executable.outline.outputs) == 1
        if builtin is None:
            self.fast.pop(key, None)
        elif call.of_array is not None and to_array and one:
            self.fast[key] = _finished(builtin, call.of_array, one=True)
        elif call.shapes is not None:
            self.fast[key] = builtin if call.finish is None else _finished(builtin, call.finish, one=one)
        else:
            self.fast[key] = _unflattened(builtin, recorded.form.unflatten, call.finish, one)

    def _value_builtin(
        self, recorded: RecordedKernel, call: KernelCall[Any], numbers: Sequence[Array], *, to_array: bool
    ) -> Builtin | None:
        """Return a builtin of the value that a call of a kernel returns, for bound `numbers`; None for arrays."""
        if call.shapes is not None or not abi.is_supported():
            return None
        if to_array and call.of_array is not None:
            return self._maker().of_array(recorded, numbers, call.of_array)
        made = self._maker().result(recorded, numbers)
        return made if made is None or call.finish is None else _finished(made, call.finish, one=True)

    def bound_builtin(
        self,
        recorded: RecordedKernel,
        outputs: tuple[Array, ...] | None = None,
        copies: Copies = (),
        counter: array[int] | None = None,
        numbers: Sequence[Array | None] | None = None,
    ) -> Builtin | None:
        """Return a builtin of the free arguments of a compiled kernel, or of none with `numbers`, or None.

        It returns new arrays, or writes to `outputs`, copies after success, and counts. It returns NotImplemented in
        other threads than the owner, and after edits.
        """
        compiled = recorded.executable.machine_code
        if compiled is None:
            return None
        ports = compiled.outline.outputs
        if not ports or (outputs is None and not all(math.prod(port.shape) for port in ports)):
            return None  # a matrix without rows was recorded as (): only the algorithm has its number of columns
        arguments = (None,) * recorded.array_arguments if numbers is None else numbers
        inputs = (self.q, self.v, *arguments, *recorded.parameters)
        return self._bind(compiled, inputs, outputs, copies, counter)

    def _bind(
        self,
        compiled: CompiledProgram,
        inputs: tuple[Array | None, ...],
        outputs: tuple[Array, ...] | None = None,
        copies: Copies = (),
        counter: array[int] | None = None,
    ) -> Builtin | None:
        """Return a builtin of machine code, or None. `inputs` that are None are its arguments.

        It returns NotImplemented as `bound_builtin` does, and in interpreted execution.
        """
        from rbd.native.builtins.builtin import Binding, make_builtin
        from rbd.native.builtins.context import Word

        counted = None if counter is None else Word(counter, 0)
        binding = Binding(Word(self.words, OWNER), self._guards(), inputs, outputs, copies, counted)
        with suppress(MemoryError):
            return make_builtin(compiled, None, binding)
        return None

    def loop_binding(self, state: object) -> LoopBinding:
        """Return what a loop over steps of `state`, which has this engine, depends on besides its kernels."""
        from rbd.native.builtins.step_loop import LoopBinding

        return LoopBinding(state, *self.watched())

    def watched(self) -> tuple[tuple[Word, Word, Word], Guards]:
        """Return the words of this engine (the owner, the versions of q and v), and guards of its machine code."""
        from rbd.native.builtins.context import Word

        words = Word(self.words, OWNER), Word(self.words, Q), Word(self.words, V)
        return words, self._guards()

    # --- queries -----------------------------------------------------------------------------------------------------

    def _maker(self) -> NativeQueries:
        from rbd.engine.native_queries import NativeQueries

        if self._queries is None:
            self._queries = NativeQueries(self, self.layout)
        return self._queries

    @override
    def open_query(
        self,
        table: dict[object, Builtin],
        key: object,
        places: object,
        make: Callable[[QueryBuiltins], Builtin | None],
    ) -> None:
        """Add a builtin once a query is asked often, and again when parameters were edited."""
        if OPEN_BLOCKS[0] or not abi.is_supported() or not native.available():
            return
        if len(self._asked) >= _MAX_QUERIES:
            for each in (self.poses, self.twists, self.relative_transforms, self.accelerations, self._asked):
                each.clear()
        asked, version = self._asked.setdefault((id(table), key), _Asked(places)), self.versions[1]
        asked.count += 1
        if asked.count < _CALLS_BEFORE_QUERY or asked.version == version:
            return
        made = make(self._maker())
        if made is not None:
            asked.version, table[key] = version, made

    def _guards(self) -> Guards:
        """Return guards that let machine code run until the mechanism is edited, and not in interpreted execution."""
        from rbd.native.builtins.context import Word

        return (
            (Word(self.versions, 0), self.versions[0]),
            (Word(self.versions, 1), self.versions[1]),
            (Word(OPEN_BLOCKS, 0), 0),
        )

    def recorded(self, kernel: Kernel[..., Any], args: Sequence[Any]) -> RecordedKernel | None:
        """Return the recorded kernel for these arguments if it is compiled, else None."""
        found, _ = self._kernels.get_or_record(self.mechanism, self.versions[1], kernel, args, {})
        return found if type(found) is RecordedKernel and found.executable.machine_code is not None else None


def versions_of(mechanism: Mechanism) -> array[int]:
    """Return the versions of a mechanism's topology and parameters, an array that edits change in place."""
    registry = registry_of(mechanism.root_body)
    assert registry is not None  # the root body of a mechanism has one
    return registry.versions


def _as_list(*arrays: Array) -> list[Array]:
    return list(arrays)


def _finished(builtin: Builtin, finish: Builtin, *, one: bool) -> Builtin:
    def call(*args: Any) -> Any:
        found = builtin(*args)
        return found if found is NotImplemented else finish(found) if one else finish(*found)

    return call


def _unflattened(builtin: Builtin, unflatten: Builtin, finish: Builtin | None, one: bool) -> Builtin:
    def call(*args: Any) -> Any:
        found = builtin(*args)
        if found is NotImplemented:
            return found
        value = unflatten((found,) if one else found)
        return value if finish is None else finish(value)

    return call
