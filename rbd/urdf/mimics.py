"""Mimics that become couplings: which joints can follow others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from rbd.errors import UrdfTopologyError, quoted
from rbd.files.names import did_you_mean
from rbd.files.xml import XmlElement
from rbd.urdf.cycles import cycle_text, find_cycle
from rbd.urdf.description import UrdfJoint
from rbd.urdf.reading import UrdfReading
from rbd.urdf.report import Mimic

_WITH_COORDINATE: Final = frozenset({"revolute", "continuous", "prismatic"})


def followed_mimics(reading: UrdfReading, joints: dict[str, UrdfJoint]) -> list[tuple[XmlElement, Mimic]]:
    """Return the mimics that become couplings; refuse the others if strict, else leave their joints independent."""
    mimics = [joint.mimic for joint in joints.values() if joint.mimic is not None]
    followed = {mimic.joint: mimic for mimic in mimics if _can_follow(reading, joints, mimic)}
    cycle = find_cycle({name: mimic.source for name, mimic in followed.items()})
    while cycle:
        _warn_or_refuse(reading, joints[cycle[0]], f"mimic joints form a cycle: {cycle_text(cycle)}")
        followed = {name: mimic for name, mimic in followed.items() if name not in cycle}
        cycle = find_cycle({name: mimic.source for name, mimic in followed.items()})
    return [(_node(joints[name]), mimic) for name, mimic in followed.items()]


def _can_follow(reading: UrdfReading, joints: dict[str, UrdfJoint], mimic: Mimic) -> bool:
    joint = joints[mimic.joint]
    if joint.kind == "fixed":
        reading.warn(_node(joint), "a fixed joint follows no other; the mimic has no effect")
        return False
    problem = _problem(joint, joints.get(mimic.source), mimic.source, joints)
    if problem is not None:
        _warn_or_refuse(reading, joint, problem)
    return problem is None


def _problem(joint: UrdfJoint, source: UrdfJoint | None, name: str, names: Iterable[str]) -> str | None:
    """Return why a joint cannot follow another of this name; None if it can."""
    if source is None:
        return f"there is no joint {quoted(name)}{did_you_mean(name, names)}"
    if source is joint:
        return "the joint mimics itself"
    if joint.kind not in _WITH_COORDINATE:
        return f"a {joint.kind} joint has no coordinate that could follow another"
    if source.kind not in _WITH_COORDINATE:
        return f"joint {quoted(name)} is {source.kind} and has no coordinate to follow"
    return None


def _warn_or_refuse(reading: UrdfReading, joint: UrdfJoint, message: str) -> None:
    reading.warn_or_refuse(_node(joint), message, remedy="it is not followed", kind=UrdfTopologyError)


def _node(joint: UrdfJoint) -> XmlElement:
    return next(child for child in joint.node.children if child.tag == "mimic")
