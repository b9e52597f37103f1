"""`<keyframe>`: configurations and velocities by name."""

from __future__ import annotations

import math

import numpy as np

from rbd.errors import MjcfValueError
from rbd.files.xml import XmlElement
from rbd.mechanism import Mechanism
from rbd.mjcf.coordinates import Array, from_mujoco
from rbd.mjcf.description import BodyPart, JointPart
from rbd.mjcf.element import MjcfElement
from rbd.mjcf.pose import Pose
from rbd.mjcf.reading import MjcfReading
from rbd.scalars import to_float
from rbd.spatial.quaternion import rotation_to_quaternion

_QUATERNIONS = {"free": 3, "ball": 0}


def read_keyframes(reading: MjcfReading, root: XmlElement, bodies: list[BodyPart], mechanism: Mechanism) -> None:
    """Put the keyframes into the report, and before them how the file places all bodies, as "qpos0"."""
    joints = [(body, joint) for body in bodies for joint in body.joints]
    start = np.array([c for body, joint in joints for c in _reference(body, joint)], dtype=np.float64)
    reading.report.keyframes["qpos0"] = from_mujoco(mechanism, start)
    number = 0
    for section in root.children:
        if section.tag == "keyframe":
            for node in section.children:
                _key(reading, node, number, start, [joint for _, joint in joints], mechanism)
                number += 1


def _reference(body: BodyPart, joint: JointPart) -> tuple[float, ...]:
    """Return MuJoCo's coordinates of a joint where its body stands as in the file."""
    if joint.kind == "free":
        return (*body.pose.translation, *_floats(body.pose))
    return (1.0, 0.0, 0.0, 0.0) if joint.kind == "ball" else (joint.reference,)


def _floats(pose: Pose) -> tuple[float, ...]:
    return tuple(to_float(c) for c in rotation_to_quaternion(pose.rotation))


def _key(
    reading: MjcfReading, node: XmlElement, number: int, start: Array, joints: list[JointPart], mechanism: Mechanism
) -> None:
    if node.tag != "key":
        reading.doubt(node, "a keyframe is a <key>")
        return
    reading.check_attributes(node)
    element = MjcfElement(reading, node)
    name = element.name() or f"key#{number}"
    qpos = _numbers(reading, element, "qpos", start)
    qvel = _numbers(reading, element, "qvel", np.zeros(mechanism.nv))
    at = 0
    for joint in joints:
        if joint.kind in _QUATERNIONS:
            begin = at + _QUATERNIONS[joint.kind]
            length = math.hypot(*qpos[begin : begin + 4].tolist())
            if length == 0.0:
                raise reading.fault(MjcfValueError, node, f"the quaternion of joint {joint.name!r} is zero")
            qpos[begin : begin + 4] /= length
        at += {"free": 7, "ball": 4}.get(joint.kind, 1)
    reading.report.keyframes[name] = from_mujoco(mechanism, qpos, qvel)


def _numbers(reading: MjcfReading, element: MjcfElement, attribute: str, default: Array) -> Array:
    values = element.numbers(attribute, max(1, len(default)))
    if values and len(values) != len(default):
        message = f"{attribute}: the model has {len(default)}, not {len(values)}"
        raise reading.fault(MjcfValueError, element.node, message, attribute=attribute)
    return np.array(values, dtype=np.float64) if values else default.copy()
