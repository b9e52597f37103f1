"""Poses of all bodies as arrays: positions and unit quaternions (w, x, y, z) in the root frame."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from rbd.mechanism import RigidBody
from rbd.scalars.arrays import Array
from rbd.state import MechanismState


def body_poses(state: MechanismState, bodies: Iterable[RigidBody]) -> Array:
    """Return the transforms from the default frames of bodies to the root frame, (n, 4, 4)."""
    return np.array([state.transform_to_root(body).matrix for body in bodies], dtype=np.float64).reshape(-1, 4, 4)


def transformed_points(pose: Array, points: Array) -> Array:
    """Return points (..., 3) transformed by a pose (4, 4)."""
    return points @ pose[:3, :3].T + pose[:3, 3]


def quaternions(rotations: Array) -> Array:
    """Return the unit quaternions (n, 4) of rotation matrices (n, 3, 3), w >= 0 (Shepperd, 1978).

    >>> quaternions(np.eye(3)[None])
    array([[1., 0., 0., 0.]])
    """
    R = rotations
    trace = np.trace(R, axis1=1, axis2=2)
    diagonal = np.stack([trace, R[:, 0, 0], R[:, 1, 1], R[:, 2, 2]], axis=1)
    squares = np.maximum(1 + 2 * diagonal - trace[:, None], 0.0)  # 4 w^2, 4 x^2, ...; that of w with the trace itself
    squares[:, 0] = np.maximum(1 + trace, 0.0)
    # rows of 4 q q^T, of which the one with the largest diagonal entry is well conditioned
    x, y, z = R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]
    xy, yz, zx = R[:, 0, 1] + R[:, 1, 0], R[:, 1, 2] + R[:, 2, 1], R[:, 2, 0] + R[:, 0, 2]
    w2, x2, y2, z2 = squares.T
    table = np.array([[w2, x, y, z], [x, x2, xy, zx], [y, xy, y2, yz], [z, zx, yz, z2]])
    rows = table[np.argmax(squares, axis=1), :, np.arange(len(R))]
    rows /= np.linalg.norm(rows, axis=1)[:, None]
    return np.asarray(np.where(rows[:, :1] < 0, -rows, rows), dtype=np.float64)
