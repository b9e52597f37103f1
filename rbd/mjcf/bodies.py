"""`<worldbody>`: bodies and their elements, with frames applied and replicas made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, final

import attrs

from rbd.errors import MjcfRefusedError, MjcfTopologyError, MjcfValueError, quoted
from rbd.files.names import free_name
from rbd.files.pose import ZERO, Pose
from rbd.files.xml import XmlElement
from rbd.mjcf.defaults import MAIN
from rbd.mjcf.description import MjcfBody, MjcfGeom, MjcfJoint, MjcfSite
from rbd.mjcf.element import MjcfElement, with_defaults
from rbd.mjcf.geoms import GeomReader
from rbd.mjcf.joints import read_free_joint, read_joint
from rbd.mjcf.masses import read_inertial
from rbd.mjcf.orientation import read_pose
from rbd.mjcf.reading import MjcfReading
from rbd.mjcf.rotations import rotation_of_euler
from rbd.mjcf.schema import CHILDREN_WITHOUT_EFFECT

WORLD: Final = "world"
_UNNAMED: Final = ""
_UNSUPPORTED: Final = {
    "composite": "composites are not supported: their bodies are missing",
    "flexcomp": "deformable bodies are not supported: they are missing",
    "attach": "models attached to others are not supported: their bodies are missing",
    "plugin": "plugins are not supported: its forces are missing",
}


@final
@attrs.frozen
class _Context:
    """Context of an element: the frame of its body, the inherited class and the suffix of the replica."""

    frame: Pose = attrs.field(factory=Pose)
    inherited: str = MAIN
    suffix: str = ""


@final
class BodyReader:
    """Reads the tree of bodies, parents first, in the order of the file."""

    def __init__(self, reading: MjcfReading, geoms: GeomReader) -> None:
        """Begin with nothing but the world."""
        self._reading = reading
        self._geoms = geoms
        self._names: dict[str, dict[str, XmlElement]] = {"body": {}, "joint": {}, "geom": {}, "site": {}}
        self.bodies: list[MjcfBody] = []

    def read(self, root: XmlElement) -> list[MjcfBody]:
        """Return the world, then all bodies."""
        world = MjcfBody(root, WORLD, None, Pose())
        self._names["body"][WORLD] = root
        self.bodies.append(world)
        for section in root.children:
            if section.tag == "worldbody":
                self._reading.check(section)
                self._require_size(section)
                self._read_children(world, section, _Context())
        self._reading.raise_collected()
        self._name_unnamed()
        return self.bodies

    def _name_unnamed(self) -> None:
        """Name bodies and joints without a name after their number, once the names of all others are known."""
        taken, number = {kind: set(names) for kind, names in self._names.items()}, 0
        for index, body in enumerate(self.bodies):
            body.name = body.name or free_name(f"body#{index}", taken["body"])
            for k, joint in enumerate(body.joints):
                if not joint.name:
                    body.joints[k] = attrs.evolve(joint, name=free_name(f"joint#{number}", taken["joint"]))
                number += 1

    def _read_children(self, body: MjcfBody, node: XmlElement, context: _Context) -> None:
        """Read the children of a body, frame or replicate."""
        readers = {"body": self._body, "frame": self._frame, "replicate": self._replicate}
        for child in node.children:
            with self._reading.collecting_errors():
                readers.get(child.tag, self._element)(body, child, context)

    def _require_size(self, node: XmlElement) -> int:
        """Return the number of elements of a subtree once its replicas are made; refuse more than the limit."""
        count = 1 + sum(self._require_size(child) for child in node.children)
        if node.tag == "replicate":
            count *= max(1, MjcfElement(self._reading, node).integer("count"))
        max_count = self._reading.limits.elements
        if count > max_count:
            raise self._reading.error(MjcfRefusedError, node, f"more than {max_count} elements", limit="elements")
        return count

    # ---------------------------------------------------------------- bodies, frames, replicas

    def _body(self, parent: MjcfBody, node: XmlElement, context: _Context) -> None:
        reading = self._reading
        reading.check(node)
        inherited = self._reading.default_class(node, "childclass") or context.inherited
        element = MjcfElement(reading, node)
        pose = context.frame @ read_pose(element)
        name = self._name(node, "body", context) or _UNNAMED
        body = MjcfBody(node, name, parent, pose)
        body.mocap = element.flag("mocap", False)
        if body.mocap and parent.parent is not None:
            raise reading.error(MjcfTopologyError, node, "a mocap body is a child of the world", attribute="mocap")
        body.gravity_compensation = element.quantity("gravcomp", 0.0)
        self.bodies.append(body)
        self._read_inertial(body, node)
        self._read_children(body, node, _Context(inherited=inherited, suffix=context.suffix))

    def _read_inertial(self, body: MjcfBody, node: XmlElement) -> None:
        inertials = list(self._inertials(node, Pose()))
        if len(inertials) > 1:
            message = f"a second <inertial>; the first is in line {inertials[0][0].line}"
            raise self._reading.error(MjcfValueError, inertials[1][0], message)
        for inertial, frame in inertials:
            body.inertial = read_inertial(MjcfElement(self._reading, inertial), frame)

    def _inertials(self, node: XmlElement, frame: Pose) -> Iterator[tuple[XmlElement, Pose]]:
        """Yield the inertials of a body and of the frames in it, with the poses of these frames."""
        for child in node.children:
            if child.tag == "inertial":
                yield child, frame
            elif child.tag == "frame":
                inner = read_pose(MjcfElement(self._reading, child))
                yield from self._inertials(child, frame @ inner)

    def _frame(self, body: MjcfBody, node: XmlElement, context: _Context) -> None:
        self._reading.check(node)
        pose = context.frame @ read_pose(MjcfElement(self._reading, node))
        inherited = self._reading.default_class(node, "childclass") or context.inherited
        self._read_children(body, node, attrs.evolve(context, frame=pose, inherited=inherited))

    def _replicate(self, body: MjcfBody, node: XmlElement, context: _Context) -> None:
        reading = self._reading
        reading.check(node)
        element = MjcfElement(reading, node)
        count = element.integer("count")
        if count < 1:
            raise reading.error(MjcfValueError, node, f"count: {count} is less than 1", attribute="count")
        angles = [angle * self._reading.settings.angle for angle in element.vector("euler", ZERO)]
        inherited = self._reading.default_class(node, "childclass") or context.inherited
        origin = ZERO
        for k in range(count):
            replica = Pose(rotation_of_euler([k * angle for angle in angles], self._reading.settings.euler), origin)
            suffix = f"{element.text('sep') or ''}{k:0{len(str(count))}d}{context.suffix}"
            self._read_children(body, node, _Context(context.frame @ replica, inherited, suffix))
            origin = replica.point(element.triple("offset"))

    # ---------------------------------------------------------------- elements of a body

    def _element(self, body: MjcfBody, node: XmlElement, context: _Context) -> None:
        if node.tag == "geom":
            body.geoms.append(self._geom(body, node, context))
        elif node.tag in ("joint", "freejoint"):
            self._joint(body, node, context)
        elif node.tag == "site":
            body.sites.append(self._site(node, context))
        elif node.tag == "inertial":
            if body.parent is None:
                raise self._reading.error(MjcfTopologyError, node, "the world does not move: it has no inertia")
        elif node.tag in CHILDREN_WITHOUT_EFFECT:
            self._reading.ignore(node, reason=f"a {node.tag}")
        elif node.tag in _UNSUPPORTED:
            self._reading.warn_or_refuse(node, _UNSUPPORTED[node.tag])
        else:
            self._reading.warn_or_refuse(node, f"unknown element {quoted(node.tag)}")

    def _geom(self, body: MjcfBody, node: XmlElement, context: _Context) -> MjcfGeom:
        element = with_defaults(self._reading, node, context.inherited)
        mode = self._reading.settings.from_geoms
        with_mass = body.parent is not None and (mode == "true" or (mode == "auto" and body.inertial is None))
        geom = self._geoms.read(element, context.frame, with_mass=with_mass)
        return attrs.evolve(geom, name=self._name(node, "geom", context))

    def _site(self, node: XmlElement, context: _Context) -> MjcfSite:
        element = with_defaults(self._reading, node, context.inherited)
        self._reading.check(node)
        pose = read_pose(element)
        if element.has("fromto"):
            pose, _ = self._geoms.fromto_pose(element)
        return MjcfSite(node, self._name(node, "site", context), context.frame @ pose)

    def _joint(self, body: MjcfBody, node: XmlElement, context: _Context) -> None:
        reading = self._reading
        if body.parent is None:
            raise reading.error(MjcfTopologyError, node, "the world does not move: it has no joints")
        name = self._name(node, "joint", context) or _UNNAMED
        if node.tag == "freejoint":
            joint = read_free_joint(MjcfElement(reading, node), name)
        else:
            joint = read_joint(with_defaults(reading, node, context.inherited), name, context.frame)
        self._check_joint(body, joint)
        body.joints.append(joint)

    def _check_joint(self, body: MjcfBody, joint: MjcfJoint) -> None:
        kinds = [other.kind for other in body.joints]
        message = ""
        if (joint.kind == "free" and kinds) or "free" in kinds:
            message = "a body with a free joint has no other"
        elif joint.kind == "free" and (body.parent is None or body.parent.parent is not None):
            message = "a free joint belongs to a child of the world"
        elif joint.kind in ("ball", "hinge") and "ball" in kinds:
            message = "no joint turns a body after a ball joint"
        elif body.mocap:
            message = "a mocap body has no joints"
        if message:
            raise self._reading.error(MjcfTopologyError, joint.node, message, name=joint.name)

    # ---------------------------------------------------------------- names

    def _name(self, node: XmlElement, kind: str, context: _Context) -> str | None:
        if not node.attributes.get("name"):
            return None
        name = self._reading.name(node) + context.suffix
        self._reading.require_new(self._names[kind], node, name, kind)
        return name
