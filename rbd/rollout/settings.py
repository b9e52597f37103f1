"""Settings of worlds: integration, control, parameters and contact of a step."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, final

import attrs

from rbd.algorithms.time_steps.fixed_step import FixedStepMethod
from rbd.algorithms.trees import require_no_contacts, require_tree
from rbd.arguments import name_sequence, require_choice, require_kind, whole_number
from rbd.array_functions.function import RecordedFunction
from rbd.array_functions.recorded_controller import require_controller
from rbd.contact import CollisionModel, JointOptions
from rbd.contact.stepping.options import ContactStepOptions
from rbd.errors import ArgumentError
from rbd.mechanism import Mechanism
from rbd.program.ports import Port
from rbd.scalar_states.parameter_arrays import PARAMETER_NAMES
from rbd.scalars.number_checks import above_zero
from rbd.state import MechanismState

CONTACT_FRICTION: Final = "contact_friction"
"""Name of the coefficient of friction of contacts as a parameter."""
_INTEGRATORS = ("munthe-kaas-rk4", "semi-implicit-euler")


@final
@attrs.frozen(eq=False)
class WorldSettings:
    """Settings of a world's step, checked."""

    dt: float
    substeps: int
    integrator: FixedStepMethod
    parameters: tuple[str, ...]
    model: CollisionModel | None
    contact_options: ContactStepOptions
    """Of steps with a collision model."""
    control: RecordedFunction | None
    stop: RecordedFunction | None

    @property
    def action_shape(self) -> tuple[int, ...] | None:
        """The shape of an action; None without. Without a control actions are torques."""
        if self.control is None:
            return None
        found = [port.shape for port in self.control.program.inputs if port.name == "action"]
        return found[0] if found else None


@final
@attrs.frozen(eq=False, kw_only=True)
class GivenSettings:
    """Settings of worlds as users give them."""

    model: CollisionModel | None
    dt: float
    control: RecordedFunction | None
    friction: float | None
    integrator: FixedStepMethod | None
    substeps: int
    parameters: Iterable[str]
    stop: RecordedFunction | None
    joints: JointOptions | None

    def checked(self, mechanism: Mechanism) -> WorldSettings:
        """Return the settings; raise as `Worlds` does."""
        require_kind(mechanism, Mechanism, operation="Worlds", argument="mechanism")
        if self.model is None:
            _require_no_contact_settings(self.friction, self.joints)
        else:
            _require_model(mechanism, self.model)
        if self.control is not None:
            require_kind(self.control, RecordedFunction, operation="Worlds", argument="control")
            require_controller(self.control, mechanism, action=True)
        if self.stop is not None:
            _require_stop(self.stop, mechanism)
        return WorldSettings(
            above_zero(self.dt, "dt"),
            whole_number(self.substeps, "substeps", 1),
            _integrator(self.integrator, self.model),
            _parameter_names(self.parameters, self.friction),
            self.model,
            ContactStepOptions.checked("Worlds", mechanism, self.friction, self.joints),
            self.control,
            self.stop,
        )


def _require_no_contact_settings(friction: object, joints: object) -> None:
    if friction is not None:
        message = "friction is that of the pairs of a collision model; leave it out without one"
        raise ArgumentError(message, argument="friction", value=friction, allowed=None)
    if joints is not None:
        message = "joints are options of steps with a collision model; leave them out without one"
        raise ArgumentError(message, argument="joints", value=joints, allowed=None)


def _require_model(mechanism: Mechanism, model: CollisionModel) -> None:
    require_kind(model, CollisionModel, operation="Worlds", argument="collision_model")
    state = MechanismState(mechanism)
    model.require(state)
    require_tree(state, "Worlds with a collision model")
    require_no_contacts(state.layout, "Worlds with a collision model", "leave the collision model out")


def _integrator(integrator: FixedStepMethod | None, model: CollisionModel | None) -> FixedStepMethod:
    if integrator is None:
        return "munthe-kaas-rk4" if model is None else "semi-implicit-euler"
    require_choice(integrator, _INTEGRATORS, "integrator", "integrator")
    if model is not None and integrator != "semi-implicit-euler":
        message = "steps with a collision model are semi-implicit; leave integrator out"
        raise ArgumentError(message, argument="integrator", value=integrator, allowed="semi-implicit-euler")
    return integrator


def _parameter_names(parameters: Iterable[str], friction: float | None) -> tuple[str, ...]:
    """Return the names in the order of the inputs."""
    names = set(name_sequence(parameters, "parameters"))
    allowed = PARAMETER_NAMES if friction is None else (*PARAMETER_NAMES, CONTACT_FRICTION)
    require_parameter_names(names, allowed)
    return tuple(name for name in (CONTACT_FRICTION, *PARAMETER_NAMES) if name in names)


def require_parameter_names(names: Iterable[str], allowed: Iterable[str]) -> None:
    """Raise ArgumentError unless these are names of parameters."""
    for name in sorted(set(names)):
        require_choice(name, tuple(allowed), "parameters", "parameter")


def _require_stop(stop: RecordedFunction, mechanism: Mechanism) -> None:
    """Raise ArgumentError unless `stop` maps q and v, and perhaps t, to a number."""
    require_kind(stop, RecordedFunction, operation="Worlds", argument="stop")
    ports = [Port("q", (mechanism.nq,)), Port("v", (mechanism.nv,)), Port("t", ())]
    given, results = list(stop.program.inputs), [port.shape for port in stop.program.outputs]
    if given not in (ports[:2], ports) or results != [()]:
        allowed = "a recorded function of q, v and perhaps t that returns one number"
        raise ArgumentError(f"stop must be {allowed}", argument="stop", value=stop, allowed=allowed)
