"""`<worldbody>`: bodies and their elements, with frames applied and replicas made."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Final, final

import attrs

from rbd.errors import MjcfRefusedError, MjcfTopologyError, MjcfValueError, quoted
from rbd.files.names import claim_name
from rbd.files.pose import ZERO, Pose
from rbd.files.xml import XmlElement
from rbd.mjcf.assets import Assets
from rbd.mjcf.defaults import MAIN
from rbd.mjcf.description import MjcfBody, MjcfGeom, MjcfInertial, MjcfJoint, MjcfSite
from rbd.mjcf.element import MjcfElement, with_defaults
from rbd.mjcf.geoms import GeomReader
from rbd.mjcf.inertials import read_inertial
from rbd.mjcf.joints import read_free_joint, read_joint
from rbd.mjcf.orientation import read_fromto, read_pose
from rbd.mjcf.reading import MjcfReading
from rbd.mjcf.rotations import rotation_of_euler
from rbd.mjcf.schema import CHILDREN_WITHOUT_EFFECT

WORLD: Final = "world"
_UNNAMED: Final = ""
"""The name of a joint until the names of all others are known."""
_UNSUPPORTED: Final = {
    "composite": "composites are not supported: their bodies are missing",
    "flexcomp": "deformable bodies are not supported: they are missing",
    "attach": "models attached to others are not supported: their bodies are missing",
    "plugin": "plugins are not supported: its forces are missing",
}


@final
@attrs.frozen
class _Scope:
    """Scope of an element: the pose of the frames around it in its body, the inherited class, the replica's suffix."""

    frame: Pose = attrs.field(factory=Pose)
    inherited: str = MAIN
    suffix: str = ""


@final
@attrs.frozen(eq=False)
class _PartialBody:
    """A body as it is read; its name may be missing, and its lists grow."""

    node: XmlElement
    name: str | None
    parent: _PartialBody | None
    pose: Pose
    mocap: bool = False
    gravity_compensation: float = 0.0
    inertial: MjcfInertial | None = None
    joints: list[MjcfJoint] = attrs.field(factory=list[MjcfJoint])
    geoms: list[MjcfGeom] = attrs.field(factory=list[MjcfGeom])
    sites: list[MjcfSite] = attrs.field(factory=list[MjcfSite])


def read_bodies(reading: MjcfReading, root: XmlElement, assets: Assets) -> list[MjcfBody]:
    """Return the world, then all bodies, parents first, in the order of the file."""
    return _BodyReader(reading, GeomReader(reading, assets)).read(root)


