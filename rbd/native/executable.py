"""Executables: programs interpreted, compiled, or called as builtins; the bits are the same in every case.

Costs are operation counts, never times, so that what happens does not depend on the machine. An impatient executable
compiles when it is first called; a patient one, of a live state, is interpreted until it has interpreted as many
operations as compiling is worth, and then compiled by the one background thread.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, final

import numpy as np

from rbd import native
from rbd.native import worker
from rbd.program.interpret import run as interpret
from rbd.program.opcodes import CLEAN
from rbd.program.outline import Outline, Source
from rbd.program.program import Program, offsets
from rbd.progress import Listener, progress_bar
from rbd.scalars.arrays import Array

if TYPE_CHECKING:
    from rbd.native.builtin import Guards
    from rbd.native.compiled_program import Codes, CompiledProgram

OPERATIONS_BEFORE_COMPILING = 10_000
"""Operations that are interpreted before a program is compiled: about as long as compiling holds up other threads."""
OPERATIONS_BEFORE_SEARCH = 2_000
"""Operations that are interpreted before the disk is searched, where that means to load the compiler first."""
COMPILING_COST: Final = (300_000, 100)
"""What compiling costs in interpreted operations: always, and per instruction. Where one interpreted run costs more,
as those of large solves do, a call waits for machine code."""


@final
class Executable:
    """One program, and all that can run it."""

    def __init__(self, source: Source, *, patient: bool = False, keep: Callable[[], object] | None = None) -> None:
        """Take a program, or its outline; `keep` is called when machine code was made."""
        self.source = source
        self.outline: Outline = source.outline
        self.progress: bool | Listener = False
        """Whom to tell while code is made."""
        self._patient = patient
        self._keep = keep
        self._kernel: CompiledProgram | None = None
        self._ready = [False, False]
        self._lock = native.Lock()
        self._interpreted = 0
        self._queued: object = None
        self._error: BaseException | None = None
        self._builtin: Callable[..., Any] | None = None
        self.is_compiled = False
        """Whether there is machine code for one state."""
        self.short_calls = 0
        """How often machine code ran for one state, or for a small batch."""
        self._results = [(port.shape, port.size) for port in self.outline.outputs]
        self._program: Program | None = None
        self._cost = 0
        if patient and not self._find():
            self._program = source.program  # recorded now, while the mechanism is what it is
            self._cost = self._program.cost

    @property
    def program(self) -> Program:
        """The program, recorded now if only its outline is known."""
        return self.source.program

    @property
    def machine_code(self) -> CompiledProgram | None:
        """The machine code for one state if it is there."""
        return self._kernel if self._ready[False] else None

    # --- making machine code -----------------------------------------------------------------------------------------

    def compile(self, *, rows: bool = False) -> CompiledProgram | None:
        """Return machine code for one state, or for rows of a batch, made now; None, and a warning, without a compiler.

        Raises what the compiler raises.
        """
        if self._ready[rows]:
            return self._kernel
        if not native.available():
            native.warn_interpreted()
            return None
        with self._lock.inner:
            kernel = self._make_kernel()
            if not self._ready[rows]:
                self._assemble(kernel, rows)
        return kernel

    def prepared(self, *, rows: bool = False) -> CompiledProgram | None:
        """Return the machine code that a call should run; None if it should be interpreted.

        In a `native.background` block code for one state is made by another thread. Batches wait for theirs, since
        interpreting them takes longer. Raises what the other thread raised.
        """
        if not self._ready[rows] and not rows and native.available() and native.in_background() and not self._find():
            error, self._error = self._error, None
            if error is not None:
                raise error
            self._queue()
            return None
        return self.compile(rows=rows)

    def _make_kernel(self) -> CompiledProgram:
        if self._kernel is None:
            self._kernel = native.compile_program(self.source)
        return self._kernel

    def _assemble(self, kernel: CompiledProgram, rows: bool) -> None:
        if self.progress is False or (not rows and native.has_code(kernel)):
            self._load(kernel, rows)
            return
        with progress_bar(2, f"compile {self.outline.name}", self.progress) as bar:
            kernel.program  # noqa: B018 - this records what was only found
            bar.update()
            self._load(kernel, rows)
            bar.update()

    def _load(self, kernel: CompiledProgram, rows: bool) -> None:
        kernel.batch_library if rows else kernel.single_library  # noqa: B018 - this compiles
        if self._patient and not rows:
            self._builtin = _make_builtin(kernel, lambda *arrays: _run(kernel, arrays))
        self._ready[rows] = True
        self.is_compiled = self._ready[False]
        if self._keep is not None and not rows:
            self._keep()

    def _find(self) -> bool:
        """Load machine code that was made before, by this process or another, if the compiler is loaded already."""
        if self._ready[False]:
            return True
        if native.is_loaded():
            self._lock.try_run(self._load_found)
        return self._ready[False]

    def _load_found(self) -> None:
        with suppress(MemoryError):  # it is interpreted until there is memory
            kernel = self._make_kernel()
            if not self._ready[False] and native.has_code(kernel):
                self._load(kernel, rows=False)

    def request(self) -> bool:
        """Return whether there is machine code for one state; have the background thread make it if there is none.

        When that has failed it is tried again once requests have cost `OPERATIONS_BEFORE_COMPILING` operations.
        """
        if self._ready[False] or self._queued is worker.current():
            return self._ready[False]
        self._interpreted += max(self._cost, 1)
        if (self._error is None or self._interpreted > OPERATIONS_BEFORE_COMPILING) and not self._find():
            self._queue()
        return self._ready[False]

    def _queue(self) -> None:
        """Let the background thread compile, once; a forked process has a thread of its own."""
        if self._queued is worker.current():
            return
        self._queued = worker.current()  # before the thread may say that it is done
        try:
            worker.submit(self._compile_aside)
        except BaseException:  # an interrupt: it is not queued
            self._queued = None
            raise

    def _compile_aside(self) -> None:
        """Compile, keeping what goes wrong."""
        try:
            self.compile()
        except Exception as error:  # the next caller is told
            self._error = error
        finally:
            self._queued, self._interpreted = None, 0

    # --- running -----------------------------------------------------------------------------------------------------

    def __call__(self, inputs: Sequence[Array]) -> Sequence[Array] | None:
        """Return the outputs for one state as new arrays; None when the status is not clean. For patient ones."""
        builtin = self._builtin
        if builtin is None:
            before, self._interpreted = self._interpreted, self._interpreted + self._cost
            if self._interpreted > OPERATIONS_BEFORE_SEARCH:
                builtin = self._advance(before)
            if builtin is None:
                return self._interpret(inputs)
        found: Any = builtin(*inputs)
        return found if found is None or len(self.outline.outputs) > 1 else (found,)

    def _advance(self, before: int) -> Callable[..., Any] | None:
        """Have machine code made when that is cheaper; `before` operations were interpreted before this run."""
        if self._queued is worker.current():
            return None
        if not native.available():
            if self._interpreted > OPERATIONS_BEFORE_COMPILING:
                native.warn_interpreted()
            return None
        error, self._error = self._error, None
        if error is not None and not isinstance(error, MemoryError):  # without memory it is tried again later
            message = f"{self.outline.name} is interpreted, as it could not be compiled: {error}"
            warnings.warn(message, native.InterpretedWarning, stacklevel=2)
        if self._cost > COMPILING_COST[0] + COMPILING_COST[1] * len(self.program.code):
            self._compile_aside()
        elif self._interpreted > OPERATIONS_BEFORE_COMPILING:
            self._queue()
        elif before <= OPERATIONS_BEFORE_SEARCH:
            self._find()
        return self._builtin

    def _interpret(self, inputs: Sequence[Array]) -> Sequence[Array] | None:
        program = self._program
        assert program is not None
        flat: list[float] = []
        for each in inputs:
            flat.extend(each.ravel().tolist())
        values, status = interpret(program.code, program.constants, program.results, flat, program.calls)
        if status != CLEAN:
            return None
        arrays: list[Array] = []
        start = 0
        for shape, size in self._results:
            arrays.append(np.array(values[start : start + size], dtype=np.float64).reshape(shape))
            start += size
        return arrays

    def run(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> int:
        """Compute one state into `outputs`; return the status. For impatient ones, as are the next two."""
        kernel = self.prepared()
        if kernel is None:
            return self.interpret_rows(inputs, [each[None] for each in outputs], 1)[1]
        self.short_calls += 1
        return kernel.run(inputs, outputs)

    def run_rows(
        self,
        inputs: Sequence[Array],
        outputs: Sequence[Array],
        count: int,
        threads: int,
        codes: Codes | None = None,
    ) -> tuple[int, int]:
        """Compute rows; arguments and result are those of `CompiledProgram.run_batch`."""
        kernel = self.prepared(rows=True)
        if kernel is None:
            return self.interpret_rows(inputs, outputs, count, codes)
        self.short_calls += 1
        return kernel.run_batch(inputs, outputs, count, threads, codes)

    def interpret_rows(
        self, inputs: Sequence[Array], outputs: Sequence[Array], count: int, codes: Codes | None = None
    ) -> tuple[int, int]:
        """Compute rows with the interpreter: to the first bad one, or all when `codes` take their statuses."""
        program = self.program
        sources = [(each, each.ndim > len(port.shape)) for each, port in zip(inputs, program.inputs, strict=True)]
        for k in range(count):
            flat = [x for each, has_rows in sources for x in (each[k] if has_rows else each).reshape(-1).tolist()]
            values, status = program.interpret_flat(flat)
            if status != CLEAN:
                if codes is None:
                    return k, status
                codes[k] = status
                continue
            for each, (start, port) in zip(outputs, offsets(program.outputs), strict=True):
                each[k] = np.reshape(values[start : start + port.size], port.shape)
        if codes is None or not codes.any():
            return -1, CLEAN
        first = int((codes != 0).argmax())
        return first, int(codes[first])

    def builtin(
        self, fallback: Callable[..., object], name: str = "", documentation: str = "", guards: Guards = ()
    ) -> Callable[..., Any]:
        """Return a builtin for one state or few; `fallback` takes every other call. See `rbd.native.builtin`."""
        kernel = self._kernel if self._ready[True] else self.compile()
        if kernel is None:
            return fallback
        return _make_builtin(kernel, fallback, name, documentation, guards)


def _make_builtin(
    kernel: CompiledProgram, fallback: Callable[..., Any], name: str = "", documentation: str = "", guards: Guards = ()
) -> Callable[..., Any]:
    from rbd.native.builtin import Binding, make_builtin  # which loads LLVM

    return make_builtin(kernel, fallback, Binding(guards=guards), name=name, documentation=documentation)


def _run(kernel: CompiledProgram, inputs: Sequence[Array]) -> Any:
    """Run machine code by way of ctypes; None when the status is not clean."""
    outputs = [np.empty(port.shape) for port in kernel.outline.outputs]
    if kernel.run(inputs, outputs) != CLEAN:
        return None
    return outputs[0] if len(outputs) == 1 else tuple(outputs)
