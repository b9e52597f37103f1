"""`<keyframe>`: configurations, velocities and controls by name."""

from __future__ import annotations

import math
from typing import Final, NamedTuple, final

import attrs
import numpy as np

from rbd.errors import MjcfValueError
from rbd.files.names import claim_name, did_you_mean
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
_QUATERNION_STARTS: Final = {"free": 3, "ball": 0}
_COORDINATE_COUNTS: Final = {"free": 7, "ball": 4}
_UNUSED: Final = {
    "act": "activations of actuators are not supported",
    "mpos": "mocap poses are not followed",
    "mquat": "mocap poses are not followed",
    "time": "simulations begin when they are told to",
}


@final
@attrs.frozen(eq=False)
class MjcfKeyframes:
    """Configurations and velocities by name, the reference first; controls of all actuators of the file."""

    states: dict[str, tuple[Array, Array]]
    controls: dict[str, Array]

    @property
    def reference(self) -> Array:
        """The configuration in which the file places all bodies."""
        return self.states[REFERENCE][0]


class _Key(NamedTuple):
    """One keyframe: its name if it has one, its number, configuration and velocity, and the controls if it has any."""

    name: str | None
    number: int
    state: tuple[Array, Array]
    control: Array | None


def read_keyframes(
    reading: MjcfReading, root: XmlElement, bodies: list[MjcfBody], mechanism: Mechanism, actuator_count: int
) -> MjcfKeyframes:
    """Return the reference, where the file places all bodies, and the keyframes."""
    return _KeyframeReader(reading, bodies, mechanism, actuator_count).read(root)


@final
class _KeyframeReader:
    """Reads `<keyframe>`."""

    def __init__(self, reading: MjcfReading, bodies: list[MjcfBody], mechanism: Mechanism, actuator_count: int) -> None:
        self._reading = reading
        self._mechanism = mechanism
        self._joints = [joint for body in bodies for joint in body.joints]
        coordinates = [_reference(body, joint) for body in bodies for joint in body.joints]
        self._reference_qpos: Array = np.array([c for of_joint in coordinates for c in of_joint], dtype=np.float64)
        self._actuator_count = actuator_count
        self._names: dict[str, XmlElement] = {}

    def read(self, root: XmlElement) -> MjcfKeyframes:
        keys: list[_Key] = []
        nodes = [node for section in root.children if section.tag == "keyframe" for node in section.children]
        for number, node in enumerate(nodes):
            with self._reading.collecting_errors():
                keys += self._keys(node, number)
        taken = {REFERENCE, *self._names}
        by_name = {_reported_name(key, taken): key for key in keys}
        states = {REFERENCE: from_mujoco(self._mechanism, self._reference_qpos)}
        states |= {name: key.state for name, key in by_name.items()}
        return MjcfKeyframes(states, {name: key.control for name, key in by_name.items() if key.control is not None})

    def _keys(self, node: XmlElement, number: int) -> list[_Key]:
        """Return one keyframe; none, with a warning, for another element."""
        reading = self._reading
        if node.tag != "key":
            reading.warn_or_refuse(node, f"a keyframe is a <key>{did_you_mean(node.tag, ('key',))}")
            return []
        reading.check_attributes(node)
        element = MjcfElement(reading, node)
        name = element.name()
        reading.register_name(self._names, node, name, "key")
        qpos = self._numbers(element, "qpos", self._reference_qpos)
        self._normalize(node, qpos)
        qvel = self._numbers(element, "qvel", np.zeros(self._mechanism.nv))
        control = self._numbers(element, "ctrl", np.zeros(self._actuator_count)) if element.has("ctrl") else None
        for attribute in filter(element.has, _UNUSED):
            reading.ignore(node, attribute, _UNUSED[attribute])
        return [_Key(name, number, from_mujoco(self._mechanism, qpos, qvel), control)]

    def _normalize(self, node: XmlElement, qpos: Array) -> None:
        start = 0
        for joint in self._joints:
            if joint.kind in _QUATERNION_STARTS:
                first = start + _QUATERNION_STARTS[joint.kind]
                length = math.hypot(*qpos[first : first + 4].tolist())
                if length == 0.0:
                    message = f"the quaternion of joint {joint.name!r} is zero"
                    raise self._reading.error(MjcfValueError, node, message)
                qpos[first : first + 4] /= length
            start += _COORDINATE_COUNTS.get(joint.kind, 1)

    def _numbers(self, element: MjcfElement, attribute: str, default: Array) -> Array:
        values = element.quantities(attribute, max(1, len(default)))
        if values and len(values) != len(default):
            message = f"{attribute}: the model has {len(default)}, not {len(values)}"
            raise element.error(attribute, message)
        return np.array(values, dtype=np.float64) if values else default.copy()


def _reported_name(key: _Key, taken: set[str]) -> str:
    """Return the name of a keyframe, or one after its number; that of the reference is taken."""
    if key.name == REFERENCE:
        return claim_name(f"{REFERENCE}#key", taken)
    return key.name or claim_name(f"key#{key.number}", taken)


def _reference(body: MjcfBody, joint: MjcfJoint) -> tuple[float, ...]:
    """Return MuJoCo's coordinates of a joint where its body stands as in the file."""
    if joint.kind == "free":
        return (*body.pose.translation, *_quaternion(body.pose))
    return (1.0, 0.0, 0.0, 0.0) if joint.kind == "ball" else (joint.reference,)


def _quaternion(pose: Pose) -> tuple[float, ...]:
    return tuple(to_float(c) for c in rotation_to_quaternion(pose.rotation))
