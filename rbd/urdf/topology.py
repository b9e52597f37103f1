"""Topology of a URDF file: checks that links and joints form one tree, and the order of joints.

Joints come in file order, but never before the joint they hang on: a mechanism that is written and read again keeps
its coordinates, and merging fixed joints changes nothing in the order of the others. No recursion: a chain may be as
long as the file allows.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from typing import Final

from rbd.errors import UrdfRefusedError, UrdfSyntaxError, UrdfTopologyError, quoted
from rbd.files.xml import XmlElement
from rbd.urdf.cycles import MOST_SHOWN, cycle_text, find_cycle
from rbd.urdf.description import RobotPart, UrdfJoint, UrdfLink, UrdfLoop
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


def read_robot(reading: UrdfReading, root: XmlElement) -> RobotPart:
    """Return all links and joints; names are unique and every joint's links exist."""
    if root.tag != "robot":
        hint = ": this is MJCF; rbd.load_mjcf reads it" if root.tag == "mujoco" else ""
        raise reading.fault(UrdfSyntaxError, root, f"the root element must be <robot>{hint}")
    _refuse_templates(reading, root)
    reading.accept(root, frozenset({"name", "version"}), _CHILDREN)
    for node in root.children:
        if node.tag in _NOT_HONOURED:
            reading.ignore(node, reason=_NOT_HONOURED[node.tag])
    name = root.attributes.get("name", "")
    if not name:
        reading.warn(root, "the robot has no name")
    links = _links(reading, root)
    joints = _joints(reading, root, links)
    return RobotPart(root, name, links, joints, _loops(reading, root, links, joints), followed_mimics(reading, joints))


def _refuse_templates(reading: UrdfReading, root: XmlElement) -> None:
    for node in root.children:
        if node.tag.startswith("xacro:"):
            message = "this file is a xacro template, a program; expand it with xacro first"
            raise reading.fault(UrdfRefusedError, node, message)


def _links(reading: UrdfReading, root: XmlElement) -> dict[str, UrdfLink]:
    links: dict[str, UrdfLink] = {}
    colors = read_colors(reading, root)
    for node in root.children:
        if node.tag == "link":
            with reading.collecting_errors():
                part = read_link(reading, node, colors)
                _require_new(reading, node, part.name, links.get(part.name))
                links[part.name] = part
    if not links:
        reading.raise_collected()
        raise reading.fault(UrdfTopologyError, root, "the robot has no links")
    return links


def _joints(reading: UrdfReading, root: XmlElement, links: dict[str, UrdfLink]) -> dict[str, UrdfJoint]:
    joints: dict[str, UrdfJoint] = {}
    faulty = (node.attributes.get("name", "") for node in root.children if node.tag == "link")
    names = dict.fromkeys((*links, *faulty))
    for node in root.children:
        if node.tag == "joint":
            with reading.collecting_errors():
                part = read_joint(reading, node, names)
                _require_new(reading, node, part.name, joints.get(part.name))
                joints[part.name] = part
    reading.raise_collected()
    return joints


def _loops(
    reading: UrdfReading, root: XmlElement, links: dict[str, UrdfLink], joints: dict[str, UrdfJoint]
) -> list[UrdfLoop]:
    taken, loops = dict(joints), list[UrdfLoop]()
    for node in root.children:
        if node.tag == "loop_joint":
            loop = read_loop_joint(reading, node, links)
            _require_new(reading, node, loop.joint.name, taken.get(loop.joint.name))
            taken[loop.joint.name] = loop.joint
            loops.append(loop)
    return loops


def _require_new(reading: UrdfReading, node: XmlElement, name: str, first: UrdfLink | UrdfJoint | None) -> None:
    if first is not None:
        message = f"a second {node.tag} {quoted(name)}; the first is in line {first.node.line}"
        raise reading.fault(UrdfTopologyError, node, message, name=name, first_line=first.node.line)


def ordered(reading: UrdfReading, robot: RobotPart) -> tuple[UrdfLink, list[UrdfJoint]]:
    """Return the root link, and the joints in file order, parents first."""
    parents = _parent_joints(reading, robot)
    cycle = find_cycle({child: joint.parent for child, joint in parents.items()})
    if cycle:
        raise _cycle_fault(reading, parents, cycle)
    root = _root(reading, [link for name, link in robot.links.items() if name not in parents])
    return root, _parents_first(root.name, robot.joints.values())


def _cycle_fault(reading: UrdfReading, parents: dict[str, UrdfJoint], upwards: list[str]) -> UrdfTopologyError:
    """Return the error for a cycle of links; it names the joint of the cycle that is last in the file."""
    cycle = upwards[::-1]
    closing = max(range(len(cycle)), key=lambda k: parents[cycle[k]].node.line)
    cycle = cycle[closing:] + cycle[:closing]
    message = f"links form a cycle: {cycle_text(cycle)}; <loop_joint> closes loops"
    return reading.fault(UrdfTopologyError, parents[cycle[0]].node, message, cycle=tuple(cycle))


def _parent_joints(reading: UrdfReading, robot: RobotPart) -> dict[str, UrdfJoint]:
    parents: dict[str, UrdfJoint] = {}
    for joint in robot.joints.values():
        if joint.parent == joint.child:
            message = f"joins link {quoted(joint.child)} to itself"
            raise reading.fault(UrdfTopologyError, joint.node, message, name=joint.child)
        first = parents.setdefault(joint.child, joint)
        if first is not joint:
            message = f"link {quoted(joint.child)} has a second parent; the first is by joint {quoted(first.name)}"
            where = f" in line {first.node.line}; <loop_joint> closes loops"
            raise reading.fault(UrdfTopologyError, joint.node, message + where, name=joint.child)
    return parents


def _root(reading: UrdfReading, roots: list[UrdfLink]) -> UrdfLink:
    if len(roots) > 1:
        names = ", ".join(quoted(link.name) for link in roots[:MOST_SHOWN])
        more = ", ..." if len(roots) > MOST_SHOWN else ""
        message = f"{len(roots)} links have no parent: {names}{more}; one must be the root"
        shown = tuple(link.name for link in roots)
        raise reading.fault(UrdfTopologyError, roots[1].node, message, roots=shown)
    return roots[0]


def _parents_first(root: str, joints: Iterable[UrdfJoint]) -> list[UrdfJoint]:
    """Return the joints in file order, but parents first."""
    children: dict[str, list[tuple[int, UrdfJoint]]] = {}
    for place, joint in enumerate(joints):
        children.setdefault(joint.parent, []).append((place, joint))
    order: list[UrdfJoint] = []
    reached = list(children.get(root, ()))  # sorted, hence a heap; places differ, so joints are never compared
    while reached:
        _, joint = heapq.heappop(reached)
        order.append(joint)
        for entry in children.get(joint.child, ()):
            heapq.heappush(reached, entry)
    return order
