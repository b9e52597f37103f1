"""Types of the options that all overloads of a method for time integration share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict, final

from numpy.typing import ArrayLike

from rbd.algorithms.derivatives.space import Space
from rbd.algorithms.loops.stabilization import Stabilization
from rbd.algorithms.time_steps.fixed_step import FixedStepMethod
from rbd.array_functions.row_status import RowStatus
from rbd.array_functions.wrench_inputs import WrenchArrays, WrenchFrame
from rbd.scalars.arrays import Array


class MechanismParameters(TypedDict, total=False):
    """Parameters of the mechanism, by name."""

    inertia: ArrayLike
    gravity: ArrayLike
    placement: ArrayLike
    damping: ArrayLike
    friction: ArrayLike
    friction_velocity: ArrayLike
    armature: ArrayLike
    bound_stiffness: ArrayLike
    bound_damping: ArrayLike


@final
class StepOptions(MechanismParameters, total=False):
    """Options of steps and rollouts."""

    integrator: FixedStepMethod
    stabilization: Stabilization
    external_wrenches: WrenchArrays | None
    wrench_frame: WrenchFrame
    out: Sequence[Array] | None
    threads: int
    status: RowStatus | None


@final
class StepDerivativesOptions(MechanismParameters, total=False):
    """Options of derivatives of steps."""

    integrator: FixedStepMethod
    space: Space
    out: Sequence[Array] | None
    threads: int
    status: RowStatus | None
