"""How the motion of bodies answers small motions of the joints that carry them.

Body frames throughout. Directions of a joint are its velocities; what a direction does to bodies beyond the joint is
one motion for all of them (`rbd.spatial.platform`). Velocities are counted from a frame that moves with the trunk at
this instant, which changes no wrench and spares terms.
"""

from __future__ import annotations

from typing import final

import attrs

from rbd.algorithms.newton_euler import motions
from rbd.scalars import Vector
from rbd.spatial import GeometricJacobian, Twist
from rbd.spatial.classical import ClassicalMotion
from rbd.spatial.coriolis import CoriolisOperator, carried, summed
from rbd.spatial.linalg import Vec3, add3, matvec, neg3, scale3, zero3
from rbd.spatial.platform import Platform, scaled
from rbd.state import Link, StateView, passes


@final
@attrs.frozen(eq=False)
class JointVariation:
    """What the directions of a joint do to the bodies beyond it, one column each, in the body frame."""

    drift: GeometricJacobian
    """Change of the twist when the position moves."""
    bend: GeometricJacobian
    """Change of the acceleration when the position moves, less what the drift causes body by body."""
    whirl: GeometricJacobian
    """Change of the acceleration when the velocity changes, less what the changed twist causes body by body."""
    turning: tuple[GeometricJacobian, ...]
    """Per direction, the derivative of the motion subspace; empty where that is constant."""


@final
@attrs.frozen(eq=False)
class Variations:
    """A motion with everything its derivatives are made of."""

    moving: tuple[ClassicalMotion, ...]
    """Per body."""
    joints: tuple[JointVariation, ...]
    """Per link."""
    operators: tuple[CoriolisOperator, ...]
    """Per body, twice the Coriolis operator of everything from it outwards."""


def variations(state: StateView, vd: Vector | None, *, gravity: bool = True) -> Variations:
    """Return how the motion with accelerations `vd` (None: zero) varies."""
    moving = motions(state, vd, gravity=gravity)
    platforms, velocities = _platforms(state, moving)
    joints = tuple(_variation(state, link, platforms[link.index - 1], vd) for link in state.links)
    return Variations(moving, joints, _operators(state, moving, velocities))


def _platforms(state: StateView, moving: tuple[ClassicalMotion, ...]) -> tuple[list[Platform], list[Vec3]]:
    """Return what every joint stands on, and the velocity of every body's origin."""
    steps, twists = passes.to_parent(state), passes.joint_twists(state)
    # The root, seen from the trunk.
    velocities = [_turned_back(steps[0].rotation_components, twists[0])] if steps else [zero3()]
    platforms: list[Platform] = []
    for link, tf, twist in zip(state.links, steps, twists, strict=True):
        platform = Platform.at(moving[link.parent], velocities[link.parent], tf)
        if link.index == 1:
            platform = attrs.evolve(platform, velocity=neg3(twist.linear_components))
        platforms.append(platform)
        velocities.append(zero3() if link.index == 1 else add3(platform.velocity, twist.linear_components))
    return platforms, velocities


def _turned_back(rotation: tuple[Vec3, Vec3, Vec3], twist: Twist) -> Vec3:
    return neg3(matvec(rotation, twist.linear_components))


def _variation(state: StateView, link: Link, platform: Platform, vd: Vector | None) -> JointVariation:
    subspace = passes.subspaces(state)[link.index - 1]
    drift, bend = carried(subspace, platform.twist), platform.bend(subspace)
    whirl = scaled(drift, 2)
    if link.joint.nv > 1:  # one column does not whirl along itself
        whirl = summed(whirl, carried(subspace, passes.joint_twists(state)[link.index - 1]))
    straight = JointVariation(drift, bend, whirl, turning(state, link))
    return _bent(state, link, platform, vd, straight) if straight.turning else straight


def turning(state: StateView, link: Link) -> tuple[GeometricJacobian, ...]:
    """Return the derivative of the motion subspace along each direction of a joint; nothing where it is constant."""
    joint, size = link.joint, range(link.joint.nv)
    if joint.type.has_constant_subspace:
        return ()
    units = [tuple(int(i == k) for i in size) for k in size]
    return tuple(
        joint.type.motion_subspace_rate(state.joint_q(link), unit, joint.frame_after, joint.frame_before)
        for unit in units
    )


def _bent(
    state: StateView, link: Link, platform: Platform, vd: Vector | None, straight: JointVariation
) -> JointVariation:
    """Add what a motion subspace that changes with position contributes."""
    joint, q, v = link.joint, state.joint_q(link), state.joint_v(link)
    twist, subspace = passes.joint_twists(state)[link.index - 1], passes.subspaces(state)[link.index - 1]
    turned = _combined(subspace, straight.turning, v)
    ends = joint.frame_after, joint.frame_before
    bend = summed(straight.bend, joint.type.bias_acceleration_derivatives(q, v, *ends))
    if vd is not None:
        bend = summed(bend, _combined(subspace, straight.turning, vd[link.v]))
    swept = summed(scaled(carried(turned, platform.twist), 2), carried(turned, twist))
    whirl = summed(straight.whirl, summed(turned, joint.type.motion_subspace_rate(q, v, *ends)))
    return JointVariation(summed(straight.drift, turned), summed(bend, swept), whirl, straight.turning)


def _combined(like: GeometricJacobian, turning: tuple[GeometricJacobian, ...], rates: Vector) -> GeometricJacobian:
    """Return, per direction, the change of S times `rates`."""
    columns = tuple(each.combination(rates) for each in turning)
    return GeometricJacobian.trusted(like.body, like.base, like.frame, columns)


def _operators(
    state: StateView, moving: tuple[ClassicalMotion, ...], velocities: list[Vec3]
) -> tuple[CoriolisOperator, ...]:
    """Return twice the composite Coriolis operators: those of twice the twists."""
    operators: list[CoriolisOperator] = []
    for inertia, motion, velocity in zip(passes.body_inertias(state), moving, velocities, strict=True):
        doubled = Twist.trusted(motion.body, motion.base, motion.body, scale3(motion.omega, 2), scale3(velocity, 2))
        operators.append(CoriolisOperator.of_body(inertia, doubled))
    for link, tf in reversed(list(zip(state.links, passes.to_parent(state), strict=True))):
        operators[link.parent] = operators[link.parent] + operators[link.index].transformed(tf)
    return tuple(operators)
