"""Local coordinates around the configuration at which a time step begins, in which it is integrated."""

from __future__ import annotations

from rbd.algorithms.time_steps.fixed_step import stepped
from rbd.kinematics.conversions import normalised_coordinates
from rbd.scalar_states.scalar_state import ScalarState
from rbd.scalars import Scalar, Vector


def coordinate_rates(start: ScalarState, state: ScalarState, v: Vector) -> Vector:
    """Return the rates of the local coordinates around `start`, at `state` and velocity v."""
    rates: list[Scalar] = []
    for node in state.nodes:
        rates.extend(node.joint.type.local_coordinates_rate(start.joint_q(node), state.joint_q(node), v[node.v_slice]))
    return tuple(rates)


def global_coordinates(start: ScalarState, phi: Vector) -> Vector:
    """Return q from local coordinates around the configuration of `start`."""
    q: list[Scalar] = []
    for node in start.nodes:
        q.extend(node.joint.type.global_coordinates(start.joint_q(node), phi[node.v_slice]))
    return tuple(q)


def normalised_configuration(start: ScalarState, phi: Vector) -> Vector:
    """Return q at the end of a step, normalised against accumulated rounding errors."""
    q, normalised = global_coordinates(start, phi), list[Scalar]()
    for node in start.nodes:
        normalised += normalised_coordinates(node, q[node.q_slice])
    return tuple(normalised)


def integrate_configuration(start: ScalarState, v: Vector, dt: Scalar) -> Vector:
    """Return q after a time `dt` with constant velocities `v`, as in a semi-implicit step."""
    return normalised_configuration(start, stepped((0,) * len(v), coordinate_rates(start, start, v), dt))
