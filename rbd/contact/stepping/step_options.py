"""Options of a time step with contacts."""

from __future__ import annotations

from typing import Final, NamedTuple

from rbd.contact.stepping.joint_options import JointOptions
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
