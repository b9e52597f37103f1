"""`<actuator>`: forces on joints and tendons, affine in their lengths and speeds."""

from __future__ import annotations

import math
from typing import Final, final

from rbd.errors import MjcfTopologyError, MjcfValueError, quoted
from rbd.files.names import closest
from rbd.files.xml import XmlElement
from rbd.mjcf.defaults import ACTUATORS, Defaults
from rbd.mjcf.description import BodyPart, JointPart
from rbd.mjcf.element import MjcfElement
from rbd.mjcf.force_laws import LAWS, ForceLaw
from rbd.mjcf.joints import is_limited
from rbd.mjcf.pose import Triple
from rbd.mjcf.reading import MjcfReading
from rbd.mjcf.report import Actuator, MomentArms
from rbd.mjcf.settings import Settings
from rbd.mjcf.tendons import TendonReader

_SUPPORTED: Final = frozenset({"general", "motor", "position", "velocity", "damper"})
_NONE: Final = (-math.inf, math.inf)
_TRANSMISSIONS: Final = ("jointinparent", "site", "body", "cranksite")


@final
class ActuatorReader:
    """Reads `<actuator>`."""

    def __init__(
        self,
        reading: MjcfReading,
        defaults: Defaults,
        settings: Settings,
        bodies: list[BodyPart],
        tendons: TendonReader,
    ) -> None:
        """Take joints and tendons, by name."""
        self._tendons = tendons
        self._reading = reading
        self._defaults = defaults
        self._settings = settings
        self._joints = {joint.name: joint for body in bodies for joint in body.joints}
        self.armatures: dict[str, float] = {}
        """What actuators add to the armature of their joints."""

    def read(self, root: XmlElement) -> list[Actuator]:
        """Return the actuators whose joints and laws are supported."""
        found: list[Actuator] = []
        for section in root.children:
            if section.tag == "actuator":
                for node in section.children:
                    actuator = self._actuator(node)
                    if actuator is not None:
                        found.append(actuator)
        return found

    def _actuator(self, node: XmlElement) -> Actuator | None:
        if node.tag not in ACTUATORS and node.tag != "plugin":
            self._reading.doubt(node, f"unknown actuator {quoted(node.tag)}")
            return None
        if node.tag in _SUPPORTED:
            self._reading.check_attributes(node, "actuator")
        element = self._defaults.element(node)
        joint = self._joint(element) if element.has("joint") else None
        gear = element.vector("gear", (1.0, 0.0, 0.0, 0.0, 0.0, 0.0), 1)
        self._add_armature(element, joint, gear[0])
        problem = self._unsupported(element, joint)
        gain, bias = ((0.0, 0.0, 0.0),) * 2 if problem else self._law(element)
        if joint is not None and joint.kind == "ball" and (gain[1] or bias[1]):
            problem = "a force that depends on the angle of a ball joint is not supported"
        if problem:
            self._reading.doubt(node, f"{problem}: the actuator is left out")
            return None
        return Actuator(
            element.name(), self._moment_arms(element, joint, gear), gain, bias, self._control_range(element, joint),
            self._limits(element, "forcelimited", "forcerange"), node.line,
        )  # fmt: skip

    def _moment_arms(self, element: MjcfElement, joint: JointPart | None, gear: tuple[float, ...]) -> MomentArms:
        if joint is not None:
            return ((joint.name, gear[:3]),)
        name = element.name("tendon")
        if name is None:
            raise self._reading.fault(MjcfValueError, element.node, "attribute 'joint' is missing", attribute="joint")
        if name not in self._tendons.fixed:
            message = f"there is no tendon {quoted(name)}; {closest(name, self._tendons.fixed)}"
            raise self._reading.fault(MjcfTopologyError, element.node, message, attribute="tendon", name=name)
        return tuple((other, (gear[0] * factor,)) for other, (factor,) in self._tendons.fixed[name])

    def _unsupported(self, element: MjcfElement, joint: JointPart | None) -> str:
        """Return why an actuator cannot be taken; empty if it can."""
        if element.node.tag not in _SUPPORTED:
            return f"a {element.node.tag} is not supported"
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

    def _joint(self, element: MjcfElement) -> JointPart:
        name = self._reading.name(element.node, "joint")
        if name not in self._joints:
            message = f"there is no joint {quoted(name)}; {closest(name, self._joints)}"
            raise self._reading.fault(MjcfTopologyError, element.node, message, attribute="joint", name=name)
        return self._joints[name]

    def _add_armature(self, element: MjcfElement, joint: JointPart | None, gear: float) -> None:
        armature = element.quantity("armature", 0.0)
        if armature and joint is None:
            self._reading.doubt(element.node, "armature: it is supported on joints only", "armature")
        elif armature and joint is not None and joint.kind in ("hinge", "slide"):
            self.armatures[joint.name] = self.armatures.get(joint.name, 0.0) + armature * gear**2

    # ---------------------------------------------------------------- laws and ranges

    def _law(self, element: MjcfElement) -> tuple[Triple, Triple]:
        """Return the coefficients of gain and bias, as each layer of defaults leaves them to the next."""
        law = ForceLaw()
        for node in element.layers:
            law.read(MjcfElement(self._reading, node))
        return law.coefficients()

    def _control_range(self, element: MjcfElement, joint: JointPart | None) -> tuple[float, float]:
        share = element.number("inheritrange", 0.0)
        if share > 0.0 and element.node.tag == "position" and joint is not None and joint.bounds != _NONE:
            middle, half = sum(joint.bounds) / 2, share * (joint.bounds[1] - joint.bounds[0]) / 2
            return middle - half, middle + half
        return self._limits(element, "ctrllimited", "ctrlrange")

    def _limits(self, element: MjcfElement, switch: str, attribute: str) -> tuple[float, float]:
        if not is_limited(self._reading, element, switch, attribute, self._settings):
            return _NONE
        low, high = element.vector(attribute, (0.0, 0.0))
        if low >= high:
            node = element.source(attribute) or element.node
            message = f"{attribute}: {low:.9g} is not below {high:.9g}"
            raise self._reading.fault(MjcfValueError, node, message, attribute=attribute)
        return low, high
