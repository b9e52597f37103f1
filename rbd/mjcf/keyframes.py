"""`<keyframe>`: configurations, velocities and controls by name."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from rbd.errors import MjcfValueError
from rbd.files.names import did_you_mean
from rbd.files.pose import Pose
from rbd.files.xml import XmlElement
from rbd.mechanism import Mechanism
from rbd.mjcf.coordinates import from_mujoco
from rbd.mjcf.description import MjcfBody, MjcfJoint
from rbd.mjcf.element import MjcfElement
from rbd.mjcf.reading import MjcfReading
from rbd.scalars import to_float
from rbd.scalars.arrays import Array
from rbd.spatial.quaternion import rotation_to_quaternion

REFERENCE: Final = "qpos0"
_QUATERNIONS: Final = {"free": 3, "ball": 0}
_SIZES: Final = {"free": 7, "ball": 4}
_UNUSED: Final = {
    "act": "activations of actuators are not supported",
    "mpos": "mocap poses are not followed",
    "mquat": "mocap poses are not followed",
    "time": "simulations begin when they are told to",
}


@final
class KeyframeReader:
    """Puts the keyframes into the report, and before them how the file places all bodies."""

    def __init__(
        self, reading: MjcfReading, bodies: list[MjcfBody], mechanism: Mechanism, supported: Sequence[bool]
    ) -> None:
        """Take the joints, and which of the actuators of the file have controls."""
        self._reading = reading
        self._mechanism = mechanism
        self._joints = [joint for body in bodies for joint in body.joints]
        coordinates = [_reference(body, joint) for body in bodies for joint in body.joints]
        self._start: Array = np.array([c for of_joint in coordinates for c in of_joint], dtype=np.float64)
        self._supported: NDArray[np.bool_] = np.array(supported, dtype=np.bool_)
        self._names: dict[str, XmlElement] = {}
        self._number = 0

    def read(self, root: XmlElement) -> None:
        """Fill the report."""
        self._reading.report.keyframes[REFERENCE] = from_mujoco(self._mechanism, self._start)
        for section in root.children:
            if section.tag == "keyframe":
                for node in section.children:
                    with self._reading.collecting_errors():
                        self._key(node)
                    self._number += 1

    def _key(self, node: XmlElement) -> None:
        reading, report = self._reading, self._reading.report
        if node.tag != "key":
            reading.warn_or_refuse(node, f"a keyframe is a <key>{did_you_mean(node.tag, ('key',))}")
            return
        reading.check(node)
        element = MjcfElement(reading, node)
        name = self._name(element)
        qpos = self._numbers(element, "qpos", self._start)
        self._normalize(node, qpos)
        qvel = self._numbers(element, "qvel", np.zeros(self._mechanism.nv))
        report.keyframes[name] = from_mujoco(self._mechanism, qpos, qvel)
        if element.has("ctrl"):
            report.controls[name] = self._numbers(element, "ctrl", np.zeros(len(self._supported)))[self._supported]
        for attribute in filter(element.has, _UNUSED):
            reading.ignore(node, attribute, _UNUSED[attribute])

    def _name(self, element: MjcfElement) -> str:
        """Return the name of a keyframe, or its number; that of the reference is taken."""
        name = element.name()
        self._reading.require_new(self._names, element.node, name, "key")
        return f"{REFERENCE}#key" if name == REFERENCE else name or f"key#{self._number}"

    def _normalize(self, node: XmlElement, qpos: Array) -> None:
        start = 0
        for joint in self._joints:
            if joint.kind in _QUATERNIONS:
                first = start + _QUATERNIONS[joint.kind]
                length = math.hypot(*qpos[first : first + 4].tolist())
                if length == 0.0:
                    message = f"the quaternion of joint {joint.name!r} is zero"
                    raise self._reading.error(MjcfValueError, node, message)
                qpos[first : first + 4] /= length
            start += _SIZES.get(joint.kind, 1)

    def _numbers(self, element: MjcfElement, attribute: str, default: Array) -> Array:
        values = element.numbers(attribute, max(1, len(default)))
        if values and len(values) != len(default):
            message = f"{attribute}: the model has {len(default)}, not {len(values)}"
            raise self._reading.error(MjcfValueError, element.node, message, attribute=attribute)
        return np.array(values, dtype=np.float64) if values else default.copy()


def _reference(body: MjcfBody, joint: MjcfJoint) -> tuple[float, ...]:
    """Return MuJoCo's coordinates of a joint where its body stands as in the file."""
    if joint.kind == "free":
        return (*body.pose.translation, *_floats(body.pose))
    return (1.0, 0.0, 0.0, 0.0) if joint.kind == "ball" else (joint.reference,)


def _floats(pose: Pose) -> tuple[float, ...]:
    return tuple(to_float(c) for c in rotation_to_quaternion(pose.rotation))
