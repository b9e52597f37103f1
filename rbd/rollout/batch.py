"""Worlds as rows of arrays, stepped in place by machine code.

A row that fails keeps its last state, and fails again with every further step, since its number of steps is set to NaN:
the status of an input that is not finite. Nothing else of it is looked at, and the other rows do not notice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from rbd.array_functions.function import RecordedFunction
from rbd.array_functions.row_status import RowStatus, inputs_of_row
from rbd.atomic_calls import call_atomically
from rbd.mechanism import Mechanism
from rbd.native.executable import ArrayExecutable
from rbd.program.status import NO_MEMORY, status_error
from rbd.scalars.arrays import Array
from rbd.state import MechanismState

_ROW_STEPS_PER_CALL: Final = 50_000
"""Rows times steps of one call of machine code, which cannot be interrupted."""


@final
class WorldBatch:
    """The state of many worlds, and their step: the inputs of `record_world_step` with one row per world."""

    def __init__(self, step: RecordedFunction, count: int, start: Mapping[str, Array]) -> None:
        """Set the rows to `start`: by name, values of one row or of all; inputs without a value are zero."""
        self._step = step
        self._executable: ArrayExecutable = step.executable
        self.outline = step.outline
        values = {**step.defaults, **start}
        self.inputs = {port.name: np.zeros((count, *port.shape)) for port in self.outline.inputs}
        for name, value in values.items():
            self.inputs[name][...] = value
        self.outputs = {
            port.name: self.inputs[port.name] if port.name in self.inputs else np.zeros((count, *port.shape))
            for port in self.outline.outputs
        }
        self.count = count
        self._frozen_after = np.zeros(count)
        """The number of steps that each failed world took."""
        self.status = RowStatus()
        self.status.codes = np.zeros(count, np.int64)
        self._messages: dict[int, str] = {}

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the step, which the copy compiles again, the arrays and the messages."""
        return _copied, (self._step, self.count, self._arrays(), self._messages)

    def resume(self, arrays: Sequence[NDArray[Any]], messages: Mapping[int, str]) -> None:
        """Go on from the arrays and messages of another batch of this step."""
        self._messages = dict(messages)
        for target, source in zip(self._arrays(), arrays, strict=True):
            target[...] = source

    def undo(self) -> list[Callable[[], object]]:
        """Return calls of C that restore copies of arrays and messages as they are now."""
        arrays = {id(array): array for array in self._arrays()}.values()
        writes = [partial(array.__setitem__, ..., array.copy()) for array in arrays]
        return [*writes, partial(setattr, self, "_messages", dict(self._messages))]

    def _arrays(self) -> list[NDArray[Any]]:
        """Return all arrays that change."""
        return [*self.inputs.values(), *self.outputs.values(), self._frozen_after, self.status.codes]

    @property
    def steps_taken(self) -> Array:
        """The number of steps that each world took."""
        steps_taken = self.inputs["steps"]
        return np.where(np.isnan(steps_taken), self._frozen_after, steps_taken)

    def take_steps(self, steps: int, substeps: int, threads: int) -> None:
        """Take steps, each of some integration steps; rows that fail are frozen, and their statuses noted.

        After an interrupt or WorkspaceError some rows have taken more steps than others, and those that failed may not
        be frozen yet.
        """
        steps_per_call = max(_ROW_STEPS_PER_CALL // (max(self.count, 1) * substeps), 1)
        while steps > 0 and self.count:
            codes = np.zeros(self.count, np.int64)
            self._call_step(min(steps, steps_per_call) * substeps, threads, codes)
            self._freeze_failed(codes)
            steps -= steps_per_call

    def explain(self, row: int) -> str:
        """Return the message of a row's failure."""
        return self._messages[row] if self.status.codes[row] else "no error"

    def restart(self, rows: NDArray[np.intp], values: Mapping[str, Array]) -> None:
        """Begin anew in these rows with these values of inputs, or not at all: no steps, no failure, nothing held."""
        cleared = [array for name, array in self.outputs.items() if name not in ("q", "v")]
        call_atomically(
            [
                *(partial(array.__setitem__, rows, 0) for array in (*cleared, self.status.codes)),
                *(partial(self.inputs[name].__setitem__, rows, value) for name, value in values.items()),
            ]
        )

    def _call_step(self, substeps: int, threads: int, codes: NDArray[np.int64]) -> None:
        """Take integration steps in place, and write the status codes of the rows."""
        code = self._executable.compile(rows=True)
        inputs, outputs = list(self.inputs.values()), list(self.outputs.values())
        if code is None:
            for _ in range(substeps):
                self._executable.interpret_rows(inputs, outputs, self.count, codes)
            return
        from rbd.native.repeat import repeat_rows

        strides = [port.size for port in self.outline.inputs]
        reads, writes = [(each, 0) for each in inputs], [(each, 0) for each in outputs]
        outcome = repeat_rows(code, substeps, reads, strides, writes, self.count, threads, codes)
        if outcome.row >= 0:  # statuses of rows end nothing
            raise status_error(self.outline, NO_MEMORY)

    def _freeze_failed(self, codes: NDArray[np.int64]) -> None:
        """Freeze the rows that failed now."""
        steps_taken = self.inputs["steps"]
        failed = np.flatnonzero((codes != 0) & np.isfinite(steps_taken))
        if not failed.size:
            return
        status = RowStatus()
        inputs = list(self.inputs.values())
        status.store(
            self.outline, codes[failed], failed.shape, lambda k: inputs_of_row(self.outline, inputs, int(failed[k]))
        )
        messages = {
            row: f"in step {int(steps_taken[row])}: {status.explain(k)}" for k, row in enumerate(failed.tolist())
        }
        call_atomically(
            [
                partial(self._messages.update, messages),
                partial(self._frozen_after.__setitem__, failed, steps_taken[failed]),
                partial(self.status.codes.__setitem__, failed, status.codes),
                partial(steps_taken.__setitem__, failed, np.nan),
            ]
        )


def zero_start(mechanism: Mechanism) -> dict[str, Array]:
    """Return the zero configuration and velocity, with which worlds begin that are given no other."""
    return {"q": MechanismState(mechanism).q.copy(), "v": np.zeros(mechanism.nv)}


def _copied(
    step: RecordedFunction, count: int, arrays: Sequence[NDArray[Any]], messages: Mapping[int, str]
) -> WorldBatch:
    """Return a batch with these arrays; inputs that are outputs, too, stay one array."""
    batch = WorldBatch(step, count, {})
    batch.resume(arrays, messages)
    return batch
