"""Builders of robot models (internal).

The default frame of a link is the frame after its joint. Most joint poses are translations, which keeps equations
short.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from rbd.joints import Revolute
from rbd.mechanism import Joint, Mechanism, RigidBody
from rbd.spatial import Frame, SpatialInertia, Transform
from rbd.spatial.linalg import Mat3, Vec3

Axis: TypeAlias = Literal["x", "y", "z"]
AXES: Final[dict[Axis, tuple[int, int, int]]] = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}

_ORIGIN: Vec3 = (0, 0, 0)


def add_link(
    mechanism: Mechanism,
    parent: RigidBody,
    joint: Joint,
    inertia: SpatialInertia,
    *,
    joint_position: Vec3 = _ORIGIN,
    rotation: Mat3 | None = None,
) -> RigidBody:
    """Attach a body, named after the frame of `inertia`; return it.

    Position and rotation of its joint are those in the default frame of `parent`.
    """
    body = RigidBody(inertia.frame.name, inertia)
    pose = Transform(joint.frame_before, parent.default_frame, rotation, joint_position)
    mechanism.attach(parent, body, joint, joint_pose=pose)
    return body


def add_named_frame(body: RigidBody, name: str, *, position: Vec3) -> Frame:
    """Add a frame to `body`: a translation of its default frame by `position`."""
    return body.add_frame(Transform(Frame(name), body.default_frame, translation=position))


def bounded_revolute(
    name: str, axis: Axis, *, position_bounds: tuple[float, float], speed: float, effort: float
) -> Joint:
    """Return a revolute joint about a coordinate axis with bounds: speed and effort both ways."""
    return Joint(
        name,
        Revolute(AXES[axis]),
        position_bounds=(position_bounds,),
        velocity_bounds=((-speed, speed),),
        effort_bounds=((-effort, effort),),
    )
