"""The two sweeps of the recursive Newton-Euler algorithm.

Featherstone (2008), section 5.3, with the accelerations of frame origins in place of spatial ones. Body frames
throughout.
"""

from __future__ import annotations

from typing import Any

from rbd.algorithms.external import External, less_external, on_bodies
from rbd.scalars import Scalar, Vector
from rbd.spatial import SpatialAcceleration, Twist, Wrench
from rbd.spatial.classical import ClassicalMotion, gravity_as_acceleration
from rbd.state import StateView, passes


def motions(state: StateView, vd: Vector | None, *, gravity: bool = True) -> tuple[ClassicalMotion, ...]:
    """Return how every body moves, in its frame; `vd` None is zero, gravity is the root accelerating up."""
    upward = gravity_as_acceleration(state.gravity.xyz_components) if gravity else (0, 0, 0)
    result = [ClassicalMotion.fixed(state.layout.root_frame, upward)]
    own = passes.joint_accelerations(state, vd)
    for link, tf, twist, acceleration in zip(
        state.links, passes.to_parent(state), passes.joint_twists(state), own, strict=True
    ):
        result.append(result[link.parent].across(tf, twist, acceleration))
    return tuple(result)


def body_loads(state: StateView, moving: tuple[ClassicalMotion, ...], external: External) -> list[Wrench[Any]]:
    """Return, per body, the wrench its motion takes less what pushes it from outside, in the body frame."""
    inertias = passes.body_inertias(state)
    loads = [motion.wrench(inertia) for motion, inertia in zip(moving, inertias, strict=True)]
    return less_external(loads, on_bodies(state, external))


def joint_wrenches(state: StateView, loads: list[Wrench[Any]]) -> tuple[Wrench[Any], ...]:
    """Return, per body, the wrench its joint applies to it, in the body frame; the root's is what holds everything."""
    total = list(loads)
    for link, tf in reversed(list(zip(state.links, passes.to_parent(state), strict=True))):
        total[link.parent] = total[link.parent] + total[link.index].transformed(tf)
    return tuple(total)


def joint_torques(state: StateView, wrenches: tuple[Wrench[Any], ...]) -> Vector:
    """Return the component of each joint's wrench along its motion subspace."""
    torques: list[Scalar] = []
    for link, subspace in zip(state.links, passes.subspaces(state), strict=True):
        torques += subspace.torque_components(wrenches[link.index])
    return tuple(torques)


def resting(state: StateView) -> tuple[ClassicalMotion, ...]:
    """Return how every body would accelerate if held still under gravity: all with the root, upwards."""
    result = [ClassicalMotion.fixed(state.layout.root_frame, gravity_as_acceleration(state.gravity.xyz_components))]
    for link, tf in zip(state.links, passes.to_parent(state), strict=True):
        after, before = link.joint.frame_after, link.joint.frame_before
        twist = Twist.trusted(after, before, after, (0, 0, 0), (0, 0, 0))
        still = SpatialAcceleration.trusted(after, before, after, (0, 0, 0), (0, 0, 0))
        result.append(result[link.parent].across(tf, twist, still))
    return tuple(result)


def wrenches_of_motion(vd: Vector, external: External, state: StateView) -> tuple[Wrench[Any], ...]:
    """Return what each joint applies to its body when the mechanism moves with `vd`, in the body frame."""
    return joint_wrenches(state, body_loads(state, motions(state, vd), external))
