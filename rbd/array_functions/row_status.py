"""Status codes of rows: conversion to errors, and `RowStatus`, which receives them instead."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import final

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from rbd.arguments import described
from rbd.errors import ArgumentError, RbdError
from rbd.program.lazy_program import LazyProgram
from rbd.program.outline import Outline
from rbd.program.ports import Port
from rbd.program.status import BAD_INPUT, FIRST_CHECK, NO_MEMORY, status_error
from rbd.scalars.arrays import Array

_LARGEST_SAFE_INPUT = 1e12
"""Inputs up to this size do not overflow within a step."""
_MAX_LISTED_ROWS = 10
"""Maximum number of failed rows that are printed."""


@final
class RowStatus:
    """Status of the rows of a call, for batches in which single rows may fail.

    Passed to a call as `status`, it receives the status of each row instead of raising an error. Successful rows are
    bitwise equal to single calls. Failed rows are unchanged in `out` and NaN in new arrays. In rollouts, a failed row
    has its states up to the last finite one, and NaN after that, also in `out`.

    >>> import numpy as np, rbd
    >>> robot = rbd.compile(rbd.robots.double_pendulum())
    >>> q, status = np.zeros((3, 2)), rbd.RowStatus()
    >>> q[1, 0] = np.nan
    >>> vd = robot.forward_dynamics(q, np.zeros(2), status=status)
    >>> status.failed
    array([False,  True, False])
    >>> print(status)
    1 of 3 rows failed
    row 1: q[0] is not finite
    """

    def __init__(self) -> None:
        """Initialise without rows; each call overwrites the status."""
        self.codes: NDArray[np.int64] = np.zeros((0,), np.int64)
        """Status codes of the rows, in the shape of the batch: 0 for success, else see `explain`."""
        self.steps: NDArray[np.int64] | None = None
        """Numbers of steps of the rows of a rollout; None after other calls."""
        self._outline: Outline | None = None

    @property
    def failed(self) -> NDArray[np.bool_]:
        """Whether rows failed, in the shape of the batch."""
        return np.asarray(self.codes != 0)

    def explain(self, row: int | tuple[int, ...] = ()) -> str:
        """Return the error message of a row, given by its index in `codes`: it names the input, joint or step.

        Raises ArgumentError for invalid rows.
        """
        try:
            code = self.codes[row]
        except IndexError:
            code = None
        if code is None or np.ndim(code):
            message = f"row must be an index into codes, of shape {self.codes.shape}, not {described(row)}"
            raise ArgumentError(message, argument="row", value=row, allowed=self.codes.shape)
        if not code or self._outline is None:
            return "no error"
        where = "" if self.steps is None else f"in step {self.steps[row]}: "
        if code < 0:
            return where + status_error(self._outline, BAD_INPUT, -1 - int(code)).message
        overflow = ", or a number before that left the range of float64" if code >= FIRST_CHECK else ""
        return where + status_error(self._outline, int(code)).message + overflow

    @override
    def __str__(self) -> str:
        rows = [tuple(map(int, index)) for index in np.argwhere(self.failed)]
        shown = [f"row {_row(index)}: {self.explain(index)}" for index in rows[:_MAX_LISTED_ROWS]]
        left = [f"... and {len(rows) - _MAX_LISTED_ROWS} more"] if len(rows) > _MAX_LISTED_ROWS else []
        return "\n".join([f"{len(rows)} of {self.codes.size} rows failed", *shown, *left])

    @override
    def __repr__(self) -> str:
        return f"<status of {self.codes.size} rows, {np.count_nonzero(self.codes)} failed>"

    def store(
        self,
        outline: Outline,
        codes: NDArray[np.int64],
        shape: tuple[int, ...],
        inputs: Callable[[int], Sequence[Array]],
        steps: NDArray[np.int64] | None = None,
    ) -> None:
        """Store the status codes of rows; `inputs` returns the inputs of a row (internal).

        The code of an input that is not finite becomes minus the index of the entry, counted from 1 over all inputs.
        Raises WorkspaceError if there was not enough memory.
        """
        if (codes == NO_MEMORY).any():
            raise status_error(outline, NO_MEMORY)
        stored = codes.copy()
        for row in np.flatnonzero(codes == BAD_INPUT):
            entries = np.concatenate([array.reshape(-1) for array in inputs(int(row))])
            stored[row] = -1 - int(np.isfinite(entries).argmin())
        self.codes, self._outline = stored.reshape(shape), outline
        self.steps = None if steps is None else steps.reshape(shape)


def _row(index: tuple[int, ...]) -> object:
    return index[0] if len(index) == 1 else index


def check_status(status: object) -> None:
    """Raise ArgumentError unless `status` is a RowStatus or None."""
    if status is not None and not isinstance(status, RowStatus):
        message = f"status must be a rbd.RowStatus(), not {described(status)}"
        raise ArgumentError(message, argument="status", value=status, allowed="RowStatus")


def raise_status(lazy_program: LazyProgram, code: int, inputs: Sequence[Array], row: int | None = None) -> None:
    """Raise the error of a status code; `row` is the failed row of a batch.

    A check that fails because of an overflow raises the error of the overflow; the interpreter determines whether there
    was one. A program from the disk cache is recorded for this only if inputs are large.
    """
    outline = lazy_program.outline
    scalars = [float(x) for array in inputs_of_row(outline, inputs, row) for x in array.flat]
    if code >= FIRST_CHECK and (lazy_program.is_recorded or max(map(abs, scalars), default=0.0) > _LARGEST_SAFE_INPUT):
        error = lazy_program.program.error(code, scalars)
    else:
        error = status_error(outline, code, next((k for k, x in enumerate(scalars) if not math.isfinite(x)), None))
    if code == NO_MEMORY:
        raise error
    raise error_in_row(error, row)


def error_in_row(error: RbdError, row: int | None) -> RbdError:
    """Return an error that names the row of a batch; None without batch axes."""
    where = "" if row is None else f" in row {row} of the batch"
    return type(error)(f"{error.message}{where}", **error.fields, row=row)


def inputs_of_row(program: Outline, inputs: Sequence[Array], row: int | None) -> list[Array]:
    """Return the inputs of one row of a batch."""
    return [_part_of_row(array, port, row) for array, port in zip(inputs, program.inputs, strict=True)]


def _part_of_row(array: Array, port: Port, row: int | None) -> Array:
    """Return an input, or its part in one row of a batch."""
    if row is None or array.ndim == len(port.shape):
        return array
    lead = array.shape[: array.ndim - len(port.shape)]
    part: Array = array[np.unravel_index(row, lead)]
    return part
