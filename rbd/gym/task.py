"""`Task`: a robot, a control, and the outcome of steps, as recorded functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias, cast, final

import attrs
import numpy as np
from numpy.typing import NDArray

from rbd.arguments import described, require_callable, require_kind, whole_number
from rbd.array_functions.function import RecordedFunction
from rbd.array_functions.recorded_controller import require_controller
from rbd.array_functions.row_status import RowStatus
from rbd.contact import CollisionModel
from rbd.contact.arguments import friction_coefficient
from rbd.errors import ArgumentError, RbdError
from rbd.mechanism import Mechanism
from rbd.rollout import Worlds
from rbd.rollout.cases import Sampler, Start
from rbd.scalar_states.parameter_arrays import PARAMETER_NAMES
from rbd.scalars.arrays import Array
from rbd.scalars.number_checks import above_zero

_OUTCOME_INPUTS = ("q", "v", "t", "action", "contact_forces")
_OUTCOME_OUTPUTS = ("observation", "reward", "terminated")

Outcome: TypeAlias = Mapping[str, Array]
"""Observations (rows, size), rewards (rows,), and positive numbers where an episode has ended, (rows,)."""


@final
@attrs.frozen(eq=False, kw_only=True)
class Task:
    """Task of an environment: a robot and its control, the starts of episodes, and their outcome.

    `control` maps q, v, perhaps t, and an action of shape (n,), whose entries are between -1 and 1, to torques.
    `outcome` maps q, v and, as it likes, t, action and contact_forces, to a mapping with an "observation", (m,), a
    "reward", and "terminated": a number that is positive where the episode has ended in a terminal state. `start` draws
    what an episode begins with, as for `rbd.rollout.rollout`, which may include parameters. An action is held for
    `steps` steps of `dt` (action repeat); the control is evaluated in each. What `start` draws has the same names each
    time, and no "action".

    >>> import rbd
    >>> task = rbd.gym.acrobot_swing_up()
    >>> task.action_size, task.observation_size, task.dt * task.steps
    (1, 6, 0.04)
    """

    mechanism: Mechanism
    control: RecordedFunction
    outcome: RecordedFunction
    start: Sampler
    dt: float
    steps: int = 1
    collision_model: CollisionModel | None = None
    friction: float | None = None

    def __attrs_post_init__(self) -> None:
        """Raise ArgumentError for parts of other kinds, and for an outcome with other inputs or outputs."""
        require_kind(self.mechanism, Mechanism, operation="Task", argument="mechanism")
        above_zero(self.dt, "dt")
        if self.collision_model is not None:
            require_kind(self.collision_model, CollisionModel, operation="Task", argument="collision_model")
        if self.friction is not None:
            friction_coefficient(self.friction)
        for name in ("control", "outcome"):
            require_kind(getattr(self, name), RecordedFunction, operation="Task", argument=name)
        _require_control(self.control, self.mechanism)
        require_callable(self.start, "start", "a function of a random generator")
        whole_number(self.steps, "steps", 1)
        inputs = [port.name for port in self.outcome.program.inputs]
        outputs = {port.name: port.shape for port in self.outcome.program.outputs}
        shapes = {"reward": (), "terminated": ()}
        fits = (
            set(inputs) <= set(_OUTCOME_INPUTS)
            and set(outputs) == set(_OUTCOME_OUTPUTS)
            and len(outputs["observation"]) == 1
        )
        if not fits or any(outputs[name] != shape for name, shape in shapes.items()):
            allowed = (
                f"a recorded function of {', '.join(_OUTCOME_INPUTS)} with the results {', '.join(_OUTCOME_OUTPUTS)}"
            )
            message = f"outcome must be {allowed}, a vector and two numbers"
            raise ArgumentError(message, argument="outcome", value=self.outcome, allowed=allowed)

    @property
    def action_size(self) -> int:
        """The number of entries of an action."""
        return next((port.size for port in self.control.program.inputs if port.name == "action"), 0)

    @property
    def observation_size(self) -> int:
        """The number of entries of an observation."""
        return next(port.size for port in self.outcome.program.outputs if port.name == "observation")

    def worlds(self, count: int, threads: int | None) -> Worlds:
        """Return worlds for this task, in the zero configuration."""
        return Worlds(
            self.mechanism,
            self.collision_model,
            count=count,
            dt=self.dt,
            control=self.control,
            friction=self.friction,
            parameters=[name for name in self.start_names() if name not in ("q", "v")],
            threads=threads,
        )

    def start_names(self) -> tuple[str, ...]:
        """Return the names of what episodes begin with; raise ArgumentError for an action."""
        names = tuple(drawn_start(self, np.random.default_rng(0)))
        if "action" in names:
            message = "start draws an action; actions are those of `step`: draw q, v and parameters"
            raise ArgumentError(message, argument="start", value="action", allowed=("q", "v", *PARAMETER_NAMES))
        return names

    def evaluate(self, worlds: Worlds, actions: Array) -> Outcome:
        """Return the outcome of the worlds as they are, after these actions."""
        return _named_results(self.outcome, self.outcome(*outcome_inputs(self, worlds, actions)))


def _require_control(control: RecordedFunction, mechanism: Mechanism) -> None:
    """Raise ArgumentError unless a control maps q, v, and perhaps t and an action that is a vector, to torques."""
    require_controller(control, mechanism, action=True)
    shape = next((port.shape for port in control.program.inputs if port.name == "action"), (0,))
    if len(shape) != 1:
        message = (
            f"control takes an action of shape {shape}; actions of a Task are vectors: write action=n in rbd.record"
        )
        raise ArgumentError(message, argument="control", value=control, allowed="an action of shape (n,)")


def drawn_start(task: Task, generator: np.random.Generator) -> Start:
    """Draw the start of an episode; raise ArgumentError unless it is a mapping."""
    start = cast("object", task.start(generator))
    if isinstance(start, Mapping):
        return cast("Start", start)
    allowed = "a mapping of q, v and parameters"
    message = f"start returns {described(start)}, must return {allowed}"
    raise ArgumentError(message, argument="start", value=start, allowed=allowed)


def possible_outcome(task: Task, worlds: Worlds, actions: Array) -> tuple[Outcome, NDArray[np.int64]]:
    """Return the outcome of the worlds, and its status codes: not 0 where it is not finite; it is NaN there."""
    try:
        return task.evaluate(worlds, actions), np.zeros(worlds.count, np.int64)
    except RbdError:
        status = RowStatus()
        found = task.outcome(*outcome_inputs(task, worlds, actions), status=status)
        return _named_results(task.outcome, found), status.codes


def first_observations(task: Task, worlds: Worlds, rows: NDArray[np.intp]) -> Array:
    """Return the observations of these worlds, whose episodes begin, after no actions."""
    inputs = outcome_inputs(task, worlds, np.zeros((worlds.count, task.action_size)))
    return _named_results(task.outcome, task.outcome(*(each[rows] for each in inputs)))["observation"]


def outcome_inputs(task: Task, worlds: Worlds, actions: Array) -> list[Array]:
    """Return the inputs of the outcome of the worlds as they are."""
    known = {
        "q": worlds.q,
        "v": worlds.v,
        "t": worlds.t,
        "action": actions,
        "contact_forces": worlds.contact_forces,
    }
    return [known[port.name] for port in task.outcome.program.inputs]


def _named_results(outcome: RecordedFunction, found: Array | Sequence[Array]) -> Outcome:
    return dict(zip((port.name for port in outcome.program.outputs), found, strict=True))
