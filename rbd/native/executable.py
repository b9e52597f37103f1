"""Executables: programs that are interpreted, compiled, or called as builtins, with the same bits.

An `ArrayExecutable`, of a function of arrays, compiles in its first call, or in the background thread within a
`native.background` block. `live_executable.py` has those of live states.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, final

import numpy as np
from typing_extensions import override

from rbd import native
from rbd.native.background_compilation import BackgroundCompilation
from rbd.program.lazy_program import LazyProgram
from rbd.program.outline import Outline
from rbd.program.ports import offsets
from rbd.program.program import Program
from rbd.program.status import SUCCESS
from rbd.progress import Listener, progress_bar
from rbd.scalars.arrays import Array

if TYPE_CHECKING:
    from rbd.native.builtins.builtin import Binding
    from rbd.native.builtins.parameters import Overloads
    from rbd.native.compiled_program import CompiledProgram, Statuses


class Executable(ABC):
    """A program and its machine code for one state, and for rows of a batch."""

    def __init__(self, lazy_program: LazyProgram) -> None:
        """Set a program or its outline; compiles nothing."""
        self.lazy_program = lazy_program
        self.outline: Outline = lazy_program.outline
        self.progress: bool | Listener = False
        """Whether compilations show a progress bar, or the function to call, unless `compile` is told otherwise."""
        self._code: CompiledProgram | None = None
        self._lock = native.Lock()
        self._background = BackgroundCompilation()

    @property
    def program(self) -> Program:
        """The program, recorded now if only its outline is known."""
        return self.lazy_program.program

    @property
    @abstractmethod
    def is_compiled(self) -> bool:
        """Whether there is machine code for one state."""

    @property
    def machine_code(self) -> CompiledProgram | None:
        """The machine code if there is some for one state."""
        return self._code if self.is_compiled else None

    def compile(self, *, rows: bool = False, progress: bool | Listener = False) -> CompiledProgram | None:
        """Compile for one state, or for rows of a batch, and return the machine code.

        Without a compiler it warns and returns None. Raises the errors of the compiler. `progress` is that of this
        compilation; unless given, it is the attribute.
        """
        if not self._has_code(rows):
            if native.available():
                with self._lock.inner:
                    self._compile_now(rows, self.progress if progress is False else progress)
            else:
                native.warn_interpreted()
        return self._code if self._has_code(rows) else None

    def _compile_or_queue(self) -> CompiledProgram | None:
        """Return the machine code for one state; None while the background thread makes it.

        Code that is in the disk cache is loaded now.
        """
        if not self.is_compiled:
            if not native.available():
                native.warn_interpreted()
            elif not self.load(loads_compiler=False):
                self._background.queue(self.compile)
        return self.machine_code

    def _has_code(self, rows: bool) -> bool:
        """Return whether there is machine code for rows, or for one state with what its calls need."""
        if rows:
            return self._code is not None and self._code.has_entry_of(rows=True)
        return self.is_compiled

    def _compile_now(self, rows: bool, progress: bool | Listener) -> None:
        """Compile or load, with a progress bar if it is wanted; the caller holds the lock."""
        if self._has_code(rows):
            return
        code = self._own_code()
        if progress is False or (not rows and code.load_single()):
            self._install(code, rows)
            return
        with progress_bar(2, f"compile {self.outline.name}", progress) as bar:
            _ = code.program  # is recorded now if only its outline was found on disk
            bar.update()
            self._install(code, rows)
            bar.update()

    def _own_code(self) -> CompiledProgram:
        if self._code is None:
            self._code = native.compile_program(self.lazy_program)
        return self._code

    @abstractmethod
    def _install(self, code: CompiledProgram, rows: bool) -> None:
        """Install the code for one state or for rows, with what its calls need."""

    def load(self, *, loads_compiler: bool = True) -> bool:
        """Load machine code for one state from the disk cache; return whether there is code.

        That needs the compiler: unless `loads_compiler`, it does nothing as long as the compiler is not loaded.
        """
        if not self.is_compiled and (loads_compiler or native.is_loaded()):
            self._lock.try_run(self._load_cached)
        return self.is_compiled

    def _load_cached(self) -> None:
        with suppress(MemoryError):  # it is interpreted until there is memory
            if self._own_code().load_single():
                self._compile_now(rows=False, progress=self.progress)


@final
class ArrayExecutable(Executable):
    """The executable of a function of arrays, for one state or for rows of a batch."""

    def __init__(self, lazy_program: LazyProgram) -> None:
        """Set a program or its outline; compiles nothing."""
        super().__init__(lazy_program)
        self.native_calls = 0
        """Number of calls of machine code, for one state or for rows."""
        self.interpreted_calls = 0
        """Number of interpreted calls of those who choose between the interpreter and machine code by cost."""

    @property
    @override
    def is_compiled(self) -> bool:
        return self._code is not None and self._code.has_entry_of(rows=False)

    @override
    def _install(self, code: CompiledProgram, rows: bool) -> None:
        if rows:
            code.compile_batch()
        else:
            code.compile_single()

    def code_for_call(self, *, rows: bool = False) -> CompiledProgram | None:
        """Return the machine code for a call; None if the call is interpreted.

        In a `native.background` block code for one state is made by another thread. Batches wait for theirs, since
        interpreting them takes longer. Raises the exceptions of the other thread, unless there is code since.
        """
        if rows or not native.in_background():
            return self.compile(rows=rows)
        error = self._background.take_error()
        if error is not None and not self.is_compiled:
            raise error
        return self._compile_or_queue()

    def run(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> int:
        """Compute one state into `outputs`; return the status."""
        code = self.code_for_call()
        if code is None:
            return self.interpret_rows(inputs, [each[None] for each in outputs], 1)[1]
        self.native_calls += 1
        return code.run(inputs, outputs)

    def run_rows(
        self,
        inputs: Sequence[Array],
        outputs: Sequence[Array],
        count: int,
        threads: int,
        statuses: Statuses | None = None,
    ) -> tuple[int, int]:
        """Compute rows; arguments and result are those of `CompiledProgram.run_batch`."""
        code = self.code_for_call(rows=True)
        if code is None:
            return self.interpret_rows(inputs, outputs, count, statuses)
        self.native_calls += 1
        return code.run_batch(inputs, outputs, count, threads, statuses)

    def interpret_rows(
        self, inputs: Sequence[Array], outputs: Sequence[Array], count: int, statuses: Statuses | None = None
    ) -> tuple[int, int]:
        """Interpret rows, up to the first that fails, or all if `statuses` receives what they return."""
        program = self.program
        sources = [(each, each.ndim > len(port.shape)) for each, port in zip(inputs, program.inputs, strict=True)]
        for k in range(count):
            flat = [x for each, has_rows in sources for x in (each[k] if has_rows else each).reshape(-1).tolist()]
            values, status = program.interpret_flat(flat)
            if status != SUCCESS:
                if statuses is None:
                    return k, status
                statuses[k] = status
                continue
            for each, (start, port) in zip(outputs, offsets(program.outputs), strict=True):
                each[k] = np.reshape(values[start : start + port.size], port.shape)
        return _first_failure(statuses)

    def make_builtin(
        self,
        fallback: Callable[..., object],
        name: str = "",
        documentation: str = "",
        binding: Binding | None = None,
        overloads: Overloads | None = None,
    ) -> Callable[..., Any]:
        """Return a builtin for one state or a small batch; `fallback` handles all other calls.

        See `rbd.native.builtins.builtin`.
        """
        code = self._code_of_builtins()
        if code is None:
            return fallback
        from rbd.native.builtins.builtin import make_builtin  # loads LLVM

        texts = {"name": name, "documentation": documentation}
        return make_builtin(code, fallback, binding, overloads=overloads, **texts)

    def add_overload(self, overloads: Overloads, binding: Binding) -> None:
        """Add a builtin of this program, for other options, to the overloads of a method."""
        code = self._code_of_builtins()
        if code is not None:
            from rbd.native.builtins.builtin import add_overload  # loads LLVM

            add_overload(code, binding, overloads)

    def _code_of_builtins(self) -> CompiledProgram | None:
        return self._code if self._has_code(rows=True) else self.compile()


def _first_failure(statuses: Statuses | None) -> tuple[int, int]:
    """Return the first row that failed, and its status; -1 if there is none."""
    if statuses is None or not statuses.any():
        return -1, SUCCESS
    first = int((statuses != 0).argmax())
    return first, int(statuses[first])
