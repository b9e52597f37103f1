"""`springdamper` and `dampratio`: stiffness and damping from time constants, damping ratios and the mass matrix."""

from __future__ import annotations

import math

import attrs
import numpy as np

from rbd.algorithms import mass_matrix
from rbd.engine.interpreted import interpreted
from rbd.files.xml import XmlElement
from rbd.mechanism import Mechanism
from rbd.mjcf.description import MjcfBody, MjcfJoint
from rbd.mjcf.reading import MjcfReading
from rbd.mjcf.report import Actuator, CoordinateSpring
from rbd.scalars.arrays import Array
from rbd.state import MechanismState


def apply_damping_ratios(reading: MjcfReading, root: XmlElement, bodies: list[MjcfBody], mechanism: Mechanism) -> None:
    """Set stiffness and damping of joints with `springdamper` and of position servos with `dampratio`."""
    report = reading.report
    joints = [joint for body in bodies for joint in body.joints if any(joint.spring_damper)]
    if not joints and not any(map(_has_ratio, report.actuators)):
        return
    state = MechanismState(mechanism, report.keyframes["qpos0"][0])
    with interpreted():
        matrix = np.asarray(mass_matrix(state), dtype=np.float64)
    if np.linalg.matrix_rank(matrix) < len(matrix):
        _leave_out(reading, root, joints)
        return
    mobility = np.asarray(np.linalg.inv(matrix), dtype=np.float64)
    for joint in joints:
        _add_spring(reading, joint, state, mobility)
    report.actuators = [_damped(actuator, state, mobility) for actuator in report.actuators]


def _leave_out(reading: MjcfReading, root: XmlElement, joints: list[MjcfJoint]) -> None:
    """Warn of joints and servos whose damping depends on a singular mass matrix, and remove the servos."""
    report = reading.report
    for joint in joints:
        reading.warn_or_refuse(
            joint.node, "springdamper: the mass matrix is singular; they are missing", attribute="springdamper"
        )
    if any(map(_has_ratio, report.actuators)):
        reading.warn_or_refuse(
            root, "dampratio: the mass matrix is singular; position servos that have it are left out"
        )
    supported = [k for k, actuator in enumerate(report.actuators) if not _has_ratio(actuator)]
    report.actuators = [report.actuators[k] for k in supported]
    report.controls = {name: control[supported] for name, control in report.controls.items()}


def _add_spring(reading: MjcfReading, joint: MjcfJoint, state: MechanismState, mobility: Array) -> None:
    if joint.kind not in ("hinge", "slide"):
        reading.warn_or_refuse(
            joint.node, f"springdamper: it is not supported for a {joint.kind} joint", attribute="springdamper"
        )
        return
    (time, ratio), rest = joint.spring_damper, (joint.spring_reference, joint.spring_reference)
    k = state.v_slice(state.mechanism.joint(joint.name)).start
    inertia = 1 / float(mobility[k, k])
    if not reading.settings.off("damper"):
        state.mechanism.joint(joint.name).damping = 2 * inertia / time
    if not reading.settings.off("spring"):
        reading.report.springs.append(CoordinateSpring(((joint.name, (1.0,)),), inertia / (time * ratio) ** 2, rest))


def _has_ratio(actuator: Actuator) -> bool:
    """Whether the velocity coefficient of a position servo is a damping ratio: then it is positive."""
    return actuator.bias[2] > 0.0 and actuator.gain[0] == -actuator.bias[1]


def _damped(actuator: Actuator, state: MechanismState, mobility: Array) -> Actuator:
    if not _has_ratio(actuator):
        return actuator
    row = np.zeros(len(mobility))
    for name, factors in actuator.moment_arms:
        coordinates = state.v_slice(state.mechanism.joint(name))
        row[coordinates] += factors[: coordinates.stop - coordinates.start]
    inertia = 1 / float(row @ mobility @ row) if row.any() else 0.0
    damping = 2 * actuator.bias[2] * math.sqrt(max(0.0, actuator.gain[0] * inertia))
    return attrs.evolve(actuator, bias=(actuator.bias[0], actuator.bias[1], -damping))
