"""How the local coordinates of joints change with their configurations and velocities, as matrices.

Room: simulation. Every matrix is block-diagonal, a block per joint. Derivatives are exact, by complex steps.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbd.joints import JointType
from rbd.scalars import Vector
from rbd.scalars.arrays import Array
from rbd.state import MechanismState

_STEP = 1e-100  # squares vanish beside it: the derivative is exact


def solve(matrix: Array, right: Array) -> Array:
    """Return the solution of a linear system."""
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
        q, kind, own = tuple(around[link.q].tolist()), link.joint.type, phi[link.v]
        for k in range(link.joint.nv):
            matrix[link.v, link.v.start + k] = _mean_velocity(kind, q, own + 1j * _STEP * _unit(own, k)).imag / _STEP
    return matrix


def bending(state: MechanismState, q: Array, v: Array, p: Array) -> Array:
    """Return what a momentum p feels of velocities that are no derivatives of coordinates: v x p for a ball joint.

    It is -K(v)^T p + (K(e_k) v)^T p: K(x) is how the rates of the coordinates around q change as q moves along x.
    """
    result = np.zeros_like(v)
    for link in state.links:
        own_v, own_p = v[link.v], p[link.v]
        bends = [_bend(link.joint.type, tuple(q[link.q].tolist()), _unit(own_v, k)) for k in range(link.joint.nv)]
        if bends:
            along = np.tensordot(own_v, np.array(bends), axes=1)
            result[link.v] = np.array([(bend @ own_v) @ own_p for bend in bends]) - along.T @ own_p
    return result


def _bend(kind: JointType, q: Vector, x: Array) -> Array:
    """Return K(x) of one joint."""
    here = _rates(kind, q, q)
    moved = kind.global_coordinates(q, tuple((1j * _STEP * (here @ x)).tolist()))
    return solve(here, _complex_rates(kind, q, moved).imag / _STEP)


def _mean_velocity(kind: JointType, q: Vector, phi: NDArray[np.complex128]) -> NDArray[np.complex128]:
    """Return the velocity at phi / 2 at which the coordinates of one joint around q change at the rate phi."""
    middle = kind.global_coordinates(q, tuple((0.5 * phi).tolist()))
    return np.asarray(np.linalg.solve(_complex_rates(kind, q, middle), phi), dtype=np.complex128)


def _rates(kind: JointType, around: Vector, q: Vector) -> Array:
    return np.array(_columns(kind, around, q), dtype=np.float64).reshape(kind.nv, kind.nv).T


def _complex_rates(kind: JointType, around: Vector, q: Vector) -> NDArray[np.complex128]:
    return np.array(_columns(kind, around, q), dtype=np.complex128).reshape(kind.nv, kind.nv).T


def _columns(kind: JointType, around: Vector, q: Vector) -> list[Vector]:
    return [kind.local_coordinates_rate(around, q, tuple(unit)) for unit in np.eye(kind.nv).tolist()]


def _unit(like: Array, k: int) -> Array:
    unit = np.zeros(len(like))
    unit[k] = 1
    return unit
