"""Derivatives of the local coordinates of joints by configurations and velocities, as matrices.

Every matrix is block-diagonal, a block per joint. Derivatives are exact, by complex steps.
"""

from __future__ import annotations

import numpy as np

from rbd.joints import JointType
from rbd.scalars import Vector
from rbd.scalars.arrays import Array
from rbd.simulation.integrator import solve
from rbd.state import MechanismState

_STEP = 1e-100  # so small that its square underflows: the derivative has no truncation error


def local_rate_matrix(state: MechanismState, around: Array, q: Array) -> Array:
    """Return the matrix from velocities at `q` to rates of the local coordinates around another configuration."""
    matrix = np.zeros((state.layout.nv, state.layout.nv))
    for link in state.links:
        matrix[link.v, link.v] = _joint_rate_matrix(
            link.joint.type, tuple(around[link.q].tolist()), tuple(q[link.q].tolist())
        )
    return matrix


def midpoint_velocity_jacobian(state: MechanismState, around: Array, phi: Array) -> Array:
    """Return the derivative by phi of the velocity at phi / 2 at which the local coordinates change at the rate phi."""
    matrix = np.zeros((state.layout.nv, state.layout.nv))
    for link in state.links:
        q, own = tuple(around[link.q].tolist()), phi[link.v]
        matrix[link.v, link.v] = _midpoint_velocity_jacobian(link.joint.type, q, own)
    return matrix


def boltzmann_hamel_force(state: MechanismState, q: Array, v: Array, p: Array) -> Array:
    """Return the Boltzmann-Hamel force of quasi-velocities v with momentum p: v x p for a ball joint.

    Its k-th entry is (K(e_k) v - K(v) e_k)^T lambda, where K(x) is the derivative along velocity x of the matrix J from
    velocities to rates of the local coordinates around q, and J^T lambda = p.
    """
    result = np.zeros_like(v)
    for link in state.links:
        result[link.v] = _boltzmann_hamel_force(link.joint.type, tuple(q[link.q].tolist()), v[link.v], p[link.v])
    return result


def _midpoint_velocity_jacobian(kind: JointType, q: Vector, phi: Array) -> Array:
    """Return the derivative by phi of x, where J(phi / 2) x = phi."""
    mean = _joint_rate_matrix(kind, q, kind.global_coordinates(q, tuple((0.5 * phi).tolist())))
    x = solve(mean, phi)
    right = np.eye(kind.nv)
    for k, unit in enumerate(np.eye(kind.nv)):
        right[:, k] -= _local_rate_derivative(kind, q, 0.5 * phi, 0.5 * unit, x)
    return solve(mean, right)


def _boltzmann_hamel_force(kind: JointType, q: Vector, v: Array, p: Array) -> Array:
    """Return `boltzmann_hamel_force` of one joint."""
    J, zero = _joint_rate_matrix(kind, q, q), np.zeros(kind.nv)
    multipliers = solve(J.T, p)
    units = np.eye(kind.nv)
    K_v = [_local_rate_derivative(kind, q, zero, J @ v, unit) @ multipliers for unit in units]
    K_unit = [_local_rate_derivative(kind, q, zero, J @ unit, v) @ multipliers for unit in units]
    return np.array(K_unit) - np.array(K_v)


def _local_rate_derivative(kind: JointType, q: Vector, phi: Array, direction: Array, v: Array) -> Array:
    """Return the directional derivative at phi of the rates of the local coordinates around q, at velocity v."""
    moved = kind.global_coordinates(q, tuple((phi + 1j * _STEP * direction).tolist()))
    rate = kind.local_coordinates_rate(q, moved, tuple(v.tolist()))
    return np.array(rate, dtype=np.complex128).imag / _STEP


def _joint_rate_matrix(kind: JointType, around: Vector, q: Vector) -> Array:
    return np.array(_columns(kind, around, q), dtype=np.float64).reshape(kind.nv, kind.nv).T


def _columns(kind: JointType, around: Vector, q: Vector) -> list[Vector]:
    return [kind.local_coordinates_rate(around, q, tuple(unit)) for unit in np.eye(kind.nv).tolist()]
