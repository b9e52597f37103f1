"""MuJoCo's coordinates and velocities of a mechanism as rbd's, and back.

They differ for free joints only: MuJoCo has the position before the quaternion, and a velocity whose linear part is in
the world and comes first.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbd.joints import QuaternionFloating
from rbd.mechanism import Joint, Mechanism
from rbd.mjcf.pose import rotation_of_quaternion
from rbd.scalars.arrays import float_array
from rbd.spatial.values import require_kind

Array: TypeAlias = NDArray[np.float64]


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
    for joint, at, start in _free_joints(mechanism):
        place, quaternion = q[at : at + 3].copy(), q[at + 3 : at + 7].copy()
        linear, angular = v[start : start + 3].copy(), v[start + 3 : start + 6].copy()
        q[at : at + 4], q[at + 4 : at + 7] = quaternion, place
        v[start : start + 3], v[start + 3 : start + 6] = angular, _rotation(joint, quaternion).T @ linear
    return q, v


def to_mujoco(mechanism: Mechanism, q: ArrayLike, v: ArrayLike | None = None) -> tuple[Array, Array]:
    """Return MuJoCo's `qpos` and `qvel` for q and v (zeros if not given): the inverse of `from_mujoco`.

    >>> from rbd.mjcf import parse_mjcf, to_mujoco
    >>> ball = parse_mjcf("<mujoco><worldbody><body><freejoint/><geom size='1'/></body></worldbody></mujoco>")
    >>> to_mujoco(ball, [1, 0, 0, 0, 1, 2, 3])[0]
    array([1., 2., 3., 1., 0., 0., 0.])
    """
    qpos, qvel = _copies("to_mujoco", mechanism, q, "q", v, "v")
    for joint, at, start in _free_joints(mechanism):
        quaternion, place = qpos[at : at + 4].copy(), qpos[at + 4 : at + 7].copy()
        angular, linear = qvel[start : start + 3].copy(), qvel[start + 3 : start + 6].copy()
        qpos[at : at + 3], qpos[at + 3 : at + 7] = place, quaternion
        qvel[start : start + 3], qvel[start + 3 : start + 6] = _rotation(joint, quaternion) @ linear, angular
    return qpos, qvel


def _copies(
    operation: str, mechanism: Mechanism, q: ArrayLike, q_name: str, v: ArrayLike | None, v_name: str
) -> tuple[Array, Array]:
    require_kind(mechanism, Mechanism, operation=operation, argument="mechanism")
    velocity = np.zeros(mechanism.nv) if v is None else float_array(v, (mechanism.nv,), v_name)
    return float_array(q, (mechanism.nq,), q_name), velocity


def _free_joints(mechanism: Mechanism) -> list[tuple[Joint, int, int]]:
    """Return the free joints, with where their coordinates and velocities begin."""
    found: list[tuple[Joint, int, int]] = []
    at = start = 0
    for joint in mechanism.tree_joints:
        if isinstance(joint.type, QuaternionFloating):
            found.append((joint, at, start))
        at, start = at + joint.nq, start + joint.nv
    return found


def _rotation(joint: Joint, quaternion: Array) -> Array:
    rotation = rotation_of_quaternion(quaternion.tolist())
    return np.eye(3) if rotation is None else np.array(rotation)
