"""Planar four-bar linkage: three links, three tree joints and a loop joint."""

from __future__ import annotations

import math

from rbd.errors import ArgumentError
from rbd.joints import Revolute
from rbd.mechanism import Joint, Mechanism, RigidBody
from rbd.robots._build import AXES, add_link
from rbd.robots._inertias import capsule_inertia
from rbd.scalars.arrays import float_array
from rbd.scalars.number_checks import above_zero
from rbd.spatial import Frame, Transform

_LINKS = ("crank", "coupler", "rocker")
_LENGTHS = (1.0, 0.4, 0.9, 0.8)
_MASSES = (0.5, 1.0, 0.9)
_RADIUS = 0.02


def four_bar(
    *, lengths: tuple[float, float, float, float] = _LENGTHS, masses: tuple[float, float, float] = _MASSES
) -> Mechanism:
    """Return a four-bar linkage with joints about y: tree joints "joint1" to "joint3" and the loop joint "joint4".

    `lengths` (m) are those of the ground link (along x), crank, coupler and rocker; `masses` (kg) those of crank,
    coupler and rocker, which are capsules along z of their own frames. "joint1" carries the crank at the origin,
    "joint2" the coupler at the crank's end, "joint3" the rocker at (lengths[0], 0, 0); "joint4" connects the ends of
    coupler and rocker. The loop is open at q = 0: see `four_bar_configuration`. With the default lengths the crank can
    make full revolutions. Raises ArgumentError for lengths that are not above zero.

    >>> import rbd
    >>> linkage = rbd.robots.four_bar()
    >>> linkage.nv, [joint.name for joint in linkage.loop_joints]
    (3, ['joint4'])
    """
    ground, *link_lengths = _lengths(lengths)
    link_masses = float_array(masses, (3,), "masses").tolist()
    mechanism = Mechanism()
    bodies = [mechanism.root_body]
    joints = ((0, (0, 0, 0)), (1, (0, 0, link_lengths[0])), (0, (ground, 0, 0)))
    for i, (parent, position) in enumerate(joints):
        frame, length = Frame(_LINKS[i]), link_lengths[i]
        inertia = capsule_inertia(frame, mass=link_masses[i], radius=_RADIUS, length=length, center=(0, 0, length / 2))
        joint = Joint(f"joint{i + 1}", Revolute(AXES["y"]))
        bodies.append(add_link(mechanism, bodies[parent], joint, inertia, joint_position=position))
    _close(mechanism, bodies[2], bodies[3], *link_lengths[1:])
    return mechanism


def _lengths(lengths: object) -> list[float]:
    """Return the four lengths; raise ArgumentError unless all are above zero."""
    return [above_zero(x, f"lengths[{k}]") for k, x in enumerate(float_array(lengths, (4,), "lengths").tolist())]


def _close(
    mechanism: Mechanism, coupler: RigidBody, rocker: RigidBody, coupler_length: float, rocker_length: float
) -> None:
    """Connect the ends of coupler and rocker by the loop joint."""
    joint = Joint("joint4", Revolute(AXES["y"]))
    joint_pose = Transform(joint.frame_before, coupler.default_frame, translation=(0, 0, coupler_length))
    successor_pose = Transform(rocker.default_frame, joint.frame_after, translation=(0, 0, -rocker_length))
    mechanism.attach(coupler, rocker, joint, joint_pose=joint_pose, successor_pose=successor_pose)


def four_bar_configuration(
    crank_angle: float, *, lengths: tuple[float, float, float, float] = _LENGTHS
) -> tuple[float, float, float]:
    """Return (q1, q2, q3) with a closed loop for a crank angle q1 (rad), the coupler above the diagonal.

    Raises ArgumentError for lengths that are not above zero, and if no configuration closes the loop.

    >>> import rbd
    >>> q1, q2, q3 = rbd.robots.four_bar_configuration(0.3)
    """
    ground, crank, coupler, rocker = _lengths(lengths)
    (crank_angle,) = float_array([crank_angle], (1,), "crank_angle").tolist()
    dx, dz = ground - crank * math.sin(crank_angle), -crank * math.cos(crank_angle)
    diagonal = math.hypot(dx, dz)
    if not abs(coupler - rocker) <= diagonal <= coupler + rocker:
        message = f"no closed configuration has the crank at {crank_angle} rad: coupler and rocker cannot meet"
        allowed = "angles at which the loop closes"
        raise ArgumentError(message, argument="crank_angle", value=crank_angle, allowed=allowed)
    diagonal_angle = math.atan2(dx, dz)  # angles from z towards x: positive rotations about y
    cosine = (diagonal**2 + coupler**2 - rocker**2) / (2 * diagonal * coupler)
    coupler_angle = diagonal_angle - math.acos(max(-1.0, min(1.0, cosine)))
    end_x = crank * math.sin(crank_angle) + coupler * math.sin(coupler_angle)
    end_z = crank * math.cos(crank_angle) + coupler * math.cos(coupler_angle)
    return crank_angle, coupler_angle - crank_angle, math.atan2(end_x - ground, end_z)
