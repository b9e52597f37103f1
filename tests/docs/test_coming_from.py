"""The functions of the pages for users of Pinocchio, MuJoCo and Drake, compared with these engines."""

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
        of_center = (rbd.momentum_matrix(state).linear / robot.mass)[:, of_v]
        np.testing.assert_allclose(of_center, pin.jacobianCenterOfMass(model, data, q), rtol=0, atol=1e-12)
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
        of_center = np.zeros((3, model.nv))
        mujoco.mj_jacSubtreeCom(model, data, of_center, 0)
        found = rbd.momentum_matrix(state).linear / robot.mass
        np.testing.assert_allclose(of_center @ page["velocity_map"](robot, state.q), found, rtol=0, atol=1e-12)
        np.testing.assert_allclose(
            page["mujoco_torques"](state, rbd.passive_torques(state)), data.qfrc_passive, rtol=0, atol=1e-12
        )
        found = page["mujoco_acceleration"](state, rbd.forward_dynamics(state, tau))
        np.testing.assert_allclose(found, data.qacc, rtol=1e-6, atol=1e-6)


@pytest.mark.filterwarnings("ignore::rbd.urdf.UrdfWarning")
def test_drake(tmp_path: Path) -> None:
    """All rows of the table with numbers. pydrake is large, and has a dependency group of its own."""
    plants = pytest.importorskip("pydrake.multibody.plant", reason="comparisons need the dependency group `drake`")
    trees, parsing = (pytest.importorskip(f"pydrake.multibody.{name}") for name in ("tree", "parsing"))
    path = tmp_path / "robot.urdf"
    quadruped = rbd.robots.quadruped()
    for joint in quadruped.tree_joints[1:]:
        joint.damping = 0.3
    rbd.write_urdf(quadruped, path)
    robot, plant = rbd.load_urdf(path), plants.MultibodyPlant(0.0)
    parsing.Parser(plant).AddModels(str(path))
    plant.Finalize()
    context, state = plant.CreateDefaultContext(), rbd.MechanismState(robot)
    page, rng = names_of("drake"), np.random.default_rng(0)
    drakes = {plant.get_joint(index).name(): plant.get_joint(index) for index in plant.GetJointIndices()}
    legs = sorted(robot.tree_joints[1:], key=lambda joint: drakes[joint.name].position_start())
    of_q = [*range(7), *(state.q_slice(joint).start for joint in legs)]  # the floating joint is first in both
    of_v = [*range(6), *(state.v_slice(joint).start for joint in legs)]
    thigh, other = robot.body("rear_left_thigh"), robot.body("front_right_shank")
    their_thigh, their_other = plant.GetBodyByName(thigh.name), plant.GetBodyByName(other.name)
    for _ in range(5):
        state.randomize(rng)
        plant.SetPositions(context, state.q[of_q])
        plant.SetVelocities(context, page["drake_velocity"](state)[of_v])
        T = velocities_of_drake(page, state)[of_v]
        assert abs(rbd.passive_torques(state)).max() > 0.01

        def same(ours: Any, theirs: Any) -> None:
            np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-10)

        same(state.transform_to_root(thigh).matrix, plant.EvalBodyPoseInWorld(context, their_thigh).GetAsMatrix4())
        X = their_thigh.body_frame().CalcPose(context, their_other.body_frame()).GetAsMatrix4()
        same(state.relative_transform(thigh.default_frame, other.default_frame).matrix, X)
        V, twist = plant.EvalBodySpatialVelocityInWorld(context, their_thigh), state.twist(thigh)
        at = state.transform(rbd.Point(thigh.default_frame, (0, 0, 0)), robot.root_frame)
        same(twist.angular, V.rotational())
        same(twist.point_velocity(at).xyz, V.translational())
        M = rbd.mass_matrix(state)
        same(M, T.T @ plant.CalcMassMatrix(context) @ T)
        gravity = plant.CalcGravityGeneralizedForces(context)
        same(-rbd.gravity_torques(state), T.T @ gravity)
        vd = rng.normal(size=robot.nv)
        theirs = page["drake_acceleration"](state, vd)[of_v]
        drift = plant.CalcInverseDynamics(context, page["drake_acceleration"](state, np.zeros(robot.nv))[of_v],
                                          trees.MultibodyForces(plant))  # fmt: skip
        same(rbd.dynamics_bias(state), T.T @ (drift - gravity))
        forces = trees.MultibodyForces(plant)
        plant.CalcForceElementsContribution(context, forces)
        same(rbd.inverse_dynamics(state, vd), T.T @ plant.CalcInverseDynamics(context, theirs, forces))
        same(rbd.center_of_mass(state).xyz, plant.CalcCenterOfMassPositionInWorld(context))
        same(state.configuration_derivative()[of_q], plant.MapVelocityToQDot(context, T @ state.v))
        J = plant.CalcJacobianSpatialVelocity(
            context, trees.JacobianWrtVariable.kV, their_thigh.body_frame(), np.zeros(3), plant.world_frame(),
            their_thigh.body_frame(),
        )  # fmt: skip
        same(rbd.geometric_jacobian(state, thigh, frame=thigh.default_frame).matrix, J @ T)


def velocities_of_drake(page: dict[str, Any], state: rbd.MechanismState) -> Any:
    """Return T with v of Drake = T v."""
    moved, columns = rbd.MechanismState(state.mechanism, state.q), list[Any]()
    for unit in np.eye(len(state.v)):
        moved.set_velocity(unit)
        columns.append(page["drake_velocity"](moved))
    return np.array(columns).T
