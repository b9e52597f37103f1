"""Arm with seven joints: a design of rbd, not a commercial robot."""

from __future__ import annotations

from typing import NamedTuple

from rbd.mechanism import Mechanism
from rbd.robots._build import Axis, add_link, add_named_frame, bounded_revolute
from rbd.robots._inertias import capsule_inertia
from rbd.spatial import Frame
from rbd.spatial.linalg import Vec3


class _ArmJoint(NamedTuple):
    """A joint and its link, a vertical capsule."""

    axis: Axis
    joint_position: Vec3  # in the link before (m)
    mass: float  # kg
    center: Vec3  # of the capsule, in the link's frame (m)
    radius: float  # m
    length: float  # m
    limit: float  # position bound, both ways (rad)
    speed: float  # rad / s
    effort: float  # N m


# axis, position (m), mass (kg), centre (m), radius (m), length (m), limit (rad), speed (rad / s), effort (N m)
_JOINTS = (
    _ArmJoint("z", (0, 0, 0.14), 4.1, (0, -0.02, 0.09), 0.062, 0.14, 2.9, 1.9, 180),
    _ArmJoint("y", (0, 0, 0.18), 3.8, (0.01, 0, 0.10), 0.060, 0.16, 2.0, 1.9, 180),
    _ArmJoint("z", (0, 0, 0.22), 2.9, (0.02, 0.02, 0.09), 0.054, 0.14, 2.9, 2.3, 110),
    _ArmJoint("y", (0.05, 0, 0.20), 2.6, (-0.02, 0, 0.10), 0.050, 0.15, 2.2, 2.3, 110),
    _ArmJoint("z", (-0.05, 0, 0.20), 1.8, (0, 0.015, 0.08), 0.044, 0.12, 2.9, 3.0, 45),
    _ArmJoint("y", (0, 0, 0.18), 1.4, (0.01, 0, 0.03), 0.042, 0.06, 2.1, 3.2, 35),
    _ArmJoint("z", (0, 0, 0.09), 0.7, (0, 0, 0.05), 0.036, 0.05, 3.0, 3.6, 25),
)
_TOOL = (0, 0, 0.12)


def arm7() -> Mechanism:
    """Return an arm of seven revolute joints, "joint1" to "joint7", about z, y, z, y, z, y, z.

    It is vertical at q = 0, has a mass of 17.3 kg and its tool reaches 1.02 m from the shoulder, which is 0.32 m
    above the world's origin. The elbow has an offset of 5 cm, so that the arm can fold. Bodies are "link1" to "link7";
    the frame "tool" is fixed to "link7". Position, velocity and effort bounds are set.

    >>> import rbd
    >>> arm = rbd.robots.arm7()
    >>> arm.joint("joint4").effort_bounds
    ((-110.0, 110.0),)
    """
    mechanism = Mechanism()
    body = mechanism.root_body
    for i, entry in enumerate(_JOINTS, start=1):
        frame = Frame(f"link{i}")
        inertia = capsule_inertia(frame, mass=entry.mass, radius=entry.radius, length=entry.length, center=entry.center)
        bounds = (-entry.limit, entry.limit)
        joint = bounded_revolute(
            f"joint{i}", entry.axis, position_bounds=bounds, speed=entry.speed, effort=entry.effort
        )
        body = add_link(mechanism, body, joint, inertia, joint_position=entry.joint_position)
    add_named_frame(body, "tool", position=_TOOL)
    return mechanism
