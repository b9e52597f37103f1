"""One step of a world, as a function to be recorded: control, dynamics, contact and the rule that ends an episode.

The state of a world is more than q and v. All of it goes in and comes out under the same names, so that steps can be
repeated in place:

    s         contact states
    torques   held between evaluations of the control, if a step has several integration steps (substeps)
    steps     number of steps taken
    substep   number of integration steps taken within the current step
    stopped   1 where the episode is over
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final, cast

from rbd.algorithms.soft_contact import point_forces
from rbd.algorithms.time_steps.steps import step_function
from rbd.array_functions.function import RecordedFunction
from rbd.array_functions.record import InputShape, program_of_function
from rbd.array_functions.recorded_controller import replayed_controller
from rbd.contact.model.pairs import Pair
from rbd.contact.stepping.solution import pair_forces, solved_step
from rbd.indexing.layout import layout_of
from rbd.mechanism import Mechanism
from rbd.rollout.settings import CONTACT_FRICTION, WorldSettings
from rbd.scalar_states.parameter_arrays import PARAMETER_NAMES, ParameterName, parameter_array
from rbd.scalar_states.scalar_state import ScalarState
from rbd.scalars import Condition, Scalar, Vector, less, less_equal, where
from rbd.scalars.arrays import to_float_array

FORCES: Final = "contact_forces"
"""Name of the output that is not part of the state."""


def record_world_step(mechanism: Mechanism, settings: WorldSettings) -> RecordedFunction:
    """Return the step of a world: inputs are q, v, the rest of its state, the action if it has one, parameters.

    Its outputs are the state after the step, under the same names, and the contact forces if there can be some.
    """
    named = [name for name in settings.parameters if name != CONTACT_FRICTION]
    program = program_of_function(
        partial(_step, settings),
        mechanism,
        _inputs(mechanism, settings),
        "world_step",
        parameters=cast("list[ParameterName]", named),
        regroup=settings.model is None,
    )
    return RecordedFunction(program, parameter_values(mechanism, settings))


def parameter_values(mechanism: Mechanism, settings: WorldSettings) -> dict[str, Any]:
    """Return the values of the parameters that the mechanism and the settings have."""
    values = dict[str, Any]()
    for name in PARAMETER_NAMES:
        if name in settings.parameters:
            values[name] = parameter_array(mechanism, name)
    if CONTACT_FRICTION in settings.parameters:
        values[CONTACT_FRICTION] = to_float_array(settings.contact_options.friction or 0.0)
    return values


def _inputs(mechanism: Mechanism, settings: WorldSettings) -> dict[str, InputShape]:
    """Return names and shapes of the inputs between v and the mechanism's parameters."""
    ns, nv = layout_of(mechanism).ns, mechanism.nv
    inputs: dict[str, InputShape] = {"s": ns} if ns else {}
    if settings.substeps > 1:
        inputs |= {"torques": nv, "substep": ()}
    inputs["steps"] = ()
    if settings.stop is not None:
        inputs["stopped"] = ()
    if settings.control is None:
        inputs["action"] = nv
    elif settings.action_shape is not None:
        inputs["action"] = settings.action_shape
    if CONTACT_FRICTION in settings.parameters:
        inputs[CONTACT_FRICTION] = ()
    return inputs


def _step(settings: WorldSettings, state: ScalarState, **inputs: Any) -> Mapping[str, object]:
    """Return the state of a world after one integration step, and the contact forces."""
    torques = _torques(settings, state, inputs)
    h = state.lifted(settings.dt / settings.substeps)
    integrated, forces = _integrate(settings, state, torques, h, inputs)
    after: dict[str, Any] = {"q": integrated["q_next"], "v": integrated["v_next"]}
    if "s" in inputs:
        after["s"] = integrated["s_next"]
    after |= _advance_counters(settings, torques, inputs)
    if settings.stop is not None:
        after = _freeze_stopped(settings, state, settings.stop, after, inputs)
    return after | ({FORCES: forces} if forces else {})


def _torques(settings: WorldSettings, state: ScalarState, inputs: Mapping[str, Any]) -> Vector:
    """Return the torques of this integration step: the control's at the first of a step, held for the others."""
    if settings.control is None:
        return tuple(inputs["action"])
    t, action = inputs["steps"] * state.lifted(settings.dt), _flat(inputs["action"]) if "action" in inputs else ()
    now = replayed_controller(settings.control, state, t, action)
    if settings.substeps == 1:
        return now
    is_first = less_equal(inputs["substep"], 0)
    return tuple(where(is_first, x, held) for x, held in zip(now, inputs["torques"], strict=True))


def _flat(array: Any) -> Vector:
    return tuple(array.reshape(-1).tolist()) if hasattr(array, "reshape") else (array,)


def _integrate(
    settings: WorldSettings, state: ScalarState, torques: Vector, h: Scalar, inputs: Mapping[str, Any]
) -> tuple[Mapping[str, Any], Sequence[Vector]]:
    """Return the configurations and velocities after the step, and the forces of all contacts."""
    if settings.model is not None:
        return _with_collisions(settings, settings.model.pairs, state, torques, h, inputs)
    s = tuple(inputs["s"]) if "s" in inputs else ()
    return step_function(settings.integrator)(state, torques, h, s), point_forces(state, s)


def _with_collisions(
    settings: WorldSettings,
    pairs: Sequence[Pair],
    state: ScalarState,
    torques: Vector,
    h: Scalar,
    inputs: Mapping[str, Any],
) -> tuple[Mapping[str, Any], Sequence[Vector]]:
    options = settings.contact_options.lifted(state, inputs.get(CONTACT_FRICTION))
    step = solved_step(pairs, state, torques, h, options)
    return {"q_next": step.q_next, "v_next": step.v_next}, pair_forces(step, len(pairs), h)


def _advance_counters(settings: WorldSettings, torques: Vector, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the numbers of steps and of substeps after this one, and the torques that are held."""
    if settings.substeps == 1:
        return {"steps": inputs["steps"] + 1}
    last, following = _is_last(settings, inputs), inputs["substep"] + 1
    return {
        "torques": torques,
        "substep": where(last, 0, following),
        "steps": where(last, inputs["steps"] + 1, inputs["steps"]),
    }


def _is_last(settings: WorldSettings, inputs: Mapping[str, Any]) -> Condition:
    """Return whether this is the last integration step of a step."""
    return less_equal(settings.substeps, inputs["substep"] + 1)


def _freeze_stopped(
    settings: WorldSettings,
    state: ScalarState,
    stop: RecordedFunction,
    after: Mapping[str, Any],
    inputs: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the state after the step, or before it where the episode is over; the rule is applied after each step."""
    before = {"q": tuple(state.q), "v": tuple(state.v), **inputs}
    over = less(0, inputs["stopped"])
    frozen = {name: _where(over, before[name], value) for name, value in after.items()}
    next_state = state.with_scalars(tuple(after["q"]), tuple(after["v"]))
    (value,) = replayed_controller(stop, next_state, after["steps"] * state.lifted(settings.dt))
    ends = where(less(0, value), 1, where(less_equal(value, 0), 0, value))  # NaN remains, and fails the step
    if settings.substeps > 1:
        ends = where(_is_last(settings, inputs), ends, 0)
    return frozen | {"stopped": where(over, 1, ends)}


def _where(condition: Condition, a: Any, b: Any) -> object:
    """Return a where the condition holds, else b; scalars or vectors."""
    if hasattr(b, "__len__"):
        return tuple(where(condition, x, y) for x, y in zip(a, b, strict=True))
    return where(condition, a, b)
