"""A simulator of contacts, step by step: control, distances, impacts of what has just met, accelerations, integration.

Room: contact; may import compiled and above. It is the loop of Pinocchio's exercise on contacts; one step is one
function, recorded once and run as machine code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias, cast, final, get_args

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbd.algorithms.trees import require_tree
from rbd.compiled import RecordedFunction
from rbd.compiled.stepping import moved_along
from rbd.contact.evaluation import as_tuple, at_least_zero, one_of, positive_time
from rbd.contact.gauss import (
    Contacts,
    Law,
    allowed,
    contacts_of,
    driving_torques,
    impacted,
    mass_and_factor,
    nearer_than,
    required_accelerations,
)
from rbd.contact.model import CollisionModel
from rbd.contact.pairs import Pair
from rbd.contact.solve import TOUCHING, Bias
from rbd.contact.velocity import MARGIN, velocity_step
from rbd.errors import ArgumentError, DivergedError, NotFiniteError, ShapeError
from rbd.mechanism import Mechanism
from rbd.progress import progress_bar
from rbd.scalars import Scalar, Vector, both, either, less, where
from rbd.scalars.arrays import Array
from rbd.scalars.replay import replay
from rbd.state import MechanismState, ScalarState

Control: TypeAlias = Callable[[float, MechanismState], "ArrayLike | None"]
"""From time and state to torques."""


@final
@attrs.frozen
class ContactEvent:
    """Pairs that met at one step: touching now, and not the step before."""

    step: int
    time: float
    pairs: tuple[int, ...]


@final
@attrs.frozen(eq=False)
class ContactTrajectory:
    """What a simulation with contacts went through: `t` (n,), `q` (n, nq), `v` (n, nv), `distances` (n - 1, pairs).

    The distances are those at the beginning of each step.
    """

    t: NDArray[np.float64]
    q: NDArray[np.float64]
    v: NDArray[np.float64]
    distances: NDArray[np.float64]
    events: tuple[ContactEvent, ...]

    @property
    def smallest_distance(self) -> float:
        """The smallest distance of any pair at any step; infinite when there was none."""
        return float(self.distances.min(initial=np.inf))


@final
class ContactSimulator:
    """Simulates a mechanism whose shapes touch, in steps of `dt`.

    Every step: `control(t, state)` gives torques (none: zero); distances are measured; when a pair comes nearer than
    `threshold` that was not the step before, velocities change by the impact law `law` along all pairs that touch;
    accelerations are those of `solve_contact` with `bias`; velocities go first, then configurations with the new
    velocities. With a coefficient of `friction`, 0 included, steps are those of `contact_step` instead, which need no
    impact law and no bias: one problem covers impact, rest and sliding. A control may also be a recorded function of q,
    v and perhaps t, which then becomes part of the machine code of the step. Raises ArgumentError for steps,
    laws and thresholds that are none.

    >>> import rbd
    >>> mechanism, model = rbd.robots.hand()
    >>> simulator = rbd.contact.ContactSimulator(mechanism, model, lambda t, state: -state.v, 1e-3)
    >>> trajectory = simulator.run(rbd.MechanismState(mechanism, v=[0.1] * 13), 0.05)
    >>> trajectory.q.shape, trajectory.events
    ((51, 13), ())
    """

    def __init__(
        self,
        mechanism: Mechanism,
        collision_model: CollisionModel,
        control: Control | RecordedFunction | None,
        dt: float,
        *,
        threshold: float = TOUCHING,
        bias: Bias = "tutorial",
        law: Law = "inelastic",
        friction: float | None = None,
    ) -> None:
        """Prepare; nothing is simulated yet."""
        if collision_model.mechanism is not mechanism:
            raise ArgumentError(
                "the collision model is of another mechanism", argument="collision_model", value=collision_model
            )
        positive_time(dt, "dt")
        at_least_zero(threshold, "threshold")
        one_of(bias, get_args(Bias), "bias")
        one_of(law, get_args(Law), "law")
        if friction is not None:
            at_least_zero(friction, "friction")
        self._model, self._control, self._dt = collision_model, control, float(dt)
        self._function: RecordedFunction | None = None
        self._made_for: tuple[int, ...] = ()
        self._settings = _Settings(float(threshold), bias, law, None if friction is None else float(friction))

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism that is simulated."""
        return self._model.mechanism

    def run(self, state: MechanismState, final_time: float, *, progress: bool = False) -> ContactTrajectory:
        """Simulate from `state` for `final_time` and return all steps; the state is at the end then.

        There are `final_time / dt` steps, rounded. A failure leaves the state where it was. Raises DivergedError with
        the time when numbers leave their range, ShapeError and NotFiniteError for what a control returns.
        """
        self._model.require(state)
        require_tree(state, "ContactSimulator")
        at_least_zero(final_time, "final_time")
        steps = round(final_time / self._dt)
        record = _Record(self._dt, state, steps, len(self._model.pairs))
        before = state.q.copy(), state.v.copy()
        try:
            with progress_bar(steps, "contacts", progress) as bar:
                for k in range(steps):
                    self._advance(k, self._step(), state, record)
                    bar.update(1)
            state.set_configuration(record.q[-1])
            state.set_velocity(record.v[-1])
        except BaseException:
            state.set_configuration(before[0])
            state.set_velocity(before[1])
            raise
        return record.trajectory()

    # --- inside -------------------------------------------------------------------------------------------------------

    def _advance(self, k: int, step: RecordedFunction, state: MechanismState, record: _Record) -> None:
        time = k * self._dt
        drive = self._drive(k, state, record)
        try:
            found = step(record.q[k], record.v[k], drive, record.touching, self._dt)
        except (NotFiniteError, ArithmeticError) as error:
            raise DivergedError(
                f"the simulation left the finite numbers at t = {time:g}: {error}",
                time=time,
                q=record.q[k].copy(),
                v=record.v[k].copy(),
            ) from error
        record.note(k, *as_tuple(found))

    def _drive(self, k: int, state: MechanismState, record: _Record) -> Array | float:
        """Return what drives a step: the time for a recorded control, torques otherwise."""
        time, size = k * self._dt, state.mechanism.nv
        if self._control is None:
            return np.zeros(size)
        if isinstance(self._control, RecordedFunction):
            return time
        state.set_configuration(record.q[k])
        state.set_velocity(record.v[k])
        torques = self._control(time, state)
        values = np.zeros(size) if torques is None else np.asarray(torques, dtype=np.float64)
        if values.shape != (size,):
            raise ShapeError(
                f"control returned an array of shape {values.shape}, needs {(size,)}",
                argument="control",
                expected=(size,),
                actual=values.shape,
            )
        return values

    def _step(self) -> RecordedFunction:
        """Return the function of one step, for the mechanism as it is now: a control may edit it on the way."""
        now = (self.mechanism.structure_version, self.mechanism.parameter_version, len(self._model.pairs))
        if now != self._made_for:
            control = self._control if isinstance(self._control, RecordedFunction) else None
            inputs: dict[str, int | tuple[int, ...]] = {"t": ()} if control else {"torques": self.mechanism.nv}
            inputs |= {"touched": len(self._model.pairs), "dt": ()}
            body = partial(_step, self._model.pairs, self._settings, control)
            self._function = self._model.function(("step", self._settings, control), body, inputs)
            self._made_for = now
        assert self._function is not None
        return self._function


