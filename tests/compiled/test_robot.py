"""Compiled robots: machine code, interpreter and algorithms agree."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import rbd
from rbd.compiled import CompiledRobot
from rbd.errors import ArgumentError, NotFiniteError, ShapeError, SingularError, StaleStateError, UnknownNameError
from rbd.testing import random_chain, random_tree

pytestmark = pytest.mark.optimised

JOINT_TYPES = [
    rbd.Revolute((0, 0, 1)),
    rbd.Revolute((1, 2, 3)),
    rbd.Prismatic((0, 1, 0)),
    rbd.Screw((1, 0, 1), 0.1),
    rbd.Fixed(),
    rbd.Planar((1, 0, 0), (0, 1, 0)),
    rbd.SinCosRevolute((0, 1, 0)),
    rbd.QuaternionSpherical(),
    rbd.QuaternionFloating(),
    rbd.MRPFloating(),
    rbd.RotationVectorSpherical(),
    rbd.RotationVectorFloating(),
    rbd.Universal((1, 0, 0), (0, 1, 1)),
]
METHODS: dict[str, Callable[[rbd.MechanismState, np.ndarray], np.ndarray]] = {
    "forward_kinematics": lambda s, _: np.array([s.transform_to_root(b).matrix for b in s.mechanism.bodies]),
    "inverse_dynamics": lambda s, x: rbd.inverse_dynamics(s, x),
    "mass_matrix": lambda s, _: rbd.mass_matrix(s),
    "inverse_mass_matrix": lambda s, _: rbd.inverse_mass_matrix(s),
    "dynamics_bias": lambda s, _: rbd.dynamics_bias(s),
    "forward_dynamics": lambda s, x: rbd.forward_dynamics(s, x),
    "momentum_matrix": lambda s, _: rbd.momentum_matrix(s).matrix,
}


def _arguments(method: str, state: rbd.MechanismState, extra: np.ndarray) -> tuple[np.ndarray, ...]:
    q, v = np.array(state.q), np.array(state.v)
    if method in ("inverse_dynamics", "forward_dynamics"):
        return q, v, extra
    return (q, v) if method == "dynamics_bias" else (q,)


def _check(mechanism: rbd.Mechanism, methods: list[str], seed: int) -> None:
    robot, state, rng = rbd.compile(mechanism), rbd.MechanismState(mechanism), np.random.default_rng(seed)
    rows: dict[str, list[tuple[np.ndarray, ...]]] = {method: [] for method in methods}
    single: dict[str, list[np.ndarray]] = {method: [] for method in methods}
    for _ in range(11):
        state.randomize(rng)
        extra = rng.standard_normal(mechanism.nv)
        for method in methods:
            arguments = _arguments(method, state, extra)
            result = getattr(robot, method)(*arguments)
            np.testing.assert_allclose(result, METHODS[method](state, extra), rtol=1e-9, atol=1e-10)
            rows[method].append(arguments)
            single[method].append(result)
    for method in methods:
        stacked = [np.array(column) for column in zip(*rows[method], strict=True)]
        for threads in (1, 2):
            assert (getattr(robot, method)(*stacked, threads=threads) == np.array(single[method])).all()


@pytest.mark.optimised(False)  # the tree of the next test has all of them
@pytest.mark.parametrize("kind", JOINT_TYPES, ids=repr)
def test_every_joint_type(kind: rbd.JointType) -> None:
    mechanism = random_chain([kind, rbd.Revolute((0, 0, 1)), kind], np.random.default_rng(4))
    _check(mechanism, ["inverse_dynamics", "mass_matrix", "forward_dynamics"], 5)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_on_a_tree_of_all_joint_types(method: str) -> None:
    mechanism = random_tree(JOINT_TYPES, np.random.default_rng(3))
    _check(mechanism, [method], 6)


def test_interpreter_and_machine_code_are_bitwise_equal() -> None:
    mechanism = random_tree(JOINT_TYPES, np.random.default_rng(7))
    state = rbd.MechanismState(mechanism)
    for function, inputs in ((rbd.forward_dynamics, {"torques": mechanism.nv}), (rbd.coriolis_matrix, {})):
        recorded = rbd.record(function, mechanism, **inputs)
        for seed in range(5):
            state.randomize(seed)
            arguments = [state.q, state.v, *(np.ones(n) for n in inputs.values())]
            assert (recorded(*arguments) == recorded.interpret(*arguments)).all()


@pytest.fixture(scope="module")
def arm() -> CompiledRobot:
    return rbd.compile(rbd.robots.arm7())


def test_errors_name_torques_as_the_signatures_do(arm: CompiledRobot) -> None:
    zero, two, dt = np.zeros(7), np.zeros(2), 1e-3
    calls: list[Callable[[], object]] = [
        lambda: arm.forward_dynamics(zero, zero, two),
        lambda: arm.forward_dynamics_derivatives(zero, zero, two),
        lambda: arm.step(zero, zero, two, dt),
        lambda: arm.rollout(zero, zero, two, dt, 3),
    ]
    for call in calls:
        with pytest.raises(ShapeError, match="tau has shape") as caught:
            call()
        assert caught.value.argument == "tau"


def test_batch_axes_broadcast(arm: CompiledRobot) -> None:
    rng = np.random.default_rng(0)
    q, v, vd = rng.standard_normal((3, 1, 7)), rng.standard_normal((4, 7)), rng.standard_normal(7)
    tau = arm.inverse_dynamics(q, v, vd)
    assert tau.shape == (3, 4, 7)
    assert (tau[2, 1] == arm.inverse_dynamics(q[2, 0], v[1], vd)).all()
    assert arm.mass_matrix(np.zeros((0, 7))).shape == (0, 7, 7)


def test_lists_and_integers_are_converted(arm: CompiledRobot) -> None:
    assert (arm.mass_matrix([0] * 7) == arm.mass_matrix(np.zeros(7))).all()
    assert (arm.mass_matrix(np.zeros((2, 14))[:, ::2]) == arm.mass_matrix(np.zeros((2, 7)))).all()


def test_out_is_filled(arm: CompiledRobot) -> None:
    out = np.empty((2, 7, 7))
    assert arm.mass_matrix(np.zeros((2, 7)), out=out) is out
    assert (out[1] == arm.mass_matrix(np.zeros(7))).all()
    for bad in (np.empty((2, 7, 6)), np.empty((2, 7, 7), np.float32), np.empty((2, 7, 14))[:, :, ::2]):
        with pytest.raises(ShapeError, match="out"):
            arm.mass_matrix(np.zeros((2, 7)), out=bad)


@pytest.mark.parametrize("bad", [np.zeros(6), np.zeros((7, 1)), 0.0, np.zeros(7, complex), np.array(["a"] * 7)])
def test_wrong_shapes_raise(arm: CompiledRobot, bad: np.ndarray) -> None:
    with pytest.raises(ShapeError, match=r"^q "):
        arm.mass_matrix(bad)


def test_batch_axes_that_cannot_be_broadcast_raise(arm: CompiledRobot) -> None:
    with pytest.raises(ShapeError, match="batch axes"):
        arm.dynamics_bias(np.zeros((2, 7)), np.zeros((3, 7)))


def test_numbers_that_are_not_finite_are_named(arm: CompiledRobot) -> None:
    v = np.zeros(7)
    v[3] = np.nan
    with pytest.raises(NotFiniteError, match=r"v\[3\]") as caught:
        arm.dynamics_bias(np.zeros(7), v)
    assert (caught.value.argument, caught.value.index) == ("v", (3,))
    rows, out = np.zeros((20, 7)), np.full((20, 7), 7.0)
    rows[13, 2] = np.inf
    with pytest.raises(NotFiniteError, match="row 13") as caught:
        arm.dynamics_bias(np.zeros(7), rows, out=out)
    assert caught.value.row == 13
    assert (out[13] == 7.0).all()
    with pytest.raises(NotFiniteError, match="range"):
        arm.dynamics_bias(np.zeros(7), np.full(7, 1e200))


def test_a_massless_leaf_is_named() -> None:
    mechanism = rbd.robots.double_pendulum()
    lower = mechanism.bodies[-1]
    lower.set_inertia(rbd.SpatialInertia(lower.default_frame, mass=0.0, moment=np.zeros((3, 3))))
    robot, out = rbd.compile(mechanism), np.full(2, 7.0)
    with pytest.raises(SingularError, match="elbow"):
        robot.forward_dynamics(np.zeros(2), np.zeros(2), np.zeros(2), out=out)
    assert (out == 7.0).all()
    rows = np.full((9, 2), 7.0)
    with pytest.raises(SingularError, match="elbow"):
        robot.forward_dynamics(np.zeros((9, 2)), np.zeros(2), np.zeros(2), out=rows)
    assert (rows == 7.0).all()


def test_jacobian_of_a_body(arm: CompiledRobot) -> None:
    mechanism = arm.mechanism
    state = rbd.MechanismState(mechanism)
    state.randomize(3)
    tip = mechanism.bodies[-1]
    expected = rbd.geometric_jacobian(state, mechanism.path(mechanism.root_body, tip)).matrix
    np.testing.assert_allclose(arm.geometric_jacobian(state.q, tip), expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(arm.geometric_jacobian(state.q, tip.name), expected, rtol=0, atol=1e-12)
    with pytest.raises(UnknownNameError):
        arm.geometric_jacobian(state.q, "no such body")


def test_an_edit_makes_a_robot_stale() -> None:
    mechanism = rbd.robots.double_pendulum()
    robot = rbd.compile(mechanism, parameters=["gravity"])
    before = robot.mass_matrix(np.zeros(2))
    mechanism.joint("elbow").armature = 1.0
    with pytest.raises(StaleStateError):
        robot.mass_matrix(np.zeros(2))
    with pytest.raises(StaleStateError):
        _ = robot.parameters
    assert (rbd.compile(mechanism).mass_matrix(np.zeros(2)) != before).any()


@pytest.mark.parametrize("integrator", ["munthe-kaas-rk4", "semi-implicit-euler"])
def test_steps_equal_simulate(integrator: str) -> None:
    types = [rbd.QuaternionFloating(), rbd.QuaternionSpherical(), rbd.Planar((1, 0, 0), (0, 1, 0))]
    mechanism = random_chain(types, np.random.default_rng(1))
    state = rbd.MechanismState(mechanism)
    state.randomize(2)
    robot, q, v = rbd.compile(mechanism), np.array(state.q), np.array(state.v)
    trajectory = rbd.simulate(state, 0.05, dt=0.01, integrator=integrator)
    qs, vs = robot.rollout(q, v, np.zeros(mechanism.nv), 0.01, 5, integrator=integrator)
    np.testing.assert_allclose(qs, trajectory.q, rtol=0, atol=1e-10)
    np.testing.assert_allclose(vs, trajectory.v, rtol=0, atol=1e-9)


def test_rollout_of_a_batch_with_torques_per_step() -> None:
    mechanism = rbd.robots.double_pendulum()
    robot, rng = rbd.compile(mechanism), np.random.default_rng(0)
    q, v, tau = rng.standard_normal((4, 2)), rng.standard_normal((4, 2)), rng.standard_normal((4, 3, 2))
    qs, vs = robot.rollout(q, v, tau, 0.01, 3)
    assert qs.shape == vs.shape == (4, 4, 2)
    now = (q[1], v[1])
    for k in range(3):
        assert (qs[1, k] == now[0]).all()
        now = robot.step(*now, tau[1, k], 0.01)
    assert (qs[1, 3] == now[0]).all()
    assert (vs[1, 3] == now[1]).all()
    assert robot.rollout(q, v, np.zeros(2), 0.01, 0)[0].shape == (4, 1, 2)
    with pytest.raises(ArgumentError, match="steps"):
        robot.rollout(q, v, np.zeros(2), 0.01, -1)
    with pytest.raises(ArgumentError, match="integrator"):
        robot.step(q, v, np.zeros(2), 0.01, integrator="leapfrog")
