"""A program at work: interpreted at first, compiled when it is asked for often.

Room: state (internal); may import mechanism and above. Interpreter and machine code agree to the last bit, so it can be
chosen by cost alone. Compiling takes as long as about a hundred runs in the interpreter; a program that has run
`PATIENCE` times is expected to run as often again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, cast, final

import numpy as np

from rbd import native
from rbd.scalars.arrays import Array
from rbd.scalars.opcodes import CLEAN
from rbd.scalars.outline import Outline, Source
from rbd.scalars.program import Program

if TYPE_CHECKING:
    from rbd.native.kernel import NativeKernel

PATIENCE: Final = 32
"""Interpreted runs before a program is compiled."""
LOOK: Final = 3
"""The run before which the disk is searched, where that means to load the compiler first, for tenths of a second."""


def _nothing() -> None:
    """Do nothing."""


@final
class Runner:
    """One program; called with its inputs it gives its outputs as new arrays, or None when its status is not clean."""

    def __init__(self, source: Source, keep: Callable[[], object] = _nothing) -> None:
        """Begin with machine code if it was made before, else with the interpreter.

        `keep` is called when machine code was made.
        """
        self._source = source
        self._keep = keep
        self.kernel: NativeKernel | None = None
        self._lock = native.Lock()
        self._calls = 0
        self._aside = native.Aside()
        self._builtin: Callable[..., Any] | None = None
        if native.is_loaded():
            self._load()
        if self.kernel is None:
            source.program  # noqa: B018 - recorded now, while the mechanism is what it is

    @property
    def outline(self) -> Outline:
        """What is known of the program without recording it."""
        return self._source.outline

    @property
    def program(self) -> Program:
        """The program."""
        return self._source.program

    def __call__(self, inputs: Sequence[Array]) -> Sequence[Array] | None:
        """Run; the inputs are float64 C-contiguous arrays of the ports' shapes."""
        builtin = self._builtin
        if builtin is None:
            self._calls += 1
            if self._calls == LOOK and native.available():
                self._load()
                builtin = self._builtin
            elif self._calls > PATIENCE:
                builtin = self._ready()
        if builtin is None:
            return self._interpreted(inputs)
        found = builtin(*inputs)
        if found is None or len(self._source.outline.outputs) > 1:
            return cast("Sequence[Array] | None", found)
        return (found,)

    def compile(self) -> NativeKernel:
        """Return the machine code, made now if there is none yet."""
        with self._lock.inner:
            if self.kernel is None:
                kernel = native.compile_program(self._source)
                self._take(kernel)
                self._keep()
            assert self.kernel is not None
            return self.kernel

    def _load(self) -> None:
        """Take machine code that was made before, by this process or another, unless a thread is making it."""
        self._lock.run_if_free(self._find)

    def _find(self) -> None:
        kernel = native.compile_program(self._source)
        if self.kernel is None and native.has_code(kernel):
            self._take(kernel)

    def _take(self, kernel: NativeKernel) -> None:
        self._builtin = native.make_entry(kernel, lambda *arrays: _run(kernel, arrays))
        self.kernel = kernel

    def _ready(self) -> Callable[..., Any] | None:
        """Return what runs machine code; None while it is being made in the background."""
        if not native.available():
            native.warn_interpreted()
        elif native.in_background():
            self._aside.begin(self.compile)
        else:
            self.compile()
        return self._builtin

    def _interpreted(self, inputs: Sequence[Array]) -> Sequence[Array] | None:
        flat = [x for array in inputs for x in array.reshape(-1).tolist()]
        values, status = self.program.interpret_flat(flat)
        if status != CLEAN:
            return None
        arrays: list[Array] = []
        start = 0
        for port in self.program.outputs:
            arrays.append(np.array(values[start : start + port.size], dtype=np.float64).reshape(port.shape))
            start += port.size
        return arrays


def _run(kernel: NativeKernel, inputs: Sequence[Array]) -> Any:
    """Run machine code by way of ctypes; None when the status is not clean."""
    outputs = [np.empty(port.shape) for port in kernel.outline.outputs]
    if kernel.run(inputs, outputs) != CLEAN:
        return None
    return outputs[0] if len(outputs) == 1 else tuple(outputs)
