"""Executables of live states: interpreted for a number of operations, then compiled by the background thread.

Long calls wait for machine code once they have cost more than compiling. Costs are operation counts, never times, so
that results do not depend on the machine.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, final

import numpy as np
from typing_extensions import override

from rbd import native
from rbd.native.executable import Executable
from rbd.program.interpret import run as interpret
from rbd.program.lazy_program import LazyProgram
from rbd.program.program import Program
from rbd.program.status import CLEAN
from rbd.scalars.arrays import Array

if TYPE_CHECKING:
    from rbd.native.compiled_program import CompiledProgram

OPERATIONS_BEFORE_COMPILING = 10_000
"""Operations that are interpreted before a program is compiled: about as long as compiling blocks other threads."""
OPERATIONS_BEFORE_SEARCH = 2_000
"""Operations that are interpreted before the disk cache is searched, which needs the compiler."""
COMPILING_COST: Final = (300_000, 100)
"""Cost of compiling in interpreted operations, a lower bound: constant, most of it the loading of LLVM, and per
instruction. Inverse dynamics, mass matrices and forward dynamics of robots take 120 to 300 per instruction."""
LONG_CALL: Final = 200_000
"""Operations of a call that takes some tens of milliseconds when interpreted. Longer ones wait for machine code once
they have cost more than compiling: at once, as with large solves, or after a few calls. Interpreting meanwhile, they
would delay it; shorter ones hardly do."""

_LEAST_COST: Final = 5
"""Cost of an interpreted call of a program without operations, so that it is compiled, too."""


@final
class LiveExecutable(Executable):
    """The executable of a live state, for one state at a time."""

    def __init__(self, lazy_program: LazyProgram, keep: Callable[[], object] | None = None) -> None:
        """Set a program or its outline, and a function that is called after compilation."""
        super().__init__(lazy_program)
        self._keep = keep
        self._builtin: Callable[..., Any] | None = None
        self._results = [(port.shape, port.size) for port in self.outline.outputs]
        self._program: Program | None = None
        self._cost = 0
        if not self._load_if_possible():
            self._program = lazy_program.program  # recorded now: the mechanism may be edited later
            self._cost = self._program.cost or _LEAST_COST

    def __call__(self, inputs: Sequence[Array]) -> Sequence[Array] | None:
        """Return the outputs as new arrays; None unless the status is clean."""
        builtin = self._builtin or self._count_call()
        if builtin is None:
            return self._interpret(inputs)
        result: Any = builtin(*inputs)
        return result if result is None or len(self.outline.outputs) > 1 else (result,)

    def code_after_use(self) -> CompiledProgram | None:
        """Return the machine code; without any, a use of outputs that are kept counts as an interpreted call."""
        if not self.is_compiled:
            self._count_call()
        return self.machine_code

    def _count_call(self) -> Callable[..., Any] | None:
        """Count an interpreted call; return the builtin if machine code is there by now."""
        before, self._interpreted = self._interpreted, self._interpreted + self._cost
        return self._compile_if_cheaper(before) if self._interpreted > OPERATIONS_BEFORE_SEARCH else None

    def request_code(self) -> bool:
        """Return whether there is machine code; let the background thread compile if there is none.

        After a failure it compiles again once requests have cost `OPERATIONS_BEFORE_COMPILING` operations.
        """
        if self.is_compiled or self._is_queued:
            return self.is_compiled
        self._interpreted += max(self._cost, 1)
        if self._error is None or self._interpreted > OPERATIONS_BEFORE_COMPILING:
            self._compile_or_queue()
        return self.is_compiled

    def _compile_if_cheaper(self, before: int) -> Callable[..., Any] | None:
        """Compile if that is cheaper; `before` operations were interpreted before this call."""
        waits = self._pays_to_wait()
        if self._is_queued and not waits:
            return None
        if not native.available():
            if self._interpreted > OPERATIONS_BEFORE_COMPILING:
                native.warn_interpreted()
            return None
        error = self._take_error()
        if error is not None and not isinstance(error, MemoryError):  # without memory it is tried again later
            message = f"{self.outline.name} is interpreted, as it could not be compiled: {error}"
            warnings.warn(message, native.InterpretedWarning, stacklevel=2)
        if waits:
            self._compile_and_keep_error()
        elif self._interpreted > OPERATIONS_BEFORE_COMPILING:
            self._compile_or_queue()
        elif before <= OPERATIONS_BEFORE_SEARCH:
            self._load_if_possible()
        return self._builtin

    def _pays_to_wait(self) -> bool:
        """Return whether calls are long, and have cost more than compiling since the last attempt."""
        if self._cost <= LONG_CALL:
            return False
        return self._interpreted > COMPILING_COST[0] + COMPILING_COST[1] * len(self.program.code)

    @override
    def _install(self, code: CompiledProgram, rows: bool) -> None:
        assert not rows, "a live state is one state"
        code.compile_single()
        from rbd.native.builtins.builtin import make_builtin  # loads LLVM

        def run(*arrays: Array) -> Any:
            return _run(code, arrays)

        self._builtin = make_builtin(code, run)
        if self._keep is not None:
            self._keep()
        self.is_compiled = True

    def _interpret(self, inputs: Sequence[Array]) -> Sequence[Array] | None:
        program = self._program
        assert program is not None
        flat: list[float] = []
        for each in inputs:
            flat.extend(each.ravel().tolist())
        values, status = interpret(program, flat)
        if status != CLEAN:
            return None
        arrays: list[Array] = []
        start = 0
        for shape, size in self._results:
            arrays.append(np.array(values[start : start + size], dtype=np.float64).reshape(shape))
            start += size
        return arrays


def _run(code: CompiledProgram, inputs: Sequence[Array]) -> Any:
    """Run machine code through ctypes; return None unless the status is clean."""
    outputs = [np.empty(port.shape) for port in code.outline.outputs]
    if code.run(inputs, outputs) != CLEAN:
        return None
    return outputs[0] if len(outputs) == 1 else tuple(outputs)
