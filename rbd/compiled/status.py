"""What a kernel's status means, said as an error."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rbd.errors import NotFiniteError, RbdError
from rbd.intrinsics.intrinsic import failure, no_memory
from rbd.program.opcodes import BAD_INPUT, BAD_OUTPUT, FIRST_CHECK, NO_MEMORY
from rbd.program.outline import Outline, Source
from rbd.program.program import Port, left_range
from rbd.scalars.arrays import Array

_LARGE = 1e12
"""Inputs up to this size do not leave the range of floats within a step."""


def raise_status(source: Source, status: int, inputs: Sequence[Array], row: int | None = None) -> None:
    """Raise the error `status` stands for: `row` is the row of a batch it is about.

    A check that fails on numbers that are not finite any more says nothing about what it checks: whether they are, the
    interpreter finds out. A program that was found on disk is recorded for that only if inputs are large.
    """
    program = source.outline
    where = "" if row is None else f" in row {row} of the batch"
    if status == BAD_INPUT:
        name, index = _bad_entry(program, inputs, row)
        raise NotFiniteError(f"{name}{list(index)} is not finite{where}", argument=name, index=index, row=row)
    if status == BAD_OUTPUT:
        raise _with_row(left_range(program.name), where, row)
    if status == NO_MEMORY:
        raise no_memory(program.name)
    mine = [_mine(array, port, row) for array, port in zip(inputs, program.inputs, strict=True)]
    scalars = [float(x) for array in mine for x in array.flat]
    if source.is_recorded or max(map(abs, scalars), default=0.0) > _LARGE:
        raise _with_row(source.program.error(status, scalars), where, row)
    raise _with_row(failure(program.labels, program.calls, status - FIRST_CHECK), where, row)


def _with_row(error: RbdError, where: str, row: int | None) -> RbdError:
    return type(error)(f"{error.message}{where}", **error.fields, row=row)


def _mine(array: Array, port: Port, row: int | None) -> Array:
    """Return an input, or its part in one row of a batch."""
    return array if row is None or array.ndim == len(port.shape) else array.reshape(-1, *port.shape)[row]


def _bad_entry(program: Outline, inputs: Sequence[Array], row: int | None) -> tuple[str, tuple[int, ...]]:
    """Return the first input with an entry that is not finite, and where in it the entry is."""
    for port, array in zip(program.inputs, inputs, strict=True):
        bad = np.argwhere(~np.isfinite(_mine(array, port, row)))
        if len(bad):
            return port.name, tuple(int(i) for i in bad[0])
    return program.inputs[0].name, ()
