"""Recorded kernels, and kernels that cannot be recorded."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar, final

import attrs

from rbd import native
from rbd.scalars.arrays import Array

A = TypeVar("A", bound="Array | None")
"""An argument: an array, or None for one that a builtin takes."""

if TYPE_CHECKING:
    from rbd.native.compiled_program import CompiledProgram
    from rbd.native.live_executable import LiveExecutable
    from rbd.recorder.result_form import ResultForm


@final
@attrs.frozen(eq=False)
class RecordedKernel:
    """A kernel recorded for a template of arguments."""

    executable: LiveExecutable
    parameters: tuple[Array, ...]
    """The parameters that are inputs, updated in place."""
    form: ResultForm
    array_argument_count: int
    """Number of arguments with numbers, besides coordinates and parameters."""

    @property
    def machine_code(self) -> CompiledProgram | None:
        """Its machine code, once there is some."""
        return self.executable.machine_code

    @property
    def has_one_output(self) -> bool:
        """Whether the program writes one array."""
        return len(self.executable.outline.outputs) == 1

    def inputs(self, q: Array, v: Array, arguments: Sequence[A] = ()) -> tuple[Array | A, ...]:
        """Return the inputs of the program: coordinates, the arguments, then the parameters."""
        return q, v, *arguments, *self.parameters


@final
class RecordingFailure:
    """A kernel that cannot be recorded for a template of arguments: its source runs instead."""

    def __init__(self, reason: BaseException) -> None:
        """Set the reason."""
        self.reason = reason
        self._warned = False

    def warn(self, name: str) -> None:
        """Warn once that the source runs instead of machine code."""
        if not self._warned:
            self._warned = True
            message = f"{name} runs as Python source, hundreds of times slower than machine code: {self.reason}"
            warnings.warn(message, native.InterpretedWarning, stacklevel=2)
