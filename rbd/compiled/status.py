"""What a kernel's status means, said as an error.

Room: compiled; may import algorithms and above.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rbd.errors import NotFiniteError
from rbd.scalars.arrays import Array
from rbd.scalars.intrinsics.intrinsic import failure, no_memory
from rbd.scalars.opcodes import BAD_INPUT, BAD_OUTPUT, FIRST_CHECK, NO_MEMORY
from rbd.scalars.outline import Outline
from rbd.scalars.program import Program


def raise_status(program: Program | Outline, status: int, inputs: Sequence[Array], row: int | None = None) -> None:
    """Raise the error `status` stands for: `row` is the row of a batch it is about."""
    where = "" if row is None else f" in row {row} of the batch"
    if status == BAD_INPUT:
        name, index = _bad_entry(program, inputs, row)
        raise NotFiniteError(f"{name}{list(index)} is not finite{where}", argument=name, index=index, row=row)
    if status == BAD_OUTPUT:
        raise NotFiniteError(f"{program.name} left the range of float64{where}", argument=program.name, row=row)
    if status == NO_MEMORY:
        raise no_memory(program.name)
    error = failure(program.labels, program.calls, status - FIRST_CHECK)
    raise type(error)(f"{error.message}{where}", **error.fields, row=row)


def _bad_entry(program: Program | Outline, inputs: Sequence[Array], row: int | None) -> tuple[str, tuple[int, ...]]:
    """Return the first input with an entry that is not finite, and where in it the entry is."""
    for port, array in zip(program.inputs, inputs, strict=True):
        mine = array if row is None or array.ndim == len(port.shape) else array.reshape(-1, *port.shape)[row]
        bad = np.argwhere(~np.isfinite(mine))
        if len(bad):
            return port.name, tuple(int(i) for i in bad[0])
    return program.inputs[0].name, ()
