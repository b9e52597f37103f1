"""Couplings of joints in dynamics: against the projected equations of motion, M_red = Gᵀ M G."""

from __future__ import annotations

import pickle
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rbd
import rbd.testing
from rbd import Baumgarte, Mechanism, MechanismState, Prismatic, Revolute
from rbd.errors import AmbiguousNameError, ArgumentError, SolverError, TopologyError, UnknownNameError
from tests.algorithms.derivatives.test_constrained_derivatives import check as check_derivatives
from tests.algorithms.helpers import Numbers, close, examples
from tests.algorithms.loops.couplings import coupled_states, projection, satisfied

seeds = st.integers(0, 2**32 - 1)


def gripper() -> Mechanism:
    """Return a double pendulum whose elbow turns back twice as far as the shoulder."""
    arm = rbd.robots.double_pendulum()
    arm.couple("elbow", "shoulder", ratio=-2.0, offset=0.5, name="belt")
    return arm


def curved() -> MechanismState:
    """Return a state of a chain on a floating base, with a line and a cubic curve as couplings."""
    kinds = [Revolute((0, 0, 1)), Prismatic((0, 1, 0)), Revolute((1, 0, 0)), Revolute((0, 1, 0))]
    mechanism = rbd.testing.random_floating_tree(kinds, np.random.default_rng(4))
    mechanism.couple("joint3", "joint2", ratio=-0.7, offset=0.2)
    mechanism.couple("joint5", "joint4", polynomial=(0.1, 0.4, -0.3, 0.2))
    for joint in mechanism.tree_joints[1:]:
        joint.damping, joint.armature = 0.2, 0.1
    state = MechanismState(mechanism)
    state.randomize(np.random.default_rng(5))
    return satisfied(state)


def moved(state: MechanismState, time: float) -> MechanismState:
    """Return the state after a free motion, in machine code."""
    q, v = rbd.compile(state.mechanism).rollout(state.q, state.v, None, 1e-3, round(time / 1e-3))
    return MechanismState(state.mechanism, q[-1], v[-1])


# --- the equations ----------------------------------------------------------------------------------------------------


@examples(0.3)
@given(state=coupled_states(), seed=seeds)
def test_accelerations_are_those_of_the_projected_equations(state: MechanismState, seed: int) -> None:
    tau = np.random.default_rng(seed).standard_normal(state.mechanism.nv)
    found, M, c = projection(state), rbd.mass_matrix(state), rbd.dynamics_bias(state)
    G, g = found.G, found.g
    reduced = G.T @ M @ G
    expected = G @ np.linalg.solve(reduced, G.T @ (tau - c - M @ g)) + g
    scale = float(np.abs(expected).max()) * np.linalg.cond(reduced) ** 0.5
    close(rbd.forward_dynamics(state, tau), expected, 1e-11, scale=scale)
    result = rbd.dynamics(state, tau)
    close(result.vd, expected, 1e-11, scale=scale)
    close(M @ result.vd + c, tau - result.constraint_jacobian.T @ result.multipliers, 1e-9, scale=scale)
    assert result.constraint_rank == len(state.mechanism.couplings)


@examples(0.3)
@given(state=coupled_states(), seed=seeds)
def test_rows_vanish_on_the_motions_that_couplings_allow(state: MechanismState, seed: int) -> None:
    found, K = projection(state), rbd.constraint_jacobian(state)
    close(K @ found.G, np.zeros((state.mechanism.nc, found.G.shape[1])), 1e-12, scale=float(np.abs(K).max()))
    close(K @ found.g, -np.array(rbd.constraint_bias(state, stabilization=None)), 1e-12, scale=float(abs(K).max()))
    close(rbd.constraint_error(state), np.zeros(state.mechanism.nc), 1e-13, scale=float(np.abs(state.q).max()))


@examples(0.3)
@given(state=coupled_states(), seed=seeds)
def test_torques_of_inverse_dynamics_reproduce_the_motion(state: MechanismState, seed: int) -> None:
    tau = np.random.default_rng(seed).standard_normal(state.mechanism.nv)
    vd, G = rbd.forward_dynamics(state, tau), projection(state).G
    torques = rbd.inverse_dynamics(state, vd)
    scale = float(np.abs(vd).max()) + float(np.abs(torques).max())
    close(rbd.forward_dynamics(state, torques), vd, 1e-9, scale=scale)
    close(G.T @ torques, G.T @ (rbd.mass_matrix(state) @ vd + rbd.dynamics_bias(state)), 1e-9, scale=scale)
    assert np.linalg.norm(torques) <= np.linalg.norm(tau) * (1 + 1e-9)


