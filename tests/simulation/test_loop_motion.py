"""Mechanisms with loops over time: they stay closed, they close, and they keep their energy."""

from __future__ import annotations

import math
from collections.abc import Callable

import attrs
import numpy as np
import pytest

import rbd
from rbd import DynamicsResult, MechanismState
from rbd.algorithms.time_steps.fixed_step import FixedStepMethod
from rbd.errors import ArgumentError
from rbd.robots import four_bar, four_bar_configuration
from tests.algorithms.helpers import Numbers
from tests.algorithms.loops.linkages import bennett, energy, sarrus, strandbeest
from tests.algorithms.loops.mechanisms import consistent, looped, shut


def run(state: MechanismState, time: float, dt: float = 1e-3) -> tuple[Numbers, Numbers]:
    """Return q and v of a free motion, in machine code, with the default stabilisation."""
    mechanism = state.mechanism
    still = np.zeros(mechanism.nv)
    return rbd.compile(mechanism).rollout(state.q, state.v, still, dt, round(time / dt))


def at(state: MechanismState, q: Numbers, v: Numbers) -> MechanismState:
    return MechanismState(state.mechanism, q, v)


def drift(state: MechanismState, q: Numbers, v: Numbers, samples: int = 30) -> float:
    """Return the largest change of the energy along a motion."""
    start = energy(at(state, q[0], v[0]))
    chosen = np.linspace(0, len(q) - 1, samples).astype(int)
    return max(abs(energy(at(state, q[k], v[k])) - start) for k in chosen)


def widest(state: MechanismState, q: Numbers, samples: int = 30) -> float:
    """Return the largest gap along a motion."""
    chosen = np.linspace(0, len(q) - 1, samples).astype(int)
    return max(float(rbd.loop_gap(MechanismState(state.mechanism, q[k]))) for k in chosen)


def linkage(angle: float = 0.3) -> MechanismState:
    return MechanismState(four_bar(), four_bar_configuration(angle))


# --- the four-bar linkage -------------------------------------------------------------------------------------------


def test_a_linkage_keeps_its_energy_for_a_minute() -> None:
    state = linkage()
    q, v = run(state, 60.0)
    assert drift(state, q, v) < 1e-6
    assert widest(state, q) < 1e-10


def test_a_linkage_without_stabilisation_for_a_second() -> None:
    """The row of RigidBodyDynamics.jl: energy to 1e-8 and gap to 1e-10 after one second."""
    state = linkage()
    before = energy(state)
    rbd.simulate(state, 1.0, dt=5e-4, stabilization=None)
    assert abs(energy(state) - before) < 1e-8
    assert float(rbd.loop_gap(state)) < 1e-10


def test_a_gap_of_a_centimetre_closes() -> None:
    """From 1e-2 to below 1e-8 by default, then the energy stays: RigidBodyDynamics.jl asks for 1e-5 of both."""
    q = np.array(four_bar_configuration(0.3))
    state = MechanismState(four_bar(), q + [0.0, 0.02, 0.0])
    start = float(rbd.loop_gap(state))
    assert start > 5e-3
    state.set_configuration(q + np.array([0.0, 0.02, 0.0]) * (1e-2 / start))
    assert float(rbd.loop_gap(state)) == pytest.approx(1e-2, rel=0.05)
    positions, velocities = run(state, 25.0)
    assert float(rbd.loop_gap(at(state, positions[3000], velocities[3000]))) < 1e-8
    assert drift(state, positions[15000:], velocities[15000:]) < 1e-6


def test_gaps_decay_as_the_time_constant_says() -> None:
    """A critically damped error from rest: (1 + t / T) exp(-t / T) of the gap is left."""
    q = np.array(four_bar_configuration(0.3)) + [0.0, 1e-6, 0.0]
    mechanism = four_bar()
    mechanism.gravity = (0, 0, 0)
    for constant in (0.05, 0.2):
        state = MechanismState(mechanism, q)
        error = np.array(rbd.constraint_error(state))
        rbd.simulate(state, constant, dt=1e-3, stabilization=rbd.Baumgarte(constant))
        np.testing.assert_allclose(rbd.constraint_error(state), 2 * math.exp(-1) * error, rtol=0, atol=1e-11)


