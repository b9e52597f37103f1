"""`<actuator>`: forces on joints and tendons, affine in their lengths and speeds."""

from __future__ import annotations

from typing import Final, final

from rbd.arguments import with_article
from rbd.errors import MjcfValueError, quoted
from rbd.files.pose import ZERO, Triple
from rbd.files.xml import XmlElement
from rbd.mjcf.defaults import ACTUATORS
from rbd.mjcf.description import MjcfBody, MjcfJoint
from rbd.mjcf.element import MjcfElement, with_defaults
from rbd.mjcf.force_laws import LAWS, ForceLaw
from rbd.mjcf.joints import UNBOUNDED, read_limits
from rbd.mjcf.reading import MjcfReading
from rbd.mjcf.report import Actuator, MomentArms
from rbd.mjcf.tendons import TendonReader

_SUPPORTED: Final = frozenset({"general", "motor", "position", "velocity", "damper"})
_TRANSMISSIONS: Final = ("jointinparent", "site", "body", "cranksite")


@final
class ActuatorReader:
    """Reads `<actuator>`."""

    def __init__(self, reading: MjcfReading, bodies: list[MjcfBody], tendons: TendonReader) -> None:
        """Take joints and tendons, by name."""
        self._tendons = tendons
        self._reading = reading
        self._joints = {joint.name: joint for body in bodies for joint in body.joints}
        self._names: dict[str, XmlElement] = {}
        self.armatures: dict[str, float] = {}
        """Contributions of actuators to the armature of their joints."""

    def read(self, root: XmlElement) -> list[Actuator | None]:
        """Return the actuators; None for those whose joints or laws are not supported."""
        sections = [section for section in root.children if section.tag == "actuator"]
        actuators: list[Actuator | None] = []
        for node in (node for section in sections for node in section.children):
            actuators.append(None)
            with self._reading.collecting_errors():
                actuators[-1] = self._actuator(node)
        return actuators

    def _actuator(self, node: XmlElement) -> Actuator | None:
        if not self._is_known(node):
            return None
        element = with_defaults(self._reading, node)
        name = element.name()
        self._reading.require_new(self._names, node, name, "actuator")
        joint = self._reading.named(node, "joint", "joint", self._joints) if element.has("joint") else None
        gear = element.vector("gear", (1.0, 0.0, 0.0, 0.0, 0.0, 0.0), 1)
        self._add_armature(element, joint, gear[0])
        coefficients = self._supported_law(element, joint)
        if coefficients is None:
            return None
        return Actuator(
            name, self._moment_arms(element, joint, gear), *coefficients, self._control_range(element, joint),
            read_limits(element, "forcelimited", "forcerange"), node.line,
        )  # fmt: skip

    def _is_known(self, node: XmlElement) -> bool:
        """Whether the format has such an element; warn if not, and of attributes that it does not have."""
        if node.tag not in ACTUATORS and node.tag != "plugin":
            self._reading.warn_or_refuse(node, f"unknown actuator {quoted(node.tag)}")
            return False
        if node.tag in _SUPPORTED:
            self._reading.check(node, "actuator")
        return True

    def _supported_law(self, element: MjcfElement, joint: MjcfJoint | None) -> tuple[Triple, Triple] | None:
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
            raise self._reading.error(MjcfValueError, element.node, "attribute 'joint' is missing", attribute="joint")
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

    def _add_armature(self, element: MjcfElement, joint: MjcfJoint | None, gear: float) -> None:
        armature = element.quantity("armature", 0.0)
        if armature and joint is None:
            self._reading.warn_or_refuse(element.node, "armature: it is supported on joints only", attribute="armature")
        elif armature and joint is not None and joint.kind in ("hinge", "slide"):
            self.armatures[joint.name] = self.armatures.get(joint.name, 0.0) + armature * gear**2

    # ---------------------------------------------------------------- laws and ranges

    def _law(self, element: MjcfElement) -> tuple[Triple, Triple]:
        """Return the coefficients of gain and bias, as each layer of defaults leaves them to the next."""
        law = ForceLaw()
        for node in element.layers:
            law.read(MjcfElement(self._reading, node))
        return law.coefficients()

    def _is_off(self, element: MjcfElement) -> bool:
        settings = self._reading.settings
        return settings.off("actuation") or element.integer("group", 0) in settings.disabled_groups

    def _control_range(self, element: MjcfElement, joint: MjcfJoint | None) -> tuple[float, float]:
        if self._reading.settings.off("clampctrl"):
            return UNBOUNDED
        share = element.number("inheritrange", 0.0)
        if share > 0.0 and element.node.tag == "position" and joint is not None and joint.bounds != UNBOUNDED:
            middle, half = sum(joint.bounds) / 2, share * (joint.bounds[1] - joint.bounds[0]) / 2
            return middle - half, middle + half
        return read_limits(element, "ctrllimited", "ctrlrange")
