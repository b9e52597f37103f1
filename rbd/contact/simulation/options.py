"""Options of `ContactSimulator`: its threshold, and those of its steps, with impacts or with friction."""

from __future__ import annotations

from typing import final

import attrs

from rbd.contact.model.collision_model import CollisionModel
from rbd.contact.model.evaluation import require_within_reach
from rbd.contact.simulation.impact_step import ImpactStepOptions
from rbd.contact.stepping.options import MARGIN, ContactStepOptions
from rbd.errors import ArgumentError
from rbd.scalars.number_checks import at_least_zero


@final
@attrs.frozen
class SimulatorOptions:
    """Options of a simulator: part of the key of its recorded step."""

    threshold: float
    """Distance below which a pair touches (m)."""
    step: ImpactStepOptions | ContactStepOptions

    @classmethod
    def checked(
        cls, model: CollisionModel, threshold: object, impacts: ImpactStepOptions, friction: object, joints: object
    ) -> SimulatorOptions:
        """Return the options that users give; raise ArgumentError where no step would obey one of them."""
        impacts.require_choices()
        distance = at_least_zero(threshold, "threshold")
        if friction is None:
            _require_no_joint_options(joints)
            return cls(distance, impacts)
        step = ContactStepOptions.checked("ContactSimulator", model.mechanism, friction, joints)
        _require_default("bias", impacts.bias, ImpactStepOptions().bias)
        _require_default("law", impacts.law, ImpactStepOptions().law)
        return cls(distance, attrs.evolve(step, margin=max(distance, MARGIN)))

    def require_support(self, model: CollisionModel) -> None:
        """Raise ArgumentError for laws of pairs that the steps would not obey, and height fields out of their reach."""
        require_within_reach(model, self.threshold, "threshold")
        if isinstance(self.step, ImpactStepOptions):
            _require_no_laws(model)


def _require_default(argument: str, value: str, default: str) -> None:
    """Raise ArgumentError for a choice that steps with friction would not obey."""
    if value != default:
        message = f"{argument} is {value!r}, for steps without friction; leave {argument} out, or friction"
        raise ArgumentError(message, argument=argument, value=value, allowed=default)


def _require_no_joint_options(joints: object) -> None:
    if joints is not None:
        message = "joints are options of steps with friction; give friction, too: friction=0.0 for none"
        raise ArgumentError(message, argument="joints", value=joints, allowed="None without friction")


def _require_no_laws(model: CollisionModel) -> None:
    """Raise ArgumentError for models with laws that only time stepping on velocities obeys."""
    law = "the model has round friction cones" if model.has_round_cones else None
    for k, pair in enumerate(model.pairs):
        laws = pair.friction, pair.restitution, pair.compliance, pair.torsional_friction, pair.rolling_friction
        if any(laws) and law is None:
            law = f"pair {k} has friction, restitution or compliance of its own"
    if law is not None:
        message = f"{law}, which these steps do not obey; give friction, too: friction=0.0 for no friction at all"
        raise ArgumentError(message, argument="friction", value=None, allowed="a coefficient of 0 or more")
