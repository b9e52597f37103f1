"""The planar four-bar linkage: three links and a loop joint; the smallest closed mechanism that moves."""

from __future__ import annotations

import math

from rbd.errors import ArgumentError
from rbd.joints import Revolute
from rbd.mechanism import Joint, Mechanism, RigidBody
from rbd.robots._build import add_link
from rbd.robots._shapes import capsule_inertia
from rbd.scalars.arrays import float_array
from rbd.spatial import Frame, Transform

Y_AXIS = (0, 1, 0)
LINKS = ("crank", "coupler", "rocker")
LENGTHS = (1.0, 0.4, 0.9, 0.8)
MASSES = (0.5, 1.0, 0.9)
RADIUS = 0.02


def four_bar(
    *, lengths: tuple[float, float, float, float] = LENGTHS, masses: tuple[float, float, float] = MASSES
) -> Mechanism:
    """Return a four-bar linkage that turns about y: tree joints "joint1" to "joint3" and the loop joint "joint4".

    `lengths` (m) are those of the ground link (along x), crank, coupler and rocker; `masses` (kg) those of crank,
    coupler and rocker, which are capsules along z of their own frames. "joint1" carries the crank at the origin,
    "joint2" the coupler at the crank's end, "joint3" the rocker at (lengths[0], 0, 0), and "joint4" holds the ends of
    coupler and rocker together. Upright links (q = 0) do not close: see `four_bar_configuration`. The default lengths
    let the crank turn all the way round.

    >>> import rbd
    >>> linkage = rbd.robots.four_bar()
    >>> linkage.nv, [joint.name for joint in linkage.loop_joints]
    (3, ['joint4'])
    """
    ground, crank, coupler, rocker = reaches = float_array(lengths, (4,), "lengths").tolist()
    weights = float_array(masses, (3,), "masses").tolist()
    mechanism = Mechanism()
    bodies = [mechanism.root_body]
    places = ((0, (0, 0, 0)), (1, (0, 0, crank)), (0, (ground, 0, 0)))
    for i, (parent, at) in enumerate(places):
        length = reaches[i + 1]
        frame = Frame(LINKS[i])
        inertia = capsule_inertia(frame, mass=weights[i], radius=RADIUS, length=length, center=(0, 0, length / 2))
        joint = Joint(f"joint{i + 1}", Revolute(Y_AXIS))
        bodies.append(add_link(mechanism, bodies[parent], joint, inertia, at=at))
    _close(mechanism, bodies[2], bodies[3], coupler, rocker)
    return mechanism


def _close(mechanism: Mechanism, coupler: RigidBody, rocker: RigidBody, reach: float, height: float) -> None:
    """Join the ends of coupler and rocker by the loop joint."""
    joint = Joint("joint4", Revolute(Y_AXIS))
    joint_pose = Transform(joint.frame_before, coupler.default_frame, translation=(0, 0, reach))
    successor_pose = Transform(rocker.default_frame, joint.frame_after, translation=(0, 0, -height))
    mechanism.attach(coupler, rocker, joint, joint_pose=joint_pose, successor_pose=successor_pose)


def four_bar_configuration(
    crank_angle: float, *, lengths: tuple[float, float, float, float] = LENGTHS
) -> tuple[float, float, float]:
    """Return (q1, q2, q3) with the loop closed for a crank angle q1 (rad), the coupler above the diagonal.

    Raises ArgumentError when coupler and rocker cannot meet.

    >>> import rbd
    >>> q1, q2, q3 = rbd.robots.four_bar_configuration(0.3)
    """
    ground, crank, coupler, rocker = float_array(lengths, (4,), "lengths").tolist()
    (crank_angle,) = float_array([crank_angle], (1,), "crank_angle").tolist()
    dx, dz = ground - crank * math.sin(crank_angle), -crank * math.cos(crank_angle)
    diagonal = math.hypot(dx, dz)
    if not abs(coupler - rocker) <= diagonal <= coupler + rocker:
        message = f"no closed configuration has the crank at {crank_angle} rad: coupler and rocker cannot meet"
        allowed = "angles at which the loop closes"
        raise ArgumentError(message, argument="crank_angle", value=crank_angle, allowed=allowed)
    toward_rocker = math.atan2(dx, dz)  # angles are measured from z towards x, as the joints turn about y
    cosine = (diagonal**2 + coupler**2 - rocker**2) / (2 * diagonal * coupler)
    coupler_angle = toward_rocker - math.acos(max(-1.0, min(1.0, cosine)))
    end_x = crank * math.sin(crank_angle) + coupler * math.sin(coupler_angle)
    end_z = crank * math.cos(crank_angle) + coupler * math.cos(coupler_angle)
    return crank_angle, coupler_angle - crank_angle, math.atan2(end_x - ground, end_z)
