"""MuJoCo's coordinates and velocities of a mechanism as rbd's, and back.

They differ for free joints only: MuJoCo has the position before the quaternion, and a velocity whose linear part is in
the world and comes first.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rbd.arguments import require_kind
from rbd.joints import QuaternionFloating
from rbd.mechanism import Joint, Mechanism
from rbd.mjcf.rotations import rotation_of_quaternion
from rbd.scalars.arrays import Array, float_array


def from_mujoco(mechanism: Mechanism, qpos: ArrayLike, qvel: ArrayLike | None = None) -> tuple[Array, Array]:
    """Return q and v of a mechanism that was read from MJCF, for MuJoCo's `qpos` and `qvel` (zeros if not given).

    Raises ShapeError, NotFiniteError for arrays that do not fit the mechanism.

    >>> from rbd.mjcf import from_mujoco, parse_mjcf
    >>> ball = parse_mjcf("<mujoco><worldbody><body><freejoint/><geom size='1'/></body></worldbody></mujoco>")
    >>> q, v = from_mujoco(ball, [1, 2, 3, 1, 0, 0, 0], [4, 5, 6, 7, 8, 9])
    >>> q, v
    (array([1., 0., 0., 0., 1., 2., 3.]), array([7., 8., 9., 4., 5., 6.]))
    """
    q, v = _copies("from_mujoco", mechanism, qpos, "qpos", qvel, "qvel")
    for joint, i, j in _free_joints(mechanism):
        position, quaternion = q[i : i + 3].copy(), q[i + 3 : i + 7].copy()
        linear, angular = v[j : j + 3].copy(), v[j + 3 : j + 6].copy()
        q[i : i + 4], q[i + 4 : i + 7] = quaternion, position
        v[j : j + 3], v[j + 3 : j + 6] = angular, _rotation(joint, quaternion).T @ linear
    return q, v


def to_mujoco(mechanism: Mechanism, q: ArrayLike, v: ArrayLike | None = None) -> tuple[Array, Array]:
    """Return MuJoCo's `qpos` and `qvel` for q and v (zeros if not given): the inverse of `from_mujoco`.

    >>> from rbd.mjcf import parse_mjcf, to_mujoco
    >>> ball = parse_mjcf("<mujoco><worldbody><body><freejoint/><geom size='1'/></body></worldbody></mujoco>")
    >>> to_mujoco(ball, [1, 0, 0, 0, 1, 2, 3])[0]
    array([1., 2., 3., 1., 0., 0., 0.])
    """
    qpos, qvel = _copies("to_mujoco", mechanism, q, "q", v, "v")
    for joint, i, j in _free_joints(mechanism):
        quaternion, position = qpos[i : i + 4].copy(), qpos[i + 4 : i + 7].copy()
        angular, linear = qvel[j : j + 3].copy(), qvel[j + 3 : j + 6].copy()
        qpos[i : i + 3], qpos[i + 3 : i + 7] = position, quaternion
        qvel[j : j + 3], qvel[j + 3 : j + 6] = _rotation(joint, quaternion) @ linear, angular
    return qpos, qvel


def _copies(
    operation: str, mechanism: Mechanism, q: ArrayLike, q_name: str, v: ArrayLike | None, v_name: str
) -> tuple[Array, Array]:
    require_kind(mechanism, Mechanism, operation=operation, argument="mechanism")
    velocity = np.zeros(mechanism.nv) if v is None else float_array(v, (mechanism.nv,), v_name)
    return float_array(q, (mechanism.nq,), q_name), velocity


def _free_joints(mechanism: Mechanism) -> list[tuple[Joint, int, int]]:
    """Return the free joints, with where their coordinates and velocities begin."""
    joints: list[tuple[Joint, int, int]] = []
    q_start = v_start = 0
    for joint in mechanism.tree_joints:
        if isinstance(joint.type, QuaternionFloating):
            joints.append((joint, q_start, v_start))
        q_start, v_start = q_start + joint.nq, v_start + joint.nv
    return joints


def _rotation(joint: Joint, quaternion: Array) -> Array:
    rotation = rotation_of_quaternion(quaternion.tolist())
    return np.eye(3) if rotation is None else np.array(rotation)