def test_steps_in_machine_code_are_those_of_the_readable_source() -> None:
    case = looped("revolute oblique", 2)
    tau, h = case.velocity(), 1e-2
    robot, state = rbd.compile(case.mechanism), case.state
    q, v = robot.step(state.q, state.v, tau, h)
    other = MechanismState(case.mechanism, state.q, state.v)
    rbd.simulate(other, h, lambda t, s: tau, dt=h)
    np.testing.assert_allclose(q, other.q, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(v, other.v, rtol=1e-11, atol=1e-11)
    euler = robot.step(state.q, state.v, tau, h, integrator="semi-implicit-euler")
    np.testing.assert_allclose(euler[1], state.v + h * rbd.forward_dynamics(state, tau), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("integrator", ["munthe-kaas-rk4", "semi-implicit-euler"])
@pytest.mark.parametrize("which", ["none", "time constant", "gains", "mapping", "nothing mapped"])
def test_steps_in_machine_code_are_stabilised_as_live_ones(which: str, integrator: FixedStepMethod) -> None:
    case = looped("revolute oblique", 2)
    (loop,) = case.mechanism.loop_joints
    gains = rbd.SE3PDGains(angular=rbd.PDGains(30.0, 5.0), linear=rbd.PDGains(20.0, 4.0))
    stabilization: rbd.algorithms.Stabilization = {
        "none": None,
        "time constant": rbd.Baumgarte(0.03),
        "gains": gains,
        "mapping": {loop: rbd.Baumgarte(0.02)},
        "nothing mapped": {},
    }[which]
    state, tau, h = case.state, case.velocity(), 1e-2
    state.set_configuration(state.q + 1e-2, normalize=True)  # ajar: or there would be nothing to see
    robot, before = rbd.compile(case.mechanism), (state.q.copy(), state.v.copy())
    found = robot.step(*before, tau, h, stabilization=stabilization, integrator=integrator)
    _, rolled = robot.rollout(*before, tau, h, 1, stabilization=stabilization, integrator=integrator)
    usual = robot.step(*before, tau, h, integrator=integrator)
    rbd.simulate(state, h, lambda t, s: tau, dt=h, stabilization=stabilization, integrator=integrator)
    np.testing.assert_allclose(found[0], state.q, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found[1], state.v, rtol=1e-11, atol=1e-11)
    assert np.array_equal(rolled[-1], found[1])
    assert abs(usual[1] - found[1]).max() > 1e-4


def test_one_function_is_compiled_per_stabilisation() -> None:
    robot = rbd.compile(four_bar())
    q, still = np.array(four_bar_configuration(0.3)), np.zeros(3)
    plain = robot.step(q, still, still, 1e-3)
    same = robot.step(q, still, still, 1e-3, stabilization=rbd.Baumgarte(0.1))
    assert np.array_equal(plain[0], same[0])
    assert np.array_equal(plain[1], same[1])
    robot.step(q, still, still, 1e-3, stabilization=None)
    robot.step(q, still, still, 1e-3, stabilization={})
    assert repr(robot).count("step") == 3
    tree = rbd.compile(rbd.robots.double_pendulum())
    tree.step([0.1, 0.2], [0, 0], [0, 0], 1e-3)
    tree.step([0.1, 0.2], [0, 0], [0, 0], 1e-3, stabilization=None)
    assert repr(tree).count("step") == 1
    with pytest.raises(ArgumentError, match="stabilization"):
        tree.step([0.1, 0.2], [0, 0], [0, 0], 1e-3, stabilization=0.1)  # type: ignore[call-overload]  # the point


# --- large angles of the loop joint --------------------------------------------------------------------------------


@pytest.mark.parametrize("degrees", [0.0, 90.0, 179.0, 180.0])
def test_loop_joints_stay_closed_at_every_angle(degrees: float) -> None:
    case = looped("revolute oblique", 5)
    (loop,) = case.mechanism.loop_joints
    shut(case.state, loop, case.mechanism.tree_joints[-1], (math.radians(degrees),))
    case.state.set_velocity(consistent(case.state))
    q, v = run(case.state, 1.0)
    assert widest(case.state, q) < 1e-9
    assert drift(case.state, q, v) < 1e-6 * max(1.0, energy(at(case.state, q[0], v[0])))


@attrs.frozen
class Gains:
    k: float
    d: float


@attrs.frozen
class Pose:
    angular: Gains
    linear: Gains


@pytest.mark.parametrize("stabilization", [rbd.Baumgarte(0.1), Pose(Gains(100, 8), Gains(100, 8))])
def test_misalignment_decays_at_every_angle(stabilization: object) -> None:
    """Where errors of orientation fade with the angle, light damping is unstable beyond 106 degrees; not here."""
    case = looped("revolute oblique", 5)
    case.mechanism.gravity = (0, 0, 0)
    (loop,) = case.mechanism.loop_joints
    left = 2e-4 if isinstance(stabilization, rbd.Baumgarte) else 2e-2
    for degrees in (0.0, 90.0, 120.0, 179.0, 180.0):
        state = MechanismState(case.mechanism, case.state.q)
        shut(state, loop, case.mechanism.tree_joints[-1], (math.radians(degrees),))
        K = rbd.constraint_jacobian(state)
        state.global_coordinates(state.q, 1e-3 * np.linalg.lstsq(K, np.ones(5), rcond=None)[0])
        start = float(rbd.loop_gap(state))
        assert start == pytest.approx(1e-3, rel=0.1)
        rbd.simulate(state, 2.0, dt=1e-2, stabilization=stabilization)  # type: ignore[arg-type]  # a stabilisation
        assert float(rbd.loop_gap(state)) < left * start


def test_a_loop_joint_turns_all_the_way_round() -> None:
    """The crank's hinge closes the loop: it passes half a turn, again and again, without a jolt."""
    state = linkage(0.3)
    state.set_velocity(state.mechanism.joint("joint1"), [12.0])
    rbd.close_loops(state, fixed=["joint1"])
    poses = {body.name: (state.transform_to_root(body), state.twist(body)) for body in state.mechanism.bodies[1:]}
    mechanism, _ = state.mechanism.copy()
    mechanism.rebuild_spanning_tree(prefer=["joint3", "joint4", "joint2"])
    (loop,) = mechanism.loop_joints
    assert loop.name == "joint1"
    other = MechanismState(mechanism, [0.1, 0.2, 0.3])
    for joint in mechanism.tree_joints:
        body = mechanism.successor(joint)
        wanted = poses[body.name][0].matrix
        place = other.transform_to_root(mechanism.predecessor(joint)) @ mechanism.placement(joint)
        mark = body.frame(body.name)
        local = np.linalg.inv(place.matrix) @ wanted @ body.fixed_transform(joint.frame_after, mark).matrix
        pose = rbd.Transform(joint.frame_after, joint.frame_before, local[:3, :3], local[:3, 3])
        other.set_configuration(joint, pose)
    assert float(rbd.loop_gap(other)) < 1e-12
    spin = np.linalg.lstsq(rbd.constraint_jacobian(other), np.zeros(5), rcond=None)[0]
    motion = np.linalg.svd(rbd.constraint_jacobian(other))[2][2] + spin
    ahead = MechanismState(mechanism, other.q, motion)
    rates = poses["crank"][1].angular[1] / ahead.twist(mechanism.body("crank")).angular[1]
    other.set_velocity(motion * rates)
    q, v = run(other, 3.0)
    angles = [
        float(loop.type.project(MechanismState(mechanism, x).joint_transform(loop))[0])  # type: ignore[arg-type]  # numbers of another family
        for x in q[::10]
    ]
    assert max(angles) > 3.0
    assert min(angles) < -3.0
    assert drift(other, q, v) < 1e-5
    assert widest(other, q) < 1e-8
    straight, _ = run(state, 3.0)  # the same motion as that of the linkage whose loop is elsewhere
    final = MechanismState(mechanism, q[-1]).transform_to_root(mechanism.body("rocker").frame("rocker"))
    same = MechanismState(state.mechanism, straight[-1]).transform_to_root(
        state.mechanism.body("rocker").frame("rocker")
    )
    np.testing.assert_allclose(final.matrix, same.matrix, rtol=0, atol=1e-6)


# --- overconstrained linkages in space ----------------------------------------------------------------------------


def slow_sarrus() -> MechanismState:
    state = sarrus(gravity=(0, 0, 0))
    state.set_velocity([0.5, 0, 0, 0, 0])
    return state


@pytest.mark.parametrize(("make", "rank"), [(slow_sarrus, 4), (bennett, 2)])
@pytest.mark.parametrize("dt", [1e-3, 1e-2])
def test_overconstrained_linkages_move(make: Callable[[], MechanismState], rank: int, dt: float) -> None:
    """They move thanks to their proportions alone: the rank must not jump when steps leave the loops slightly open."""
    state = make()
    closure = rbd.close_loops(state, fixed=[state.mechanism.tree_joints[0]])
    assert (closure.rank, closure.mobility) == (rank, 1)
    q, v = run(state, 10.0 if make is bennett else 1.0, dt)
    assert drift(state, q, v) < (1e-8 if dt < 5e-3 else 1e-3)
    assert widest(state, q) < (1e-9 if dt < 5e-3 else 1e-5)
    assert np.ptp(q[:, 0]) > 0.1
    result = rbd.dynamics(DynamicsResult(state.mechanism), at(state, q[-1], v[-1]))
    assert result.constraint_rank == rank


# --- legs ------------------------------------------------------------------------------------------------------------


def test_a_leg_walks_its_curve() -> None:
    """Two legs, the crank driven round: closed all the way, and the loops have rank 6 each."""
    state = strandbeest(2)
    state.set_velocity(state.mechanism.joint("crank"), [9.0])
    closure = rbd.close_loops(state, fixed=["crank"])
    assert (closure.rank, closure.mobility) == (12, 1)
    q, v = run(state, 2.0, 2e-3)
    assert q[-1, 0] > 6.3
    assert widest(state, q) < 1e-6
    assert drift(state, q, v) < 1e-3


def beach(time: float) -> None:
    state = strandbeest(12)
    assert (state.mechanism.nv, state.mechanism.nc) == (73, 180)
    state.set_velocity(state.mechanism.joint("crank"), [3.0])
    closure = rbd.close_loops(state, fixed=["crank"])
    assert (closure.rank, closure.mobility) == (72, 1)
    total = abs(energy(state))
    q, v = run(state, time, 5e-3)
    assert widest(state, q, 10) < 1e-7
    assert drift(state, q, v, 10) < 1e-5 * total
    assert np.ptp(q[:, 0]) > 1.0


def test_twelve_legs_for_ten_seconds() -> None:
    beach(10.0)


@pytest.mark.deep
def test_twelve_legs_for_ten_minutes() -> None:
    beach(600.0)
