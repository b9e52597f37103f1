"""Forces on joints: actuators, springs, gravity compensation, tendons."""

from __future__ import annotations

from typing import NamedTuple

from rbd.files.xml import XmlElement
from rbd.mjcf.actuators import ActuatorReader
from rbd.mjcf.description import MjcfBody, MjcfJoint
from rbd.mjcf.reading import MjcfReading
from rbd.mjcf.report import CoordinateSpring, GravityCompensation
from rbd.mjcf.tendons import TendonReader


class Actuators(NamedTuple):
    """Actuators of a file: what they add to the armatures of joints, by name, and which of them are supported."""

    armatures: dict[str, float]
    supported: list[bool]


def read_forces(reading: MjcfReading, root: XmlElement, bodies: list[MjcfBody]) -> Actuators:
    """Add actuators, springs and gravity compensation to the report."""
    tendons = TendonReader(reading, bodies)
    tendons.read(root)
    reader = ActuatorReader(reading, bodies, tendons)
    actuators = reader.read(root)
    reading.report.actuators = [actuator for actuator in actuators if actuator is not None]
    for body in bodies:
        _add_gravity_compensation(reading, body)
        for joint in body.joints:
            if joint.compensated_by_actuator:
                reading.report.compensated_by_actuators.append(joint.name)
            _add_spring(reading, joint)
    for section in root.children:
        if section.tag == "deformable":
            reading.warn_or_refuse(section, "deformable bodies are not supported: they are missing")
    return Actuators(reader.armatures, [actuator is not None for actuator in actuators])


def _add_spring(reading: MjcfReading, joint: MjcfJoint) -> None:
    if joint.stiffness != 0.0 and not reading.settings.off("spring") and not any(joint.spring_damper):
        if joint.kind in ("hinge", "slide"):
            rest = (joint.spring_reference, joint.spring_reference)
            reading.report.springs.append(CoordinateSpring(((joint.name, (1.0,)),), joint.stiffness, rest))
        else:
            reading.warn_or_refuse(
                joint.node, f"stiffness: springs of {joint.kind} joints are not supported", attribute="stiffness"
            )
    if joint.kind == "free" and joint.armature:
        reading.warn(joint.node, "armature: it acts on the velocity as the body sees it")


def _add_gravity_compensation(reading: MjcfReading, body: MjcfBody) -> None:
    moving: MjcfBody | None = body
    while moving is not None and not moving.joints:
        moving = moving.parent
    if body.gravity_compensation and moving is not None and body.mass is not None:
        entry = GravityCompensation(body.name, body.gravity_compensation, body.mass.mass, body.mass.com)
        reading.report.gravity_compensations.append(entry)
