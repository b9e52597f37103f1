"""The rules of `<joint>` and `<freejoint>`."""

from __future__ import annotations

import math
from typing import Final

from rbd.errors import MjcfValueError
from rbd.files.pose import Pose, Triple, float_vector
from rbd.mjcf.description import JointKind, JointPart
from rbd.mjcf.element import MjcfElement
from rbd.mjcf.pose import unit
from rbd.mjcf.reading import MjcfReading
from rbd.mjcf.settings import Settings

_KINDS: Final[tuple[JointKind, ...]] = ("hinge", "slide", "ball", "free")
_NONE: Final = (-math.inf, math.inf)


def read_free_joint(reading: MjcfReading, element: MjcfElement, name: str, settings: Settings) -> JointPart:
    """Return a free joint; no defaults apply to it."""
    reading.check(element.node)
    align = element.choice("align", ("false", "true", "auto"), "auto")
    if align == "true" or (align == "auto" and settings.align_free):
        message = "align: the frame of the body stays where it is, and is not moved to the centre of mass"
        reading.warn(element.node, message)
    return JointPart(element.node, name, "free", (0.0, 0.0, 0.0), (0.0, 0.0, 1.0))


def read_joint(reading: MjcfReading, element: MjcfElement, name: str, frame: Pose, settings: Settings) -> JointPart:
    """Return a joint that stands in a `frame` of its body."""
    reading.check(element.node, "joint")
    kind: JointKind = element.choice("type", _KINDS, "hinge")
    unit_of_angle = settings.angle if kind == "hinge" else 1.0
    stiffness, damping = (_linear_coefficient(reading, element, word) for word in ("stiffness", "damping"))
    return JointPart(
        element.node, name, kind,
        position=(0.0, 0.0, 0.0) if kind == "free" else _position(element, frame),
        axis=_axis(reading, element, frame) if kind in ("hinge", "slide") else (0.0, 0.0, 1.0),
        reference=element.number("ref", 0.0) * unit_of_angle if kind in ("hinge", "slide") else 0.0,
        spring_reference=element.number("springref", 0.0) * unit_of_angle,
        stiffness=stiffness, spring_damper=_spring_damper(reading, element),
        damping=_coefficient(reading, element, "damping", damping),
        friction=_coefficient(reading, element, "frictionloss", element.quantity("frictionloss", 0.0)),
        armature=_coefficient(reading, element, "armature", element.quantity("armature", 0.0)),
        bounds=_range(reading, element, kind, settings), effort=_effort(reading, element, kind, settings),
        compensated_by_actuator=element.flag("actuatorgravcomp", False),
    )  # fmt: skip


def _linear_coefficient(reading: MjcfReading, element: MjcfElement, attribute: str) -> float:
    """Return the first coefficient of a polynomial; the others are not supported."""
    linear, *higher = element.vector(attribute, (0.0, 0.0, 0.0), 1)
    if any(higher):
        message = f"{attribute}: only its first coefficient is taken"
        reading.warn_or_refuse(element.node, message, attribute=attribute)
    return linear


def _spring_damper(reading: MjcfReading, element: MjcfElement) -> tuple[float, float]:
    """Return time constant and damping ratio; zeros without them."""
    time, ratio = element.vector("springdamper", (0.0, 0.0))
    if (time or ratio) and min(time, ratio) <= 0.0:
        message = "springdamper: both numbers must be positive"
        raise reading.fault(MjcfValueError, element.source("springdamper") or element.node, message)
    return time, ratio


def _position(element: MjcfElement, frame: Pose) -> Triple:
    x, y, z = element.vector("pos", (0.0, 0.0, 0.0))
    return frame.point((x, y, z))


def _axis(reading: MjcfReading, element: MjcfElement, frame: Pose) -> Triple:
    axis = unit(element.vector("axis", (0.0, 0.0, 1.0)))
    if axis is None:
        node = element.source("axis") or element.node
        raise reading.fault(MjcfValueError, node, "the axis is zero: it has no direction", attribute="axis")
    return float_vector(frame.direction(axis))


def _coefficient(reading: MjcfReading, element: MjcfElement, attribute: str, value: float) -> float:
    if value < 0.0:
        node = element.source(attribute) or element.node
        reading.warn_or_refuse(node, f"{attribute} {value:.9g} is negative", remedy="0 is taken", attribute=attribute)
        return 0.0
    return value


def is_limited(reading: MjcfReading, element: MjcfElement, switch: str, attribute: str, settings: Settings) -> bool:
    """Return whether a range is in force: because it says so, or because it is there."""
    word = element.choice(switch, ("false", "true", "auto"), "auto")
    if word != "auto":
        return word == "true"
    has_range = any(element.vector(attribute, (0.0, 0.0)))
    if has_range and not settings.limits_by_range:
        message = f"{attribute} without {switch}, and autolimits is false"
        reading.warn_or_refuse(
            element.source(attribute) or element.node, message, remedy="it has no bounds", attribute=attribute
        )
    return has_range and settings.limits_by_range


def _range(reading: MjcfReading, element: MjcfElement, kind: JointKind, settings: Settings) -> tuple[float, float]:
    if kind == "free" or not is_limited(reading, element, "limited", "range", settings):
        return _NONE
    lower, upper = element.vector("range", (0.0, 0.0))
    if kind == "ball":
        reading.warn_or_refuse(element.node, "range: the angle of a ball joint is not bounded", attribute="range")
        return _NONE
    _require_order(reading, element, "range", lower, upper)
    turn = settings.angle if kind == "hinge" else 1.0
    return lower * turn, upper * turn


def _effort(reading: MjcfReading, element: MjcfElement, kind: JointKind, settings: Settings) -> tuple[float, float]:
    if kind in ("free", "ball") or not is_limited(reading, element, "actuatorfrclimited", "actuatorfrcrange", settings):
        return _NONE
    lower, upper = element.vector("actuatorfrcrange", (0.0, 0.0))
    _require_order(reading, element, "actuatorfrcrange", lower, upper)
    return lower, upper


def _require_order(reading: MjcfReading, element: MjcfElement, attribute: str, lower: float, upper: float) -> None:
    if lower >= upper:
        node = element.source(attribute) or element.node
        message = f"{attribute}: {lower:.9g} is not below {upper:.9g}"
        raise reading.fault(MjcfValueError, node, message, attribute=attribute)
