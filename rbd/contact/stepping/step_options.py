"""Options of time steps with contacts."""

from __future__ import annotations

from typing import Final, NamedTuple, cast, final

import attrs

from rbd.arguments import require_kind
from rbd.contact.arguments import friction_coefficient
from rbd.contact.stepping.joint_options import JointOptions
from rbd.mechanism import Mechanism
from rbd.scalar_states.scalar_state import ScalarState
from rbd.scalars import Scalar

MARGIN: Final = 1 / 100
"""Distance below which points constrain a step, however slow they are (m)."""
JOINTS: Final = JointOptions()


class ContactStepOptions(NamedTuple):
    """Options of a time step: its length, the margin, the friction `mu` of pairs without their own, those of joints.

    With a `mu` of None, the step has friction only if pairs have their own; then that of the others is zero.
    """

    dt: Scalar
    margin: Scalar
    mu: Scalar | None
    joints: JointOptions = JOINTS


@final
@attrs.frozen
class TimeStepping:
    """Settings of the time steps of simulators and worlds: those of `contact_step` that are the same in all steps."""

    friction: float = 0.0
    joints: JointOptions = JOINTS
    margin: float = MARGIN

    @classmethod
    def checked(cls, operation: str, mechanism: Mechanism, friction: object, joints: object) -> TimeStepping:
        """Return the settings that users give, None for the default; raise ArgumentError or ShapeError."""
        if joints is not None:
            require_kind(joints, JointOptions, operation=operation, argument="joints")
            cast("JointOptions", joints).require(mechanism.nv)
        mu = 0.0 if friction is None else friction_coefficient(friction)
        return cls(mu, JOINTS if joints is None else cast("JointOptions", joints))

    def options(self, state: ScalarState, dt: Scalar, mu: Scalar | None = None) -> ContactStepOptions:
        """Return the options of a step of this length; `mu` takes the place of the friction."""
        if mu is None and self.friction:
            mu = state.lifted(self.friction)
        return ContactStepOptions(dt, state.lifted(self.margin), mu, self.joints)
