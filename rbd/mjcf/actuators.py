"""`<actuator>`: forces on joints and tendons, affine in their lengths and speeds."""

from __future__ import annotations

from collections import defaultdict
from typing import Final, NamedTuple, final

import attrs

from rbd.arguments import with_article
from rbd.errors import quoted
from rbd.files.bounds import UNBOUNDED
from rbd.files.pose import ZERO, FloatVec3
from rbd.files.xml import XmlElement
from rbd.mjcf.defaults import ACTUATORS
from rbd.mjcf.description import MjcfBody, MjcfJoint
from rbd.mjcf.element import MjcfElement, with_defaults
from rbd.mjcf.force_laws import LAWS, ForceLaw
from rbd.mjcf.joints import read_bounds
from rbd.mjcf.reading import MjcfReading
from rbd.mjcf.report import Actuator, MomentArms
from rbd.mjcf.tendons import MjcfTendons

_SUPPORTED: Final = frozenset({"general", "motor", "position", "velocity", "damper"})
_TRANSMISSIONS: Final = ("jointinparent", "site", "body", "cranksite")


@final
@attrs.frozen(eq=False)
class MjcfActuators:
    """The actuators of a file, None for those that are not supported; what they add to armatures, by joint."""

    actuators: list[Actuator | None]
    armatures: dict[str, float]


def read_actuators(
    reading: MjcfReading, root: XmlElement, bodies: list[MjcfBody], tendons: MjcfTendons
) -> MjcfActuators:
    """Return the actuators of a file."""
    reader = _ActuatorReader(reading, bodies, tendons)
    entries = [reader.read(node) for section in root.children if section.tag == "actuator" for node in section.children]
    armatures = defaultdict[str, float](float)
    for entry in entries:
        if entry.joint is not None:
            armatures[entry.joint.name] += entry.armature
    return MjcfActuators([entry.actuator for entry in entries], dict(armatures))


class _ActuatorEntry(NamedTuple):
    """One element: the actuator, None if it is not supported, its joint if it has one, and what it adds to it."""

    actuator: Actuator | None = None
    joint: MjcfJoint | None = None
    armature: float = 0.0


