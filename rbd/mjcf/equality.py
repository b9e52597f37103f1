"""`<equality>`: connections and welds become loop joints, those of joints couplings; the others are reported."""

from __future__ import annotations

from fractions import Fraction
from typing import final

from rbd.errors import MjcfTopologyError, MjcfValueError, quoted
from rbd.files.names import free_name
from rbd.files.pose import Pose
from rbd.files.xml import XmlElement
from rbd.joints import Fixed, QuaternionSpherical
from rbd.mechanism import Joint
from rbd.mjcf.bodies import WORLD
from rbd.mjcf.build import Builder
from rbd.mjcf.description import MjcfBody, MjcfJoint, MjcfSite
from rbd.mjcf.element import MjcfElement, with_defaults
from rbd.mjcf.reading import MjcfReading
from rbd.mjcf.rotations import rotation_of_quaternion


@final
class EqualityReader:
    """Reads `<equality>`, once all bodies are attached."""

    def __init__(self, reading: MjcfReading, bodies: list[MjcfBody], builder: Builder) -> None:
        """Take the bodies, by name, with their sites and joints."""
        self._names: dict[str, XmlElement] = {}
        self._reading = reading
        self._builder = builder
        self._bodies = {body.name: body for body in bodies}
        self._sites = {site.name: (body, site) for body in bodies for site in body.sites if site.name is not None}
        self._joints = {joint.name: joint for body in bodies for joint in body.joints}

    def read(self, root: XmlElement) -> None:
        """Attach a loop joint for every connection and weld, and couple joints, as far as they are active."""
        sections = [section for section in root.children if section.tag == "equality"]
        for number, node in enumerate(node for section in sections for node in section.children):
            with self._reading.collecting_errors():
                self._constraint(node, number)

    def _constraint(self, node: XmlElement, number: int) -> None:
        if node.tag not in ("connect", "weld", "joint"):
            self._reading.warn_or_refuse(node, f"constraints on a {node.tag} are not supported: it is not held")
            return
        self._reading.check(node, "equality joint" if node.tag == "joint" else None)
        element = with_defaults(self._reading, node, kind="equality")
        reason = self._reason_to_ignore(element)
        if reason is not None:
            self._reading.ignore(node, reason=reason)
            return
        name = element.name()
        self._reading.require_new(self._names, node, name, "constraint")
        if node.tag == "joint":
            self._couple(element, name)
        else:
            self._close(element, free_name(name or f"{node.tag}#{number}", self._builder.joint_names))

    def _reason_to_ignore(self, element: MjcfElement) -> str | None:
        if self._reading.settings.off("equality"):
            return "disabled by a flag"
        if not element.flag("active", True):
            return "not active"
        return "couple_joints=False" if element.node.tag == "joint" and not self._reading.couple_joints else None

    # ---------------------------------------------------------------- loop joints

    def _close(self, element: MjcfElement, name: str) -> None:
        first, second, before, after = self._ends(element)
        if first is second:
            message = f"both ends are on body {quoted(first.name)}"
            raise self._reading.error(MjcfTopologyError, element.node, message, body=first.name)
        if second.parent is None:  # the world comes before, as in the tree
            first, second, before, after = second, first, after, before
        joint = Joint(name, Fixed() if element.node.tag == "weld" else QuaternionSpherical())
        frames = self._builder.frame(first.name), self._builder.frame(second.name)
        with self._reading.errors_at(element.node):
            self._builder.mechanism.attach(
                self._builder.bodies[first.name], self._builder.bodies[second.name], joint,
                joint_pose=before.transform(joint.frame_before, frames[0]),
                successor_pose=after.transform(joint.frame_after, frames[1]).inverse(),
            )  # fmt: skip

    def _ends(self, element: MjcfElement) -> tuple[MjcfBody, MjcfBody, Pose, Pose]:
        """Return two bodies, and in each the pose of the frame that is to stay on the other's."""
        if element.has("site1") or element.has("site2"):
            (first, a), (second, b) = self._site(element, "site1"), self._site(element, "site2")
            return first, second, a.pose, b.pose
        first = self._body(element, "body1")
        second = self._body(element, "body2") if element.has("body2") else self._bodies[WORLD]
        # The pose of the first in the second, as the file has them.
        first_in_second = _world_pose(second).inverse() @ _world_pose(first)
        if element.node.tag == "weld":
            return first, second, self._relative(element, first_in_second.inverse()), Pose()
        if not element.has("anchor"):
            message = "attribute 'anchor' is missing"
            raise self._reading.error(MjcfValueError, element.node, message, attribute="anchor")
        anchor = Pose(translation=element.triple("anchor"))
        return first, second, anchor, first_in_second @ anchor

    def _relative(self, element: MjcfElement, pose: Pose) -> Pose:
        """Return the pose of a weld's second body in its first: `relpose`, unless its quaternion is zero."""
        x, y, z, *quaternion = element.vector("relpose", (0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0))
        rotation = rotation_of_quaternion(quaternion)
        return pose if rotation is None else Pose(rotation, (x, y, z))

    def _body(self, element: MjcfElement, attribute: str) -> MjcfBody:
        return self._reading.named(element.node, attribute, "body", self._bodies)

    def _site(self, element: MjcfElement, attribute: str) -> tuple[MjcfBody, MjcfSite]:
        return self._reading.named(element.node, attribute, "site", self._sites)

    # ---------------------------------------------------------------- couplings

    def _couple(self, element: MjcfElement, name: str | None) -> None:
        joint = self._joint(element, "joint1")
        source = self._joint(element, "joint2") if element.has("joint2") else None
        coefficients = element.vector("polycoef", (0.0, 1.0, 0.0, 0.0, 0.0), 1)
        if source is None:
            polynomial: tuple[float, ...] = (joint.reference + coefficients[0],)
        else:
            polynomial = _shifted_polynomial(coefficients, source.reference, joint.reference)
        with self._reading.errors_at(element.node):
            to = None if source is None else source.name
            self._builder.mechanism.couple(joint.name, to, polynomial=polynomial, name=name)

    def _joint(self, element: MjcfElement, attribute: str) -> MjcfJoint:
        return self._reading.named(element.node, attribute, "joint", self._joints)


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
