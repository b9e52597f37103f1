"""Robots of the tests of rational kinematics."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rbd import Fixed, Joint, Mechanism, Prismatic, Revolute, RigidBody, Transform
from rbd.scalars.arrays import Array

IIWA = [
    ((0, 0, 0), (0, 0, 0.1575)),
    ((math.pi / 2, 0, math.pi), (0, 0, 0.2025)),
    ((math.pi / 2, 0, math.pi), (0, 0.2045, 0)),
    ((math.pi / 2, 0, 0), (0, 0, 0.2155)),
    ((-math.pi / 2, math.pi, 0), (0, 0.1845, 0)),
    ((math.pi / 2, 0, 0), (0, 0, 0.2155)),
    ((-math.pi / 2, math.pi, 0), (0, 0.081, 0)),
]
"""KUKA LBR iiwa 14: roll, pitch, yaw and position of every joint, as its maker's URDF has them."""


def rotation_of(rpy: tuple[float, ...]) -> Array:
    """Return Rz(yaw) Ry(pitch) Rx(roll), with all the rounding that comes with it."""
    r, p, y = rpy
    x = np.array([[1, 0, 0], [0, math.cos(r), -math.sin(r)], [0, math.sin(r), math.cos(r)]])
    at = np.array([[math.cos(p), 0, math.sin(p)], [0, 1, 0], [-math.sin(p), 0, math.cos(p)]])
    z = np.array([[math.cos(y), -math.sin(y), 0], [math.sin(y), math.cos(y), 0], [0, 0, 1]])
    rotation: Array = z @ at @ x
    return rotation


def iiwa() -> Mechanism:
    """Return the seven-joint arm, welded to the world."""
    mechanism = Mechanism()
    body = RigidBody("link_0")
    mechanism.attach(mechanism.root_body, body, Joint("weld", Fixed()))
    for number, (rpy, xyz) in enumerate(IIWA, start=1):
        joint = Joint(f"joint_{number}", Revolute((0, 0, 1)))
        pose = Transform(joint.frame_before, body.default_frame, rotation_of(rpy), xyz)
        body_after = RigidBody(f"link_{number}")
        mechanism.attach(body, body_after, joint, joint_pose=pose)
        body = body_after
    return mechanism


def planar_arm(count: int = 2) -> Mechanism:
    """Return links of length one that turn about z; the frame of body "tip" is at the end."""
    mechanism = Mechanism()
    body = mechanism.root_body
    for number in range(count + 1):
        last = number == count
        joint = Joint("weld" if last else f"joint{number}", Fixed() if last else Revolute((0, 0, 1)))
        offset = (1.0 if number else 0.0, 0, 0)
        pose = Transform(joint.frame_before, body.default_frame, translation=offset)
        after = RigidBody("tip" if last else f"link{number}")
        mechanism.attach(body, after, joint, joint_pose=pose)
        body = after
    return mechanism


def described(record: dict[str, Any]) -> Mechanism:
    """Return the robot of a file of reference poses: X_PB = X_PF X_FM(q) inverse(X_BM)."""
    mechanism = Mechanism("world")
    for entry in record["joints"]:
        kinds = {"revolute": Revolute, "prismatic": Prismatic}
        kind = Fixed() if entry["type"] == "weld" else kinds[entry["type"]](entry["axis"])
        joint, child = Joint(entry["name"], kind), RigidBody(entry["child"])
        parent = mechanism.body(entry["parent"])
        before = Transform(joint.frame_before, parent.default_frame, rotation_of(entry["X_PF"][0]), entry["X_PF"][1])
        inner = Transform(joint.frame_after, child.default_frame, rotation_of(entry["X_BM"][0]), entry["X_BM"][1])
        mechanism.attach(parent, child, joint, joint_pose=before, successor_pose=inner.inverse())
    return mechanism
