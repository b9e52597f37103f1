"""Elements of an MJCF file as text: poses, inertias, joints, sites, constraints."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

from rbd.files.formats import MJCF
from rbd.files.pose import IDENTITY, FloatMat3, Pose
from rbd.files.writing import (
    coefficient_attributes,
    element,
    fixed_point,
    floats,
    inertia_numbers,
    numbers_text,
    refusal,
    rounded,
    rounded_unit,
)
from rbd.joints import Fixed, JointType, Prismatic, QuaternionFloating, QuaternionSpherical, Revolute
from rbd.mechanism import Joint
from rbd.mjcf.rotations import rotation_of_axes
from rbd.scalars import to_float
from rbd.spatial import SpatialInertia

_COEFFICIENTS: Final = {"damping": "damping", "friction": "frictionloss", "armature": "armature"}
_KINDS: Final = {Revolute: "hinge", Prismatic: "slide", QuaternionSpherical: "ball", QuaternionFloating: "free"}
_CONSTRAINTS: Final[dict[type[JointType], str]] = {
    QuaternionSpherical: "connect", Revolute: "connect", Fixed: "weld"
}  # fmt: skip


def pose_attributes(pose: Pose) -> dict[str, str]:
    """Return the attributes of a pose; none for the identity."""
    attributes: dict[str, str] = {}
    if any(pose.translation):
        far = max(map(abs, pose.translation))
        attributes["pos"] = numbers_text([rounded(c, far) for c in pose.translation])
    axes = _axes(pose.rotation)
    if axes != (*IDENTITY[0], *IDENTITY[1]):
        attributes["xyaxes"] = numbers_text(axes)
    return attributes


def _axes(rotation: FloatMat3) -> tuple[float, ...]:
    """Return the x and y axes of a rotation, rounded such that reading and writing them again reproduces them."""
    return fixed_point(_rounded_axes(rotation), lambda axes: _rounded_axes(rotation_of_axes(axes) or rotation))


def _rounded_axes(rotation: FloatMat3) -> tuple[float, ...]:
    return tuple(rounded(row[column], 1.0) + 0.0 for column in (0, 1) for row in rotation)


def inertial_line(inertia: SpatialInertia | None) -> Iterator[str]:
    """Yield the line of an `<inertial>`; none for a massless body."""
    numbers = None if inertia is None else inertia_numbers(inertia)
    if numbers is None:
        return
    mass, com, (xx, xy, xz, yy, yz, zz) = numbers
    attributes = {"pos": numbers_text(com), "mass": numbers_text([mass])}
    if any((xy, xz, yz)):
        attributes["fullinertia"] = numbers_text([xx, yy, zz, xy, xz, yz])
    else:
        attributes["diaginertia"] = numbers_text([xx, yy, zz])
    yield element("inertial", attributes)


def joint_line(joint: Joint, pose: Pose, *, strict: bool) -> str:
    """Return the line of a joint whose frame after has that pose in its body; raise ArgumentError naming it."""
    kind = _kind(joint)
    if strict and _has_other_coordinates(kind, pose):
        message = f"in MJCF the coordinates of a {kind} joint are those of its body's frame"
        raise refusal(joint, f"{message}; strict=False writes it with these")
    attributes = {"name": joint.name, "type": kind}
    if kind in ("hinge", "ball"):
        attributes |= pose_attributes(Pose(translation=pose.translation))
    match joint.type:
        case Revolute(axis=axis) | Prismatic(axis=axis):
            attributes["axis"] = numbers_text(rounded_unit(pose.direction(axis)))
        case _:
            pass
    attributes |= _bounds(joint, kind, strict=strict)
    attributes |= coefficient_attributes(joint, MJCF, _COEFFICIENTS, strict=strict)
    if kind == "free" and len(attributes) == 2:
        return element("freejoint", {"name": joint.name})
    return element("joint", attributes)


def _has_other_coordinates(kind: str, pose: Pose) -> bool:
    """Return whether a joint has other coordinates where its frame after has the pose of the body."""
    if kind == "free":
        return bool(pose_attributes(pose))
    return kind == "ball" and bool(pose_attributes(Pose(rotation=pose.rotation)))


def _kind(joint: Joint) -> str:
    for kind, word in _KINDS.items():
        if type(joint.type) is kind:
            return word
    raise refusal(joint, f"MJCF has no joint type {type(joint.type).__name__}")


def _bounds(joint: Joint, kind: str, *, strict: bool) -> dict[str, str]:
    attributes: dict[str, str] = {}
    for what, attribute in (("position", "range"), ("effort", "actuatorfrcrange")):
        pairs = [(to_float(low), to_float(high)) for low, high in getattr(joint, f"{what}_bounds")]
        reason = _unwritten_bounds(pairs, kind)
        if reason is None:
            attributes[attribute] = numbers_text(pairs[0])
        elif strict and any(math.isfinite(end) for pair in pairs for end in pair):
            raise refusal(joint, f"MJCF has no {what} bounds that are {reason}; strict=False leaves them out")
    return attributes


def _unwritten_bounds(pairs: Sequence[tuple[float, float]], kind: str) -> str | None:
    """Return the reason why MJCF has no such bounds; None for those it has, an interval of a hinge or slide joint."""
    if kind not in ("hinge", "slide"):
        return f"of a {kind} joint"
    if any(low == high for low, high in pairs):
        return "equal"  # a range of two zeros would be none, others are refused
    return None if pairs and all(map(math.isfinite, pairs[0])) else "one-sided"


def site_line(name: str, pose: Pose) -> str:
    """Return the line of a site."""
    return element("site", {"name": name, **pose_attributes(pose)})


def constraint_tag(joint: Joint, *, strict: bool) -> str:
    """Return the constraint that a loop joint is; raise ArgumentError naming the joint if it is none."""
    tag = _CONSTRAINTS.get(type(joint.type))
    if tag is None:
        kinds = ", ".join(kind.__name__ for kind in _CONSTRAINTS)
        raise refusal(joint, f"MJCF closes loops by joints of the types {kinds}, not by {type(joint.type).__name__}")
    if strict:
        _refuse_parameters(joint)
    return tag


def _refuse_parameters(joint: Joint) -> None:
    """Raise ArgumentError for parameters that constraints do not have; speed bounds are not written anyway."""
    has = {name: any(floats(getattr(joint, name))) for name in ("damping", "friction", "armature", "bound_stiffness")}
    for name in ("position_bounds", "effort_bounds"):
        has[name] = any(math.isfinite(to_float(end)) for pair in getattr(joint, name) for end in pair)
    for name in (name for name, found in has.items() if found):
        message = f"MJCF has no {name.replace('_', ' ')} of constraints"
        raise refusal(joint, f"{message}; strict=False leaves {'them' if name.endswith('_bounds') else 'it'} out")
