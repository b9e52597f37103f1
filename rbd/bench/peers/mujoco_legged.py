"""MuJoCo with legged robots on the ground: `mujoco.rollout`, and `mj_step` with a control in Python."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

import numpy as np

from rbd.bench.contender import Contender, repeated
from rbd.bench.legged import DT, FRICTION, STEPS, LeggedCase
from rbd.scalars.arrays import Array

NAME = "MuJoCo"


def model_of(case: LeggedCase) -> Any:
    """Return MuJoCo's model: the same file with the ground, armature, damping and proportional actuators."""
    mujoco: Any = import_module("mujoco")  # incomplete type annotations
    spec = mujoco.MjSpec.from_file(str(case.robot.path))
    for geom in spec.geoms:
        foot = re.fullmatch(case.robot.feet, geom.name) is not None
        geom.contype, geom.conaffinity, geom.condim = 0, int(foot), 3
        geom.friction = [FRICTION, 0.0, 0.0]
    floor = spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1])
    floor.contype, floor.conaffinity, floor.friction = 1, 0, [FRICTION, 0.0, 0.0]
    for joint in case.joints:
        _add_actuator(mujoco, spec, joint.name, case.robot.stiffness)
    spec.option.timestep = DT
    model = spec.compile()
    model.dof_armature[6:], model.dof_damping[6:] = case.robot.armature, case.robot.damping
    mujoco.mj_setConst(model, mujoco.MjData(model))
    return model


def _add_actuator(mujoco: Any, spec: Any, joint: str, stiffness: float) -> None:
    actuator = spec.add_actuator(name=joint, target=joint, trntype=mujoco.mjtTrn.mjTRN_JOINT)
    actuator.gainprm[0], actuator.biastype = stiffness, mujoco.mjtBias.mjBIAS_AFFINE
    actuator.biasprm[1] = -stiffness


def rollout(case: LeggedCase, threads: int) -> Contender:
    """Return the contender with many robots."""
    mujoco, module = import_module("mujoco"), import_module("mujoco.rollout")
    model: Any = model_of(case)
    data = [mujoco.MjData(model) for _ in range(threads)]
    start, controls = _states(model, case), _controls(case)
    pool = module.Rollout(nthread=threads if threads > 1 else 0)
    states = np.empty((len(start), STEPS, start.shape[1]))

    def once() -> None:
        pool.rollout(model, data, start, controls, state=states)

    return Contender(NAME, repeated(once), len(start) * STEPS, None)


def single(case: LeggedCase) -> Contender:
    """Return the contender with one robot and its control in Python."""
    mujoco: Any = import_module("mujoco")
    model: Any = model_of(case)
    data, step = mujoco.MjData(model), mujoco.mj_step
    start, goal = _states(model, case)[0], np.array(case.targets(0.0), dtype=np.float64)
    model.actuator_gainprm[:], model.actuator_biasprm[:] = 0, 0
    k, torques, q = case.robot.stiffness, data.qfrc_applied, data.qpos

    def once() -> None:
        mujoco.mj_resetData(model, data)
        data.qpos[:], data.qvel[:] = start[1 : 1 + model.nq], start[1 + model.nq :]
        for _ in range(STEPS):
            torques[6:] = k * (goal - q[7:])
            step(model, data)

    return Contender(NAME, repeated(once), STEPS, None)


def _states(model: Any, case: LeggedCase) -> Array:
    """Return times, configurations and velocities in MuJoCo's coordinates; the trunks are upright at first."""
    assert [model.joint(k).name for k in range(1, model.njnt)] == [joint.name for joint in case.joints]
    q, v = case.q, case.v
    time = np.zeros((len(q), 1))
    return np.hstack([time, q[:, 4:7], q[:, :4], q[:, 7:], v[:, 3:6], v[:, :3], v[:, 6:]])


def _controls(case: LeggedCase) -> Array:
    targets = [np.array(case.targets(k * DT), dtype=np.float64) for k in range(STEPS)]
    return np.tile(np.array(targets), (len(case.q), 1, 1))
