"""The functions of the pages for users of Pinocchio and MuJoCo, compared with these engines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rbd
from tests.docs.examples import ROOT, run_page

pytestmark = pytest.mark.peers
SWAP = [3, 4, 5, 0, 1, 2]


def names_of(engine: str) -> dict[str, Any]:
    """Return the names of a page's examples."""
    return run_page(ROOT / "docs" / "tutorials" / f"coming-from-{engine}.md")


@pytest.mark.filterwarnings("ignore::rbd.urdf.UrdfWarning")
def test_pinocchio(tmp_path: Path) -> None:
    pin = pytest.importorskip("pinocchio")
    path = tmp_path / "robot.urdf"
    rbd.write_urdf(rbd.robots.quadruped(), path)
    robot, model = rbd.load_urdf(path), pin.buildModelFromUrdf(str(path))
    page, rng = names_of("pinocchio"), np.random.default_rng(0)
    of_q, of_v = page["pinocchio_order"](robot, list(model.names)[1:])
    assert sorted(of_q) == list(range(model.nq)) != of_q
    data, state = model.createData(), rbd.MechanismState(robot)
    for joint in robot.tree_joints:
        joint.damping = 0.3
    for _ in range(5):
        state.randomize(rng)
        vd, tau = rng.normal(size=(2, robot.nv))
        q, v = state.q[of_q], state.v[of_v]
        np.testing.assert_array_equal(page["from_pinocchio"](q, of_q), state.q)
        np.testing.assert_allclose(
            rbd.mass_matrix(state)[np.ix_(of_v, of_v)], full(pin.crba(model, data, q)), rtol=0, atol=1e-11
        )
        passive = rbd.passive_torques(state)
        assert abs(passive).max() > 0.01
        found = (rbd.inverse_dynamics(state, vd) + passive)[of_v]
        np.testing.assert_allclose(found, pin.rnea(model, data, q, v, vd[of_v]), rtol=0, atol=1e-10)
        np.testing.assert_allclose(
            rbd.dynamics_bias(state)[of_v], pin.nonLinearEffects(model, data, q, v), rtol=0, atol=1e-10
        )
        found = rbd.forward_dynamics(state, tau - passive)[of_v]
        np.testing.assert_allclose(found, pin.aba(model, data, q, v, tau[of_v]), rtol=1e-9, atol=1e-8)
        body = robot.bodies[-1]
        index = model.getFrameId(body.name)
        pin.framesForwardKinematics(model, data, q)
        np.testing.assert_allclose(
            state.transform_to_root(body).matrix, data.oMf[index].homogeneous, rtol=0, atol=1e-12
        )
        J = rbd.geometric_jacobian(state, body, frame=body.default_frame).matrix
        theirs = pin.computeFrameJacobian(model, data, q, index, pin.LOCAL)
        np.testing.assert_allclose(J[SWAP][:, of_v], theirs, rtol=0, atol=1e-12)


def full(upper: Any) -> Any:
    """Return a symmetric matrix of which the upper triangle is given."""
    return np.triu(upper) + np.triu(upper, 1).T


def test_mujoco() -> None:
    mujoco = pytest.importorskip("mujoco")
    page, rng = names_of("mujoco"), np.random.default_rng(0)
    robot = page["robot"]
    model = mujoco.MjModel.from_xml_string(page["MODEL"])
    data, state, M = mujoco.MjData(model), rbd.MechanismState(robot), np.zeros((model.nv, model.nv))
    for _ in range(5):
        state.randomize(rng)
        tau = rng.normal(size=robot.nv)
        data.qpos[:], data.qvel[:] = rbd.mjcf.to_mujoco(robot, state.q, state.v)
        np.testing.assert_allclose(page["velocity_map"](robot, state.q) @ state.v, data.qvel, rtol=0, atol=1e-12)
        data.qfrc_applied[:] = page["mujoco_torques"](state, tau)
        mujoco.mj_forward(model, data)
        for row, unit in enumerate(np.eye(model.nv)):
            mujoco.mj_mulM(model, data, M[row], unit)
        np.testing.assert_allclose(page["mujoco_mass_matrix"](state), M, rtol=0, atol=1e-12)
        np.testing.assert_allclose(
            page["mujoco_torques"](state, rbd.passive_torques(state)), data.qfrc_passive, rtol=0, atol=1e-12
        )
        found = page["mujoco_acceleration"](state, rbd.forward_dynamics(state, tau))
        np.testing.assert_allclose(found, data.qacc, rtol=1e-6, atol=1e-6)
