"""`<equality>`: connections and welds as loops, equalities of joints as couplings."""

from __future__ import annotations

from fractions import Fraction
from typing import final

from rbd.errors import MjcfTopologyError, quoted
from rbd.files.pose import Pose
from rbd.files.xml import XmlElement
from rbd.mjcf.bodies import WORLD
from rbd.mjcf.description import (
    LoopKind,
    MjcfBody,
    MjcfConstraint,
    MjcfCoupling,
    MjcfEnd,
    MjcfJoint,
    MjcfLoop,
    MjcfSite,
)
from rbd.mjcf.element import MjcfElement, with_defaults
from rbd.mjcf.reading import MjcfReading
from rbd.mjcf.rotations import rotation_of_quaternion


def read_equality(reading: MjcfReading, root: XmlElement, bodies: list[MjcfBody]) -> list[MjcfConstraint]:
    """Return the constraints that are active, in the order of the file."""
    reader = _EqualityReader(reading, bodies)
    constraints: list[MjcfConstraint] = []
    sections = [section for section in root.children if section.tag == "equality"]
    for number, node in enumerate(node for section in sections for node in section.children):
        with reading.collecting_errors():
            constraints += reader.read(node, number)
    return constraints


@final
class _EqualityReader:
    """Reads the elements of `<equality>`."""

    def __init__(self, reading: MjcfReading, bodies: list[MjcfBody]) -> None:
        self._names: dict[str, XmlElement] = {}
        self._reading = reading
        self._bodies = {body.name: body for body in bodies}
        self._sites = {site.name: (body, site) for body in bodies for site in body.sites if site.name is not None}
        self._joints = {joint.name: joint for body in bodies for joint in body.joints}

    def read(self, node: XmlElement, number: int) -> list[MjcfConstraint]:
        """Return the constraint; none if it is not supported or not active."""
        if node.tag not in ("connect", "weld", "joint"):
            self._reading.warn_or_refuse(node, f"constraints on a {node.tag} are not supported: it is not held")
            return []
        self._reading.check_attributes(node, "equality joint" if node.tag == "joint" else None)
        element = with_defaults(self._reading, node, kind="equality")
        reason = self._reason_to_ignore(element)
        if reason is not None:
            self._reading.ignore(node, reason=reason)
            return []
        name = element.name()
        self._reading.register_name(self._names, node, name, "constraint")
        return [self._coupling(element, name) if node.tag == "joint" else self._loop(element, name, number)]

    def _reason_to_ignore(self, element: MjcfElement) -> str | None:
        if self._reading.settings.is_disabled("equality"):
            return "disabled by a flag"
        if not element.flag("active", True):
            return "not active"
        return "couple_joints=False" if element.node.tag == "joint" and not self._reading.couple_joints else None

    # ---------------------------------------------------------------- loops

    def _loop(self, element: MjcfElement, name: str | None, number: int) -> MjcfLoop:
        before, after = self._ends(element)
        if before.body is after.body:
            message = f"both ends are on body {quoted(before.body.name)}"
            raise self._reading.error(MjcfTopologyError, element.node, message, body=before.body.name)
        if after.body.parent is None:  # the world comes before, as in the tree
            before, after = after, before
        kind: LoopKind = "weld" if element.node.tag == "weld" else "connect"
        return MjcfLoop(element.node, name or f"{kind}#{number}", kind, before, after)

    def _ends(self, element: MjcfElement) -> tuple[MjcfEnd, MjcfEnd]:
        """Return the two ends, whose frames are to coincide."""
        if element.has("site1") or element.has("site2"):
            (first, a), (second, b) = self._site(element, "site1"), self._site(element, "site2")
            return MjcfEnd(first, a.pose), MjcfEnd(second, b.pose)
        first = self._body(element, "body1")
        second = self._body(element, "body2") if element.has("body2") else self._bodies[WORLD]
        first_in_second = _world_pose(second).inverse() @ _world_pose(first)
        if element.node.tag == "weld":
            return MjcfEnd(first, self._relative(element, first_in_second.inverse())), MjcfEnd(second, Pose())
        if not element.has("anchor"):
            raise element.error("anchor", "attribute 'anchor' is missing")
        anchor = Pose(translation=element.vector3("anchor"))
        return MjcfEnd(first, anchor), MjcfEnd(second, first_in_second @ anchor)

    def _relative(self, element: MjcfElement, pose: Pose) -> Pose:
        """Return the pose of a weld's second body in its first: `relpose`, unless its quaternion is zero."""
        x, y, z, *quaternion = element.vector("relpose", (0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0))
        rotation = rotation_of_quaternion(quaternion)
        return pose if rotation is None else Pose(rotation, (x, y, z))

    def _body(self, element: MjcfElement, attribute: str) -> MjcfBody:
        return self._reading.lookup(element.node, attribute, "body", self._bodies)

    def _site(self, element: MjcfElement, attribute: str) -> tuple[MjcfBody, MjcfSite]:
        return self._reading.lookup(element.node, attribute, "site", self._sites)

    # ---------------------------------------------------------------- couplings

    def _coupling(self, element: MjcfElement, name: str | None) -> MjcfCoupling:
        joint = self._joint(element, "joint1")
        source = self._joint(element, "joint2") if element.has("joint2") else None
        coefficients = element.vector("polycoef", (0.0, 1.0, 0.0, 0.0, 0.0), 1)
        if source is None:
            return MjcfCoupling(element.node, name, joint.name, None, (joint.reference + coefficients[0],))
        polynomial = _shifted_polynomial(coefficients, source.reference, joint.reference)
        return MjcfCoupling(element.node, name, joint.name, source.name, polynomial)

    def _joint(self, element: MjcfElement, attribute: str) -> MjcfJoint:
        return self._reading.lookup(element.node, attribute, "joint", self._joints)


def _shifted_polynomial(coefficients: tuple[float, ...], x: float, y: float) -> tuple[float, ...]:
    """Return the coefficients of y + p(. - x), rounded once."""
    shifted = [Fraction(0)] * len(coefficients)
    for coefficient in reversed(coefficients):  # Horner's rule: shifted * (. - x) + coefficient
        times_variable = [Fraction(0), *shifted]
        shifted = [a - Fraction(x) * b for a, b in zip(times_variable, shifted, strict=False)]
        shifted[0] += Fraction(coefficient)
    shifted[0] += Fraction(y)
    return tuple(map(float, shifted))


def _world_pose(body: MjcfBody) -> Pose:
    """Return the pose of a body in the world as the file has it."""
    pose = Pose()
    ancestor: MjcfBody | None = body
    while ancestor is not None:
        pose = ancestor.pose @ pose
        ancestor = ancestor.parent
    return pose
