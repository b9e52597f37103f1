"""Topology of a robot: checks that links and joints form one tree, and the order of joints.

Joints come in file order, but never before the joint they hang on: a mechanism that is written and read again keeps
its coordinates, and merging fixed joints changes nothing in the order of the others. No recursion: a chain may be as
long as the file allows.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from typing import NamedTuple

from rbd.errors import UrdfTopologyError, quoted
from rbd.urdf.cycles import MAX_SHOWN, cycle_text, find_cycle
from rbd.urdf.description import UrdfJoint, UrdfLink, UrdfRobot
from rbd.urdf.reading import UrdfReading


class LinkTree(NamedTuple):
    """The root link, and the joints in file order, parents first."""

    root: UrdfLink
    joints: list[UrdfJoint]


def tree_of_links(reading: UrdfReading, robot: UrdfRobot) -> LinkTree:
    """Return the tree of the links; raise UrdfTopologyError where they form none."""
    parents = _parent_joints(reading, robot)
    cycle = find_cycle({child: joint.parent for child, joint in parents.items()})
    if cycle:
        raise _cycle_error(reading, parents, cycle)
    root = _root(reading, [link for name, link in robot.links.items() if name not in parents])
    return LinkTree(root, _parents_first(root.name, robot.joints.values()))


def _cycle_error(reading: UrdfReading, parents: dict[str, UrdfJoint], upwards: list[str]) -> UrdfTopologyError:
    """Return the error for a cycle of links; it names the joint of the cycle that is last in the file."""
    cycle = upwards[::-1]
    closing = max(range(len(cycle)), key=lambda k: parents[cycle[k]].node.line)
    cycle = cycle[closing:] + cycle[:closing]
    message = f"links form a cycle: {cycle_text(cycle)}; <loop_joint> closes loops"
    return reading.error(UrdfTopologyError, parents[cycle[0]].node, message, cycle=tuple(cycle))


def _parent_joints(reading: UrdfReading, robot: UrdfRobot) -> dict[str, UrdfJoint]:
    parents: dict[str, UrdfJoint] = {}
    for joint in robot.joints.values():
        if joint.parent == joint.child:
            message = f"joins link {quoted(joint.child)} to itself"
            raise reading.error(UrdfTopologyError, joint.node, message, name=joint.child)
        first = parents.setdefault(joint.child, joint)
        if first is not joint:
            message = f"link {quoted(joint.child)} has a second parent; the first is by joint {quoted(first.name)}"
            where = f" in line {first.node.line}; <loop_joint> closes loops"
            raise reading.error(UrdfTopologyError, joint.node, message + where, name=joint.child)
    return parents


def _root(reading: UrdfReading, roots: list[UrdfLink]) -> UrdfLink:
    if len(roots) > 1:
        names = ", ".join(quoted(link.name) for link in roots[:MAX_SHOWN])
        more = ", ..." if len(roots) > MAX_SHOWN else ""
        message = f"{len(roots)} links have no parent: {names}{more}; one must be the root"
        shown = tuple(link.name for link in roots)
        raise reading.error(UrdfTopologyError, roots[1].node, message, roots=shown)
    return roots[0]


def _parents_first(root: str, joints: Iterable[UrdfJoint]) -> list[UrdfJoint]:
    """Return the joints in file order, but parents first."""
    children: dict[str, list[tuple[int, UrdfJoint]]] = {}
    for index, joint in enumerate(joints):
        children.setdefault(joint.parent, []).append((index, joint))
    order: list[UrdfJoint] = []
    ready = list(children.get(root, ()))  # sorted, hence a heap; places differ, so joints are never compared
    while ready:
        _, joint = heapq.heappop(ready)
        order.append(joint)
        for entry in children.get(joint.child, ()):
            heapq.heappush(ready, entry)
    return order
