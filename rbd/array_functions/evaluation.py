"""Evaluation of a program on array-likes, for one state or many."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TypeAlias, final

import numpy as np
from numpy.typing import ArrayLike

from rbd.arguments import whole_number
from rbd.array_functions.arguments import (
    as_contiguous,
    as_input,
    as_rows,
    in_column_order,
    leading_shape,
    output_arrays,
)
from rbd.array_functions.masked_rows import masked_entry_error
from rbd.array_functions.parameter_checks import has_check, require_possible_values
from rbd.array_functions.row_status import RowStatus, check_status, inputs_of_row, raise_status
from rbd.errors import ArgumentError, NotFiniteError
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
        self._checked = [
            k for k, port in enumerate(self.outline.inputs) if port.name in defaults and has_check(port.name)
        ]

    @property
    def has_checks(self) -> bool:
        """Whether there are parameters of the mechanism whose values are checked, which builtins do not do."""
        return bool(self._checked)

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
        return self._evaluate(self.inputs(arrays, named), out, count, status)

    def interpret(self, *arrays: ArrayLike, **named: ArrayLike) -> Result:
        """Compute the outputs with the interpreter."""
        return self._evaluate(self.inputs(arrays, named), None, 1, interpreted=True)

    def inputs(self, arrays: Sequence[ArrayLike], named: Mapping[str, ArrayLike]) -> list[Array]:
        """Return the inputs in order as float64 arrays; raise for missing, unknown, masked and impossible ones."""
        ports = self.outline.inputs
        complete = arrays if len(arrays) == len(ports) and not named else self._in_port_order(arrays, named)
        try:
            inputs = [as_input(array, port) for array, port in zip(complete, ports, strict=True)]
        except NotFiniteError as error:
            raise masked_entry_error(error, complete, ports) from None
        self._require_possible_parameters(inputs)
        return inputs

    # --- inside -------------------------------------------------------------------------------------------------------

    def _require_possible_parameters(self, inputs: list[Array]) -> None:
        """Raise InertiaError, RotationError or ArgumentError for values of parameters that no mechanism has."""
        ports = self.outline.inputs
        named = {ports[k].name: inputs[k] for k in self._checked}
        given = {name: array for name, array in named.items() if array is not self.defaults[name]}
        if given:
            require_possible_values(given, leading_shape(ports, inputs))

    def _in_port_order(self, arrays: Sequence[ArrayLike], named: Mapping[str, ArrayLike]) -> list[ArrayLike]:
        """Return positional and named inputs and defaults in order; raise for missing and unknown ones."""
        ports = self.outline.inputs
        names = [port.name for port in ports]
        unknown = [name for name in named if name not in names[len(arrays) :]]
        if unknown or len(arrays) > len(ports):
            what = unknown[0] if unknown else f"{len(arrays)} positional arguments"
            message = f"{self.outline.name} takes {', '.join(names)} and the options out, threads, status; got {what}"
            raise ArgumentError(message, argument=what, value=None, allowed=names)
        values: dict[str, ArrayLike] = {**self.defaults, **dict(zip(names, arrays, strict=False)), **named}
        missing = [name for name in names if name not in values]
        if missing:
            raise ArgumentError(f"{self.outline.name} needs {missing[0]}", argument=missing[0], value=None)
        return [values[name] for name in names]

    def _evaluate(
        self,
        inputs: list[Array],
        out: Array | Sequence[Array] | None,
        threads: int,
        status: RowStatus | None = None,
        *,
        interpreted: bool = False,
    ) -> Result:
        """Compute the outputs by machine code on at most so many threads, or by the interpreter."""
        ports = self.outline.inputs
        lead = leading_shape(ports, inputs)
        rows = [as_rows(array, port, lead) for array, port in zip(inputs, ports, strict=True)] if lead else inputs
        outputs = output_arrays(self.outline.outputs, lead, out, columns=bool(lead) and in_column_order(rows, ports))
        if lead and out is not None:
            rows = _without_shared_memory(rows, outputs)
        if lead or interpreted:
            self._compute_rows(rows, outputs, lead, threads, status, interpreted=interpreted)
        else:
            self._compute_one([as_contiguous(array) for array in inputs], outputs, status)
        if status is not None and out is None:
            for array in outputs:
                array[status.failed] = np.nan
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def _compute_one(self, inputs: Sequence[Array], outputs: Sequence[Array], status: RowStatus | None) -> None:
        """Compute one state into `outputs`; raise the error of its status code, or store the code in `status`."""
        code = self.executable.run(inputs, outputs)
        if status is not None:
            status.store(self.outline, np.array([code]), (), lambda _: inputs)
        elif code:
            raise_status(self.lazy_program, code, inputs)

    def _compute_rows(
        self,
        rows: list[Array],
        outputs: list[Array],
        lead: tuple[int, ...],
        threads: int,
        status: RowStatus | None,
        *,
        interpreted: bool,
    ) -> None:
        """Compute rows into `outputs`; raise the error of the first that fails, or store all codes in `status`."""
        count, ports = math.prod(lead), self.outline.outputs
        targets = [array.reshape(count, *port.shape) for array, port in zip(outputs, ports, strict=True)]
        codes = None if status is None else np.zeros(count, np.int64)
        if interpreted:
            row, code = self.executable.interpret_rows(rows, targets, count, codes)
        else:
            row, code = self.executable.run_rows(rows, targets, count, threads, codes)
        if code and (status is None or code == NO_MEMORY):
            raise_status(self.lazy_program, code, rows, row if lead else None)
        if status is not None and codes is not None:
            status.store(self.outline, codes, lead, lambda row: inputs_of_row(self.outline, rows, row))


def _without_shared_memory(inputs: list[Array], outputs: list[Array]) -> list[Array]:
    """Return the inputs, copied where writing one row of an output might change what a later row reads."""
    return [array.copy() if any(np.may_share_memory(array, x) for x in outputs) else array for array in inputs]
