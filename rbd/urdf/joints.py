"""Reader of `<joint>`: type, links, axis, bounds, damping."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Final, NamedTuple, get_args

from rbd.errors import UrdfTopologyError, UrdfValueError, quoted
from rbd.files.bounds import UNBOUNDED
from rbd.files.names import did_you_mean
from rbd.files.pose import FloatVec3
from rbd.files.xml import XmlElement
from rbd.urdf.description import JointKind, UrdfJoint, UrdfJointBounds, UrdfMimic
from rbd.urdf.origins import read_axis, read_origin
from rbd.urdf.reading import UrdfReading
from rbd.urdf.report import Mimic

TREE_KINDS: Final[tuple[JointKind, ...]] = tuple(kind for kind in get_args(JointKind) if kind != "spherical")
LOOP_KINDS: Final[tuple[JointKind, ...]] = get_args(JointKind)
"""Types of loop joints, which are an extension of the format."""
_CHILDREN: Final = frozenset({"parent", "child", "origin", "axis", "limit", "dynamics", "mimic"})
_WITHOUT_AXIS: Final = frozenset({"fixed", "floating", "spherical"})
_WITHOUT_LIMIT: Final = frozenset({"fixed", "floating", "planar", "spherical"})
_BOUNDED: Final = frozenset({"revolute", "prismatic"})
_UNBOUNDED_REMEDY: Final = "the position has no bounds"
_INFINITE: Final = 1e300
"""Bounds from this value on are infinite: some programs write the largest float instead of infinity."""


class JointEnd(NamedTuple):
    """One end of a joint: its element, and the name of its link."""

    node: XmlElement
    link: str


def read_joint(reading: UrdfReading, node: XmlElement, links: Collection[str]) -> UrdfJoint:
    """Return the joint; `links` are the names of those of the whole file."""
    reading.ignore_unknown(node, frozenset({"name", "type"}), _CHILDREN)
    name, kind = reading.name(node), read_kind(reading, node, TREE_KINDS)
    damping, friction = read_dynamics(reading, node, kind)
    return UrdfJoint(
        node, name, kind,
        parent=read_end(reading, node, "parent", links).link, child=read_end(reading, node, "child", links).link,
        pose=read_origin(reading, node, snap=True), axis=read_joint_axis(reading, node, kind),
        bounds=read_bounds(reading, node, kind), damping=damping, friction=friction,
        mimic=_read_mimic(reading, node, name),
    )  # fmt: skip


def read_kind(reading: UrdfReading, node: XmlElement, kinds: tuple[JointKind, ...]) -> JointKind:
    """Return the type of a joint, one of `kinds`."""
    text = node.attributes.get("type")
    if text is None:
        message = f"attribute 'type' is missing; the types are {', '.join(kinds)}"
        raise reading.error(UrdfValueError, node, message, attribute="type")
    for kind in kinds:
        if text == kind:
            return kind
    message = f"unknown joint type {quoted(text)}; the types are {', '.join(kinds)}"
    raise reading.error(UrdfValueError, node, message, attribute="type", value=text)


def read_end(
    reading: UrdfReading, node: XmlElement, tag: str, links: Collection[str], others: frozenset[str] = frozenset()
) -> JointEnd:
    """Return an end of a joint, whose element may have `others` as attributes."""
    end = reading.single_child(node, tag)
    if end is None:
        raise reading.error(UrdfValueError, node, f"<{tag}> is missing")
    reading.ignore_unknown(end, others | {"link"})
    name = reading.name(end, "link")
    if name not in links:
        message = f"there is no link {quoted(name)}{did_you_mean(name, links)}"
        raise reading.error(UrdfTopologyError, end, message, name=name)
    return JointEnd(end, name)


def read_joint_axis(reading: UrdfReading, node: XmlElement, kind: JointKind) -> FloatVec3:
    """Return the axis of a joint; for a kind without one, it does not matter."""
    if kind not in _WITHOUT_AXIS:
        return read_axis(reading, node)
    _ignore_children(reading, node, "axis", kind)
    return (1.0, 0.0, 0.0)


def _ignore_children(reading: UrdfReading, node: XmlElement, tag: str, kind: JointKind) -> None:
    for child in node.children:
        if child.tag == tag:
            reading.ignore(child, reason=f"has no meaning for a {kind} joint")


def read_bounds(reading: UrdfReading, node: XmlElement, kind: JointKind, *, required: bool = True) -> UrdfJointBounds:
    """Return the bounds; they are `required` of revolute and prismatic joints in the tree."""
    if kind in _WITHOUT_LIMIT:
        _ignore_children(reading, node, "limit", kind)
        return UrdfJointBounds()
    limit = reading.single_child(node, "limit")
    if limit is None:
        if kind in _BOUNDED and required:
            reading.warn_or_refuse(node, f"a {kind} joint needs <limit>", remedy="it has no bounds")
        return UrdfJointBounds()
    reading.ignore_unknown(limit, frozenset({"lower", "upper", "velocity", "effort"}))
    lower, upper = _position_bounds(reading, limit, kind)
    velocity, effort = (_symmetric_bound(reading, limit, attribute) for attribute in ("velocity", "effort"))
    return UrdfJointBounds(lower, upper, velocity, effort)


def _position_bounds(reading: UrdfReading, limit: XmlElement, kind: JointKind) -> tuple[float, float]:
    """Return the bounds of a joint's position, infinite ones for other joints than those with one coordinate."""
    given = [attribute for attribute in ("lower", "upper") if attribute in limit.attributes]
    if kind in _BOUNDED:
        return _given_position_bounds(reading, limit, given)
    for attribute in given:
        reading.ignore(limit, attribute, f"has no meaning for a {kind} joint")
    return UNBOUNDED


