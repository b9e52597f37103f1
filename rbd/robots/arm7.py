"""A seven-joint arm of human size; our own design, no product's numbers."""

from __future__ import annotations

from typing import NamedTuple

from rbd.joints import Revolute
from rbd.mechanism import Joint, Mechanism
from rbd.robots._build import add_link, add_named_frame
from rbd.robots._shapes import Axis, Triple, capsule_inertia
from rbd.spatial import Frame

AXES: dict[Axis, tuple[int, int, int]] = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}


class _Row(NamedTuple):
    """One joint and the link it carries; the link is an upright capsule."""

    axis: Axis
    at: Triple  # of the joint, in the link before (m)
    mass: float  # kg
    center: Triple  # of the capsule, in the link's frame (m)
    radius: float  # m
    length: float  # m
    turn: float  # position bound, both ways (rad)
    speed: float  # rad / s
    effort: float  # N m


_ROWS = (
    _Row("z", (0, 0, 0.14), 4.1, (0, -0.02, 0.09), 0.062, 0.14, 2.9, 1.9, 180),
    _Row("y", (0, 0, 0.18), 3.8, (0.01, 0, 0.10), 0.060, 0.16, 2.0, 1.9, 180),
    _Row("z", (0, 0, 0.22), 2.9, (0.02, 0.02, 0.09), 0.054, 0.14, 2.9, 2.3, 110),
    _Row("y", (0.05, 0, 0.20), 2.6, (-0.02, 0, 0.10), 0.050, 0.15, 2.2, 2.3, 110),
    _Row("z", (-0.05, 0, 0.20), 1.8, (0, 0.015, 0.08), 0.044, 0.12, 2.9, 3.0, 45),
    _Row("y", (0, 0, 0.18), 1.4, (0.01, 0, 0.03), 0.042, 0.06, 2.1, 3.2, 35),
    _Row("z", (0, 0, 0.09), 0.7, (0, 0, 0.05), 0.036, 0.05, 3.0, 3.6, 25),
)
_TOOL = (0, 0, 0.12)


def arm7() -> Mechanism:
    """Return an arm of seven revolute joints, "joint1" to "joint7", about z, y, z, y, z, y, z.

    It points straight up at q = 0, weighs 17.3 kg and reaches 1.1 m from the shoulder, which sits 0.32 m above the
    world's origin. The elbow is set off by 5 cm so that the arm can fold. Bodies are "link1" to "link7"; the frame
    "tool" is fixed to "link7". Position, velocity and effort bounds are set.

    >>> import rbd
    >>> arm = rbd.robots.arm7()
    >>> arm.joint("joint4").effort_bounds
    ((-110.0, 110.0),)
    """
    mechanism = Mechanism()
    body = mechanism.root_body
    for i, row in enumerate(_ROWS, start=1):
        frame = Frame(f"link{i}")
        inertia = capsule_inertia(frame, mass=row.mass, radius=row.radius, length=row.length, center=row.center)
        body = add_link(mechanism, body, _joint(f"joint{i}", row), inertia, at=row.at)
    add_named_frame(body, "tool", at=_TOOL)
    return mechanism


def _joint(name: str, row: _Row) -> Joint:
    return Joint(
        name,
        Revolute(AXES[row.axis]),
        position_bounds=((-row.turn, row.turn),),
        velocity_bounds=((-row.speed, row.speed),),
        effort_bounds=((-row.effort, row.effort),),
    )