def test_one_motor_moves_both_joints() -> None:
    state = MechanismState(gripper())
    rbd.close_loops(state, fixed=["shoulder"])
    vd = rbd.forward_dynamics(state, [3.0, 0.0])
    assert rbd.inverse_dynamics(state, vd, actuated=["shoulder"]) == pytest.approx([3.0, 0.0], abs=1e-12)
    alone = rbd.inverse_dynamics(state, vd, actuated=["elbow"])
    assert alone == pytest.approx([0.0, -1.5], abs=1e-12)  # the same power: the elbow turns twice as fast, back


def test_multipliers_are_the_forces_of_the_gear() -> None:
    state = MechanismState(gripper(), [0.2, 0.1], [1.0, -2.0])
    result = rbd.dynamics(state, [0.3, -0.1])
    torque = result.coupling_torque("belt")
    assert torque == -result.multipliers[0]
    free = rbd.inverse_dynamics(MechanismState(rbd.robots.double_pendulum(), state.q, state.v), result.vd)
    assert np.array(free) - [0.3, -0.1] == pytest.approx([2.0 * torque, torque], abs=1e-12)
    with pytest.raises(UnknownNameError, match="no coupling of this mechanism is named 'chain'"):
        result.coupling_torque("chain")
    assert pickle.loads(pickle.dumps(result)).coupling_torque("belt") == torque
    result.multipliers[:] = 0  # the caller's to write
    assert result.coupling_torque("belt") == torque


def test_energy_is_that_of_the_tree_and_is_conserved() -> None:
    state = MechanismState(gripper(), [0.25, 0.0], [1.0, -2.0])
    free = MechanismState(rbd.robots.double_pendulum(), state.q, state.v)

    def energy(s: MechanismState) -> float:
        return float(rbd.kinetic_energy(s)) + float(rbd.gravitational_potential_energy(s))

    before = energy(state)
    assert before == energy(free)
    after = moved(state, 2.0)
    assert abs(energy(after) - before) < 1e-8
    assert abs(after.q[0] - 0.25) > 0.1


def test_couplings_that_say_the_same_share_the_load() -> None:
    """Two equal couplings: rank one, the same motion, half the force each."""
    mechanism = gripper()
    mechanism.couple("shoulder", "elbow", ratio=-0.5, offset=0.25)
    state = MechanismState(mechanism, [0.2, 0.1], [1.0, -2.0])
    result = rbd.dynamics(state, [0.3, -0.1])
    assert result.constraint_rank == 1
    close(result.vd, rbd.forward_dynamics(MechanismState(gripper(), state.q, state.v), [0.3, -0.1]), 1e-12)


def test_a_joint_is_held() -> None:
    mechanism = rbd.robots.double_pendulum()
    mechanism.couple("elbow", offset=0.5)
    state = MechanismState(mechanism)
    rbd.close_loops(state)
    assert state.q == pytest.approx([0.0, 0.5], abs=1e-15)
    after = moved(state, 1.0)
    assert after.q[1] == pytest.approx(0.5, abs=1e-13)
    assert abs(after.q[0]) > 0.1


def test_loops_and_couplings_together() -> None:
    """A four-bar linkage whose crank is geared to a pendulum: rows of the loop first."""
    mechanism = rbd.robots.four_bar()
    mechanism.attach_mechanism("world", rbd.robots.double_pendulum())
    mechanism.couple("shoulder", "joint1", ratio=3.0)
    state = MechanismState(mechanism)
    rbd.close_loops(state)
    state.set_velocity("joint1", [1.0])
    rbd.close_loops(state, fixed=["joint1"])
    assert mechanism.nc == 6
    row = rbd.constraint_jacobian(state)[5]
    assert row[state.v_slice("shoulder")] == 1
    assert row[state.v_slice("joint1")] == -3
    tau = np.linspace(-1, 1, mechanism.nv)
    result = rbd.dynamics(state, tau)
    K, k = result.constraint_jacobian, result.constraint_bias
    close(K @ result.vd, -k, 1e-11)
    close(result.mass_matrix @ result.vd + result.dynamics_bias, tau - K.T @ result.multipliers, 1e-11)
    assert result.loop_wrench("joint4").frame == mechanism.root_frame
    assert float(rbd.loop_gap(moved(state, 1.0))) < 1e-9


# --- closing ----------------------------------------------------------------------------------------------------------


def test_states_are_made_to_satisfy_couplings() -> None:
    state = MechanismState(gripper(), [0.3, 0.0], [1.0, 0.0])
    assert float(rbd.loop_gap(state)) == pytest.approx(0.1)
    closure = rbd.close_loops(state, fixed=["shoulder"])
    assert (closure.rank, closure.mobility) == (1, 1)
    assert state.q == pytest.approx([0.3, -0.1], abs=1e-14)
    assert state.v == pytest.approx([1.0, -2.0], abs=1e-14)


