"""How the local coordinates of joints change with their configurations and velocities, as matrices.

Every matrix is block-diagonal, a block per joint. Derivatives are exact, by complex steps.
"""

from __future__ import annotations

import numpy as np

from rbd.joints import JointType
from rbd.scalars import Vector
from rbd.scalars.arrays import Array
from rbd.state import MechanismState

_STEP = 1e-100  # squares vanish beside it: the derivative is exact


def solve(matrix: Array, right: Array) -> Array:
    """Return the solution of a linear system."""
    if not matrix.size:  # LAPACK refuses what has no rows
        return np.zeros_like(right)
    return np.asarray(np.linalg.solve(matrix, right), dtype=np.float64)


def rates_around(state: MechanismState, around: Array, q: Array) -> Array:
    """Return the matrix from velocities at `q` to rates of the local coordinates around another configuration."""
    matrix = np.zeros((state.layout.nv, state.layout.nv))
    for link in state.links:
        matrix[link.v, link.v] = _rates(link.joint.type, tuple(around[link.q].tolist()), tuple(q[link.q].tolist()))
    return matrix


def mean_velocity_slopes(state: MechanismState, around: Array, phi: Array) -> Array:
    """Return how the velocity halfway changes with `phi`, when the coordinates change at the rate phi."""
    matrix = np.zeros((state.layout.nv, state.layout.nv))
    for link in state.links:
        q, own = tuple(around[link.q].tolist()), phi[link.v]
        matrix[link.v, link.v] = _mean_velocity_slopes(link.joint.type, q, own)
    return matrix


def bending(state: MechanismState, q: Array, v: Array, p: Array) -> Array:
    """Return what a momentum p feels of velocities that are no derivatives of coordinates: v x p for a ball joint.

    It is -K(v)^T p + (K(e_k) v)^T p: K(x) is how the rates of the coordinates around q change as q moves along x.
    """
    result = np.zeros_like(v)
    for link in state.links:
        result[link.v] = _bending(link.joint.type, tuple(q[link.q].tolist()), v[link.v], p[link.v])
    return result


def _mean_velocity_slopes(kind: JointType, q: Vector, phi: Array) -> Array:
    """Return the derivative of x by phi, where x solves (rates halfway) x = phi."""
    mean = _rates(kind, q, kind.global_coordinates(q, tuple((0.5 * phi).tolist())))
    x = solve(mean, phi)
    right = np.eye(kind.nv)
    for k, unit in enumerate(np.eye(kind.nv)):
        right[:, k] -= _slope(kind, q, 0.5 * phi, 0.5 * unit, x)
    return solve(mean, right)


def _bending(kind: JointType, q: Vector, v: Array, p: Array) -> Array:
    """Return `bending` of one joint."""
    here, still = _rates(kind, q, q), np.zeros(kind.nv)
    felt = solve(here.T, p)
    units = np.eye(kind.nv)
    along = [_slope(kind, q, still, here @ v, unit) @ felt for unit in units]
    across = [_slope(kind, q, still, here @ unit, v) @ felt for unit in units]
    return np.array(across) - np.array(along)


def _slope(kind: JointType, q: Vector, phi: Array, direction: Array, v: Array) -> Array:
    """Return how the rate of the coordinates around q at velocity v changes as they move along a direction."""
    moved = kind.global_coordinates(q, tuple((phi + 1j * _STEP * direction).tolist()))
    rate = kind.local_coordinates_rate(q, moved, tuple(v.tolist()))
    return np.array(rate, dtype=np.complex128).imag / _STEP


def _rates(kind: JointType, around: Vector, q: Vector) -> Array:
    return np.array(_columns(kind, around, q), dtype=np.float64).reshape(kind.nv, kind.nv).T


def _columns(kind: JointType, around: Vector, q: Vector) -> list[Vector]:
    return [kind.local_coordinates_rate(around, q, tuple(unit)) for unit in np.eye(kind.nv).tolist()]