@final
class _BodyReader:
    """Reads `<worldbody>`."""

    def __init__(self, reading: MjcfReading, geoms: GeomReader) -> None:
        self._reading = reading
        self._geoms = geoms
        self._names: dict[str, dict[str, XmlElement]] = {"body": {}, "joint": {}, "geom": {}, "site": {}}
        self._bodies: list[_PartialBody] = []

    def read(self, root: XmlElement) -> list[MjcfBody]:
        world = _PartialBody(root, WORLD, None, Pose())
        self._names["body"][WORLD] = root
        self._bodies.append(world)
        for section in root.children:
            if section.tag == "worldbody":
                self._reading.check_attributes(section)
                self._require_size(section)
                self._read_children(world, section, _Scope())
        self._reading.raise_collected()
        return self._named_bodies()

    def _named_bodies(self) -> list[MjcfBody]:
        """Return the bodies; those without a name, and such joints, are named after their numbers."""
        taken = {kind: set(names) for kind, names in self._names.items()}
        joint_number = itertools.count()
        bodies: dict[_PartialBody, MjcfBody] = {}
        for number, body in enumerate(self._bodies):
            name = body.name or claim_name(f"body#{number}", taken["body"])
            joints = (_named_joint(joint, next(joint_number), taken["joint"]) for joint in body.joints)
            bodies[body] = MjcfBody(
                body.node, name, None if body.parent is None else bodies[body.parent], body.pose, mocap=body.mocap,
                gravity_compensation=body.gravity_compensation, inertial=body.inertial, joints=tuple(joints),
                geoms=tuple(body.geoms), sites=tuple(body.sites),
            )  # fmt: skip
        return list(bodies.values())

    def _read_children(self, body: _PartialBody, node: XmlElement, scope: _Scope) -> None:
        """Read the children of a body, frame or replicate."""
        readers = {"body": self._body, "frame": self._frame, "replicate": self._replicate}
        for child in node.children:
            with self._reading.collecting_errors():
                readers.get(child.tag, self._element)(body, child, scope)

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

    def _body(self, parent: _PartialBody, node: XmlElement, scope: _Scope) -> None:
        reading = self._reading
        reading.check_attributes(node)
        inherited = self._reading.default_class(node, "childclass") or scope.inherited
        element = MjcfElement(reading, node)
        pose = scope.frame @ read_pose(element)
        name = self._name(node, "body", scope)
        mocap = element.flag("mocap", False)
        if mocap and parent.parent is not None:
            raise reading.error(MjcfTopologyError, node, "a mocap body is a child of the world", attribute="mocap")
        if mocap:
            reading.warn(node, "the body stands where the file places it; mocap poses are not followed")
        compensation = element.quantity("gravcomp", 0.0)
        body = _PartialBody(node, name, parent, pose, mocap, compensation, self._inertial(node))
        self._bodies.append(body)
        self._read_children(body, node, _Scope(inherited=inherited, suffix=scope.suffix))

    def _inertial(self, node: XmlElement) -> MjcfInertial | None:
        """Return the inertial of a body, which may be in a frame; None if there is none."""
        inertials = list(self._inertials(node, Pose()))
        if len(inertials) > 1:
            message = f"a second <inertial>; the first is in line {inertials[0][0].line}"
            raise self._reading.error(MjcfValueError, inertials[1][0], message)
        return next((read_inertial(MjcfElement(self._reading, child), frame) for child, frame in inertials), None)

    def _inertials(self, node: XmlElement, frame: Pose) -> Iterator[tuple[XmlElement, Pose]]:
        """Yield the inertials of a body and of the frames in it, with the poses of these frames; warn of others."""
        for child in node.children:
            if child.tag == "inertial":
                yield child, frame
            elif child.tag == "frame":
                inner = read_pose(MjcfElement(self._reading, child))
                yield from self._inertials(child, frame @ inner)
            elif child.tag == "replicate":
                for inertial, _ in self._inertials(child, frame):
                    self._reading.warn_or_refuse(inertial, "an <inertial> in <replicate> is not read")

    def _frame(self, body: _PartialBody, node: XmlElement, scope: _Scope) -> None:
        self._reading.check_attributes(node)
        pose = scope.frame @ read_pose(MjcfElement(self._reading, node))
        inherited = self._reading.default_class(node, "childclass") or scope.inherited
        self._read_children(body, node, attrs.evolve(scope, frame=pose, inherited=inherited))

    def _replicate(self, body: _PartialBody, node: XmlElement, scope: _Scope) -> None:
        reading = self._reading
        reading.check_attributes(node)
        element = MjcfElement(reading, node)
        count = element.integer("count")
        if count < 1:
            raise reading.error(MjcfValueError, node, f"count: {count} is less than 1", attribute="count")
        angles = [angle * self._reading.settings.angle_unit for angle in element.vector("euler", ZERO)]
        inherited = self._reading.default_class(node, "childclass") or scope.inherited
        origin = ZERO
        for k in range(count):
            replica = Pose(
                rotation_of_euler([k * angle for angle in angles], self._reading.settings.euler_sequence), origin
            )
            suffix = f"{element.text('sep') or ''}{k:0{len(str(count))}d}{scope.suffix}"
            self._read_children(body, node, _Scope(scope.frame @ replica, inherited, suffix))
            origin = replica.point(element.vector3("offset"))

    # ---------------------------------------------------------------- elements of a body

    def _element(self, body: _PartialBody, node: XmlElement, scope: _Scope) -> None:
        if node.tag == "geom":
            body.geoms.append(self._geom(body, node, scope))
        elif node.tag in ("joint", "freejoint"):
            self._joint(body, node, scope)
        elif node.tag == "site":
            body.sites.append(self._site(node, scope))
        elif node.tag == "inertial":  # `_inertial` has read that of a body
            if body.parent is None:
                raise self._reading.error(MjcfTopologyError, node, "the world does not move: it has no inertia")
        elif node.tag in CHILDREN_WITHOUT_EFFECT:
            self._reading.ignore(node, reason=f"a {node.tag}")
        elif node.tag in _UNSUPPORTED:
            self._reading.warn_or_refuse(node, _UNSUPPORTED[node.tag])
        else:
            self._reading.warn_or_refuse(node, f"unknown element {quoted(node.tag)}")

    def _geom(self, body: _PartialBody, node: XmlElement, scope: _Scope) -> MjcfGeom:
        element = with_defaults(self._reading, node, scope.inherited)
        mode = self._reading.settings.inertia_from_geoms
        with_mass = body.parent is not None and (mode == "true" or (mode == "auto" and body.inertial is None))
        return self._geoms.read(element, self._name(node, "geom", scope), scope.frame, with_mass=with_mass)

    def _site(self, node: XmlElement, scope: _Scope) -> MjcfSite:
        element = with_defaults(self._reading, node, scope.inherited)
        self._reading.check_attributes(node)
        pose = read_pose(element)
        if element.has("fromto"):
            pose, _ = read_fromto(element)
        return MjcfSite(node, self._name(node, "site", scope), scope.frame @ pose)

    def _joint(self, body: _PartialBody, node: XmlElement, scope: _Scope) -> None:
        reading = self._reading
        if body.parent is None:
            raise reading.error(MjcfTopologyError, node, "the world does not move: it has no joints")
        name = self._name(node, "joint", scope) or _UNNAMED
        if node.tag == "freejoint":
            joint = read_free_joint(MjcfElement(reading, node), name)
        else:
            joint = read_joint(with_defaults(reading, node, scope.inherited), name, scope.frame)
        self._check_joint(body, joint)
        body.joints.append(joint)

    def _check_joint(self, body: _PartialBody, joint: MjcfJoint) -> None:
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

    def _name(self, node: XmlElement, kind: str, scope: _Scope) -> str | None:
        if not node.attributes.get("name"):
            return None
        name = self._reading.name(node) + scope.suffix
        self._reading.register_name(self._names[kind], node, name, kind)
        return name


def _named_joint(joint: MjcfJoint, number: int, taken: set[str]) -> MjcfJoint:
    """Return a joint with its name, or one after its number."""
    return joint if joint.name else attrs.evolve(joint, name=claim_name(f"joint#{number}", taken))
