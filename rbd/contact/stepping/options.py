"""Options of time steps with contacts: friction, margin, and those of joints."""

from __future__ import annotations

from typing import Final, TypeAlias, cast, final

import attrs
import numpy as np
from numpy.typing import ArrayLike

from rbd.arguments import boolean, require_kind
from rbd.contact.arguments import friction_coefficient
from rbd.mechanism import Mechanism
from rbd.scalar_states.scalar_state import ScalarState
from rbd.scalars import Scalar
from rbd.scalars.arrays import float_array, scalars
from rbd.scalars.number_checks import at_least_zero

Gains: TypeAlias = "float | tuple[float, ...]"
_set = object.__setattr__


def _gains(value: ArrayLike, argument: str) -> Gains:
    """Return one number or a tuple; raise ArgumentError, NotFiniteError or ShapeError naming the argument."""
    given: object = value
    if isinstance(given, (list, tuple, np.ndarray)):
        return tuple(at_least_zero(number, argument) for number in scalars(cast("object", given), None, argument))
    return at_least_zero(given, argument)


@final
@attrs.frozen(init=False)
class JointOptions:
    """Joints in time steps with contacts: hard stops, and gains of the control that the step takes implicitly.

    With `stops`, coordinates stay within the position bounds of their joints; bounds with `bound_stiffness` are springs
    instead. `stiffness` and `damping` are gains of the control, minus the derivatives of its torques by coordinates and
    velocities: one number for all joints with one degree of freedom, or one per velocity. The control need not change:
    the step adds what its torques change within the step. So it does not become unstable, however large they are.

    >>> import rbd
    >>> rbd.contact.JointOptions(stiffness=500.0, damping=20.0)
    JointOptions(stops=True, stiffness=500.0, damping=20.0)
    """

    stops: bool
    stiffness: Gains
    damping: Gains

    def __init__(self, *, stops: bool = True, stiffness: ArrayLike = 0.0, damping: ArrayLike = 0.0) -> None:
        _set(self, "stops", boolean(stops, "stops"))
        _set(self, "stiffness", _gains(stiffness, "stiffness"))
        _set(self, "damping", _gains(damping, "damping"))

    def require(self, nv: int) -> None:
        """Raise ShapeError unless vectors of gains have `nv` entries."""
        for name, gains in (("stiffness", self.stiffness), ("damping", self.damping)):
            if isinstance(gains, tuple):
                float_array(gains, (nv,), name)


MARGIN: Final = 1 / 100
"""Distance below which points constrain a step, however slow they are (m)."""
JOINTS: Final = JointOptions()


@final
@attrs.frozen
class ContactStepOptions:
    """Options of a step of `contact_step`: friction of pairs without their own, margin, joints.

    With a `friction` of None, the step has friction only if pairs have their own; then that of the others is zero.
    """

    friction: Scalar | None = None
    margin: Scalar = MARGIN
    joints: JointOptions = JOINTS

    @classmethod
    def checked(cls, operation: str, mechanism: Mechanism, friction: object, joints: object) -> ContactStepOptions:
        """Return the options that users give, None for the default; raise ArgumentError or ShapeError."""
        if joints is not None:
            require_kind(joints, JointOptions, operation=operation, argument="joints")
            cast("JointOptions", joints).require(mechanism.nv)
        mu = 0.0 if friction is None else friction_coefficient(friction)
        return cls(mu or None, joints=JOINTS if joints is None else cast("JointOptions", joints))

    def lifted(self, state: ScalarState, friction: Scalar | None = None) -> ContactStepOptions:
        """Return the options as scalars of a state; `friction` takes the place of their own."""
        if friction is None and self.friction is not None:
            friction = state.lifted(self.friction)
        return ContactStepOptions(friction, state.lifted(self.margin), self.joints)
