"""Elements of a URDF file as text: links, joints, origins."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from rbd.files.bounds import UNBOUNDED
from rbd.files.formats import URDF
from rbd.files.pose import FloatMat3, FloatVec3, float_vector
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
from rbd.joints import Fixed, Planar, Prismatic, QuaternionFloating, Revolute
from rbd.mechanism import Joint, RigidBody
from rbd.scalars import to_float
from rbd.spatial import Transform
from rbd.spatial.linalg import cross3
from rbd.urdf.origins import planar_axes, rotation_of_rpy

_MAX_FLOAT: Final = 1.7976931348623157e308
_AXES_TOLERANCE: Final = 1e-12
_JOINT_TYPES: Final = Revolute, Prismatic, Planar, QuaternionFloating, Fixed
_ANGLE_NOISE: Final = 1e-13  # radians; smaller angles are rounding errors of the others


def link_lines(body: RigidBody) -> Iterator[str]:
    """Yield the lines of a link; the root and massless bodies have no `<inertial>`."""
    numbers = None if body.inertia is None else inertia_numbers(body.inertia)
    if numbers is None:
        yield f"  {element('link', {'name': body.name})}"
        return
    mass, com, moments = numbers
    names = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    yield f"  {element('link', {'name': body.name}, closed=False)}"
    yield "    <inertial>"
    yield f"      {element('origin', {'xyz': numbers_text(com), 'rpy': '0.0 0.0 0.0'})}"
    yield f"      {element('mass', {'value': numbers_text([mass])})}"
    yield f"      {element('inertia', {n: numbers_text([m]) for n, m in zip(names, moments, strict=True)})}"
    yield "    </inertial>"
    yield "  </link>"


def origin_line(placement: Transform) -> Iterator[str]:
    """Yield the line of an `<origin>`; none for the identity."""
    attributes = placement_attributes(placement)
    if attributes:
        yield f"    {element('origin', attributes)}"


def placement_attributes(placement: Transform) -> dict[str, str]:
    """Return the attributes of a placement; none for the identity."""
    (a, b, c), (d, e, f), (g, h, i) = (floats(row) for row in placement.rotation_components)
    translation = floats(placement.translation_components)
    rpy = rpy_of(((a, b, c), (d, e, f), (g, h, i)))
    return {"xyz": numbers_text(translation), "rpy": numbers_text(rpy)} if any((*translation, *rpy)) else {}


def rpy_of(rows: FloatMat3) -> FloatVec3:
    """Return roll, pitch and yaw of a rotation, rounded, such that reading and writing them again reproduces them.

    Rounding may alternate between two neighbours; iterating here settles it in the first file, not in the second.
    """
    return fixed_point(_rounded_rpy(rows), lambda rpy: _rounded_rpy(rotation_of_rpy(rpy)))


def _rounded_rpy(rows: FloatMat3) -> FloatVec3:
    """Return roll, pitch and yaw of a rotation, rounded.

    Where pitch is nearly a right angle, yaw is hardly determined, and rounded to what is; pitch and roll are taken
    after the rounded yaw is undone, and make up for it.
    """
    level = math.hypot(rows[0][0], rows[1][0])
    yaw = _angle(math.atan2(rows[1][0], rows[0][0]), 1.0 / level) if level else 0.0
    c, s = math.cos(yaw), math.sin(yaw)
    pitch = math.atan2(-rows[2][0], c * rows[0][0] + s * rows[1][0])
    roll = math.atan2(s * rows[0][2] - c * rows[1][2], c * rows[1][1] - s * rows[0][1])
    return _angle(roll), _angle(pitch), yaw


def _angle(angle: float, scale: float = 1.0) -> float:
    """Return a rounded angle; rounding errors become zero, and half a turn is positive."""
    settled = 0.0 if abs(angle) < _ANGLE_NOISE * scale else rounded(angle, scale)
    return math.pi if abs(settled) >= rounded(math.pi, scale) else settled


def joint_lines(
    joint: Joint, parent: RigidBody, child: RigidBody, placement: Transform, mimic: str | None, *, strict: bool
) -> Iterator[str]:
    """Yield the lines of a joint; raise ArgumentError naming it when URDF cannot express it."""
    kind, axis = kind_and_axis(joint)
    yield "  " + element("joint", {"name": joint.name, "type": kind}, closed=False)
    yield f"    {element('parent', {'link': parent.name})}"
    yield f"    {element('child', {'link': child.name})}"
    yield from origin_line(placement)
    yield from parameter_lines(joint, kind, axis, strict=strict)
    if mimic is not None:
        yield f"    {mimic}"
    yield "  </joint>"


def parameter_lines(joint: Joint, kind: str, axis: FloatVec3 | None, *, strict: bool) -> Iterator[str]:
    """Yield the lines of axis, bounds, damping and friction."""
    if axis is not None:
        yield f"    {element('axis', {'xyz': numbers_text(axis)})}"
    limit = _limit(joint, kind)
    if limit:
        yield f"    {element('limit', limit)}"
    dynamics = coefficient_attributes(joint, URDF, {"damping": "damping", "friction": "friction"}, strict=strict)
    if dynamics:
        yield f"    {element('dynamics', dynamics)}"


def kind_and_axis(joint: Joint) -> tuple[str, FloatVec3 | None]:
    """Return the type and axis of a joint; raise ArgumentError naming it when URDF has no such type."""
    match joint.type:
        case other if type(other) not in _JOINT_TYPES:  # nor are classes derived from them
            raise refusal(joint, f"URDF has no joint type {type(other).__name__}")
        case Revolute(axis=axis):
            return ("continuous" if _position_bounds(joint) == UNBOUNDED else "revolute"), axis
        case Prismatic(axis=axis):
            return "prismatic", axis
        case Planar(x=x, y=y):
            return "planar", _normal(joint, x, y)
        case QuaternionFloating():
            return "floating", None
        case _:
            return "fixed", None


def _normal(joint: Joint, x: FloatVec3, y: FloatVec3) -> FloatVec3:
    normal = float_vector(cross3(x, y))
    axes_read_again = planar_axes(normal)
    defect = max(abs(a - b) for a, b in zip((*x, *y), (*axes_read_again[0], *axes_read_again[1]), strict=True))
    if defect > _AXES_TOLERANCE:
        raise refusal(
            joint, f"URDF keeps only the normal of a planar joint; reading would make the axes {axes_read_again}"
        )
    return rounded_unit(normal)


def _position_bounds(joint: Joint) -> tuple[float, float]:
    ((lower, upper),) = joint.position_bounds
    return to_float(lower), to_float(upper)


def _limit(joint: Joint, kind: str) -> dict[str, str]:
    if kind in ("fixed", "floating", "planar", "spherical"):
        _refuse_bounds(joint, kind)
        return {}
    limit: dict[str, str] = {}
    if kind != "continuous":
        lower, upper = _position_bounds(joint)
        limit = {"lower": numbers_text([max(lower, -_MAX_FLOAT)]), "upper": numbers_text([min(upper, _MAX_FLOAT)])}
    for attribute in ("velocity", "effort"):
        ((lower, upper),) = ([to_float(end) for end in pair] for pair in getattr(joint, f"{attribute}_bounds"))
        if lower != -upper:
            raise refusal(joint, f"URDF has only symmetric {attribute} bounds, not {lower} to {upper}")
        if math.isfinite(upper):
            limit[attribute] = numbers_text([upper])
    return limit


def _refuse_bounds(joint: Joint, kind: str) -> None:
    for what in ("position", "velocity", "effort"):
        if any(math.isfinite(to_float(end)) for pair in getattr(joint, f"{what}_bounds") for end in pair):
            raise refusal(joint, f"URDF has no {what} bounds for a {kind} joint")
