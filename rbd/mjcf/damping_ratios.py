"""`springdamper` and `dampratio`: stiffness and damping from time constants, damping ratios and the mass matrix."""

from __future__ import annotations

import math
from typing import final

import attrs
import numpy as np

from rbd.algorithms import mass_matrix
from rbd.engine.interpreted import interpreted
from rbd.files.xml import XmlElement
from rbd.mechanism import Mechanism
from rbd.mjcf.description import MjcfBody, MjcfJoint, SpringDamper
from rbd.mjcf.forces import MjcfForces
from rbd.mjcf.reading import MjcfReading
from rbd.mjcf.report import Actuator, CoordinateSpring
from rbd.scalars.arrays import Array
from rbd.state import MechanismState


@final
@attrs.frozen(eq=False)
class ResolvedRatios:
    """Damping of joints with `springdamper`, by name; forces with the springs of these, and with damped servos."""

    joint_damping: dict[str, float]
    forces: MjcfForces


def resolve_ratios(
    reading: MjcfReading, root: XmlElement, bodies: list[MjcfBody], forces: MjcfForces, mechanism: Mechanism, q: Array
) -> ResolvedRatios:
    """Return stiffness and damping of joints with `springdamper` and of position servos with `dampratio`.

    They depend on the mass matrix in the reference configuration `q`.
    """
    joints = [joint for body in bodies for joint in body.joints if joint.spring_damper is not None]
    if not joints and not any(map(_has_ratio, forces.actuators)):
        return ResolvedRatios({}, forces)
    state = MechanismState(mechanism, q)
    mobility = _mobility(state)
    if mobility is None:
        return ResolvedRatios({}, _without_ratios(reading, root, joints, forces))
    dampings, springs = dict[str, float](), list(forces.springs)
    for joint in joints:
        if joint.spring_damper is not None and _is_supported(reading, joint):
            inertia = _inertia(joint, state, mobility)
            dampings[joint.name] = 2 * inertia / joint.spring_damper.time_constant
            springs.append(_spring(joint, joint.spring_damper, inertia))
    actuators = [_damped(actuator, state, mobility) for actuator in forces.actuators]
    disabled = reading.settings.is_disabled
    return ResolvedRatios(
        {} if disabled("damper") else dampings,
        attrs.evolve(forces, actuators=actuators, springs=forces.springs if disabled("spring") else springs),
    )


def _mobility(state: MechanismState) -> Array | None:
    """Return the inverse of the mass matrix; None if it is singular."""
    with interpreted():
        matrix = np.asarray(mass_matrix(state), dtype=np.float64)
    if np.linalg.matrix_rank(matrix) < len(matrix):
        return None
    return np.asarray(np.linalg.inv(matrix), dtype=np.float64)


def _without_ratios(reading: MjcfReading, root: XmlElement, joints: list[MjcfJoint], forces: MjcfForces) -> MjcfForces:
    """Return the forces without servos whose damping depends on a singular mass matrix; warn of such joints, too."""
    for joint in joints:
        reading.warn_or_refuse(
            joint.node, "springdamper: the mass matrix is singular; they are missing", attribute="springdamper"
        )
    if any(map(_has_ratio, forces.actuators)):
        reading.warn_or_refuse(
            root, "dampratio: the mass matrix is singular; position servos that have it are left out"
        )
    return attrs.evolve(forces, actuators=[None if _has_ratio(actuator) else actuator for actuator in forces.actuators])


def _is_supported(reading: MjcfReading, joint: MjcfJoint) -> bool:
    if joint.kind in ("hinge", "slide"):
        return True
    message = f"springdamper: it is not supported for a {joint.kind} joint"
    reading.warn_or_refuse(joint.node, message, attribute="springdamper")
    return False


def _inertia(joint: MjcfJoint, state: MechanismState, mobility: Array) -> float:
    """Return the inertia that a joint moves: the inverse of its element of the inverse mass matrix."""
    k = state.v_slice(state.mechanism.joint(joint.name)).start
    return 1 / float(mobility[k, k])


def _spring(joint: MjcfJoint, spring_damper: SpringDamper, inertia: float) -> CoordinateSpring:
    period = spring_damper.time_constant * spring_damper.damping_ratio
    rest = (joint.spring_reference, joint.spring_reference)
    return CoordinateSpring(((joint.name, (1.0,)),), inertia / period**2, rest)


def _has_ratio(actuator: Actuator | None) -> bool:
    """Return whether the velocity coefficient of a position servo is a damping ratio: if positive, as in MuJoCo."""
    return actuator is not None and actuator.bias[2] > 0.0 and actuator.gain[0] == -actuator.bias[1]


def _damped(actuator: Actuator | None, state: MechanismState, mobility: Array) -> Actuator | None:
    """Return an actuator whose damping ratio, if it has one, is a velocity coefficient."""
    if actuator is None or not _has_ratio(actuator):
        return actuator
    row = np.zeros(len(mobility))
    for name, factors in actuator.moment_arms:
        coordinates = state.v_slice(state.mechanism.joint(name))
        row[coordinates] += factors[: coordinates.stop - coordinates.start]
    inertia = 1 / float(row @ mobility @ row) if row.any() else 0.0
    damping = 2 * actuator.bias[2] * math.sqrt(max(0.0, actuator.gain[0] * inertia))
    return attrs.evolve(actuator, bias=(actuator.bias[0], actuator.bias[1], -damping))