def test_a_coupling_that_cannot_hold_is_named() -> None:
    mechanism = gripper()
    mechanism.joint("elbow").position_bounds = (1.0, 2.0)
    state = MechanismState(mechanism, [0.0, 1.0])
    with pytest.raises(SolverError, match=r"a gap of 0\.5 remains at coupling 'belt'") as caught:
        rbd.close_loops(state, fixed=["shoulder"])
    assert caught.value.joint == "elbow"
    assert state.q.tolist() == [0.0, 1.0]


# --- stabilisation ----------------------------------------------------------------------------------------------------


def bias(mechanism: Mechanism, **options: Any) -> float:
    return float(rbd.constraint_bias(MechanismState(mechanism, [0.3, 0.2], [1.0, 1.0]), **options)[0])


def test_gains_act_on_the_error_and_its_rate() -> None:
    error, slip = 0.2 - (0.5 - 0.6), 1.0 + 2.0
    assert bias(gripper(), stabilization=None) == 0.0
    assert bias(gripper()) == pytest.approx(100 * error + 20 * slip)
    assert bias(gripper(), stabilization=Baumgarte(0.5)) == pytest.approx(4 * error + 4 * slip)
    gains = rbd.SE3PDGains(angular=rbd.PDGains(30.0, 5.0), linear=rbd.PDGains(20.0, 4.0))
    assert bias(gripper(), stabilization=gains) == pytest.approx(30 * error + 5 * slip)
    mechanism = gripper()
    (coupling,) = mechanism.couplings
    assert bias(mechanism, stabilization={coupling: gains}) == pytest.approx(30 * error + 5 * slip)
    assert bias(mechanism, stabilization={"belt": Baumgarte(0.5)}) == pytest.approx(4 * error + 4 * slip)
    assert bias(mechanism, stabilization={}) == 0.0


def test_prismatic_joints_take_the_gains_of_translation() -> None:
    kinds = [Revolute((0, 0, 1)), Prismatic((0, 0, 1))]
    mechanism = rbd.testing.random_tree(kinds, np.random.default_rng(1))
    mechanism.couple("joint2", "joint1")
    gains = rbd.SE3PDGains(angular=rbd.PDGains(30.0, 5.0), linear=rbd.PDGains(20.0, 4.0))
    assert bias(mechanism, stabilization=gains) == pytest.approx(20 * -0.1)


def test_gains_per_coordinate_are_diagonal_matrices() -> None:
    state = MechanismState(rbd.robots.four_bar(), [0.3, 0.5, -0.2], [1.0, -2.0, 0.5])
    k, d = np.array([10.0, 20.0, 30.0]), np.array([4.0, 5.0, 6.0])
    vectors = rbd.SE3PDGains(angular=rbd.PDGains(k, d), linear=rbd.PDGains(d, k))
    matrices = rbd.SE3PDGains(angular=rbd.PDGains(np.diag(k), np.diag(d)), linear=rbd.PDGains(np.diag(d), np.diag(k)))
    found = rbd.constraint_bias(state, stabilization=vectors)
    assert np.array_equal(found, rbd.constraint_bias(state, stabilization=matrices))
    assert np.any(found != rbd.constraint_bias(state))
    with pytest.raises(ArgumentError, match="the gains of coupling 'belt' must be numbers"):
        bias(gripper(), stabilization=vectors)


def test_stabilisations_that_do_not_fit_are_refused() -> None:
    mechanism = gripper()
    matrix = rbd.SE3PDGains(angular=rbd.PDGains(np.eye(3), np.eye(3)), linear=rbd.PDGains(1.0, 1.0))
    with pytest.raises(ArgumentError, match="the gains of coupling 'belt' must be numbers"):
        bias(mechanism, stabilization=matrix)
    with pytest.raises(UnknownNameError, match="coupling 'belt' is none of this mechanism"):
        bias(mechanism, stabilization={gripper().coupling("belt"): Baumgarte()})
    with pytest.raises(UnknownNameError, match="joint 'elbow' closes no loop of this mechanism"):
        bias(mechanism, stabilization={"elbow": Baumgarte()})
    linkage = rbd.robots.four_bar()
    twice: Any = {"joint4": Baumgarte(), linkage.joint("joint4"): Baumgarte(0.2)}
    with pytest.raises(ArgumentError, match="stabilization has two gains for 'joint4'"):
        rbd.constraint_bias(MechanismState(linkage), stabilization=twice)
    kind: Any = rbd.SE3PDGains
    for state in (MechanismState(linkage), MechanismState(rbd.robots.arm7())):
        with pytest.raises(ArgumentError, match=r"stabilization must be None, .* not a type"):
            rbd.dynamics(state, stabilization=kind)
    symbol: Any = object()
    for gain in (symbol, "much", [[1.0], [1.0, 2.0]], 10**400):
        gains: Any = SimpleNamespace(k=gain, d=1.0)
        pose: Any = SimpleNamespace(angular=gains, linear=gains)
        with pytest.raises(ArgumentError, match="a gain must be a finite number, three of them or"):
            rbd.constraint_bias(MechanismState(linkage), stabilization=pose)
    linkage.couple("joint2", "joint1", name="joint4")
    with pytest.raises(AmbiguousNameError, match="'joint4' is a loop joint and a coupling"):
        rbd.constraint_bias(MechanismState(linkage), stabilization={"joint4": Baumgarte()})


