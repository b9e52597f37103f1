"""Running a program on arrays: one state or many, as machine code or interpreted."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias, final

import numpy as np
from numpy.typing import ArrayLike

from rbd.arguments import whole_number
from rbd.compiled.arguments import as_input, as_rows, leading_shape, output_arrays
from rbd.compiled.status import raise_status
from rbd.errors import ArgumentError
from rbd.native.executable import Executable
from rbd.program.outline import Source
from rbd.scalars.arrays import Array

if TYPE_CHECKING:
    from rbd.native.kernel import NativeKernel

Result: TypeAlias = Array | tuple[Array, ...]


@final
class Evaluation:
    """A program with its machine code; being called, it does whatever a `RecordedFunction` promises, at leisure."""

    def __init__(self, source: Source, defaults: Mapping[str, Array]) -> None:
        """Take a program, or what is known of it; `defaults` are values of inputs that calls may leave out."""
        self.source = source
        self.outline = source.outline
        self.defaults = dict(defaults)
        self.executable = Executable(source)
        self.single_calls = 0
        """How often machine code ran for one state."""

    def __call__(
        self, *arrays: ArrayLike, out: Array | Sequence[Array] | None = None, threads: int = 1, **named: ArrayLike
    ) -> Result:
        """Compute the outputs as `RecordedFunction.__call__` says."""
        count = whole_number(threads, "threads", 1)
        return self._evaluated(self.inputs(arrays, named), out, count)

    def interpret(self, *arrays: ArrayLike, **named: ArrayLike) -> Result:
        """Compute the outputs with the interpreter."""
        return self._evaluated(self.inputs(arrays, named), None, 0)

    def inputs(self, arrays: Sequence[ArrayLike], named: Mapping[str, ArrayLike]) -> list[Array]:
        """Return the inputs in order as float64 arrays; raise when one is missing or unknown."""
        ports = self.outline.inputs
        names = [port.name for port in ports]
        unknown = [name for name in named if name not in names[len(arrays) :]]
        if unknown or len(arrays) > len(ports):
            what = unknown[0] if unknown else f"{len(arrays)} positional arguments"
            raise ArgumentError(
                f"{self.outline.name} takes {', '.join(names)}; got {what}", argument=what, value=None, allowed=names
            )
        given: dict[str, ArrayLike] = {**self.defaults, **dict(zip(names, arrays, strict=False)), **named}
        missing = [name for name in names if name not in given]
        if missing:
            raise ArgumentError(f"{self.outline.name} needs {missing[0]}", argument=missing[0], value=None)
        return [as_input(given[port.name], port) for port in ports]

    # --- inside -------------------------------------------------------------------------------------------------------

    def _evaluated(self, inputs: list[Array], out: Array | Sequence[Array] | None, threads: int) -> Result:
        """Compute the outputs with so many threads; without any, with the interpreter."""
        lead = leading_shape(self.outline.inputs, inputs)
        outputs = output_arrays(self.outline.outputs, lead, out)
        if lead and out is not None:
            inputs = _apart(inputs, outputs)
        kernel = self.executable.prepared(rows=bool(lead)) if threads else None
        if kernel is None:
            self._interpret_rows(inputs, lead, outputs)
        elif lead:
            self._run_batch(kernel, inputs, lead, outputs, threads)
        else:
            self._run_single(kernel, inputs, outputs)
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def _run_single(self, kernel: NativeKernel, inputs: list[Array], outputs: list[Array]) -> None:
        self.single_calls += 1
        status = kernel.run(inputs, outputs)
        if status:
            raise_status(self.source, status, inputs)

    def _run_batch(
        self, kernel: NativeKernel, inputs: list[Array], lead: tuple[int, ...], outputs: list[Array], threads: int
    ) -> None:
        ports = self.outline.inputs
        rows = [as_rows(array, port, lead) for array, port in zip(inputs, ports, strict=True)]
        strides = [0 if a.ndim == len(p.shape) else p.size for a, p in zip(rows, ports, strict=True)]
        row, status = kernel.run_batch(rows, strides, outputs, math.prod(lead), threads)
        if status:
            raise_status(self.source, status, rows, row)

    def _interpret_rows(self, inputs: list[Array], lead: tuple[int, ...], outputs: list[Array]) -> None:
        program = self.source.program
        rows = [as_rows(array, port, lead) for array, port in zip(inputs, program.inputs, strict=True)]
        count = math.prod(lead)
        flat = [out.reshape(count, *port.shape) for out, port in zip(outputs, program.outputs, strict=True)]
        for k in range(count):
            mine = [a if a.ndim == len(p.shape) else a[k] for a, p in zip(rows, program.inputs, strict=True)]
            values, status = program.interpret_flat([float(x) for array in mine for x in array.reshape(-1)])
            if status:
                raise_status(self.source, status, rows, k if lead else None)
            start = 0
            for target, port in zip(flat, program.outputs, strict=True):
                target[k] = np.array(values[start : start + port.size]).reshape(port.shape)
                start += port.size


def _apart(inputs: list[Array], outputs: list[Array]) -> list[Array]:
    """Return the inputs, copied where writing one row of an output might change what a later row reads."""
    return [array.copy() if any(np.may_share_memory(array, x) for x in outputs) else array for array in inputs]
