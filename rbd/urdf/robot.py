"""Reader of `<robot>`: its links, joints and loop joints, with unique names; the mimics that can be followed."""

from __future__ import annotations

from typing import Final

from rbd.errors import UrdfRefusedError, UrdfSyntaxError, UrdfTopologyError, quoted
from rbd.files.xml import XmlElement
from rbd.urdf.description import UrdfJoint, UrdfLink, UrdfLoop, UrdfRobot
from rbd.urdf.joints import read_joint
from rbd.urdf.links import read_link
from rbd.urdf.loops import read_loop_joint
from rbd.urdf.mimics import followed_mimics
from rbd.urdf.reading import UrdfReading
from rbd.urdf.shapes import read_colors

_NOT_HONOURED: Final = {
    "gazebo": "simulator settings are not read",
    "transmission": "transmissions are not read",
}

_CHILDREN: Final = frozenset({"link", "joint", "loop_joint", "material", *_NOT_HONOURED})


def read_robot(reading: UrdfReading, root: XmlElement) -> UrdfRobot:
    """Return all links and joints; names are unique and every joint's links exist."""
    _refuse_others(reading, root)
    reading.ignore_unknown(root, frozenset({"name", "version"}), _CHILDREN)
    for node in root.children:
        if node.tag in _NOT_HONOURED:
            reading.ignore(node, reason=_NOT_HONOURED[node.tag])
    name = root.attributes.get("name", "")
    if not name:
        reading.warn(root, "the robot has no name")
    links = _links(reading, root)
    joints = _joints(reading, root, links)
    loops = _loops(reading, root, links, joints)
    return UrdfRobot(root, name, links, joints, loops, followed_mimics(reading, joints))


def _refuse_others(reading: UrdfReading, root: XmlElement) -> None:
    """Raise UrdfSyntaxError for another format, UrdfRefusedError for a template."""
    if root.tag != "robot":
        advice = ": this is MJCF; rbd.load_mjcf reads it" if root.tag == "mujoco" else ""
        raise reading.error(UrdfSyntaxError, root, f"the root element must be <robot>, not {quoted(root.tag)}{advice}")
    for node in root.children:
        if node.tag.startswith("xacro:"):
            message = "this file is a xacro template, a program; expand it with xacro first"
            raise reading.error(UrdfRefusedError, node, message)


def _links(reading: UrdfReading, root: XmlElement) -> dict[str, UrdfLink]:
    links: dict[str, UrdfLink] = {}
    colors = read_colors(reading, root)
    for node in root.children:
        if node.tag == "link":
            with reading.collecting_errors():
                link = read_link(reading, node, colors)
                _require_new(reading, node, link.name, links.get(link.name))
                links[link.name] = link
    if not links:
        reading.raise_collected()
        raise reading.error(UrdfTopologyError, root, "the robot has no links")
    return links


def _joints(reading: UrdfReading, root: XmlElement, links: dict[str, UrdfLink]) -> dict[str, UrdfJoint]:
    joints: dict[str, UrdfJoint] = {}
    faulty = (node.attributes.get("name", "") for node in root.children if node.tag == "link")
    names = dict.fromkeys((*links, *faulty))
    for node in root.children:
        if node.tag == "joint":
            with reading.collecting_errors():
                joint = read_joint(reading, node, names)
                _require_new(reading, node, joint.name, joints.get(joint.name))
                joints[joint.name] = joint
    reading.raise_collected()
    return joints


def _loops(
    reading: UrdfReading, root: XmlElement, links: dict[str, UrdfLink], joints: dict[str, UrdfJoint]
) -> list[UrdfLoop]:
    named_joints, loops = dict(joints), list[UrdfLoop]()
    for node in root.children:
        if node.tag == "loop_joint":
            loop = read_loop_joint(reading, node, links)
            _require_new(reading, node, loop.joint.name, named_joints.get(loop.joint.name))
            named_joints[loop.joint.name] = loop.joint
            loops.append(loop)
    return loops


def _require_new(reading: UrdfReading, node: XmlElement, name: str, first: UrdfLink | UrdfJoint | None) -> None:
    if first is not None:
        message = f"a second {node.tag} {quoted(name)}; the first is in line {first.node.line}"
        raise reading.error(UrdfTopologyError, node, message, name=name, first_line=first.node.line)
