"""`Worlds`: many copies of a mechanism that are stepped together."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import override

from rbd.algorithms.trees import require_no_contacts, require_tree
from rbd.arguments import names_in, require_choice, whole_number
from rbd.compiled.arguments import as_numbers
from rbd.compiled.function import RecordedFunction
from rbd.compiled.parameter_checks import require_possible
from rbd.compiled.recorded_controller import require_controller
from rbd.compiled.stepping import Integrator
from rbd.contact import CollisionModel
from rbd.errors import ArgumentError, NotFiniteError, ShapeError
from rbd.kinematics.parameters import PARAMETERS
from rbd.mechanism import Mechanism
from rbd.program.program import Port
from rbd.rollout.batch import WorldBatch
from rbd.rollout.world_step import CONTACT_FRICTION, FORCES, WorldSettings, record_world_step
from rbd.scalars.arrays import Array
from rbd.scalars.number_checks import above_zero, at_least_zero
from rbd.spatial.values import require_kind
from rbd.state import MechanismState

_INTEGRATORS = ("munthe-kaas-rk4", "semi-implicit-euler")


@final
class Worlds:
    """Many copies of a mechanism, its worlds, which machine code steps together.

    One step takes `dt`: the control is evaluated, and its torques are held for `substeps` integration steps of equal
    length. A `collision_model` adds hard contact with Coulomb `friction`, as `rbd.contact.contact_step` does (None: no
    friction); mechanisms with contact points have compliant contact. The default of `integrator` is
    "semi-implicit-euler" with a collision model, which needs it, else "munthe-kaas-rk4".

    `control` is a recorded function of q, v, and perhaps t (`t=()`) and an action of any shape (`action=...`); it
    returns torques. Without one, actions are torques. `stop`, a recorded function of q, v and perhaps t, ends the
    episode of a world after the step in which its single number becomes positive: the world stays as it is then.

    `parameters` are names of parameters that have a row per world, those of `rbd.compile` and "contact_friction", the
    coefficient of friction of contacts. `reset` sets them.

    A world whose step fails keeps its last state; `status` has its code, and `explain` the message. All other worlds
    are bitwise equal to worlds that are stepped alone, whatever their number and the number of `threads` (default: one
    per processor). Memory does not grow with the number of steps.

    Raises ArgumentError for invalid settings and TopologyError for loops with a collision model.

    >>> import numpy as np, rbd
    >>> worlds = rbd.rollout.Worlds(rbd.robots.double_pendulum(), count=3, dt=1e-3)
    >>> worlds.reset(None, q=[[0.1, 0.0], [0.2, 0.0], [0.3, 0.0]], v=[[0, 0], [0, 0], [1e200, 0]])
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
        integrator: Integrator | None = None,
        substeps: int = 1,
        parameters: Iterable[str] = (),
        stop: RecordedFunction | None = None,
        threads: int | None = None,
    ) -> None:
        """Record the step, which is compiled in the first call of `step`."""
        settings = checked_settings(
            mechanism, collision_model, dt, control, friction, integrator, substeps, parameters, stop
        )
        rows = whole_number(count, "count", 0)
        self._threads = available_threads() if threads is None else whole_number(threads, "threads", 1)
        self._settings, self._mechanism = settings, mechanism
        self._zero = {"q": MechanismState(mechanism).q.copy(), "v": np.zeros(mechanism.nv)}
        self._batch = WorldBatch(record_world_step(mechanism, settings), rows, self._zero)

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
        return _view(self._batch.inputs["q"])

    @property
    def v(self) -> Array:
        """The velocities, (count, nv): a read-only view, which every step changes."""
        return _view(self._batch.inputs["v"])

    @property
    def s(self) -> Array:
        """The states of compliant contacts, (count, ns): a read-only view, which every step changes."""
        return _view(self._batch.inputs.get("s", np.zeros((self.count, 0))))

    @property
    def t(self) -> Array:
        """The times since the last reset of each world, (count,): multiples of `dt`."""
        return self._batch.taken * self._settings.dt

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
        return _view(self._batch.outputs.get(FORCES, np.zeros((self.count, 0, 3))))

    @property
    def parameters(self) -> dict[str, Array]:
        """The parameters with a row per world, by name; read-only views."""
        return {name: _view(self._batch.inputs[name]) for name in self._settings.parameters}

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
        Raises ShapeError for actions of another shape, and ArgumentError for actions if the control takes none.
        """
        number = whole_number(steps, "steps", 0)
        if actions is not None:
            self._set_actions(actions)
        self._batch.take(number * self._settings.substeps, self._threads)

    def reset(
        self,
        mask: ArrayLike | None,
        q: ArrayLike | None = None,
        v: ArrayLike | None = None,
        **parameters: ArrayLike,
    ) -> None:
        """Begin new episodes in the worlds that `mask` chooses: truth values, numbers of worlds, or None for all.

        `q`, `v` and `parameters` have one row for all of these worlds, or one for each of them; None means the zero
        configuration and velocity. Parameters that are not given stay. Raises ShapeError, NotFiniteError, and the
        errors of impossible parameters; then nothing has changed.

        >>> import rbd
        >>> worlds = rbd.rollout.Worlds(rbd.robots.arm7(), count=4, dt=1e-3, parameters=["gravity"])
        >>> worlds.reset([True, False, True, False], gravity=[[0, 0, -9.81], [0, 0, -1.62]])
        >>> worlds.parameters["gravity"][:, 2]
        array([-9.81, -9.81, -1.62, -9.81])
        """
        rows = self._rows(mask)
        require_choices(parameters, self._settings.parameters)
        given = {"q": self._zero["q"] if q is None else q, "v": self._zero["v"] if v is None else v, **parameters}
        values = {name: self._row_values(name, value, len(rows)) for name, value in given.items()}
        require_possible_rows(parameters)
        self._batch.thaw(rows)
        for name, value in values.items():
            self._batch.inputs[name][rows] = value

    def _set_actions(self, actions: ArrayLike) -> None:
        target = self._batch.inputs.get("action")
        if target is None:
            message = "actions must be None: the control takes no action; record it with action=..., a shape"
            raise ArgumentError(message, argument="actions", value=actions, allowed=None)
        target[...] = _broadcast(as_numbers(actions, "actions"), target.shape, "actions")

    def _rows(self, mask: ArrayLike | None) -> NDArray[np.intp]:
        """Return the numbers of the chosen worlds."""
        if mask is None:
            return np.arange(self.count)
        chosen = np.asarray(mask)
        if chosen.dtype == np.bool_ and chosen.shape == (self.count,):
            return np.flatnonzero(chosen)
        if chosen.ndim == 1 and (chosen.dtype.kind in "iu" or not chosen.size):
            rows = chosen.astype(np.intp)
            if ((rows >= 0) & (rows < self.count)).all():
                return rows
        allowed = f"{self.count} truth values, or numbers of worlds below {self.count}"
        raise ArgumentError(f"mask must be None, {allowed}", argument="mask", value=mask, allowed=allowed)

    def _row_values(self, name: str, value: ArrayLike, rows: int) -> Array:
        """Return the values of `rows` worlds, checked."""
        array = _broadcast(as_numbers(value, name), (rows, *self._batch.inputs[name].shape[1:]), name)
        bad = np.argwhere(~np.isfinite(array))
        if len(bad):
            place = [int(k) for k in bad[0]]
            raise NotFiniteError(f"{name}{place} is not finite", argument=name, index=tuple(place))
        return array

    @override
    def __repr__(self) -> str:
        failed = np.count_nonzero(self._batch.status.codes)
        return f"<{self.count} worlds, nq = {self._mechanism.nq}, dt = {self._settings.dt:g} s, {failed} failed>"


def available_threads() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def checked_settings(
    mechanism: Mechanism,
    model: CollisionModel | None,
    dt: float,
    control: RecordedFunction | None,
    friction: float | None,
    integrator: Integrator | None,
    substeps: int,
    parameters: Iterable[str],
    stop: RecordedFunction | None,
) -> WorldSettings:
    """Return the settings of worlds; raise as `Worlds` does."""
    require_kind(mechanism, Mechanism, operation="Worlds", argument="mechanism")
    _require_model(mechanism, model, friction)
    if control is not None:
        require_kind(control, RecordedFunction, operation="Worlds", argument="control")
        require_controller(control, mechanism, action=True)
    if stop is not None:
        _require_stop(stop, mechanism)
    return WorldSettings(
        above_zero(dt, "dt"),
        whole_number(substeps, "substeps", 1),
        _integrator(integrator, model),
        None if friction is None else at_least_zero(friction, "friction"),
        _parameter_names(parameters, friction),
        model,
        control,
        stop,
    )


def _require_model(mechanism: Mechanism, model: CollisionModel | None, friction: float | None) -> None:
    if model is None:
        if friction is not None:
            message = "friction is that of the pairs of a collision model; leave it out without one"
            raise ArgumentError(message, argument="friction", value=friction, allowed=None)
        return
    require_kind(model, CollisionModel, operation="Worlds", argument="collision_model")
    state = MechanismState(mechanism)
    model.require(state)
    require_tree(state, "Worlds with a collision model")
    require_no_contacts(state.layout, "Worlds with a collision model", "leave the collision model out")


def _integrator(integrator: Integrator | None, model: CollisionModel | None) -> Integrator:
    if integrator is None:
        return "munthe-kaas-rk4" if model is None else "semi-implicit-euler"
    require_choice(integrator, _INTEGRATORS, "integrator", "integrator")
    if model is not None and integrator != "semi-implicit-euler":
        message = "steps with a collision model are semi-implicit; leave integrator out"
        raise ArgumentError(message, argument="integrator", value=integrator, allowed="semi-implicit-euler")
    return integrator


def _parameter_names(parameters: Iterable[str], friction: float | None) -> tuple[str, ...]:
    """Return the names in the order of the inputs."""
    names = set(names_in(parameters, "parameters"))
    allowed = PARAMETERS if friction is None else (*PARAMETERS, CONTACT_FRICTION)
    require_choices(names, allowed)
    return tuple(name for name in (CONTACT_FRICTION, *PARAMETERS) if name in names)


def require_choices(names: Iterable[str], allowed: Iterable[str]) -> None:
    """Raise ArgumentError unless these are names of parameters."""
    for name in sorted(set(names)):
        require_choice(name, tuple(allowed), "parameters", "parameter")


def require_possible_rows(parameters: dict[str, ArrayLike]) -> None:
    """Raise InertiaError, RotationError or ArgumentError for values of parameters that are impossible."""
    require_possible({name: value for name, value in parameters.items() if name != CONTACT_FRICTION})
    if CONTACT_FRICTION in parameters and (as_numbers(parameters[CONTACT_FRICTION], CONTACT_FRICTION) < 0).any():
        allowed = "numbers of 0 or more"
        value = parameters[CONTACT_FRICTION]
        message = f"{CONTACT_FRICTION} must be {allowed}"
        raise ArgumentError(message, argument=CONTACT_FRICTION, value=value, allowed=allowed)


def _require_stop(stop: RecordedFunction, mechanism: Mechanism) -> None:
    """Raise ArgumentError unless `stop` maps q and v, and perhaps t, to a number."""
    require_kind(stop, RecordedFunction, operation="Worlds", argument="stop")
    ports = [Port("q", (mechanism.nq,)), Port("v", (mechanism.nv,)), Port("t", ())]
    given, results = list(stop.program.inputs), [port.shape for port in stop.program.outputs]
    if given not in (ports[:2], ports) or results != [()]:
        allowed = "a recorded function of q, v and perhaps t that returns one number"
        raise ArgumentError(f"stop must be {allowed}", argument="stop", value=stop, allowed=allowed)


def _broadcast(array: Array, shape: tuple[int, ...], name: str) -> Array:
    try:
        return np.broadcast_to(array, shape)
    except ValueError:
        message = f"{name} has shape {array.shape}, needs {shape} or {shape[1:]}"
        raise ShapeError(message, argument=name, expected=shape, actual=array.shape) from None


def _view(array: Array) -> Array:
    view = array.view()
    view.flags.writeable = False
    return view
