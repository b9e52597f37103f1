"""Evaluation of a program on array-likes, for one state or many."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TypeAlias, final

import numpy as np
from numpy.typing import ArrayLike

from rbd.arguments import whole_number
from rbd.array_functions.arguments import as_input, as_rows, contiguous, in_columns, leading_shape, output_arrays
from rbd.array_functions.row_status import RowStatus, check_status, inputs_of_row, raise_status
from rbd.errors import ArgumentError
from rbd.native.executable import ArrayExecutable
from rbd.program.lazy_program import LazyProgram
from rbd.program.status import NO_MEMORY
from rbd.scalars.arrays import Array

Result: TypeAlias = Array | tuple[Array, ...]


@final
class Evaluation:
    """General path of `RecordedFunction.__call__`: converts arguments, runs the executable, raises its errors."""

    def __init__(self, lazy_program: LazyProgram, defaults: Mapping[str, Array]) -> None:
        """Set a program or its outline; `defaults` are values of optional inputs."""
        self.lazy_program = lazy_program
        self.outline = lazy_program.outline
        self.defaults = dict(defaults)
        self.executable = ArrayExecutable(lazy_program)

    def __call__(
        self,
        *arrays: ArrayLike,
        out: Array | Sequence[Array] | None = None,
        threads: int = 1,
        status: RowStatus | None = None,
        **named: ArrayLike,
    ) -> Result:
        """Compute the outputs; see `RecordedFunction.__call__`."""
        count = whole_number(threads, "threads", 1)
        check_status(status)
        return self._evaluated(self.inputs(arrays, named), out, count, status)

    def interpret(self, *arrays: ArrayLike, **named: ArrayLike) -> Result:
        """Compute the outputs with the interpreter."""
        return self._evaluated(self.inputs(arrays, named), None, 0)

    def inputs(self, arrays: Sequence[ArrayLike], named: Mapping[str, ArrayLike]) -> list[Array]:
        """Return the inputs in order as float64 arrays; raise for missing and unknown ones."""
        ports = self.outline.inputs
        complete = arrays if len(arrays) == len(ports) and not named else self._by_port(arrays, named)
        return [as_input(array, port) for array, port in zip(complete, ports, strict=True)]

    # --- inside -------------------------------------------------------------------------------------------------------

    def _by_port(self, arrays: Sequence[ArrayLike], named: Mapping[str, ArrayLike]) -> list[ArrayLike]:
        """Return positional and named inputs and defaults in order; raise for missing and unknown ones."""
        ports = self.outline.inputs
        names = [port.name for port in ports]
        unknown = [name for name in named if name not in names[len(arrays) :]]
        if unknown or len(arrays) > len(ports):
            what = unknown[0] if unknown else f"{len(arrays)} positional arguments"
            message = f"{self.outline.name} takes {', '.join(names)} and the options out, threads, status; got {what}"
            raise ArgumentError(message, argument=what, value=None, allowed=names)
        given: dict[str, ArrayLike] = {**self.defaults, **dict(zip(names, arrays, strict=False)), **named}
        missing = [name for name in names if name not in given]
        if missing:
            raise ArgumentError(f"{self.outline.name} needs {missing[0]}", argument=missing[0], value=None)
        return [given[name] for name in names]

    def _evaluated(
        self, inputs: list[Array], out: Array | Sequence[Array] | None, threads: int, status: RowStatus | None = None
    ) -> Result:
        """Compute the outputs with a number of threads; for 0, with the interpreter."""
        ports = self.outline.inputs
        lead = leading_shape(ports, inputs)
        rows = [as_rows(array, port, lead) for array, port in zip(inputs, ports, strict=True)] if lead else inputs
        outputs = output_arrays(self.outline.outputs, lead, out, columns=bool(lead) and in_columns(rows, ports))
        if threads and not lead:
            given = [contiguous(array) for array in inputs]
            self._raise_or_store(given, self.executable.run(given, outputs), status)
        else:
            self._run_rows(rows, outputs, lead, out is not None, threads, status)
        if status is not None and out is None:
            for array in outputs:
                array[status.failed] = np.nan
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def _raise_or_store(self, inputs: Sequence[Array], word: int, status: RowStatus | None) -> None:
        """Raise the error of the status word of one state, or store it in `status`."""
        if status is not None:
            status.store(self.outline, np.array([word]), (), lambda _: inputs)
        elif word:
            raise_status(self.lazy_program, word, inputs)

    def _run_rows(
        self,
        rows: list[Array],
        outputs: list[Array],
        lead: tuple[int, ...],
        given: bool,
        threads: int,
        status: RowStatus | None,
    ) -> None:
        """Compute rows into `outputs`, which are the caller's if they are `given`."""
        run, count = self.executable, math.prod(lead)
        if lead and given:
            rows = _apart(rows, outputs)
        targets = [array.reshape(count, *port.shape) for array, port in zip(outputs, self.outline.outputs, strict=True)]
        arguments = rows, targets, count
        codes = None if status is None else np.zeros(count, np.int64)
        row, word = run.run_rows(*arguments, threads, codes) if threads else run.interpret_rows(*arguments, codes)
        if word and (status is None or word == NO_MEMORY):
            raise_status(self.lazy_program, word, rows, row if lead else None)
        if status is not None and codes is not None:
            status.store(self.outline, codes, lead, lambda row: inputs_of_row(self.outline, rows, row))


def _apart(inputs: list[Array], outputs: list[Array]) -> list[Array]:
    """Return the inputs, copied where writing one row of an output might change what a later row reads."""
    return [array.copy() if any(np.may_share_memory(array, x) for x in outputs) else array for array in inputs]
