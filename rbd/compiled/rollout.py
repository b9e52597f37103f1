"""Many steps in a row, without going through Python between them.

A function that steps has the inputs q, v, tau, dt (and parameters) and the outputs q and v: what one step writes into
the history, the next one reads there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rbd.arguments import whole_number
from rbd.compiled.arguments import as_input, as_numbers, as_rows, leading_shape, output_arrays
from rbd.compiled.evaluation import Evaluation
from rbd.compiled.status import raise_status
from rbd.program.program import Port
from rbd.scalars.arrays import Array

if TYPE_CHECKING:
    from rbd.native.kernel import NativeKernel

_MOST_STEPS = 10**10
History = tuple[Array, ...]
"""q, v and perhaps s at all times: time first, then the members of a batch if there is one."""


def rollout(
    step: Evaluation,
    arrays: Sequence[ArrayLike],
    steps: int,
    threads: int,
    parameters: Mapping[str, ArrayLike],
    out: Sequence[Array] | None = None,
) -> History:
    """Return q, v and s at `steps` + 1 times, time before the last axis; `arrays` are q, v, s if any, tau and dt.

    `tau` is as `CompiledRobot.rollout` says; `out`, one array per result, is filled when all steps are taken. Raises as
    a step does, with a note saying which one it was.
    """
    steps, threads = whole_number(steps, "steps", 0, _MOST_STEPS), whole_number(threads, "threads", 1)
    *start, tau, dt = arrays
    ports = step.outline.inputs
    axes = as_input(start[0], ports[0]).ndim
    series = _series(axes, tau, ports[len(start)], steps)
    first = tau if series is None else series[..., 0, :] if steps else np.zeros(series.shape[-1])
    inputs = step.inputs((*start, first, dt), parameters)
    walk = _Walk(step, inputs, series, steps)
    targets = walk.targets(out)
    return walk.go(threads, targets)


def _series(axes: int, tau: ArrayLike, port: Port, steps: int) -> Array | None:
    """Return torques that have a row for each step; None when they are held."""
    torques = as_numbers(tau, port.name)
    if torques.ndim != axes + 1 or torques.shape[-2] != steps:
        return None
    return as_input(torques, Port(port.name, (steps, *port.shape)))


class _Walk:
    """The steps of all members of a batch."""

    def __init__(self, step: Evaluation, inputs: list[Array], series: Array | None, steps: int) -> None:
        """Place what goes in; the first ones are the beginning of the history."""
        self._step, self._steps = step, steps
        self._count = len(step.outline.outputs)
        """Of arrays that a step moves."""
        ports = step.outline.inputs
        whole = [] if series is None else [Port("tau", series.shape[-2:])]
        self._lead = leading_shape([*ports, *whole], inputs if series is None else [*inputs, series])
        self._rows = [as_rows(array, port, self._lead) for array, port in zip(inputs, ports, strict=True)]
        self._series = series
        members = math.prod(self._lead)
        self._history = tuple(np.empty((steps + 1, members, port.size)) for port in ports[: self._count])
        for times, row in zip(self._history, self._rows, strict=False):
            times[0] = row

    def targets(self, out: Sequence[Array] | None) -> History:
        """Return the arrays the history goes to: new ones, or `out` when it fits."""
        ports = [Port(port.name, (self._steps + 1, port.size)) for port in self._step.outline.outputs]
        return tuple(output_arrays(ports, self._lead, out))

    def go(self, threads: int, targets: History) -> History:
        """Take all steps; fill `targets` with the history, the batch axes first."""
        if self._steps and self._history[0].shape[1]:
            self._take_all(self._step.executable.compile(rows=bool(self._lead)), threads)
        for target, times in zip(targets, self._history, strict=True):
            target[...] = np.moveaxis(times.reshape(len(times), *self._lead, times.shape[-1]), 0, -2)
        return targets

    def _take_all(self, kernel: NativeKernel | None, threads: int) -> None:
        if kernel is None:
            for k in range(self._steps):
                self._take(k)
            return
        if self._lead:
            self._take_rows(kernel, threads)
        else:
            self._take_single(kernel)

    def _take(self, k: int) -> None:
        """Take step `k` of all members, at leisure."""
        states = (x[k].reshape(*self._lead, -1) for x in self._history)
        tau = self._rows[self._count] if self._series is None else self._series[..., k, :]
        ports, rest = self._step.outline.inputs[self._count + 1 :], self._rows[self._count + 1 :]
        others = {port.name: row for port, row in zip(ports, rest, strict=True)}
        named: Any = {key: self._unflattened(row, key) for key, row in others.items()}
        found = self._step(*states, tau, **named)
        for times, now in zip(self._history, found, strict=True):
            times[k + 1] = np.reshape(now, times[k + 1].shape)

    def _unflattened(self, row: Array, name: str) -> Array:
        port = next(port for port in self._step.outline.inputs if port.name == name)
        return row if row.ndim == len(port.shape) else row.reshape(*self._lead, *port.shape)

    def _moving(self) -> list[tuple[Array, int]]:
        """Return the inputs, and by how many doubles they move on from step to step."""
        series = self._rows[self._count] if self._series is None else self._series
        jump = 0 if self._series is None else series.shape[-1]
        states = [(x, x.shape[1] * x.shape[2]) for x in self._history]
        return [*states, (series, jump), *((row, 0) for row in self._rows[self._count + 1 :])]

    def _next(self) -> list[tuple[Array, int]]:
        return [(x[1:], x.shape[1] * x.shape[2]) for x in self._history]

    def _take_single(self, kernel: NativeKernel) -> None:
        from rbd.native.repeat import repeat

        outcome = repeat(kernel, self._steps, self._moving(), self._next())
        if outcome.status:
            self._fail(outcome.done, outcome.status, None)

    def _take_rows(self, kernel: NativeKernel, threads: int) -> None:
        from rbd.native.repeat import repeat_rows

        ports, members = self._step.outline.inputs, self._history[0].shape[1]
        strides = [0 if row.ndim == len(port.shape) else port.size for row, port in zip(self._rows, ports, strict=True)]
        strides[: self._count] = [port.size for port in ports[: self._count]]
        moving = self._moving()
        if self._series is not None:  # time first, as rows must lie side by side
            wide = np.broadcast_to(self._series, (*self._lead, *self._series.shape[-2:]))
            rows = np.ascontiguousarray(np.moveaxis(wide, -2, 0))
            size = ports[self._count].size
            moving[self._count], strides[self._count] = (rows, members * size), size
        outcome = repeat_rows(kernel, self._steps, moving, strides, self._next(), members, threads)
        if outcome.row >= 0:
            self._fail(outcome.done, outcome.status, outcome.row)

    def _fail(self, k: int, status: int, row: int | None) -> None:
        """Raise what a status of step `k` stands for."""
        series = self._rows[self._count] if self._series is None else self._series[..., k, :]
        states = [x[k] if self._lead else x[k, 0] for x in self._history]
        try:
            raise_status(self._step.source, status, [*states, series, *self._rows[self._count + 1 :]], row)
        except Exception as error:
            error.add_note(f"in step {k} of {self._steps}")
            raise
