"""`<tendon>`: fixed tendons, whose length is a sum of joint coordinates, as transmissions and springs."""

from __future__ import annotations

from typing import Final, NamedTuple, final

import attrs

from rbd.errors import MjcfValueError, quoted
from rbd.files.pose import ZERO
from rbd.files.xml import XmlElement
from rbd.mjcf.description import MjcfBody
from rbd.mjcf.element import MjcfElement, with_defaults
from rbd.mjcf.reading import MjcfReading
from rbd.mjcf.report import CoordinateSpring, MomentArms

_UNSUPPORTED: Final = ("frictionloss", "armature", "range", "actuatorfrcrange")


@final
@attrs.frozen(eq=False)
class MjcfTendons:
    """The fixed tendons, by name, with the joints that they are sums of; names of those along sites; springs."""

    fixed: dict[str, MomentArms]
    spatial: set[str]
    springs: list[CoordinateSpring]


def read_tendons(reading: MjcfReading, root: XmlElement, bodies: list[MjcfBody]) -> MjcfTendons:
    """Return the tendons of a file."""
    reader = _TendonReader(reading, bodies)
    tendons: list[_Tendon] = []
    for section in root.children:
        if section.tag == "tendon":
            for node in section.children:
                with reading.collecting_errors():
                    tendons += reader.read(node)
    return MjcfTendons(
        {t.name: t.moment_arms for t in tendons if t.name is not None and t.moment_arms is not None},
        {t.name for t in tendons if t.name is not None and t.moment_arms is None},
        [t.spring for t in tendons if t.spring is not None],
    )


class _Tendon(NamedTuple):
    """One tendon: its name and spring if it has them, and the joints that it is the sum of, None along sites."""

    name: str | None
    moment_arms: MomentArms | None
    spring: CoordinateSpring | None


@final
class _TendonReader:
    """Reads the elements of `<tendon>`."""

    def __init__(self, reading: MjcfReading, bodies: list[MjcfBody]) -> None:
        self._names: dict[str, XmlElement] = {}
        self._reading = reading
        self._joints = {joint.name: joint for body in bodies for joint in body.joints}

    def read(self, node: XmlElement) -> list[_Tendon]:
        """Return one tendon; none, with a warning, for another element."""
        self._reading.check_attributes(node, "tendon")
        element = with_defaults(self._reading, node, kind="tendon")
        name = element.name()
        self._reading.register_name(self._names, node, name, "tendon")
        if node.tag not in ("fixed", "spatial"):
            self._reading.warn_or_refuse(node, f"unknown element {quoted(node.tag)}")
            return []
        if node.tag == "fixed":
            return [self._fixed(element, name)]
        with self._reading.collecting_errors():  # an actuator finds the tendon all the same
            self._check_spatial(element)
        return [_Tendon(name, None, None)]

    def _check_spatial(self, element: MjcfElement) -> None:
        """List a tendon along sites, which is not supported; warn if it has forces of its own."""
        if not self._has_effects(
            element, ("stiffness", "damping", *_UNSUPPORTED), "tendons along sites are not supported"
        ):
            self._reading.ignore(element.node, reason="a tendon along sites that does nothing by itself")

    def _fixed(self, element: MjcfElement, name: str | None) -> _Tendon:
        """Return a fixed tendon."""
        moment_arms = tuple(self._joint(child) for child in element.node.children if child.tag == "joint")
        spring: CoordinateSpring | None = None
        with self._reading.collecting_errors():  # an actuator finds the tendon all the same
            self._has_effects(element, _UNSUPPORTED, "it is not supported for tendons")
            spring = self._spring(element, moment_arms)
        return _Tendon(name, moment_arms, spring)

    def _joint(self, node: XmlElement) -> tuple[str, tuple[float]]:
        self._reading.check_attributes(node, "tendon joint")
        joint = self._reading.lookup(node, "joint", "joint", self._joints)
        if joint.kind not in ("hinge", "slide"):
            message = f"a fixed tendon has hinges and slides, joint {quoted(joint.name)} is none"
            raise self._reading.error(MjcfValueError, node, message, attribute="joint", name=joint.name)
        return joint.name, (self._reading.quantity(node, "coef"),)

    def _has_effects(self, element: MjcfElement, attributes: tuple[str, ...], reason: str) -> bool:
        """Return whether any of these attributes has an effect; warn of the first that has."""
        effective = [attribute for attribute in attributes if any(element.vector(attribute, ZERO, 1))]
        for attribute in effective[:1]:
            self._reading.warn_or_refuse(element.place(attribute), f"{attribute}: {reason}", attribute=attribute)
        return bool(effective)

    def _spring(self, element: MjcfElement, moment_arms: MomentArms) -> CoordinateSpring | None:
        stiffness, damping = (
            0.0 if self._reading.settings.is_disabled(flag) else element.vector(word, ZERO, 1)[0]
            for word, flag in (("stiffness", "spring"), ("damping", "damper"))
        )
        if not (stiffness or damping):
            return None
        rest = self._rest(element)
        if rest == (-1.0, -1.0):
            length = sum(factors[0] * self._joints[name].spring_reference for name, factors in moment_arms)
            rest = length, length
        return CoordinateSpring(moment_arms, stiffness, rest, damping)

    def _rest(self, element: MjcfElement) -> tuple[float, float]:
        """Return the lengths between which a spring is at rest: one number is both."""
        low, high = element.vector("springlength", (-1.0, -1.0), 1)
        if len(element.quantities("springlength", 2)) == 1:
            high = low
        if low > high:
            message = f"springlength: {low:g} is above {high:g}"
            raise element.error("springlength", message, value=(low, high))
        return low, high
