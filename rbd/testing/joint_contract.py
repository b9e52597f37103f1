"""Joint contract: consistency checks of the methods of a `JointType`.

`check_joint_type` is for authors of joint types; the joint types of rbd pass the same checks. Derivatives are compared
with complex steps, which are exact to rounding.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rbd.arguments import require_kind, whole_number
from rbd.joints import JointType
from rbd.scalars.number_checks import above_zero
from rbd.testing import joint_checks, joint_interface
from rbd.testing.joint_case import JointCase


def check_joint_type(joint_type: JointType, *, rng_seed: int = 0, samples: int = 5, spread: float = 3.0) -> None:
    """Raise AssertionError, naming the check, unless `joint_type` satisfies the joint contract.

    The checks use `samples` random configurations. If q and v have equal lengths, that of the projection also uses
    configurations `spread` times as large, which covers whole turns.

    >>> from rbd import Revolute
    >>> check_joint_type(Revolute((0, 0, 1)), samples=1)
    """
    require_kind(joint_type, JointType, operation="check_joint_type", argument="joint_type")
    rng = np.random.default_rng(whole_number(rng_seed, "rng_seed", 0))
    spread = above_zero(spread, "spread")
    for _ in range(whole_number(samples, "samples", 1)):
        case = _draw(joint_type, rng, spread)
        for name, check in CHECKS.items():
            try:
                check(case)
            except Exception as error:
                message = f"{joint_type!r} fails {name!r} at q = {case.q}, v = {case.v}: {error}"
                raise AssertionError(message) from error


def _draw(joint_type: JointType, rng: np.random.Generator, spread: float) -> JointCase:
    """Return a random case; raise AssertionError for sizes that are none, or that `random` does not return."""
    try:
        return JointCase.draw(joint_type, rng, spread)
    except Exception as error:
        raise AssertionError(f"{joint_type!r} fails 'nq', 'nv' or 'random': {error}") from error


CHECKS: dict[str, Callable[[JointCase], None]] = {
    check.__name__: check
    for check in (
        joint_interface.sizes,
        joint_interface.lengths,
        joint_interface.shapes,
        joint_interface.frames,
        joint_interface.frame_of_wrenches,
        joint_interface.value_semantics,
        joint_interface.zero_and_random,
        joint_checks.transform_is_rigid,
        joint_checks.position_subspace,
        joint_checks.motion_subspace,
        joint_checks.bias_acceleration,
        joint_checks.bias_acceleration_derivatives,
        joint_checks.torque,
        joint_checks.constraint_wrenches,
        joint_checks.rate_matrices,
        joint_checks.local_coordinates,
        joint_checks.local_coordinates_rate,
        joint_checks.projection,
        joint_checks.projection_of_unreachable_poses,
        joint_checks.normalization,
        joint_checks.reversal,
        joint_interface.generic_scalars,
    )
}
"""Checks of `check_joint_type`, by name."""
