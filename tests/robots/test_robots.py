"""Robot models: physical inertias, documented dimensions and properties."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import rbd
from rbd.errors import ArgumentError, InertiaError, UnknownNameError
from rbd.mechanism import Mechanism

ROBOTS: dict[str, Callable[[], Mechanism]] = {
    "double_pendulum": rbd.robots.double_pendulum,
    "four_bar": rbd.robots.four_bar,
    "chain": lambda: rbd.robots.chain(9),
    "arm7": rbd.robots.arm7,
    "humanoid": rbd.robots.humanoid,
    "quadruped": rbd.robots.quadruped,
}


@pytest.fixture(params=ROBOTS)
def robot(request: pytest.FixtureRequest) -> Mechanism:
    return ROBOTS[request.param]()


def test_every_body_is_physical(robot: Mechanism) -> None:
    for body in robot.bodies[1:]:
        assert body.inertia is not None
        moments = np.sort(body.inertia.principal_moments)
        assert body.inertia.mass > 0
        assert moments[0] > 0
        assert moments[0] + moments[1] > moments[2]


def test_mass_matrix_is_positive_definite(robot: Mechanism) -> None:
    state = rbd.MechanismState(robot)
    state.randomize(np.random.default_rng(1))
    assert np.linalg.eigvalsh(rbd.mass_matrix(state))[0] > 0


def test_placements_are_pure_translations(robot: Mechanism) -> None:
    for joint in robot.tree_joints:
        assert np.array_equal(robot.placement(joint).rotation, np.eye(3))


@pytest.mark.parametrize("factory", ROBOTS.values(), ids=ROBOTS)
def test_every_call_returns_a_new_mechanism(factory: Callable[[], Mechanism]) -> None:
    robot, again = factory(), factory()
    assert not set(again.bodies) & set(robot.bodies)
    assert again.root_frame != robot.root_frame


# --- double pendulum --------------------------------------------------------------------------------------------------


def test_double_pendulum_has_its_documented_closed_form() -> None:
    (l1, l2), (m1, m2), r, g = (0.7, 0.5), (1.3, 0.9), 0.04, 9.81
    state = rbd.MechanismState(rbd.robots.double_pendulum(lengths=(l1, l2), masses=(m1, m2), radius=r))
    state.randomize(np.random.default_rng(2))
    (q1, q2), (v1, v2) = state.q, state.v
    c1, c2 = l1 / 2, l2 / 2
    i1, i2 = (m * (3 * r**2 + length**2) / 12 for m, length in ((m1, l1), (m2, l2)))
    m22 = i2 + m2 * c2**2
    m12 = m22 + m2 * l1 * c2 * math.cos(q2)
    m11 = i1 + m1 * c1**2 + m22 + m2 * (l1**2 + 2 * l1 * c2 * math.cos(q2))
    pull = m2 * l1 * c2 * math.sin(q2)
    velocity = np.array([-pull * (2 * v1 * v2 + v2**2), pull * v1**2])
    s1, s12 = math.sin(q1), math.sin(q1 + q2)
    gravity = g * np.array([m1 * c1 * s1 + m2 * (l1 * s1 + c2 * s12), m2 * c2 * s12])
    assert np.allclose(rbd.mass_matrix(state), [[m11, m12], [m12, m22]], rtol=0, atol=1e-12)
    assert np.allclose(rbd.dynamics_bias(state), velocity + gravity, rtol=0, atol=1e-12)


@pytest.mark.parametrize("sizes", [{"lengths": (1.0, -0.5)}, {"radius": -0.03}])
def test_double_pendulum_refuses_negative_lengths(sizes: dict[str, Any]) -> None:
    with pytest.raises(InertiaError, match="needs lengths of 0 or more"):
        rbd.robots.double_pendulum(**sizes)


def test_double_pendulum_hangs_at_zero() -> None:
    pendulum = rbd.robots.double_pendulum(lengths=(0.7, 0.5))
    state = rbd.MechanismState(pendulum)
    assert state.transform_to_root(pendulum.frame("tip")).translation.tolist() == [0, 0, -1.2]
    assert [joint.name for joint in pendulum.joints] == ["shoulder", "elbow"]
    assert [body.name for body in pendulum.bodies] == ["world", "upper_link", "lower_link"]


def test_double_pendulum_takes_symbols() -> None:
    sympy = pytest.importorskip("sympy", reason="an extra of rbd")
    m1, m2, length = sympy.symbols("m1 m2 l", positive=True)
    pendulum = rbd.robots.double_pendulum(lengths=(length, length), masses=(m1, m2), radius=0)
    q = sympy.symbols("q1 q2")
    state = rbd.MechanismState(pendulum).with_scalars(q, (0, 0))
    corner = rbd.mass_matrix(state)[1, 1]
    assert sympy.simplify(corner - m2 * length**2 / 3) == 0


# --- four-bar linkage -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("crank", np.linspace(-3.1, 3.1, 7))
def test_four_bar_configuration_closes_the_loop(crank: float) -> None:
    linkage = rbd.robots.four_bar()
    state = rbd.MechanismState(linkage, q=rbd.robots.four_bar_configuration(crank))
    joint = linkage.joint("joint4")
    gap = state.relative_transform(joint.frame_after, joint.frame_before)
    assert np.allclose(gap.translation, 0, atol=1e-14)
    assert state.q[0] == crank
    assert linkage.nc == 5


def test_four_bar_that_cannot_close_raises() -> None:
    with pytest.raises(ArgumentError, match="cannot meet") as caught:
        rbd.robots.four_bar_configuration(math.pi, lengths=(3.0, 0.5, 0.4, 0.4))
    assert caught.value.argument == "crank_angle"


def test_four_bars_have_lengths_above_zero() -> None:
    for call in (rbd.robots.four_bar, partial(rbd.robots.four_bar_configuration, 0.3)):
        with pytest.raises(ArgumentError, match=r"lengths\[1\] is 0, must be a finite number above 0"):
            call(lengths=(1.0, 0.0, 0.9, 0.8))


# --- chain ------------------------------------------------------------------------------------------------------------


def test_a_chain_of_a_thousand_links() -> None:
    chain = rbd.robots.chain(1000, length=0.01)
    state = rbd.MechanismState(chain)
    tip = state.transform_to_root(chain.frame("tip")).translation
    assert np.allclose(tip, [0, 0, -10], atol=1e-9)
    assert chain.nv == 1000


@pytest.mark.parametrize("n", [0, -3])
def test_chain_of_less_than_one_link_raises(n: int) -> None:
    with pytest.raises(ArgumentError, match="n must be a whole number of 1 or more"):
        rbd.robots.chain(n)


@pytest.mark.parametrize("sizes", [{"length": -0.1}, {"length": 0.0, "radius": 0.0}, {"radius": -0.01}, {"mass": -1.0}])
def test_chains_have_possible_sizes(sizes: dict[str, float]) -> None:
    with pytest.raises(ArgumentError, match="must be a finite number"):
        rbd.robots.chain(2, **sizes)


# --- arm --------------------------------------------------------------------------------------------------------------


def test_arm_is_as_documented() -> None:
    arm = rbd.robots.arm7()
    state = rbd.MechanismState(arm)
    tool = state.transform_to_root(arm.frame("tool")).translation
    shoulder = state.transform_to_root(arm.body("link2")).translation
    assert np.allclose(tool, [0, 0, 1.33], atol=1e-12)
    assert np.allclose(shoulder, [0, 0, 0.32], atol=1e-12)
    elbow = state.transform_to_root(arm.body("link4")).translation
    assert np.linalg.norm(elbow - shoulder) + np.linalg.norm(tool - elbow) == pytest.approx(1.02, abs=0.005)
    assert arm.mass == pytest.approx(17.3)
    assert [joint.name for joint in arm.joints] == [f"joint{i}" for i in range(1, 8)]
    bounds = [(joint.position_bounds, joint.velocity_bounds, joint.effort_bounds) for joint in arm.joints]
    assert np.isfinite(np.array(bounds)).all()


def test_gravity_torques_of_the_stretched_arm_are_within_effort_bounds() -> None:
    arm = rbd.robots.arm7()
    state = rbd.MechanismState(arm, q=[0, math.pi / 2, 0, 0, 0, 0, 0])
    limits = np.array([joint.effort_bounds[0][1] for joint in arm.joints])
    assert (np.abs(rbd.gravity_torques(state)) < limits).all()


# --- humanoid ---------------------------------------------------------------------------------------------------------


def test_humanoid_is_as_documented() -> None:
    robot = rbd.robots.humanoid()
    state = rbd.MechanismState(robot)
    for side, y in (("left", 0.1), ("right", -0.1)):
        sole = state.transform_to_root(robot.frame(f"{side}_sole")).translation
        assert np.allclose(sole, [0, y, -0.95], atol=1e-12)
    assert (robot.nq, robot.nv) == (37, 36)
    assert robot.mass == pytest.approx(72.8)
    com = rbd.center_of_mass(state).xyz
    assert abs(com[1]) < 1e-15
    assert 0 < com[2] < 0.3
    assert abs(com[0]) < 0.1


def twin(name: str) -> str:
    """The name of the joint on the other side."""
    swapped = {"left": "right", "right": "left"}
    return "_".join(swapped.get(word, word) for word in name.split("_"))


def mirrored_coordinates(robot: Mechanism, values: np.ndarray, *, first: int) -> np.ndarray:
    """Mirror the revolute coordinates (from index `first` on) in the plane y = 0."""
    joints = robot.tree_joints[1:]
    at = {joint.name: first + i for i, joint in enumerate(joints)}
    result = values.copy()
    for joint in joints:
        sign = 1 if joint.type.axis[1] else -1
        result[at[twin(joint.name)]] = sign * values[at[joint.name]]
    return result


LEGGED = [rbd.robots.humanoid, rbd.robots.quadruped]


@pytest.mark.parametrize("legged", LEGGED)
def test_legged_robots_are_symmetric(legged: Callable[[], Mechanism]) -> None:
    robot = legged()
    rng = np.random.default_rng(3)
    state = rbd.MechanismState(robot)
    q, v = state.q.copy(), np.concatenate((np.zeros(6), rng.standard_normal(robot.nv - 6)))
    q[7:] = rng.standard_normal(robot.nv - 6)
    state.set_configuration(q)
    state.set_velocity(v)
    com, energy = rbd.center_of_mass(state).xyz, rbd.kinetic_energy(state)
    state.set_configuration(mirrored_coordinates(robot, q, first=7))
    state.set_velocity(mirrored_coordinates(robot, v, first=6))
    assert np.allclose(rbd.center_of_mass(state).xyz, com * [1, -1, 1], atol=1e-14)
    assert rbd.kinetic_energy(state) == pytest.approx(energy, rel=1e-13)


@pytest.mark.parametrize("legged", LEGGED)
def test_bounds_of_legged_robots_are_mirrored_and_hold_zero(legged: Callable[[], Mechanism]) -> None:
    robot = legged()
    for joint in robot.tree_joints[1:]:
        ((low, high),) = joint.position_bounds
        assert low <= 0 <= high
        if "left" in joint.name:
            expected = (low, high) if joint.type.axis[1] else (-high, -low)
            assert robot.joint(twin(joint.name)).position_bounds == (expected,)


# --- quadruped --------------------------------------------------------------------------------------------------------

FEET = {"front_left": (1, 1), "front_right": (1, -1), "rear_left": (-1, 1), "rear_right": (-1, -1)}


def test_quadruped_is_as_documented() -> None:
    robot = rbd.robots.quadruped()
    state = rbd.MechanismState(robot)
    assert (robot.nq, robot.nv) == (19, 18)
    assert robot.mass == pytest.approx(13.6)
    for leg, (x, y) in FEET.items():
        assert np.allclose(state.transform_to_root(f"{leg}_foot").translation, [0.19 * x, 0.13 * y, -0.42], atol=1e-15)
        assert [joint.name for joint in robot.tree_joints if joint.name.startswith(leg)] == [
            f"{leg}_hip_roll", f"{leg}_hip_pitch", f"{leg}_knee"
        ]  # fmt: skip
    bounds = [(joint.position_bounds, joint.velocity_bounds, joint.effort_bounds) for joint in robot.tree_joints[1:]]
    assert np.isfinite(np.array(bounds)).all()


@pytest.mark.parametrize("height", [0.114, 0.2, 0.3, 0.442])
def test_quadruped_configuration_puts_the_feet_below_the_hips(height: float) -> None:
    robot = rbd.robots.quadruped()
    state = rbd.MechanismState(robot, rbd.robots.quadruped_configuration(height))
    assert state.transform_to_root("trunk").translation[2] == height
    for leg, (x, y) in FEET.items():
        place = state.transform_to_root(f"{leg}_foot").translation
        assert np.allclose(place, [0.19 * x, 0.13 * y, 0.022], atol=1e-14)
    gaps = rbd.robots.quadruped_collision_model(robot).distances(state)
    assert np.allclose([float(gap.value) for gap in gaps], 0, atol=1e-14)
    for joint in robot.tree_joints[1:]:
        ((low, high),) = joint.position_bounds
        assert low <= float(state.configuration(joint)[0]) <= high


@pytest.mark.parametrize("height", [0.0, 0.05, 0.1139, 0.45, -0.3])
def test_quadruped_configuration_out_of_reach_raises(height: float) -> None:
    with pytest.raises(ArgumentError, match="the legs reach") as caught:
        rbd.robots.quadruped_configuration(height)
    assert caught.value.argument == "height"


def test_collision_model_needs_the_feet() -> None:
    with pytest.raises(UnknownNameError, match="front_left_foot"):
        rbd.robots.quadruped_collision_model(rbd.robots.arm7())


def test_quadruped_stands_with_pd_control() -> None:
    robot = rbd.robots.quadruped()
    start, gains = rbd.robots.quadruped_configuration(), rbd.PDGains(k=80.0, d=2.0)
    bounds = np.array([joint.effort_bounds[0] for joint in robot.tree_joints[1:]]).T

    def control(t: float, state: rbd.MechanismState) -> np.ndarray:
        torques = rbd.pd(gains, state.q[7:], state.v[6:], desired=start[7:])
        assert (np.abs(torques) < bounds[1]).all()
        return np.concatenate([np.zeros(6), torques])

    model = rbd.robots.quadruped_collision_model(robot)
    state = rbd.MechanismState(robot, start)
    rbd.contact.ContactSimulator(robot, model, control, 2e-3, friction=0.6).run(state, 2.0)
    trunk = state.transform_to_root("trunk")
    assert trunk.translation[2] == pytest.approx(0.29, abs=0.01)  # the springs yield to the weight
    assert trunk.rotation[2, 2] > 0.999
    assert np.abs(state.v).max() < 0.01
    assert max(abs(float(gap.value)) for gap in model.distances(state)) < 1e-6


def test_hand_has_a_name_for_each_of_its_two_results() -> None:
    hand = rbd.robots.hand()
    assert hand.collision_model.mechanism is hand.mechanism
