"""Calls of functions of a contact step: their arguments are checked, and the function is recorded once per template."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias, cast, final

import attrs

from rbd.algorithms.torques import Torques
from rbd.arguments import require_kind
from rbd.contact.arguments import friction_coefficient, recorded_friction_coefficient
from rbd.contact.model.collision_model import CollisionModel
from rbd.contact.model.evaluation import evaluate, require_model_and_state, require_within_reach, torque_vector
from rbd.contact.model.pairs import Pair
from rbd.contact.stepping.options import ContactStepOptions, JointOptions
from rbd.kinematics.queries import State
from rbd.program.graph import Recorded
from rbd.scalar_states.scalar_state import ScalarState
from rbd.scalars import Scalar, Vector, positive
from rbd.scalars.arrays import Array
from rbd.scalars.number_checks import above_zero, at_least_zero
from rbd.state import MechanismState


@final
@attrs.frozen
class OptionsTemplate:
    """Options of a step without their numbers: part of the key of its recorded function."""

    frictional: bool
    joints: JointOptions

    def options(self, friction: Scalar, margin: Scalar) -> ContactStepOptions:
        """Return the options with these numbers."""
        return ContactStepOptions(friction if self.frictional else None, margin, self.joints)


StepFunction: TypeAlias = Callable[[Sequence[Pair], OptionsTemplate, ScalarState, Vector, Vector], Mapping[str, object]]
"""A function of pairs, a template of options, a state, torques and settings: (dt, margin, friction)."""


@final
@attrs.frozen
class StepCall:
    """A call of a function of a step, whose arguments are checked."""

    operation: str
    state: State[Any]
    model: CollisionModel
    template: OptionsTemplate
    torques: Vector | Array
    settings: Vector

    @classmethod
    def checked(
        cls,
        operation: str,
        state: State[Any],
        model: CollisionModel,
        torques: Torques | None,
        dt: Scalar,
        options: ContactStepOptions,
    ) -> StepCall:
        """Return the call with options as users give them; raise what `contact_step` does."""
        require_model_and_state(state, model, operation)
        require_kind(options.joints, JointOptions, operation=operation, argument="joints")
        options.joints.require(state.layout.nv)
        margin = at_least_zero(options.margin, "margin")
        require_within_reach(model, margin, "margin")
        dt, friction = _checked_dt(state, dt), _checked_friction(state, options.friction)
        template = OptionsTemplate(isinstance(friction, Recorded) or cast("float", friction) > 0, options.joints)
        return cls(operation, state, model, template, torque_vector(state, torques), (dt, margin, friction))

    def evaluate(self, function: StepFunction) -> dict[str, Any]:
        """Return the named arrays of a function, which is always the same for this operation."""
        recorded = partial(function, self.model.pairs, self.template)
        arguments: dict[str, Any] = {"torques": self.torques, "settings": self.settings}
        return evaluate(self.model, self.state, (self.operation, self.template), recorded, **arguments)


def _checked_dt(state: State[Any], dt: Scalar) -> Scalar:
    """Return the length of the step, checked; that of an input of a recorded function is checked when this runs."""
    return positive(dt, "dt") if _is_input(state, dt) else above_zero(dt, "dt")


def _checked_friction(state: State[Any], friction: Scalar | None) -> Scalar:
    """Return the coefficient of friction, checked as the length of the step."""
    if friction is not None and _is_input(state, friction):
        return recorded_friction_coefficient(friction)
    return friction_coefficient(friction)


def _is_input(state: State[Any], value: object) -> bool:
    """Return whether a value is an input of a function that is being recorded."""
    return isinstance(value, Recorded) and not isinstance(state, MechanismState)
