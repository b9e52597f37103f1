"""`<joint>` and `<freejoint>`: kind, axis, bounds, coefficients."""

from __future__ import annotations

import math
from typing import Final

from rbd.errors import MjcfValueError
from rbd.files.pose import ZERO, Pose, Triple, float_vector
from rbd.mjcf.description import JointKind, MjcfJoint
from rbd.mjcf.element import MjcfElement
from rbd.mjcf.rotations import unit

_KINDS: Final[tuple[JointKind, ...]] = ("hinge", "slide", "ball", "free")
UNBOUNDED: Final = (-math.inf, math.inf)


def read_free_joint(element: MjcfElement, name: str) -> MjcfJoint:
    """Return a free joint; no defaults apply to it."""
    reading = element.reading
    reading.check(element.node)
    align = element.choice("align", ("false", "true", "auto"), "auto")
    if align == "true" or (align == "auto" and reading.settings.align_free):
        message = "align: the frame of the body stays where it is, and is not moved to the centre of mass"
        reading.warn(element.node, message)
    return MjcfJoint(element.node, name, "free", ZERO, (0.0, 0.0, 1.0))


def read_joint(element: MjcfElement, name: str, frame: Pose) -> MjcfJoint:
    """Return a joint given in a `frame` of its body."""
    element.reading.check(element.node, "joint")
    kind: JointKind = element.choice("type", _KINDS, "hinge")
    unit_of_angle = element.reading.settings.angle if kind == "hinge" else 1.0
    stiffness, damping = (_linear_coefficient(element, word) for word in ("stiffness", "damping"))
    return MjcfJoint(
        element.node, name, kind,
        position=ZERO if kind == "free" else frame.point(element.triple("pos")),
        axis=_axis(element, frame) if kind in ("hinge", "slide") else (0.0, 0.0, 1.0),
        reference=element.number("ref", 0.0) * unit_of_angle if kind in ("hinge", "slide") else 0.0,
        spring_reference=element.number("springref", 0.0) * unit_of_angle,
        stiffness=stiffness, spring_damper=_spring_damper(element),
        damping=_coefficient(element, "damping", damping),
        friction=_coefficient(element, "frictionloss", element.quantity("frictionloss", 0.0)),
        armature=_coefficient(element, "armature", element.quantity("armature", 0.0)),
        bounds=_range(element, kind), effort=_effort(element, kind),
        compensated_by_actuator=element.flag("actuatorgravcomp", False),
    )  # fmt: skip


def _linear_coefficient(element: MjcfElement, attribute: str) -> float:
    """Return the first coefficient of a polynomial; the others are not supported."""
    linear, *higher = element.vector(attribute, ZERO, 1)
    if any(higher):
        message = f"{attribute}: only its first coefficient is taken"
        element.reading.warn_or_refuse(element.node, message, attribute=attribute)
    return linear


def _spring_damper(element: MjcfElement) -> tuple[float, float]:
    """Return time constant and damping ratio; zeros without them."""
    time, ratio = element.vector("springdamper", (0.0, 0.0))
    if (time or ratio) and min(time, ratio) <= 0.0:
        message = "springdamper: both numbers must be positive"
        raise element.reading.error(MjcfValueError, element.source("springdamper") or element.node, message)
    return time, ratio


def _axis(element: MjcfElement, frame: Pose) -> Triple:
    axis = unit(element.vector("axis", (0.0, 0.0, 1.0)))
    if axis is None:
        node = element.source("axis") or element.node
        raise element.reading.error(MjcfValueError, node, "the axis is zero: it has no direction", attribute="axis")
    return float_vector(frame.direction(axis))


def _coefficient(element: MjcfElement, attribute: str, value: float) -> float:
    if value < 0.0:
        node = element.source(attribute) or element.node
        message = f"{attribute} {value:.9g} is negative"
        element.reading.warn_or_refuse(node, message, remedy="0 is taken", attribute=attribute)
        return 0.0
    return value


def _is_limited(element: MjcfElement, switch: str, attribute: str) -> bool:
    """Return whether a range is in force: because it says so, or because it is there."""
    word = element.choice(switch, ("false", "true", "auto"), "auto")
    if word != "auto":
        return word == "true"
    has_range = any(element.vector(attribute, (0.0, 0.0)))
    if has_range and not element.reading.settings.limits_by_range:
        message = f"{attribute} without {switch}, and autolimits is false"
        element.reading.warn_or_refuse(
            element.source(attribute) or element.node, message, remedy="it has no bounds", attribute=attribute
        )
    return has_range and element.reading.settings.limits_by_range


def _range(element: MjcfElement, kind: JointKind) -> tuple[float, float]:
    if kind == "ball" and _is_limited(element, "limited", "range"):
        element.vector("range", (0.0, 0.0))  # raises for what is no pair of numbers
        message = "range: the angle of a ball joint is not bounded"
        element.reading.warn_or_refuse(element.node, message, attribute="range")
    if kind in ("free", "ball"):
        return UNBOUNDED
    lower, upper = read_limits(element, "limited", "range")
    turn = element.reading.settings.angle if kind == "hinge" else 1.0
    return lower * turn, upper * turn


def _effort(element: MjcfElement, kind: JointKind) -> tuple[float, float]:
    return UNBOUNDED if kind in ("free", "ball") else read_limits(element, "actuatorfrclimited", "actuatorfrcrange")


def read_limits(element: MjcfElement, switch: str, attribute: str) -> tuple[float, float]:
    """Return the limits of a range, infinite ones if it is not in force; raise MjcfValueError for a wrong order."""
    if not _is_limited(element, switch, attribute):
        return UNBOUNDED
    lower, upper = element.vector(attribute, (0.0, 0.0))
    if lower >= upper:
        node = element.source(attribute) or element.node
        message = f"{attribute}: {lower:.9g} is not below {upper:.9g}"
        raise element.reading.error(MjcfValueError, node, message, attribute=attribute)
    return lower, upper
