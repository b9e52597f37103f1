"""How the robots of this room are put together (internal).

Every link's default frame is the frame after its joint, and every placement is a translation: the rotations of a robot
live in its joints only, which keeps its equations short.
"""

from __future__ import annotations

from rbd.mechanism import Joint, Mechanism, RigidBody
from rbd.robots._shapes import Triple
from rbd.spatial import Frame, SpatialInertia, Transform

ORIGIN: Triple = (0, 0, 0)


def add_link(
    mechanism: Mechanism, parent: RigidBody, joint: Joint, inertia: SpatialInertia, *, at: Triple = ORIGIN
) -> RigidBody:
    """Attach a new body, named after the frame of `inertia`; the joint sits `at`, in the default frame of `parent`."""
    body = RigidBody(inertia.frame.name, inertia)
    pose = Transform(joint.frame_before, parent.default_frame, translation=at)
    mechanism.attach(parent, body, joint, joint_pose=pose)
    return body


def add_named_frame(body: RigidBody, name: str, *, at: Triple) -> Frame:
    """Fix a frame to `body`: axes parallel to its default frame's, the origin `at` in that frame."""
    return body.add_frame(Transform(Frame(name), body.default_frame, translation=at))
