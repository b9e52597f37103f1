"""`Worlds`: many copies of a mechanism that are stepped together."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from copy import copy
from typing import final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import override

from rbd.algorithms.time_steps.fixed_step import FixedStepMethod
from rbd.arguments import whole_number
from rbd.array_functions.function import RecordedFunction
from rbd.contact import CollisionModel, JointOptions
from rbd.errors import ArgumentError
from rbd.mechanism import Mechanism
from rbd.rollout.batch import WorldBatch, zero_start
from rbd.rollout.rows import finite, require_possible_rows, require_rotations, rows_of, scaled_coordinates
from rbd.rollout.settings import GivenSettings, require_parameter_names
from rbd.rollout.world_step import FORCES, record_world_step
from rbd.scalars.arrays import Array, read_only_view
from rbd.scalars.entries import any_array, holds_truth_value


@final
class Worlds:
    """Many copies of a mechanism, its worlds, which machine code steps together.

    One step takes `dt`: the control is evaluated, and its torques are held for `substeps` integration steps of equal
    length. A `collision_model` adds hard contact with Coulomb `friction`, as `rbd.contact.contact_step` does (None: no
    friction); `joints` are the options of such steps, with stops and implicit gains. Mechanisms with contact points
    have compliant contact. The default of `integrator` is "semi-implicit-euler" with a collision model, which needs it,
    else "munthe-kaas-rk4".

    `control` is a recorded function of q, v, and perhaps t (`t=()`) and an action of any shape (`action=...`); it
    returns torques. Without one, actions are torques. `stop`, a recorded function of q, v and perhaps t, ends the
    episode of a world after the step in which its single number becomes positive: the world stays as it is then. A NaN
    is a failure of its world.

    `parameters` are names of parameters that have a row per world, those of `rbd.compile` and "contact_friction", the
    coefficient of friction of contacts, from 0 to 100. `reset` sets them.

    A world whose step fails keeps its last state; `status` has its code, and `explain` the message. All other worlds
    are bitwise equal to worlds that are stepped alone, whatever their number and the number of `threads` (default: one
    per processor). Memory does not grow with the number of steps. Edits of the mechanism do not change its worlds.

    Raises ArgumentError for invalid settings and TopologyError for loops with a collision model.

    >>> import numpy as np, rbd
    >>> worlds = rbd.rollout.Worlds(rbd.robots.double_pendulum(), count=3, dt=1e-3)
    >>> worlds.reset(q=[[0.1, 0.0], [0.2, 0.0], [0.3, 0.0]], v=[[0, 0], [0, 0], [1e200, 0]])
    >>> worlds.step(steps=100)
    >>> worlds.q.shape, worlds.t.round(6), worlds.status == 0
    ((3, 2), array([0.1, 0.1, 0. ]), array([ True,  True, False]))
    """

    def __init__(
        self,
        mechanism: Mechanism,
        collision_model: CollisionModel | None = None,
        *,
        count: int,
        dt: float,
        control: RecordedFunction | None = None,
        friction: float | None = None,
        integrator: FixedStepMethod | None = None,
        substeps: int = 1,
        parameters: Iterable[str] = (),
        stop: RecordedFunction | None = None,
        joints: JointOptions | None = None,
        threads: int | None = None,
    ) -> None:
        """Record the step, which is compiled in the first call of `step`."""
        settings = GivenSettings(
            model=collision_model,
            dt=dt,
            control=control,
            friction=friction,
            integrator=integrator,
            substeps=substeps,
            parameters=parameters,
            stop=stop,
            joints=joints,
        ).checked(mechanism)
        rows = whole_number(count, "count", 0)
        self._threads = available_threads() if threads is None else whole_number(threads, "threads", 1)
        self._settings, self._mechanism = settings, mechanism
        self._zero, self._scaled = zero_start(mechanism), scaled_coordinates(mechanism)
        self._batch = WorldBatch(record_world_step(mechanism, settings), rows, self._zero)

    def __copy__(self) -> Worlds:
        """Return worlds of the same mechanism and machine code, with arrays of their own."""
        twin = object.__new__(Worlds)
        twin.__dict__.update(self.__dict__, _batch=copy(self._batch))
        return twin

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism of all worlds."""
        return self._mechanism

    @property
    def count(self) -> int:
        """The number of worlds."""
        return self._batch.count

    @property
    def q(self) -> Array:
        """The configurations, (count, nq): a read-only view, which every step changes."""
        return read_only_view(self._batch.inputs["q"])

    @property
    def v(self) -> Array:
        """The velocities, (count, nv): a read-only view, which every step changes."""
        return read_only_view(self._batch.inputs["v"])

    @property
    def s(self) -> Array:
        """The states of compliant contacts, (count, ns): a read-only view, which every step changes."""
        return read_only_view(self._batch.inputs.get("s", np.zeros((self.count, 0))))

    @property
    def t(self) -> Array:
        """The times since the last reset of each world, (count,): multiples of `dt`."""
        return self._batch.steps_taken * self._settings.dt

    @property
    def status(self) -> NDArray[np.int64]:
        """The status of each world, (count,): 0, or a code that `explain` puts into words."""
        return self._batch.status.codes.copy()

    @property
    def stopped(self) -> NDArray[np.bool_]:
        """Whether `stop` ended the episode of each world, (count,)."""
        return np.asarray(self._batch.inputs.get("stopped", np.zeros(self.count)) > 0)

    @property
    def contact_forces(self) -> Array:
        """The forces of contacts in the last integration step, (count, contacts, 3), in the root frame (N).

        With a collision model there is one per pair: the mean force on the pair's first body over the step. Otherwise
        there is one per contact point and half-space: the force on the body with the point at the beginning of the
        step. A read-only view.
        """
        return read_only_view(self._batch.outputs.get(FORCES, np.zeros((self.count, 0, 3))))

    @property
    def parameters(self) -> dict[str, Array]:
        """The parameters with a row per world, by name; read-only views."""
        return {name: read_only_view(self._batch.inputs[name]) for name in self._settings.parameters}

    def explain(self, world: int) -> str:
        """Return why a world failed: the step, and the input, joint or number that was at fault.

        >>> import numpy as np, rbd
        >>> worlds = rbd.rollout.Worlds(rbd.robots.double_pendulum(), count=2, dt=1e-3)
        >>> worlds.step([[0.0, 0.0], [np.nan, 0.0]])
        >>> worlds.explain(1)
        'in step 0: action[0] is not finite'
        """
        return self._batch.explain(whole_number(world, "world", 0, self.count - 1))

    def step(self, actions: ArrayLike | None = None, steps: int = 1) -> None:
        """Take steps with these actions, one row per world or one for all.

        None means those of the call before, at first zero. An action that is not finite is a failure of its world.
        After KeyboardInterrupt or WorkspaceError worlds may have taken different numbers of steps, as `t` shows; after
        WorkspaceError those with `substeps` may be within a step, and must be reset. Raises ShapeError for actions of
        another shape, ArgumentError for actions if the control takes none, and WorkspaceError if memory runs out.
        """
        number = whole_number(steps, "steps", 0)
        if actions is not None:
            self._set_actions(actions)
        self._batch.take_steps(number, self._settings.substeps, self._threads)

    def reset(
        self,
        mask: ArrayLike | None = None,
        q: ArrayLike | None = None,
        v: ArrayLike | None = None,
        **parameters: ArrayLike,
    ) -> None:
        """Begin new episodes in the worlds that `mask` chooses: truth values, numbers of worlds, or None for all.

        `q`, `v` and `parameters` have one row for all of these worlds, or one for each of them; None means the zero
        configuration and velocity. Parameters that are not given stay. Quaternions need not have length one. Raises
        ShapeError, NotFiniteError, RotationError for a quaternion of zeros, and the errors of impossible parameters;
        then nothing has changed.

        >>> import rbd
        >>> worlds = rbd.rollout.Worlds(rbd.robots.arm7(), count=4, dt=1e-3, parameters=["gravity"])
        >>> worlds.reset([True, False, True, False], gravity=[[0, 0, -9.81], [0, 0, -1.62]])
        >>> worlds.parameters["gravity"][:, 2]
        array([-9.81, -9.81, -1.62, -9.81])
        """
        rows = self._chosen_rows(mask)
        require_parameter_names(parameters, self._settings.parameters)
        given = {"q": self._zero["q"] if q is None else q, "v": self._zero["v"] if v is None else v, **parameters}
        inputs, m = self._batch.inputs, len(rows)
        # copies, since views of the worlds' own arrays change while they are written
        values = {
            name: finite(rows_of(x, (m, *inputs[name].shape[1:]), name).copy(), name) for name, x in given.items()
        }
        require_possible_rows({name: values[name] for name in parameters}, m)
        if q is not None:
            require_rotations(self._scaled, values["q"])
        self._batch.restart(rows, values)

    def _set_actions(self, actions: ArrayLike) -> None:
        target = self._batch.inputs.get("action")
        if target is None:
            message = "actions must be None: the control takes no action; record it with action=..., a shape"
            raise ArgumentError(message, argument="actions", value=actions, allowed=None)
        target[...] = rows_of(actions, target.shape, "actions")

    def _chosen_rows(self, mask: ArrayLike | None) -> NDArray[np.intp]:
        """Return the numbers of the chosen worlds."""
        if mask is None:
            return np.arange(self.count)
        chosen = any_array(mask, "mask")
        if chosen.dtype == np.bool_ and chosen.shape == (self.count,):
            return np.flatnonzero(chosen)
        is_mixed = holds_truth_value(mask) and chosen.dtype != np.bool_
        if chosen.ndim == 1 and (chosen.dtype.kind in "iu" or not chosen.size) and not is_mixed:
            rows = chosen.astype(np.intp)
            if ((rows >= 0) & (rows < self.count)).all():
                return rows
        allowed = f"{self.count} truth values, or numbers of worlds below {self.count}"
        raise ArgumentError(f"mask must be None, {allowed}", argument="mask", value=mask, allowed=allowed)

    @override
    def __repr__(self) -> str:
        failed = np.count_nonzero(self._batch.status.codes)
        return f"<{self.count} worlds, nq = {self.q.shape[1]}, dt = {self._settings.dt:g} s, {failed} failed>"


def undo_of(worlds: Worlds) -> list[Callable[[], object]]:
    """Return calls of C that restore the worlds as they are now."""
    return worlds._batch.undo()  # pyright: ignore[reportPrivateUsage]  # for environments, no part of the public class


def available_threads() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