def _given_position_bounds(reading: UrdfReading, limit: XmlElement, given: Sequence[str]) -> tuple[float, float]:
    if not given:
        # the format says both default to 0, which would lock the joint; nobody who leaves both out means that
        reading.warn_or_refuse(limit, "attributes 'lower' and 'upper' are missing", remedy=_UNBOUNDED_REMEDY)
        return UNBOUNDED
    lower, upper = (_infinite_if_large(reading.number(limit, attribute, 0.0)) for attribute in ("lower", "upper"))
    if lower > upper or lower == math.inf or upper == -math.inf:
        reading.warn_or_refuse(limit, f"lower {lower:.9g} is above upper {upper:.9g}", remedy=_UNBOUNDED_REMEDY)
        return UNBOUNDED
    return lower, upper


def _infinite_if_large(bound: float) -> float:
    return math.copysign(math.inf, bound) if abs(bound) >= _INFINITE else bound


def _symmetric_bound(reading: UrdfReading, limit: XmlElement, attribute: str) -> float:
    bound = _infinite_if_large(reading.number(limit, attribute, math.inf))
    if bound < 0.0:
        reading.warn_or_refuse(
            limit, f"{attribute} {bound:.9g} is negative", remedy="its size is taken", attribute=attribute
        )
    elif bound == 0.0:
        reading.warn(limit, f"{attribute} is 0: within its bounds the joint cannot be moved")
    return abs(bound)


def read_dynamics(reading: UrdfReading, node: XmlElement, kind: JointKind) -> tuple[float, float]:
    """Return damping and friction."""
    dynamics = reading.single_child(node, "dynamics")
    if dynamics is None:
        return 0.0, 0.0
    if kind == "fixed":
        _ignore_children(reading, node, "dynamics", kind)
        return 0.0, 0.0
    reading.ignore_unknown(dynamics, frozenset({"damping", "friction"}))
    return _coefficient(reading, dynamics, "damping"), _coefficient(reading, dynamics, "friction")


def _coefficient(reading: UrdfReading, dynamics: XmlElement, attribute: str) -> float:
    value = reading.quantity(dynamics, attribute, 0.0)
    if value < 0.0:
        reading.warn_or_refuse(
            dynamics, f"{attribute} {value:.9g} is negative", remedy="0 is taken", attribute=attribute
        )
        return 0.0
    return value


def _read_mimic(reading: UrdfReading, node: XmlElement, name: str) -> UrdfMimic | None:
    child = reading.single_child(node, "mimic")
    if child is None:
        return None
    reading.ignore_unknown(child, frozenset({"joint", "multiplier", "offset"}))
    source = reading.name(child, "joint")
    multiplier, offset = reading.number(child, "multiplier", 1.0), reading.number(child, "offset", 0.0)
    return UrdfMimic(child, Mimic(name, source, multiplier, offset, child.line))
