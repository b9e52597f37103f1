"""XML elements of a robot file: links, joints, origins as text."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from rbd.errors import ArgumentError, quoted
from rbd.joints import Fixed, Planar, Prismatic, QuaternionFloating, Revolute
from rbd.mechanism import Joint, RigidBody
from rbd.scalars import Scalar, to_float
from rbd.spatial import SpatialInertia, Transform
from rbd.urdf.build import planar_axes
from rbd.urdf.pose import rpy_rows
from rbd.urdf.report import Rows, Triple

_ESCAPES: Final = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
)
_LARGEST: Final = 1.7976931348623157e308
_AXES_TOLERANCE: Final = 1e-12
_NOISE: Final = 1e-13  # radians; smaller angles are rounding errors of the others
_SETTLING: Final = 8  # one or two rounds suffice in practice
_DIGITS: Final = 15
_UNSAID: Final = ("armature", "bound_stiffness", "bound_damping")


def element(tag: str, attributes: Mapping[str, str], *, closed: bool = True) -> str:
    """Return one element as text; `closed` when it has no children."""
    said = "".join(f' {key}="{value.translate(_ESCAPES)}"' for key, value in attributes.items())
    return f"<{tag}{said}{'/' if closed else ''}>"


def said(values: Sequence[float]) -> str:
    """Return numbers as text that reads back as the same numbers."""
    return " ".join(repr(value + 0.0) for value in values)  # adding 0.0 makes -0.0 plain


def _rounded(value: float, scale: float) -> float:
    """Return `value` to as many decimals as a number of the size of `scale` has with 15 digits.

    Numbers that were given are written exactly; those that had to be computed are rounded, because the noise in their
    last digits would make a file that is read and written again a different one.
    """
    if scale == 0.0:
        return value
    # the small term keeps noise in a round scale from deciding its decade
    return round(value, _DIGITS - 1 - math.floor(math.log10(scale) + 1e-9))


def link_lines(body: RigidBody) -> Iterator[str]:
    """Yield the lines of a link; the root and massless bodies have no `<inertial>`."""
    numbers = None if body.inertia is None else _inertia_numbers(body.inertia)
    if numbers is None:
        yield f"  {element('link', {'name': body.name})}"
        return
    mass, com, moments = numbers
    names = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    yield f"  {element('link', {'name': body.name}, closed=False)}"
    yield "    <inertial>"
    yield f"      {element('origin', {'xyz': said(com), 'rpy': '0.0 0.0 0.0'})}"
    yield f"      {element('mass', {'value': said([mass])})}"
    yield f"      {element('inertia', {n: said([m]) for n, m in zip(names, moments, strict=True)})}"
    yield "    </inertial>"
    yield "  </link>"


def _inertia_numbers(inertia: SpatialInertia) -> tuple[float, list[float], list[float]] | None:
    """Return mass, centre of mass and the six moments about it; None when all are zero."""
    mass = to_float(inertia.mass)
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = (_floats(row) for row in inertia.moment_components)
    a, b, c = _floats(inertia.cross_part_components)
    scale = max(xx, yy, zz)
    if mass == 0.0 and scale == 0.0:
        return None
    x, y, z = (entry / mass if mass else 0.0 for entry in (a, b, c))
    moments = [xx - (b * y + c * z), xy + a * y, xz + a * z, yy - (a * x + c * z), yz + b * z, zz - (a * x + b * y)]
    far = max(abs(x), abs(y), abs(z))
    return mass, [_rounded(entry, far) for entry in (x, y, z)], [_rounded(moment, 10 * scale) for moment in moments]


def origin_line(placement: Transform) -> Iterator[str]:
    """Yield the line of an `<origin>`; none for the identity."""
    attributes = placement_attributes(placement)
    if attributes:
        yield f"    {element('origin', attributes)}"


def placement_attributes(placement: Transform) -> dict[str, str]:
    """Return the attributes of a placement; none for the identity."""
    (a, b, c), (d, e, f), (g, h, i) = (_floats(row) for row in placement.rotation_components)
    translation = _floats(placement.translation_components)
    rpy = rpy_of(((a, b, c), (d, e, f), (g, h, i)))
    return {"xyz": said(translation), "rpy": said(rpy)} if any((*translation, *rpy)) else {}


def rpy_of(rows: Rows) -> Triple:
    """Return roll, pitch and yaw of a rotation, rounded, such that reading and writing them again reproduces them.

    Rounding may alternate between two neighbours; iterating here settles it in the first file, not in the second.
    """
    rpy = _rounded_rpy(rows)
    for _ in range(_SETTLING):
        again = _rounded_rpy(rpy_rows(rpy))
        if again == rpy:
            break
        rpy = again
    return rpy


def _rounded_rpy(rows: Rows) -> Triple:
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
    """Return an angle rounded; noise alone is zero, and half a turn is positive, or noise would decide its sign."""
    rounded = 0.0 if abs(angle) < _NOISE * scale else _rounded(angle, scale)
    return math.pi if abs(rounded) >= _rounded(math.pi, scale) else rounded


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


def parameter_lines(joint: Joint, kind: str, axis: Triple | None, *, strict: bool) -> Iterator[str]:
    """Yield the lines of axis, bounds, damping and friction."""
    if axis is not None:
        yield f"    {element('axis', {'xyz': said(axis)})}"
    limit = _limit(joint, kind)
    if limit:
        yield f"    {element('limit', limit)}"
    dynamics = _dynamics(joint, strict=strict)
    if dynamics:
        yield f"    {element('dynamics', dynamics)}"


def refusal(joint: Joint, reason: str) -> ArgumentError:
    """Return the error for a joint that URDF cannot express."""
    return ArgumentError(f"joint {quoted(joint.name)}: {reason}", argument="mechanism", joint=joint.name)


def kind_and_axis(joint: Joint) -> tuple[str, Triple | None]:
    """Return the type and axis of a joint; raise ArgumentError naming it when URDF has no such type."""
    match joint.type:
        case Revolute(axis=axis):
            return ("continuous" if _range(joint) == (-math.inf, math.inf) else "revolute"), axis
        case Prismatic(axis=axis):
            return "prismatic", axis
        case Planar(x=x, y=y):
            return "planar", _normal(joint, x, y)
        case QuaternionFloating():
            return "floating", None
        case Fixed():
            return "fixed", None
        case other:
            raise refusal(joint, f"URDF has no joint type {type(other).__name__}")


def _normal(joint: Joint, x: Triple, y: Triple) -> Triple:
    normal = (x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0])
    wanted = planar_axes(normal)
    defect = max(abs(a - b) for a, b in zip((*x, *y), (*wanted[0], *wanted[1]), strict=True))
    if defect > _AXES_TOLERANCE:
        raise refusal(joint, f"URDF keeps only the normal of a planar joint; reading would make the axes {wanted}")
    return _rounded_unit(normal)


def _rounded_unit(vector: Triple) -> Triple:
    """Return a unit vector rounded but for its largest component, which keeps the length."""
    rounded = [_rounded(entry, 1.0) for entry in vector]
    largest = max(range(3), key=lambda k: abs(rounded[k]))
    others = math.fsum(entry * entry for k, entry in enumerate(rounded) if k != largest)
    rounded[largest] = math.copysign(math.sqrt(1.0 - others), vector[largest])
    x, y, z = rounded
    return x, y, z


def _range(joint: Joint) -> tuple[float, float]:
    ((lower, upper),) = joint.position_bounds
    return to_float(lower), to_float(upper)


def _limit(joint: Joint, kind: str) -> dict[str, str]:
    if kind in ("fixed", "floating", "planar", "spherical"):
        for what in ("position", "velocity", "effort"):
            if any(math.isfinite(to_float(end)) for pair in getattr(joint, f"{what}_bounds") for end in pair):
                raise refusal(joint, f"URDF has no {what} bounds for a {kind} joint")
        return {}
    limit: dict[str, str] = {}
    if kind != "continuous":
        lower, upper = _range(joint)
        limit = {"lower": said([max(lower, -_LARGEST)]), "upper": said([min(upper, _LARGEST)])}
    for attribute in ("velocity", "effort"):
        ((lower, upper),) = ([to_float(end) for end in pair] for pair in getattr(joint, f"{attribute}_bounds"))
        if lower != -upper:
            raise refusal(joint, f"URDF has only symmetric {attribute} bounds, not {lower} to {upper}")
        if math.isfinite(upper):
            limit[attribute] = said([upper])
    return limit


def _dynamics(joint: Joint, *, strict: bool) -> dict[str, str]:
    if strict:
        for what in _UNSAID:
            if any(_floats(getattr(joint, what))):
                raise refusal(joint, f"URDF has no {what}; strict=False leaves it out")
    found: dict[str, str] = {}
    for what in ("damping", "friction"):
        values: list[float] = _floats(getattr(joint, what))
        if strict and len(set(values)) > 1:
            raise refusal(joint, f"URDF has one {what} per joint, not {values}; strict=False writes the first")
        if values and values[0]:
            found[what] = said(values[:1])
    return found


def _floats(values: Sequence[Scalar]) -> list[float]:
    return [to_float(value) for value in values]