@final
@attrs.frozen
class _Settings:
    """What tells one simulator's steps from another's."""

    threshold: float
    bias: Bias
    law: Law
    friction: float | None


class _Record:
    """The arrays of a trajectory while it grows."""

    def __init__(self, dt: float, state: MechanismState, steps: int, pairs: int) -> None:
        self._dt = dt
        self.q, self.v = np.empty((steps + 1, state.q.size)), np.empty((steps + 1, state.v.size))
        self.q[0], self.v[0] = state.q, state.v
        self._distances = np.empty((steps, pairs))
        self._events: list[ContactEvent] = []
        self.touching: Array = np.zeros(pairs)

    def note(self, k: int, q: Array, v: Array, distances: Array, touching: Array) -> None:
        self.q[k + 1], self.v[k + 1], self._distances[k] = q, v, distances
        if touching.tobytes() != self.touching.tobytes():
            met = np.flatnonzero((touching > 0) & (self.touching == 0))
            if met.size:
                self._events.append(ContactEvent(k, k * self._dt, tuple(int(i) for i in met)))
            self.touching = touching

    def trajectory(self) -> ContactTrajectory:
        times = np.array([k * self._dt for k in range(len(self.q))], dtype=np.float64)
        return ContactTrajectory(times, self.q, self.v, self._distances, tuple(self._events))


def _step(
    pairs: Sequence[Pair], settings: _Settings, control: RecordedFunction | None, state: ScalarState, **inputs: Any
) -> Mapping[str, object]:
    """Return the state after one step, and what touched at its beginning."""
    torques = _controlled(control, state, inputs["t"]) if control is not None else tuple(inputs["torques"])
    if settings.friction is None:
        return _gauss_step(pairs, settings, state, torques, tuple(inputs["touched"]), inputs["dt"])
    margin = state.lifted(max(settings.threshold, MARGIN))
    friction = state.lifted(settings.friction) if settings.friction else None
    found = velocity_step(pairs, state, torques, inputs["dt"], margin, friction)
    distances = cast("Vector", found["distances"])
    touching = tuple(where(less(distance, settings.threshold), 1, 0) for distance in distances)
    return {"q_next": found["q_next"], "v_next": found["v_next"], "distances": distances, "touching": touching}


def _gauss_step(
    pairs: Sequence[Pair], settings: _Settings, state: ScalarState, torques: Vector, touched: Vector, dt: Scalar
) -> Mapping[str, object]:
    """Impact what has just met, then accelerate and integrate."""
    contacts = contacts_of(state, pairs, nearer_than(settings.threshold))
    v = _after_impacts(settings.law, state, contacts, touched)
    after_impact = state.with_scalars(None, v)
    bounds = required_accelerations(after_impact, pairs, contacts, exact=settings.bias == "exact")
    right = driving_torques(after_impact, torques)
    vd = allowed(mass_and_factor(after_impact)[0], right, contacts.rows, bounds).motion
    faster = tuple(x + dt * rate for x, rate in zip(v, vd, strict=True))
    return {
        "q_next": moved_along(state, faster, dt),
        "v_next": faster,
        "distances": contacts.distances,
        "touching": contacts.flags(),
    }


def _after_impacts(law: Law, state: ScalarState, contacts: Contacts, touched: Vector) -> Vector:
    """Return the velocities after an impact if any pair touches that did not before."""
    v, met = tuple(state.v), less(1, 0)
    if not contacts.rows:
        return v
    for touches, before in zip(contacts.touching, touched, strict=True):
        met = either(met, both(touches, less(before, 1)))
    hit = impacted(state, law, 0, contacts).motion
    return tuple(where(met, after, before) for after, before in zip(hit, v, strict=True))


def _controlled(control: RecordedFunction, state: ScalarState, t: Scalar) -> Vector:
    """Return the torques of a recorded control."""
    known = {"q": state.configuration_scalars(), "v": state.velocity_scalars(), "t": (t,)}
    return tuple(replay(control.program, [x for port in control.program.inputs for x in known[port.name]]))
