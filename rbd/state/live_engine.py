"""The engine of live states: float64 buffers that machine code reads, versions, and the kernels of the mechanism."""

from __future__ import annotations

import math
import threading
from array import array
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, TypeVar, final

import numpy as np
from typing_extensions import override

from rbd import native
from rbd.errors import NotFiniteError, ScalarError, WrongThreadError
from rbd.mechanism import Mechanism
from rbd.mechanism.body import books_of
from rbd.scalars import Vector
from rbd.scalars.arrays import Array, check_out
from rbd.state.engine import Depends, Engine, KernelCall, Shapes, packed
from rbd.state.interpreted import BLOCKS, interpreted, is_interpreted
from rbd.state.kernel import Kernel
from rbd.state.kernel_cache import RecordedKernel, Unrecorded, kernel_cache
from rbd.state.layout import Layout
from rbd.state.value_tree import UnsuitableError, flatten

if TYPE_CHECKING:
    from rbd.state.base import StateView

OWNER, Q, V = 0, 1, 2
"""Places in the words of a state: the thread it belongs to, and the versions of its coordinates."""
_MOST: Final = 256
"""Fast paths of a state; beyond, all are made anew."""
R = TypeVar("R")
Builtin = Callable[..., Any]
Copies = tuple[tuple[Array, Array], ...]