@final
class _ActuatorReader:
    """Reads the elements of `<actuator>`."""

    def __init__(self, reading: MjcfReading, bodies: list[MjcfBody], tendons: MjcfTendons) -> None:
        self._tendons = tendons
        self._reading = reading
        self._joints = {joint.name: joint for body in bodies for joint in body.joints}
        self._names: dict[str, XmlElement] = {}

    def read(self, node: XmlElement) -> _ActuatorEntry:
        """Return the actuator of an element; its errors are collected."""
        entry = _ActuatorEntry()
        with self._reading.collecting_errors():
            entry = self._entry(node)
        return entry

    def _entry(self, node: XmlElement) -> _ActuatorEntry:
        if not self._is_known(node):
            return _ActuatorEntry()
        element = with_defaults(self._reading, node)
        name = element.name()
        self._reading.register_name(self._names, node, name, "actuator")
        joint = self._reading.lookup(node, "joint", "joint", self._joints) if element.has("joint") else None
        gear = element.vector("gear", (1.0, 0.0, 0.0, 0.0, 0.0, 0.0), 1)
        armature = self._armature(element, joint, gear[0])
        coefficients = self._supported_law(element, joint)
        if coefficients is None:
            return _ActuatorEntry(None, joint, armature)
        gain, bias = coefficients
        actuator = Actuator(
            name=name, moment_arms=self._moment_arms(element, joint, gear), gain=gain, bias=bias,
            control_range=self._control_range(element, joint),
            force_range=read_bounds(element, "forcelimited", "forcerange"), line=node.line,
        )  # fmt: skip
        return _ActuatorEntry(actuator, joint, armature)

    def _is_known(self, node: XmlElement) -> bool:
        """Whether the format has such an element; warn if not, and of attributes that it does not have."""
        if node.tag not in ACTUATORS and node.tag != "plugin":
            self._reading.warn_or_refuse(node, f"unknown actuator {quoted(node.tag)}")
            return False
        if node.tag in _SUPPORTED:
            self._reading.check_attributes(node, "actuator")
        return True

    def _supported_law(self, element: MjcfElement, joint: MjcfJoint | None) -> tuple[FloatVec3, FloatVec3] | None:
        """Return the coefficients of gain and bias; warn and return None where the actuator is not supported."""
        problem = self._unsupported(element, joint)
        gain, bias = (ZERO, ZERO) if problem or self._is_off(element) else self._law(element)
        if joint is not None and joint.kind == "ball" and (gain[1] or bias[1]):
            problem = "a force that depends on the angle of a ball joint is not supported"
        if not problem:
            return gain, bias
        self._reading.warn_or_refuse(element.node, f"{problem}: the actuator is left out")
        return None

    def _moment_arms(self, element: MjcfElement, joint: MjcfJoint | None, gear: tuple[float, ...]) -> MomentArms:
        if joint is not None:
            return ((joint.name, gear[:3]),)
        name = element.name("tendon")
        if name is None:
            raise element.error("joint", "attribute 'joint' is missing")
        if name not in self._tendons.fixed:
            raise self._reading.unknown_name(element.node, "tendon", "tendon", name, self._tendons.fixed)
        return tuple((other, (gear[0] * factor,)) for other, (factor,) in self._tendons.fixed[name])

    def _unsupported(self, element: MjcfElement, joint: MjcfJoint | None) -> str:
        """Return why an actuator cannot be taken; empty if it can."""
        if element.node.tag not in _SUPPORTED:
            return f"{with_article(element.node.tag)} is not supported"
        other = next((word for word in _TRANSMISSIONS if element.has(word)), None)
        if other is not None:
            return f"transmission by {other} is not supported"
        if element.text("tendon") in self._tendons.spatial:
            return "transmission by a tendon along sites is not supported"
        if joint is not None and joint.kind == "free":
            return "on a free joint it is not supported"
        for attribute, words in (("dyntype", ("none",)), ("gaintype", LAWS), ("biastype", LAWS)):
            if (element.text(attribute) or words[0]) not in words:
                return f"{attribute}={quoted(element.text(attribute) or '')} is not supported"
        if element.node.tag == "position" and element.number("timeconst", 0.0) != 0.0:
            return "timeconst is not supported"
        return ""

    def _armature(self, element: MjcfElement, joint: MjcfJoint | None, gear: float) -> float:
        """Return the share of an actuator in the armature of its joint; warn where it is not supported."""
        armature = element.quantity("armature", 0.0)
        if armature and joint is None:
            message = "armature: it is supported on joints only"
            self._reading.warn_or_refuse(element.place("armature"), message, attribute="armature")
        return armature * gear**2 if joint is not None and joint.kind in ("hinge", "slide") else 0.0

    # ---------------------------------------------------------------- laws and ranges

    def _law(self, element: MjcfElement) -> tuple[FloatVec3, FloatVec3]:
        """Return the coefficients of gain and bias, as each layer of defaults leaves them to the next."""
        law = ForceLaw()
        for node in element.layers:
            law.read(MjcfElement(self._reading, node))
        return law.coefficients()

    def _is_off(self, element: MjcfElement) -> bool:
        settings = self._reading.settings
        return settings.is_disabled("actuation") or element.integer("group", 0) in settings.disabled_groups

    def _control_range(self, element: MjcfElement, joint: MjcfJoint | None) -> tuple[float, float]:
        if self._reading.settings.is_disabled("clampctrl"):
            return UNBOUNDED
        share = element.number("inheritrange", 0.0)
        bounds = UNBOUNDED if joint is None else joint.position_bounds
        if share > 0.0 and element.node.tag == "position" and bounds != UNBOUNDED:
            middle, half = sum(bounds) / 2, share * (bounds[1] - bounds[0]) / 2
            return middle - half, middle + half
        return read_bounds(element, "ctrllimited", "ctrlrange")
