"""Mimics that can be followed: those of joints, and of sources, with one coordinate, without a cycle."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from rbd.errors import UrdfTopologyError, quoted
from rbd.files.names import did_you_mean
from rbd.urdf.cycles import cycle_text, find_cycle
from rbd.urdf.description import UrdfJoint, UrdfMimic
from rbd.urdf.reading import UrdfReading

_WITH_COORDINATE: Final = frozenset({"revolute", "continuous", "prismatic"})


def followed_mimics(reading: UrdfReading, joints: dict[str, UrdfJoint]) -> list[UrdfMimic]:
    """Return the mimics that can be followed; refuse the others if strict, else leave their joints independent.

    `couple_joints=False` changes nothing of this: strict reading checks the whole file.
    """
    mimics = [joint.mimic for joint in joints.values() if joint.mimic is not None]
    followed = {mimic.entry.joint: mimic for mimic in mimics if _can_follow(reading, joints, mimic)}
    cycle = find_cycle({name: mimic.entry.source for name, mimic in followed.items()})
    while cycle:
        _warn_or_refuse(reading, followed[cycle[0]], f"mimic joints form a cycle: {cycle_text(cycle)}")
        followed = {name: mimic for name, mimic in followed.items() if name not in cycle}
        cycle = find_cycle({name: mimic.entry.source for name, mimic in followed.items()})
    return list(followed.values())


def _can_follow(reading: UrdfReading, joints: dict[str, UrdfJoint], mimic: UrdfMimic) -> bool:
    joint, source = joints[mimic.entry.joint], mimic.entry.source
    if joint.kind == "fixed":
        reading.warn(mimic.node, "a fixed joint follows no other; the mimic has no effect")
        return False
    problem = _problem(joint, joints.get(source), source, joints)
    if problem is not None:
        _warn_or_refuse(reading, mimic, problem)
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


def _warn_or_refuse(reading: UrdfReading, mimic: UrdfMimic, message: str) -> None:
    reading.warn_or_refuse(mimic.node, message, remedy="it is not followed", kind=UrdfTopologyError)
