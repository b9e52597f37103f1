"""Forces on joints: actuators, springs, gravity compensation, tendons."""

from __future__ import annotations

from collections.abc import Mapping
from typing import final

import attrs

from rbd.files.xml import XmlElement
from rbd.mjcf.actuators import read_actuators
from rbd.mjcf.description import MjcfBody, MjcfInertial, MjcfJoint
from rbd.mjcf.reading import MjcfReading
from rbd.mjcf.report import Actuator, CoordinateSpring, GravityCompensation
from rbd.mjcf.tendons import read_tendons


@final
@attrs.frozen(eq=False)
class MjcfForces:
    """Forces on the joints of a file, in its order; None for an actuator that is not supported.

    `armatures` are those that actuators add to joints; `compensated_by_actuators` names joints whose actuators
    compensate gravity.
    """

    actuators: list[Actuator | None]
    armatures: dict[str, float]
    springs: list[CoordinateSpring]
    gravity_compensations: list[GravityCompensation]
    compensated_by_actuators: list[str]


def read_forces(
    reading: MjcfReading, root: XmlElement, bodies: list[MjcfBody], inertials: Mapping[str, MjcfInertial]
) -> MjcfForces:
    """Return actuators, springs and gravity compensation."""
    tendons = read_tendons(reading, root, bodies)
    actuators = read_actuators(reading, root, bodies, tendons)
    joints = [joint for body in bodies for joint in body.joints]
    springs = list(tendons.springs)
    for joint in joints:
        springs += _springs(reading, joint)
        if joint.kind == "free" and joint.armature:
            reading.warn(joint.node, "armature: it acts on the velocity as the body sees it")
    for section in root.children:
        if section.tag == "deformable":
            reading.warn_or_refuse(section, "deformable bodies are not supported: they are missing")
    return MjcfForces(
        actuators.actuators,
        actuators.armatures,
        springs,
        [_gravity_compensation(body, inertials[body.name]) for body in bodies if _is_compensated(body)],
        [joint.name for joint in joints if joint.compensated_by_actuator],
    )


def _springs(reading: MjcfReading, joint: MjcfJoint) -> list[CoordinateSpring]:
    """Return the spring of a joint, if it has one; those with `springdamper` come with the mass matrix."""
    if joint.stiffness == 0.0 or reading.settings.is_disabled("spring") or joint.spring_damper is not None:
        return []
    if joint.kind in ("hinge", "slide"):
        rest = (joint.spring_reference, joint.spring_reference)
        return [CoordinateSpring(((joint.name, (1.0,)),), joint.stiffness, rest)]
    message = f"stiffness: springs of {joint.kind} joints are not supported"
    reading.warn_or_refuse(joint.node, message, attribute="stiffness")
    return []


def _is_compensated(body: MjcfBody) -> bool:
    """Return whether gravity of a body that can move is compensated."""
    moving: MjcfBody | None = body
    while moving is not None and not moving.joints:
        moving = moving.parent
    return body.gravity_compensation != 0.0 and moving is not None


def _gravity_compensation(body: MjcfBody, inertial: MjcfInertial) -> GravityCompensation:
    return GravityCompensation(body.name, body.gravity_compensation, inertial.mass, inertial.com)
