"""`<tendon>`: fixed tendons, whose length is a sum of joint coordinates, as transmissions and springs."""

from __future__ import annotations

from typing import Final, final

from rbd.errors import MjcfValueError, quoted
from rbd.files.pose import ZERO
from rbd.files.xml import XmlElement
from rbd.mjcf.description import MjcfBody
from rbd.mjcf.element import MjcfElement, with_defaults
from rbd.mjcf.reading import MjcfReading
from rbd.mjcf.report import CoordinateSpring, MomentArms

_UNSUPPORTED: Final = ("frictionloss", "armature", "range", "actuatorfrcrange")


@final
class TendonReader:
    """Reads `<tendon>`."""

    def __init__(self, reading: MjcfReading, bodies: list[MjcfBody]) -> None:
        """Take the joints, by name."""
        self._names: dict[str, XmlElement] = {}
        self._reading = reading
        self._joints = {joint.name: joint for body in bodies for joint in body.joints}
        self.fixed: dict[str, MomentArms] = {}
        self.spatial: set[str] = set()

    def read(self, root: XmlElement) -> None:
        """Collect tendons by name, and put the springs among them into the report."""
        for section in root.children:
            if section.tag == "tendon":
                for node in section.children:
                    with self._reading.collecting_errors():
                        self._tendon(node)

    def _tendon(self, node: XmlElement) -> None:
        self._reading.check(node, "tendon")
        element = with_defaults(self._reading, node, kind="tendon")
        name = element.name()
        self._reading.require_new(self._names, node, name, "tendon")
        if node.tag not in ("fixed", "spatial"):
            self._reading.warn_or_refuse(node, f"unknown element {quoted(node.tag)}")
            return
        if node.tag == "spatial":
            self._spatial(element, name)
        else:
            self._fixed(element, name)

    def _spatial(self, element: MjcfElement, name: str | None) -> None:
        """Remember a tendon along sites, which is not supported; warn if it has forces of its own."""
        if name is not None:
            self.spatial.add(name)
        if not self._has_effects(
            element, ("stiffness", "damping", *_UNSUPPORTED), "tendons along sites are not supported"
        ):
            self._reading.ignore(element.node, reason="a tendon along sites that does nothing by itself")

    def _fixed(self, element: MjcfElement, name: str | None) -> None:
        """Read the joints and the spring of a fixed tendon."""
        moment_arms = tuple(self._joint(child) for child in element.node.children if child.tag == "joint")
        if name is not None:
            self.fixed[name] = moment_arms
        self._has_effects(element, _UNSUPPORTED, "it is not supported for tendons")
        self._add_spring(element, moment_arms)

    def _joint(self, node: XmlElement) -> tuple[str, tuple[float]]:
        self._reading.check(node, "tendon joint")
        joint = self._reading.named(node, "joint", "joint", self._joints)
        if joint.kind not in ("hinge", "slide"):
            message = f"a fixed tendon has hinges and slides, joint {quoted(joint.name)} is none"
            raise self._reading.error(MjcfValueError, node, message, attribute="joint", name=joint.name)
        return joint.name, (self._reading.quantity(node, "coef"),)

    def _has_effects(self, element: MjcfElement, attributes: tuple[str, ...], reason: str) -> bool:
        """Return whether any of these attributes has an effect; warn of the first that has."""
        effective = [attribute for attribute in attributes if any(element.vector(attribute, ZERO, 1))]
        for attribute in effective[:1]:
            self._reading.warn_or_refuse(element.node, f"{attribute}: {reason}", attribute=attribute)
        return bool(effective)

    def _add_spring(self, element: MjcfElement, moment_arms: MomentArms) -> None:
        stiffness, damping = (
            0.0 if self._reading.settings.off(flag) else element.vector(word, ZERO, 1)[0]
            for word, flag in (("stiffness", "spring"), ("damping", "damper"))
        )
        if not (stiffness or damping):
            return
        rest = self._rest(element)
        if rest == (-1.0, -1.0):
            length = sum(factors[0] * self._joints[name].spring_reference for name, factors in moment_arms)
            rest = length, length
        self._reading.report.springs.append(CoordinateSpring(moment_arms, stiffness, rest, damping))

    def _rest(self, element: MjcfElement) -> tuple[float, float]:
        """Return the lengths between which a spring is at rest: one number is both."""
        low, high = element.vector("springlength", (-1.0, -1.0), 1)
        if len(element.numbers("springlength", 2)) == 1:
            high = low
        if low > high:
            node, message = element.source("springlength") or element.node, f"springlength: {low:g} is above {high:g}"
            raise self._reading.error(MjcfValueError, node, message, attribute="springlength", value=(low, high))
        return low, high
