"""Rollouts: many steps in a row, in machine code.

The function of a step has the inputs q, v, s (with contact states), tau, dt and parameters, and the outputs q, v and s.
Each step writes its outputs to the history, where the next step reads them.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbd.algorithms.time_steps.step_count import MAX_STEPS
from rbd.arguments import whole_number
from rbd.array_functions.arguments import as_contiguous, as_input, as_numbers, as_rows, leading_shape, output_arrays
from rbd.array_functions.evaluation import Evaluation
from rbd.array_functions.masked_rows import masked_entry_error
from rbd.array_functions.row_status import RowStatus, check_status, inputs_of_row, raise_status
from rbd.errors import NotFiniteError, ShapeError
from rbd.program.ports import Port
from rbd.scalars.arrays import Array

if TYPE_CHECKING:
    from rbd.native.compiled_program import CompiledProgram

History = tuple[Array, ...]
"""q, v and, with contact states, s at all times: the time axis first, then the batch axis if there is one."""


def rollout(
    step: Evaluation,
    arrays: Sequence[ArrayLike],
    steps: int,
    threads: int,
    parameters: Mapping[str, ArrayLike],
    out: Sequence[Array] | None = None,
    status: RowStatus | None = None,
) -> History:
    """Return q, v and s at `steps` + 1 times, time before the last axis; `arrays` are q, v, s (if any), tau and dt.

    `tau` is as in `CompiledRobot.rollout`; `out`, one array per result, is written after the last step. Raises the
    errors of a step, with a note that has its number; `status` receives them instead.
    """
    check_status(status)
    steps, threads = whole_number(steps, "steps", 0, MAX_STEPS), whole_number(threads, "threads", 1)
    *start, tau, dt = arrays
    ports = step.outline.inputs
    try:
        axes = as_input(start[0], ports[0]).ndim
    except NotFiniteError as error:
        raise masked_entry_error(error, start, ports) from None
    torque_series = _torque_series(axes, tau, ports[len(start)], steps)
    first = tau if torque_series is None else torque_series[..., 0, :] if steps else np.zeros(torque_series.shape[-1])
    inputs = step.inputs((*start, first, dt), parameters)
    if torque_series is None:
        _require_unambiguous_torques(inputs, ports, len(start), steps)
    all_steps = _Rollout(step, inputs, torque_series, steps, status)
    targets = all_steps.targets(out)
    return all_steps.advance(threads, targets)


def _torque_series(axes: int, tau: ArrayLike, port: Port, steps: int) -> Array | None:
    """Return torques with a row per step; None for constant torques."""
    torques = as_numbers(tau, port.name)
    if torques.ndim != axes + 1 or torques.shape[-2] != steps:
        return None
    return as_contiguous(as_input(torques, Port(port.name, (steps, *port.shape))))


def _require_unambiguous_torques(inputs: Sequence[Array], ports: Sequence[Port], place: int, steps: int) -> None:
    """Raise ShapeError for constant torques with more batch axes than all other inputs: they may be meant as a series.

    `place` is that of the torques among the inputs.
    """
    tau, torque_shape = inputs[place], ports[place].shape
    batch_axes = [array.ndim - len(port.shape) for array, port in zip(inputs, ports, strict=True)]
    if batch_axes.pop(place) > max(batch_axes):
        message = (
            f"tau has shape {tau.shape}, but q and v have no such batch axes; for {steps} steps tau is {torque_shape} "
            f"or {(steps, *torque_shape)}, with the batch axes of q before that"
        )
        raise ShapeError(message, argument="tau", expected=(steps, *torque_shape), actual=tau.shape)


@contextmanager
def _in_step(k: int, steps: int) -> Generator[None]:
    """Add the number of a step to exceptions."""
    try:
        yield
    except Exception as error:
        error.add_note(f"in step {k} of {steps}")
        raise


@final
class _Rollout:
    """The time steps of all rows of a batch."""

    def __init__(
        self, step: Evaluation, inputs: list[Array], torque_series: Array | None, steps: int, status: RowStatus | None
    ) -> None:
        """Copy initial states to row 0 of the history; the rest is NaN if rows may fail."""
        self._step, self._steps, self._status = step, steps, status
        self._state_count = len(step.outline.outputs)
        """Number of arrays that a step updates: q, v and, with contact states, s; they are its first inputs."""
        ports = step.outline.inputs
        series_ports = [] if torque_series is None else [Port("tau", torque_series.shape[-2:])]
        self._batch_shape = leading_shape(
            [*ports, *series_ports], inputs if torque_series is None else [*inputs, torque_series]
        )
        arrays = [
            as_contiguous(as_rows(array, port, self._batch_shape)) for array, port in zip(inputs, ports, strict=True)
        ]
        self._constant_torques, *self._dt_and_parameters = arrays[self._state_count :]
        self._torque_series = torque_series
        rows = math.prod(self._batch_shape)
        self._status_codes = None if status is None else np.zeros(rows, np.int64)
        empty = np.empty if status is None else partial(np.full, fill_value=np.nan)
        self._history: History = tuple(empty((steps + 1, rows, port.size)) for port in ports[: self._state_count])
        for times, start in zip(self._history, arrays[: self._state_count], strict=True):
            times[0] = start

    def targets(self, out: Sequence[Array] | None) -> History:
        """Return the arrays for the history: new ones, or those of `out`."""
        ports = [Port(port.name, (self._steps + 1, port.size)) for port in self._step.outline.outputs]
        return tuple(output_arrays(ports, self._batch_shape, out))

    def advance(self, threads: int, targets: History) -> History:
        """Take all steps; write the history to `targets`, batch axes first."""
        if self._steps and self._history[0].shape[1]:
            self._advance_all(self._step.executable.compile(rows=bool(self._batch_shape)), threads)
        if self._status is not None and self._status_codes is not None:
            self._store_status(self._status, self._status_codes)
        for target, times in zip(targets, self._history, strict=True):
            target[...] = np.moveaxis(times.reshape(len(times), *self._batch_shape, times.shape[-1]), 0, -2)
        return targets

    def _advance_all(self, compiled: CompiledProgram | None, threads: int) -> None:
        """Take all steps: by machine code, or through Python without it."""
        if compiled is None:
            for k in range(self._steps):
                self._advance_in_python(k)
            return
        self._step.executable.native_calls += 1
        if self._batch_shape:
            self._advance_rows(compiled, threads)
        else:
            self._advance_single(compiled)

    def _advance_in_python(self, k: int) -> None:
        """Take step `k` of all rows through Python."""
        states = (x[k].reshape(*self._batch_shape, -1) for x in self._history)
        ports, rest = self._step.outline.inputs[self._state_count :], [self._torques(k), *self._dt_and_parameters]
        named: Any = {
            port.name: array if array.ndim == len(port.shape) else array.reshape(*self._batch_shape, *port.shape)
            for port, array in zip(ports, rest, strict=True)
        }
        status_of_step = None if self._status_codes is None else RowStatus()
        with _in_step(k, self._steps):
            found = self._step(*states, status=status_of_step, **named)
        if status_of_step is not None and self._status_codes is not None:
            codes = status_of_step.codes.reshape(-1)
            newly_failed = (self._status_codes == 0) & (codes != 0)
            self._status_codes[newly_failed] = codes[newly_failed]
        for times, value in zip(self._history, found, strict=True):
            times[k + 1] = np.reshape(value, times[k + 1].shape)

    def _strided_inputs(self, torque_series: Array | None) -> list[tuple[Array, int]]:
        """Return the inputs, of torques a series with time first, and their strides from step to step in doubles."""
        torques = (self._constant_torques, 0) if torque_series is None else (torque_series, torque_series[0].size)
        states = [(x, x[0].size) for x in self._history]
        return [*states, torques, *((array, 0) for array in self._dt_and_parameters)]

    def _strided_outputs(self) -> list[tuple[Array, int]]:
        return [(x[1:], x[0].size) for x in self._history]

    def _advance_single(self, compiled: CompiledProgram) -> None:
        from rbd.native.repeat import repeat

        outcome = repeat(compiled, self._steps, self._strided_inputs(self._torque_series), self._strided_outputs())
        if self._status_codes is not None:
            self._status_codes[:] = outcome.status
        elif outcome.status:
            self._fail(outcome.completed, outcome.status, None)

    def _advance_rows(self, compiled: CompiledProgram, threads: int) -> None:
        from rbd.native.repeat import repeat_rows

        ports, rows, torque_series = self._step.outline.inputs, self._history[0].shape[1], self._torque_series
        if torque_series is not None:  # rows must be contiguous
            broadcast = np.broadcast_to(torque_series, (*self._batch_shape, *torque_series.shape[-2:]))
            torque_series = np.ascontiguousarray(np.moveaxis(broadcast, -2, 0)).reshape(
                self._steps, rows, torque_series.shape[-1]
            )
        reads = self._strided_inputs(torque_series)
        inputs_with_ports = zip(reads, ports, strict=True)
        strides = [port.size if array.ndim > len(port.shape) else 0 for (array, _), port in inputs_with_ports]
        outcome = repeat_rows(
            compiled, self._steps, reads, strides, self._strided_outputs(), rows, threads, self._status_codes
        )
        if outcome.row >= 0:
            self._fail(outcome.completed, outcome.status, outcome.row)

    def _fail(self, k: int, status: int, row: int | None) -> None:
        """Raise the error of a status of step `k`."""
        with _in_step(k, self._steps):
            raise_status(self._step.lazy_program, status, self._inputs(k), row)

    def _inputs(self, k: int) -> list[Array]:
        """Return the inputs of step `k`."""
        states = [x[k] if self._batch_shape else x[k, 0] for x in self._history]
        return [*states, self._torques(k), *self._dt_and_parameters]

    def _torques(self, k: int) -> Array:
        """Return the torques of step `k`, one row for all or one for each."""
        if self._torque_series is None:
            return self._constant_torques
        torques = self._torque_series[..., k, :]
        return torques if torques.ndim == 1 else np.broadcast_to(torques, (*self._batch_shape, torques.shape[-1]))

    def _store_status(self, status: RowStatus, codes: NDArray[np.int64]) -> None:
        """Store the statuses, and the number of steps that each row took."""
        taken = np.full(codes.shape, self._steps)
        failed = np.flatnonzero(codes)
        taken[failed] = 0
        for times in self._history if self._steps and len(failed) else ():
            if times.shape[-1]:
                taken[failed] = np.isnan(times[1:, failed, 0]).argmax(axis=0)
        outline = self._step.outline

        def inputs(row: int) -> list[Array]:
            return inputs_of_row(outline, self._inputs(int(taken[row])), row if self._batch_shape else None)

        status.store(outline, codes, self._batch_shape, inputs, taken)