def test_gaps_decay() -> None:
    state = MechanismState(gripper(), [0.0, 0.6])
    assert float(rbd.loop_gap(moved(state, 3.0))) < 1e-9


# --- derivatives ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stabilization", [None, Baumgarte(0.2)])
def test_derivatives_are_those_of_complex_steps(stabilization: Any) -> None:
    check_derivatives(curved(), stabilization)


@examples(0.1)
@given(state=coupled_states(couplings=2))
def test_derivatives_of_random_trees(state: MechanismState) -> None:
    check_derivatives(state, Baumgarte(0.1))


def test_derivatives_of_steps_are_differences() -> None:
    state = curved()
    tau, h, e = np.linspace(-1, 1, state.mechanism.nv), 1e-2, 1e-6
    robot, found = rbd.compile(state.mechanism), rbd.step_derivatives(state, tau, h, integrator="munthe-kaas-rk4")

    def step(v: Numbers) -> Numbers:
        return np.asarray(robot.step(state.q, v, tau, h)[1])

    units = np.eye(state.mechanism.nv)
    expected = np.array([(step(state.v + e * unit) - step(state.v - e * unit)) / (2 * e) for unit in units]).T
    close(found.v_by_v, expected, 1e-8)


# --- limits, and others -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "call",
    [
        lambda s: rbd.inverse_dynamics_derivatives(s, [0, 0]),
        lambda s: rbd.forward_dynamics(s, prescribed={"elbow": 0.0}),
        lambda s: rbd.articulated_bodies(s),
    ],
)
def test_algorithms_of_trees_say_what_to_do(call: Any) -> None:
    with pytest.raises(TopologyError, match=r"works on trees; this mechanism has the coupling 'belt'; .*uncouple"):
        call(MechanismState(gripper()))


@pytest.mark.peers
def test_pinocchio_has_the_same_reduced_mass_matrix() -> None:
    pin = pytest.importorskip("pinocchio", reason="comparisons need the dependency group `peers`")
    lines = ["<robot name='r'><link name='base'/>"]
    for k, parent in enumerate(["base", "l0", "l1", "l1"]):
        mimic = "<mimic joint='j0' multiplier='-1.5' offset='0.2'/>" if k == 2 else ""
        lines.append(
            f"<link name='l{k}'><inertial><origin xyz='0.1 0.2 {k / 5}'/><mass value='{1 + k}'/>"
            "<inertia ixx='.3' iyy='.2' izz='.25' ixy='.01' ixz='0' iyz='0.02'/></inertial></link>"
            f"<joint name='j{k}' type='continuous'><parent link='{parent}'/><child link='l{k}'/>"
            f"<origin xyz='0 0.1 0.4' rpy='0.3 0.{k} 0'/><axis xyz='{k % 2} 1 0'/>{mimic}</joint>"
        )
    text = "\n".join([*lines, "</robot>"])
    model = pin.buildModelFromXML(text, mimic=True)
    mechanism = rbd.parse_urdf(text)
    state = satisfied(MechanismState(mechanism, [0.3, -0.4, 0.0, 0.5], [1.0, 2.0, 0.0, -1.0]))
    data = model.createData()
    q = np.concatenate([[np.cos(x), np.sin(x)] for x in (0.3, -0.4, 0.5)])
    assert (model.nv, model.nq) == (3, 6)
    theirs = pin.crba(model, data, q)
    theirs = np.triu(theirs) + np.triu(theirs, 1).T
    found = projection(state)
    close(found.G.T @ rbd.mass_matrix(state) @ found.G, theirs, 1e-12)
    torques = pin.rnea(model, data, q, np.array([1.0, 2.0, -1.0]), np.zeros(3))
    ours = found.G.T @ (rbd.dynamics_bias(state) + rbd.mass_matrix(state) @ found.g)
    close(ours, torques, 1e-12)
