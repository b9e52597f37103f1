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
from rbd.program.status import SUCCESS
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
        self.builtin: Callable[..., Any] | None = None
        """The machine code as a builtin, which is set once."""
        self._results = [(port.shape, port.size) for port in self.outline.outputs]
        self._program: Program | None = None
        self._cost = 0
        self._interpreted = 0
        """Operations that were interpreted since attempt number `_attempts` to compile has ended."""
        self._attempts = 0
        if not self.load(loads_compiler=False):
            self._program = lazy_program.program  # recorded now: the mechanism may be edited later
            self._cost = self.outline.cost or _LEAST_COST

    @property
    @override
    def is_compiled(self) -> bool:
        return self.builtin is not None

    def __call__(self, inputs: Sequence[Array]) -> Sequence[Array] | None:
        """Return the outputs as new arrays; None if the program fails."""
        if self.builtin is None and (operations := self._count_call()) > OPERATIONS_BEFORE_SEARCH:
            self._compile_if_cheaper(operations)
        if self.builtin is None:
            return self._interpret(inputs)
        result: Any = self.builtin(*inputs)
        return result if result is None or len(self.outline.outputs) > 1 else (result,)

    def code_for_query(self) -> CompiledProgram | None:
        """Return the machine code; without any, a query of outputs that are kept counts as an interpreted call."""
        if self.builtin is None and (operations := self._count_call()) > OPERATIONS_BEFORE_SEARCH:
            self._compile_if_cheaper(operations)
        return self.machine_code

    def code_for_builtin(self) -> CompiledProgram | None:
        """Return the machine code for a builtin of the caller; without any, let the background thread compile.

        After a failure it compiles again once such calls have cost `OPERATIONS_BEFORE_COMPILING` operations.
        """
        if self.builtin is None and not self._background.is_queued:
            operations = self._count_call()
            if not self._background.has_failed or operations > OPERATIONS_BEFORE_COMPILING:
                self._compile_or_queue()
        return self.machine_code

    def _count_call(self) -> int:
        """Count an interpreted call; return the number of operations since the last attempt to compile."""
        if self._attempts != self._background.ended_attempts:
            self._attempts, self._interpreted = self._background.ended_attempts, 0
        self._interpreted += self._cost
        return self._interpreted

    def _compile_if_cheaper(self, operations: int) -> None:
        """Compile if that is cheaper than interpretation; so many operations are counted since the last attempt."""
        waits = self._pays_to_wait(operations)
        if self._background.is_queued and not waits:
            return
        if not native.available():
            if operations > OPERATIONS_BEFORE_COMPILING:
                native.warn_interpreted()
            return
        error = self._background.take_error()
        if error is not None and not isinstance(error, MemoryError):  # without memory it is tried again later
            message = f"{self.outline.name} is interpreted, as it could not be compiled: {error}"
            warnings.warn(message, native.InterpretedWarning, stacklevel=2)
        if waits:
            self._background.run(self.compile)
        elif operations > OPERATIONS_BEFORE_COMPILING:
            self._compile_or_queue()
        elif operations - self._cost <= OPERATIONS_BEFORE_SEARCH:  # the first call above that number
            self.load(loads_compiler=False)

    def _pays_to_wait(self, operations: int) -> bool:
        """Return whether calls are long, and these operations have cost more than compiling."""
        if self._cost <= LONG_CALL:
            return False
        return operations > COMPILING_COST[0] + COMPILING_COST[1] * len(self.program.code)

    @override
    def _install(self, code: CompiledProgram, rows: bool) -> None:
        assert not rows, "a live state is one state"
        code.compile_single()
        from rbd.native.builtins.builtin import make_builtin  # loads LLVM

        def run(*arrays: Array) -> Any:
            return _run(code, arrays)

        builtin = make_builtin(code, run)
        if self._keep is not None:
            self._keep()
        self.builtin = builtin

    def _interpret(self, inputs: Sequence[Array]) -> Sequence[Array] | None:
        program = self._program
        assert program is not None
        flat: list[float] = []
        for each in inputs:
            flat.extend(each.ravel().tolist())
        values, status = interpret(program, flat)
        if status != SUCCESS:
            return None
        arrays: list[Array] = []
        start = 0
        for shape, size in self._results:
            arrays.append(np.array(values[start : start + size], dtype=np.float64).reshape(shape))
            start += size
        return arrays


def _run(code: CompiledProgram, inputs: Sequence[Array]) -> Any:
    """Run machine code through ctypes; return None if the program fails."""
    outputs = [np.empty(port.shape) for port in code.outline.outputs]
    if code.run(inputs, outputs) != SUCCESS:
        return None
    return outputs[0] if len(outputs) == 1 else tuple(outputs)
