"""Options of a time step with contacts."""

from __future__ import annotations

from typing import Final, NamedTuple

from rbd.contact.stepping.joint_options import JointOptions
from rbd.scalars import Scalar

MARGIN: Final = 1 / 100
"""Distance below which points constrain a step (m)."""
JOINTS: Final = JointOptions()


class ContactStepOptions(NamedTuple):
    """What a step is told: its length, the margin, the friction `mu`, None for a step without, and those of joints."""

    dt: Scalar
    margin: Scalar
    mu: Scalar | None
    joints: JointOptions = JOINTS