@final
class LiveEngine(Engine):
    """Computes with what was recorded for the mechanism: interpreted, or as machine code on the state's buffers."""

    def __init__(self, mechanism: Mechanism, layout: Layout) -> None:
        """Start with all coordinates zero, in the calling thread."""
        super().__init__(mechanism, layout)
        self.words = array("q", [threading.get_ident(), 0, 0])
        """The owner thread and the versions of q and v; machine code reads and writes these words."""
        self.versions = versions_of(mechanism)
        """The versions of the mechanism's structure and parameters, which edits count up in place."""
        self.q: Array = np.zeros(layout.nq)
        self.v: Array = np.zeros(layout.nv)
        self.zero_torques: Array = np.zeros(layout.nv)
        self._opened: dict[object, tuple[RecordedKernel, int]] = {}
        """What fast paths lead to: a recorded kernel, at a version of the parameters."""
        self._kernels = kernel_cache(mechanism)
        self._scalars: dict[int, tuple[int, Vector]] = {}

    @override
    def check(self) -> None:
        """Raise StaleStateError after a structural edit, WrongThreadError in a thread that does not own the state."""
        caller, owner = threading.get_ident(), self.words[OWNER]
        if caller != owner:
            raise WrongThreadError(
                f"this state belongs to thread {owner} and is used from thread {caller}; make one state per "
                "thread, or hand it over with state.adopt()",
                owner=owner,
                caller=caller,
            )
        if self.layout.version != self.versions[0]:
            super().check()

    @override
    def stamp(self, depends: Depends) -> tuple[int, ...]:
        """Return the versions `depends` stands for."""
        parameters = self.versions[1]
        if depends == "parameters":
            return (parameters,)
        words = self.words
        return (parameters, words[Q]) if depends == "q" else (parameters, words[Q], words[V])

    def adopt(self) -> None:
        """Make the calling thread the owner."""
        self.words[OWNER] = threading.get_ident()

    # --- coordinates -------------------------------------------------------------------------------------------------

    def write(self, which: int, values: Array) -> None:
        """Copy checked coordinates (Q or V) into the buffer."""
        target = self.q if which == Q else self.v
        if target.size:
            target[...] = values
        self.words[which] += 1

    def floats(self, which: int) -> Vector:
        """Return coordinates (Q or V) as Python floats, made anew when their version has changed."""
        known, now = self._scalars.get(which), self.words[which]
        if known is None or known[0] != now:
            known = self._scalars[which] = now, tuple((self.q if which == Q else self.v).tolist())
        return known[1]

    def writer(self, which: int) -> Builtin | None:
        """Return a builtin that checks and writes coordinates (Q or V); None while there is none, or can be none."""
        books = books_of(self.mechanism.root_body)
        executable = self._kernels.writer(self.mechanism, "q" if which == Q else "v") if native.available() else None
        if books is None or executable is None or not executable.request():
            return None
        from rbd.native.bound import Binding, Word, make_bound

        kernel = executable.kernel
        assert kernel is not None
        scratch = tuple(np.zeros(port.shape) for port in kernel.outline.outputs[1:])
        guard, target = (Word(books.versions, 0), books.versions[0]), self.q if which == Q else self.v
        binding = Binding(Word(self.words, OWNER), (guard,), (None,), (target, *scratch), (), Word(self.words, which))
        return make_bound(kernel, binding)

    # --- computing ---------------------------------------------------------------------------------------------------

    @override
    def evaluate(
        self, state: StateView, kernel: Kernel[..., Any], args: Sequence[Any], named: Mapping[str, Any]
    ) -> Any:
        """Return what a kernel returns: from its program, or else from its source."""
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
        """Return what a kernel returns as arrays."""
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
            found.append(array if call.out is None else self._copied(array, name, shape, call.out))
        return found[0] if call.finish is None and len(found) == 1 else call.of_arrays(found)

    def _run_source(self, state: StateView, call: KernelCall[Any], recorded: RecordedKernel | Unrecorded | None) -> Any:
        """Return the result of a call by running the source of its kernel."""
        value = self._from_source(state, call.kernel, call.args, {}, recorded)
        if call.shapes is None:
            return call.of_value(value)
        found = packed(self, value, call.shapes)
        if call.out is not None:
            ((name, shape),) = call.shapes.items()
            found = [self._copied(found[0], name, shape, call.out)]
        return call.of_arrays(found)

    def _computed(
        self, kernel: Kernel[..., Any], args: Sequence[Any], named: Mapping[str, Any]
    ) -> tuple[RecordedKernel | Unrecorded | None, Sequence[Array] | None]:
        """Return a recorded kernel and the arrays that it gives; None for these where the source must run."""
        if BLOCKS[0] and is_interpreted():
            return None, None
        recorded, numbers = self._kernels.find(self.mechanism, self.versions[1], kernel, args, named)
        if type(recorded) is not RecordedKernel:
            return recorded, None
        return recorded, recorded.executable([self.q, self.v, *numbers, *recorded.parameters])

    def _from_source(
        self,
        state: StateView,
        kernel: Kernel[..., Any],
        args: Sequence[Any],
        named: Mapping[str, Any],
        recorded: RecordedKernel | Unrecorded | None,
    ) -> Any:
        """Run the readable source: it is asked for, it is all there is, or it says best why the program failed."""
        with interpreted():
            value = kernel.function(state, *args, **named)
        _require_finite(value, kernel.name)
        if type(recorded) is Unrecorded:
            recorded.warn(kernel.name)
        return value

    @override
    def remembered(self, state: StateView, kernel: Kernel[[], R], depends: Depends) -> R:
        """Return what a pass returns, computed at most once while what it depends on stays the same."""
        self.check()
        source = depends == "parameters" or is_interpreted()
        key = (kernel, is_interpreted())
        return self.recalled(
            key, depends, lambda: kernel.function(state) if source else self.evaluate(state, kernel, (), {})
        )

    @override
    def require_finite(self, name: str, *numbers: object) -> None:
        """Raise NotFiniteError, naming the result, when a float has left its range."""
        for x in numbers:
            if type(x) is float and not math.isfinite(x):
                raise _left_range(name)

    @override
    def pack(self, values: Any, name: str, shape: tuple[int, ...], out: Any = None) -> Array:
        """Return nested floats as a float64 array."""
        try:
            packed: Array = np.asarray(values, dtype=np.float64).reshape(shape)
        except TypeError as error:
            raise ScalarError(
                f"{name}: a parameter or an argument is no float; state.with_scalars() gives a state for such numbers",
                scalar=values,
                function=name,
            ) from error
        if not np.isfinite(packed).all():
            raise _left_range(name)
        return packed if out is None else self._copied(packed, name, shape, out)

    def _copied(self, values: Array, name: str, shape: tuple[int, ...], out: Any) -> Array:
        check_out(out, shape, f"out (for the {name})")
        out[...] = values
        filled: Array = out
        return filled

    # --- fast paths --------------------------------------------------------------------------------------------------

    def _open(self, key: object, count: int, recorded: RecordedKernel, call: KernelCall[Any]) -> None:
        """Make a fast path: a builtin of `count` arrays on the state's buffers, which returns what the algorithm does.

        There is one if nothing but these arrays changes from call to call.
        """
        wanted = recorded, self.versions[1]
        if recorded.array_arguments != count or self._opened.get(key) == wanted:
            return
        if len(self._opened) >= _MOST:
            self._opened.clear()
            self.fast.clear()
        self._opened[key] = wanted
        builtin, one = self.bound(recorded), len(recorded.executable.outline.outputs) == 1
        if builtin is None:
            self.fast.pop(key, None)
        elif call.shapes is not None:
            self.fast[key] = builtin if call.finish is None else _finished(builtin, call.finish, one)
        else:
            self.fast[key] = _unflattened(builtin, recorded.form.unflatten, call.finish, one)

    def bound(
        self,
        recorded: RecordedKernel,
        outputs: tuple[Array, ...] | None = None,
        copies: Copies = (),
        counter: array[int] | None = None,
    ) -> Builtin | None:
        """Return a builtin of the free arguments of a compiled kernel; None where there can be none.

        It returns new arrays, or writes to `outputs`, copies after success, and counts. It serves the owner thread
        while nothing was edited, and returns NotImplemented otherwise.
        """
        books, kernel = books_of(self.mechanism.root_body), recorded.executable.kernel
        if books is None or kernel is None:
            return None
        if outputs is None and not all(math.prod(port.shape) for port in kernel.outline.outputs):
            return None  # a matrix without rows was recorded as (): only the algorithm knows its columns
        from rbd.native.bound import Binding, Word, make_bound

        binding = Binding(
            Word(self.words, OWNER),
            (
                (Word(books.versions, 0), books.versions[0]),
                (Word(books.versions, 1), books.versions[1]),
                (Word(BLOCKS, 0), 0),
            ),
            (self.q, self.v, *(None,) * recorded.array_arguments, *recorded.parameters),
            outputs,
            copies,
            None if counter is None else Word(counter, 0),
        )
        with suppress(MemoryError):
            return make_bound(kernel, binding)
        return None

    def recorded(self, kernel: Kernel[..., Any], args: Sequence[Any]) -> RecordedKernel | None:
        """Return what runs a kernel with these arguments once it is compiled; None before."""
        found, _ = self._kernels.find(self.mechanism, self.versions[1], kernel, args, {})
        return found if type(found) is RecordedKernel and found.executable.kernel is not None else None


def versions_of(mechanism: Mechanism) -> array[int]:
    """Return the versions of a mechanism's structure and parameters, an array that edits change in place."""
    books = books_of(mechanism.root_body)
    assert books is not None  # the root body of a mechanism has one
    return books.versions


def _as_list(*arrays: Array) -> list[Array]:
    return list(arrays)


def _finished(builtin: Builtin, finish: Builtin, one: bool) -> Builtin:
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


def _require_finite(value: object, name: str) -> None:
    """Raise NotFiniteError when a result of floats holds one that is not finite; other scalars pass."""
    numbers: list[float] = []
    try:
        flatten(value, numbers)
    except UnsuitableError:
        return
    if not all(map(math.isfinite, numbers)):
        raise _left_range(name.replace("_", " "))


def _left_range(name: str) -> NotFiniteError:
    return NotFiniteError(f"{name} left the range of float64", argument=name)
