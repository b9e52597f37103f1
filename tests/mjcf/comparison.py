"""Comparison of a mechanism read from MJCF with the model that MuJoCo makes of the same file.

MuJoCo's velocities of a free joint are linear (in the world), then angular (in the body).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import rbd
from rbd.mjcf import from_mujoco

Array = NDArray[np.float64]


class Differences(NamedTuple):
    """The largest differences over all states, relative to the largest number of the kind."""

    poses: float
    mass_matrix: float
    bias: float
    mass: float
    energy: float

    @property
    def worst(self) -> float:
        return max(self)


def velocity_matrix(mechanism: rbd.Mechanism, qpos: Array, qvel: Array) -> tuple[Array, Array]:
    """Return X with v = X qvel, and its derivative times qvel."""
    total, rate = np.eye(len(qvel)), np.zeros(len(qvel))
    at, start = 0, 0
    for joint in mechanism.tree_joints:
        if isinstance(joint.type, rbd.QuaternionFloating):
            turn = rotation(qpos[at + 3 : at + 7])
            block = np.zeros((6, 6))
            block[:3, 3:], block[3:, :3] = np.eye(3), turn.T
            total[start : start + 6, start : start + 6] = block
            omega, linear = qvel[start + 3 : start + 6], turn.T @ qvel[start : start + 3]
            rate[start + 3 : start + 6] = -np.cross(omega, linear)
        at, start = at + joint.nq, start + joint.nv
    return total, rate


def rotation(quaternion: Array) -> Array:
    w, x, y, z = quaternion / np.linalg.norm(quaternion)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + 2 * w * cross + 2 * cross @ cross


def at_velocity(state: rbd.MechanismState, qpos: Array, qvel: Array) -> tuple[Array, Array]:
    """Return the mass matrix and the bias in MuJoCo's velocities; its bias has nothing of armatures."""
    matrix, rate = velocity_matrix(state.mechanism, qpos, qvel)
    joints = state.mechanism.tree_joints
    armature = np.concatenate([np.zeros(0), *(np.atleast_1d(joint.armature) for joint in joints)])
    mass = np.asarray(rbd.mass_matrix(state))
    bias = matrix.T @ (np.asarray(rbd.dynamics_bias(state)) + (mass - np.diag(armature)) @ rate)
    return matrix.T @ mass @ matrix, bias


def differences(mechanism: rbd.Mechanism, model: Any, *, count: int = 20, seed: int = 0) -> Differences:
    """Compare at `count` random states. `model` is an `mjModel`; its constraints and contacts are switched off."""
    import mujoco

    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_CONTACT)
    data = mujoco.MjData(model)
    rng, found = np.random.default_rng(seed), []
    state = rbd.MechanismState(mechanism)
    with rbd.interpreted():
        for _ in range(count):
            data.qpos[:] = model.qpos0
            mujoco.mj_integratePos(model, data.qpos, rng.normal(size=model.nv), 1.0)
            data.qvel[:] = rng.normal(size=model.nv)
            mujoco.mj_fwdPosition(model, data)
            mujoco.mj_fwdVelocity(model, data)
            found.append(_at(state, model, data))
    return Differences(*np.max(found, axis=0).tolist())


def _at(state: rbd.MechanismState, model: Any, data: Any) -> list[float]:
    import mujoco

    q, v = from_mujoco(state.mechanism, data.qpos, data.qvel)
    state.set_configuration(q)
    state.set_velocity(v)
    theirs = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, theirs)
    matrix, bias = at_velocity(state, data.qpos, data.qvel)
    return [
        _poses(state, model, data),
        _relative(matrix, theirs),
        _relative(bias, data.qfrc_bias, theirs @ data.qvel),
        _relative(np.array([float(rbd.mass(state.mechanism))]), np.array([_moving_mass(model)])),
        _energy(state, model, data, theirs),
    ]


def _relative(ours: Array, theirs: Array, size: Array | None = None) -> float:
    if not theirs.size:
        return 0.0
    scale = max(float(np.abs(numbers).max()) for numbers in (theirs, theirs if size is None else size))
    return float(np.abs(ours - theirs).max() / (scale or 1.0))


def _moving(model: Any) -> NDArray[np.bool_]:
    """Which bodies are not fixed to the world."""
    moving = np.zeros(model.nbody, dtype=bool)
    for i in range(1, model.nbody):
        moving[i] = moving[model.body_parentid[i]] or model.body_jntnum[i] > 0
    return moving


def _moving_mass(model: Any) -> float:
    return float(model.body_mass[_moving(model)].sum())


def _poses(state: Any, model: Any, data: Any) -> float:
    worst = 0.0
    for i in range(1, model.nbody):
        name = model.body(i).name or f"body#{i}"
        pose = state.transform_to_root(state.mechanism.frame(name)).matrix
        theirs = np.eye(4)
        theirs[:3, :3], theirs[:3, 3] = data.xmat[i].reshape(3, 3), data.xpos[i]
        worst = max(worst, _relative(pose, theirs))
    return worst


def _energy(state: Any, model: Any, data: Any, matrix: Array) -> float:
    """Compare the kinetic energy, and the potential one of the bodies that move."""
    kinetic = 0.5 * float(data.qvel @ matrix @ data.qvel)
    moving = _moving(model)
    potential = -float(model.body_mass[moving] @ (data.xipos[moving] @ _gravity(model)))
    ours = np.array([float(rbd.kinetic_energy(state)), float(rbd.gravitational_potential_energy(state))])
    return _relative(ours, np.array([kinetic, potential]))


def _gravity(model: Any) -> Array:
    import mujoco

    off = model.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_GRAVITY)
    return np.zeros(3) if off else np.asarray(model.opt.gravity)
