"""`<joint>` and `<freejoint>`: kind, axis, bounds, coefficients."""

from __future__ import annotations

from typing import Final

from rbd.files.bounds import UNBOUNDED
from rbd.files.pose import ZERO, FloatVec3, Pose, float_vector
from rbd.mjcf.description import JointKind, MjcfJoint, SpringDamper
from rbd.mjcf.element import MjcfElement
from rbd.mjcf.rotations import unit

_KINDS: Final[tuple[JointKind, ...]] = ("hinge", "slide", "ball", "free")
_MIN_PERIOD: Final = 1e-15
"""Smallest product of the time constant (s) and the damping ratio of a spring."""


def read_free_joint(element: MjcfElement, name: str) -> MjcfJoint:
    """Return a free joint; no defaults apply to it."""
    reading = element.reading
    reading.check_attributes(element.node)
    align = element.choice("align", ("false", "true", "auto"), "auto")
    if align == "true" or (align == "auto" and reading.settings.align_free):
        message = "align: the frame of the body stays where it is, and is not moved to the centre of mass"
        reading.warn(element.node, message)
    return MjcfJoint(element.node, name, "free", ZERO, (0.0, 0.0, 1.0))


def read_joint(element: MjcfElement, name: str, frame: Pose) -> MjcfJoint:
    """Return a joint given in a `frame` of its body."""
    element.reading.check_attributes(element.node, "joint")
    kind: JointKind = element.choice("type", _KINDS, "hinge")
    unit_of_angle = element.reading.settings.angle_unit if kind == "hinge" else 1.0
    stiffness, damping = (_linear_coefficient(element, word) for word in ("stiffness", "damping"))
    return MjcfJoint(
        element.node, name, kind,
        position=ZERO if kind == "free" else frame.point(element.vector3("pos")),
        axis=_axis(element, frame) if kind in ("hinge", "slide") else (0.0, 0.0, 1.0),
        reference=element.number("ref", 0.0) * unit_of_angle if kind in ("hinge", "slide") else 0.0,
        spring_reference=element.number("springref", 0.0) * unit_of_angle,
        stiffness=stiffness, spring_damper=_spring_damper(element),
        damping=_coefficient(element, "damping", damping),
        friction=_coefficient(element, "frictionloss", element.quantity("frictionloss", 0.0)),
        armature=_coefficient(element, "armature", element.quantity("armature", 0.0)),
        position_bounds=_position_bounds(element, kind), effort_bounds=_effort_bounds(element, kind),
        compensated_by_actuator=element.flag("actuatorgravcomp", False),
    )  # fmt: skip


def _linear_coefficient(element: MjcfElement, attribute: str) -> float:
    """Return the first coefficient of a polynomial; the others are not supported."""
    linear, *higher = element.vector(attribute, ZERO, 1)
    if any(higher):
        message = f"{attribute}: only its first coefficient is taken"
        element.reading.warn_or_refuse(element.place(attribute), message, attribute=attribute)
    return linear


def _spring_damper(element: MjcfElement) -> SpringDamper | None:
    """Return time constant and damping ratio; None for zeros."""
    time, ratio = element.vector("springdamper", (0.0, 0.0))
    if (time or ratio) and min(time, ratio) <= 0.0:
        raise element.error("springdamper", "springdamper: both numbers must be positive")
    if time and time * ratio < _MIN_PERIOD:
        message = f"springdamper: their product is {time * ratio:.9g} s; the smallest is {_MIN_PERIOD:.9g} s"
        raise element.error("springdamper", message, value=(time, ratio))
    return SpringDamper(time, ratio) if time else None


def _axis(element: MjcfElement, frame: Pose) -> FloatVec3:
    axis = unit(element.vector("axis", (0.0, 0.0, 1.0)))
    if axis is None:
        raise element.error("axis", "the axis is zero: it has no direction")
    return float_vector(frame.direction(axis))


def _coefficient(element: MjcfElement, attribute: str, value: float) -> float:
    if value < 0.0:
        message = f"{attribute} {value:.9g} is negative"
        element.reading.warn_or_refuse(element.place(attribute), message, remedy="0 is taken", attribute=attribute)
        return 0.0
    return value


def _is_limited(element: MjcfElement, switch: str, attribute: str) -> bool:
    """Return whether a range is in force: because it says so, or because it is there."""
    word = element.choice(switch, ("false", "true", "auto"), "auto")
    if word != "auto":
        return word == "true"
    has_range = any(element.vector(attribute, (0.0, 0.0)))
    if has_range and not element.reading.settings.auto_limits:
        message = f"{attribute} without {switch}, and autolimits is false"
        element.reading.warn_or_refuse(
            element.place(attribute), message, remedy="it has no bounds", attribute=attribute
        )
    return has_range and element.reading.settings.auto_limits


def _position_bounds(element: MjcfElement, kind: JointKind) -> tuple[float, float]:
    if kind == "ball" and _is_limited(element, "limited", "range"):
        element.vector("range", (0.0, 0.0))  # raises for what is no pair of numbers
        message = "range: the angle of a ball joint is not bounded"
        element.reading.warn_or_refuse(element.place("range"), message, attribute="range")
    if kind in ("free", "ball"):
        return UNBOUNDED
    lower, upper = read_bounds(element, "limited", "range")
    turn = element.reading.settings.angle_unit if kind == "hinge" else 1.0
    return lower * turn, upper * turn


def _effort_bounds(element: MjcfElement, kind: JointKind) -> tuple[float, float]:
    return UNBOUNDED if kind in ("free", "ball") else read_bounds(element, "actuatorfrclimited", "actuatorfrcrange")


def read_bounds(element: MjcfElement, switch: str, attribute: str) -> tuple[float, float]:
    """Return the bounds in a range, infinite ones if it is not in force; raise MjcfValueError for a wrong order."""
    if not _is_limited(element, switch, attribute):
        return UNBOUNDED
    lower, upper = element.vector(attribute, (0.0, 0.0))
    if lower >= upper:
        raise element.error(attribute, f"{attribute}: {lower:.9g} is not below {upper:.9g}")
    return lower, upper
