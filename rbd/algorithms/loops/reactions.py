"""Wrenches of joints after a solution: of tree joints, with loops or without, and of loop joints.

Featherstone (2008), section 8.4: a loop joint applies minus its constraint wrenches times their multipliers to its
successor, and the opposite to its predecessor.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rbd.algorithms.external_wrenches import AppliedWrench, AppliedWrenches, ExternalWrenches, applied_wrenches
from rbd.algorithms.loops.kinematics import LoopPose, loop_poses
from rbd.algorithms.newton_euler import wrenches_of_motion
from rbd.kernels.state_view import StateView
from rbd.kinematics import passes
from rbd.scalars import Vector
from rbd.spatial import Wrench

GivenWrenches = AppliedWrenches | ExternalWrenches | None
"""External wrenches as kernels take them, or as users give them."""


def tree_wrenches(
    state: StateView, vd: Vector, external: GivenWrenches, multipliers: Vector = ()
) -> tuple[Wrench[Any], ...]:
    """Return the wrench of each tree joint on its body, in the body's frame; `multipliers` are those of loops."""
    if external is None or isinstance(external, Mapping):
        external = applied_wrenches(state, external)
    return wrenches_of_motion(state, vd, (*external, *reactions(state, multipliers)) if multipliers else external)


def reactions(state: StateView, multipliers: Vector) -> list[AppliedWrench]:
    """Return the wrenches of loop joints on the bodies at their ends."""
    result: list[AppliedWrench] = []
    for pose in loop_poses(state):
        wrench = _reaction(pose, multipliers)
        for end, end_wrench in ((pose.loop.successor, wrench), (pose.loop.predecessor, -wrench)):
            result.append(AppliedWrench(end, end, end_wrench.transformed(pose.to_after[end].inverse())))
    return result


def _reaction(pose: LoopPose, multipliers: Vector) -> Wrench[Any]:
    """Return the wrench of a loop joint on its successor, -T lambda, in its frame after."""
    return -Wrench.trusted(pose.T.frame, *pose.T.combination(multipliers[pose.loop.rows]))


def loop_wrenches(state: StateView, multipliers: Vector) -> tuple[Wrench[Any], ...]:
    """Return, per loop, the wrench of its joint on its successor, in the root frame."""
    poses = passes.to_root(state)
    result: list[Wrench[Any]] = []
    for pose in loop_poses(state):
        end = pose.loop.successor
        to_root = poses[end] @ pose.to_after[end].inverse()
        result.append(_reaction(pose, multipliers).transformed(to_root))
    return tuple(result)
