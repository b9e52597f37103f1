"""Finding configurations and velocities that keep the loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rbd
from rbd import Joint, Mechanism, MechanismState, Revolute
from rbd.errors import ArgumentError, SolverError, TopologyError, UnknownNameError
from rbd.joints import Reversed
from rbd.robots import four_bar, four_bar_configuration
from rbd.scalars.arrays import Array
from rbd.simulation import LoopGapMonitor
from tests.algorithms.helpers import JOINT_TYPES, examples
from tests.algorithms.loops.linkages import bennett, sarrus, strandbeest
from tests.algorithms.loops.mechanisms import looped

KINDS = sorted(JOINT_TYPES)
seeds = st.integers(0, 2**32 - 1)
LINKAGE = four_bar()


def is_closed(state: MechanismState, closure: rbd.LoopClosure) -> None:
    """Assert that the state is where the closure says."""
    assert closure.gap == float(rbd.loop_gap(state)) < 1e-10
    opening = np.abs(rbd.constraint_jacobian(state) @ state.v).max(initial=0)
    assert closure.opening == pytest.approx(opening, abs=1e-13)
    assert opening < 1e-10 * max(1.0, np.abs(state.v).max(initial=0))


@examples(0.3)
@given(seeds)
def test_a_linkage_closes_from_anywhere(seed: int) -> None:
    rng = np.random.default_rng(seed)
    state = MechanismState(LINKAGE, rng.uniform(-3, 3, 3), rng.standard_normal(3))
    closure = rbd.close_loops(state)
    is_closed(state, closure)
    assert (closure.rank, closure.mobility) == (2, 1)


@examples(0.3)
@given(seeds)
def test_fixed_joints_keep_configuration_and_velocity(seed: int) -> None:
    rng = np.random.default_rng(seed)
    state = MechanismState(LINKAGE, rng.uniform(-3, 3, 3), rng.standard_normal(3))
    crank = LINKAGE.joint("joint1")
    q, v = float(state.configuration(crank)[0]), float(state.velocity(crank)[0])
    closure = rbd.close_loops(state, fixed=[crank])
    is_closed(state, closure)
    assert (float(state.configuration(crank)[0]), float(state.velocity(crank)[0])) == (q, v)


@pytest.mark.parametrize("kind", KINDS)
@examples(0.05)
@given(seed=seeds)
def test_every_loop_joint_closes(kind: str, seed: int) -> None:
    case = looped(kind, seed, slack=True)
    closure = rbd.close_loops(case.state)
    is_closed(case.state, closure)
    assert closure.rank == case.mechanism.nc
    assert closure.mobility == case.mechanism.nv - case.mechanism.nc


def test_a_closed_state_does_not_move() -> None:
    state = bennett()
    q = state.q.copy()
    closure = rbd.close_loops(state)
    np.testing.assert_allclose(state.q, q, rtol=0, atol=1e-15)
    assert closure.iterations <= 3
    tree = MechanismState(rbd.robots.double_pendulum(), [0.1, 0.2], [1.0, 2.0])
    closure = rbd.close_loops(tree)
    assert (closure.gap, closure.opening, closure.iterations, closure.rank, closure.mobility) == (0, 0, 0, 0, 2)
    np.testing.assert_array_equal(tree.v, [1.0, 2.0])


@pytest.mark.parametrize("make", [sarrus, bennett, lambda: strandbeest(2)])
def test_overconstrained_linkages_close(make: object) -> None:
    state = make()  # type: ignore[operator]  # three builders
    rng = np.random.default_rng(4)
    for size in (0.01, 0.1):
        ajar = MechanismState(
            state.mechanism, state.q + size * rng.standard_normal(len(state.q)), np.ones(len(state.v))
        )
        assert float(rbd.loop_gap(ajar)) > size / 10
        closure = rbd.close_loops(ajar)
        is_closed(ajar, closure)
        assert closure.mobility == 1


def test_velocities_change_as_little_as_possible() -> None:
    state = MechanismState(LINKAGE, four_bar_configuration(0.8), [0.3, -1.0, 2.0])
    wanted = state.v.copy()
    rbd.close_loops(state)
    K = rbd.constraint_jacobian(state)
    np.testing.assert_allclose(state.v, wanted - np.linalg.pinv(K) @ K @ wanted, rtol=0, atol=1e-12)


# --- bounds -----------------------------------------------------------------------------------------------------------


def bounded(low: float, high: float) -> Mechanism:
    mechanism = four_bar()
    mechanism.joint("joint3").position_bounds = [(low, high)]
    return mechanism


@examples(0.2)
@given(seeds)
def test_the_search_stays_within_bounds(seed: int) -> None:
    mechanism = bounded(-0.3, 0.1)
    rng = np.random.default_rng(seed)
    state = MechanismState(mechanism, rng.uniform(-2, 2, 3))
    closure = rbd.close_loops(state)
    is_closed(state, closure)
    assert -0.3 <= state.configuration(mechanism.joint("joint3"))[0] <= 0.1


def test_bounds_that_prevent_closing_are_an_error() -> None:
    mechanism = bounded(2.0, 2.5)  # the rocker would have to lie below the ground link
    state = MechanismState(mechanism, [0.1, 0.2, 2.2])
    with pytest.raises(SolverError, match="cannot be closed"):
        rbd.close_loops(state)
    np.testing.assert_array_equal(state.q, [0.1, 0.2, 2.2])


@pytest.mark.parametrize("seed", range(4))
def test_bounds_hold_for_joint_types_of_users_and_reversed_ones_alike(seed: int) -> None:
    """A type that only writes the identity as its Jacobian has the velocity of any other hinge, as a reversed one."""
    hinge: Any = type("Hinge", (Revolute,), {"__slots__": (), "velocity_jacobian": lambda self, q: ((1,),)})
    found: list[tuple[int, Array]] = []
    for kind in (Revolute((0, 1, 0)), hinge((0, 1, 0)), Reversed(Revolute((0, -1, 0)))):
        mechanism = four_bar()
        mechanism.replace_joint("joint3", Joint("bounded", kind, position_bounds=[(-0.3, 0.1)]))
        state = MechanismState(mechanism, np.random.default_rng(seed).uniform(-2, 2, 3))
        found.append((rbd.close_loops(state).iterations, state.q))
    for iterations, q in found[1:]:
        assert iterations == found[0][0]
        np.testing.assert_allclose(q, found[0][1], rtol=0, atol=1e-9)


def test_fixed_joints_may_be_out_of_bounds() -> None:
    mechanism = four_bar()
    mechanism.joint("joint1").position_bounds = [(0.0, 0.1)]
    state = MechanismState(mechanism, four_bar_configuration(1.0))
    rbd.close_loops(state, fixed=["joint1"])
    assert state.q[0] == 1.0
    rbd.close_loops(state)
    assert 0.0 <= state.q[0] <= 0.1


# --- what cannot be ---------------------------------------------------------------------------------------------------


def test_the_error_of_a_loop_that_cannot_close_has_its_gap() -> None:
    mechanism = four_bar(lengths=(3.0, 0.4, 0.9, 0.8))
    state = MechanismState(mechanism, [0.1, 0.2, 0.3], [1.0, 2.0, 3.0])
    with pytest.raises(SolverError) as caught:
        rbd.close_loops(state)
    error = caught.value
    assert (error.status, error.joint) == ("open", "joint4")
    assert isinstance(error.gap, float)
    assert 0.6 < error.gap < 0.9 + 1e-6  # 3.0 - 0.4 - 0.9 - 0.8 along the links, spread over two rows
    assert "joint4" in str(error)
    np.testing.assert_array_equal(state.q, [0.1, 0.2, 0.3])
    np.testing.assert_array_equal(state.v, [1.0, 2.0, 3.0])


def test_contradictory_loops_cannot_close() -> None:
    """Two welds hold one slide at different places: the search says so, and so does a run that watches the gap."""
    mechanism = Mechanism(gravity=(0, 0, 0))
    inertia = rbd.SpatialInertia(rbd.Frame("block"), mass=2.0, moment_about_com=np.eye(3))
    mechanism.attach("world", rbd.RigidBody("block", inertia), Joint("slide", rbd.Prismatic((1, 0, 0))))
    for name, place in (("left", -0.1), ("right", 0.3)):
        joint = Joint(name, rbd.Fixed())
        pose = rbd.Transform(joint.frame_before, mechanism.root_frame, translation=(place, 0, 0))
        mechanism.attach("world", mechanism.body("block"), joint, joint_pose=pose)
    state = MechanismState(mechanism, [0.05], [0.4])
    with pytest.raises(SolverError) as caught:
        rbd.close_loops(state)
    assert caught.value.gap == pytest.approx(0.2, rel=1e-6)
    with pytest.raises(SolverError, match="loops are open"):
        rbd.simulate(state, 1.0, monitors=[LoopGapMonitor(limit=1e-3)])
    assert (float(state.q[0]), float(state.v[0])) == (0.05, 0.4)


def test_fixed_joints_that_prevent_closing_are_an_error() -> None:
    state = MechanismState(LINKAGE, [0.1, 0.2, 0.3])
    with pytest.raises(SolverError, match="cannot be closed"):
        rbd.close_loops(state, fixed=LINKAGE.tree_joints)
    with pytest.raises(SolverError, match="cannot be closed"):
        rbd.close_loops(state, fixed=["joint1", "joint2"])
    np.testing.assert_array_equal(state.q, [0.1, 0.2, 0.3])


def test_fixed_velocities_that_contradict_the_loop_are_an_error() -> None:
    state = MechanismState(LINKAGE, four_bar_configuration(0.5), [1.0, 1.0, 1.0])
    with pytest.raises(SolverError, match="velocities of the fixed joints") as caught:
        rbd.close_loops(state, fixed=LINKAGE.tree_joints)
    assert caught.value.status == "velocity"
    assert caught.value.opening == pytest.approx(np.abs(rbd.constraint_jacobian(state) @ state.v).max())
    np.testing.assert_array_equal(state.v, [1.0, 1.0, 1.0])


def test_arguments_are_checked() -> None:
    state = MechanismState(LINKAGE, four_bar_configuration(0.5))
    with pytest.raises(UnknownNameError, match="joint4"):
        rbd.close_loops(state, fixed=["joint4"])
    with pytest.raises(UnknownNameError, match="wrist"):
        rbd.close_loops(state, fixed=["wrist"])
    with pytest.raises(TopologyError):
        rbd.close_loops(state, fixed=[Joint("joint1", Revolute((0, 1, 0)))])
    with pytest.raises(ArgumentError, match="MechanismState"):
        rbd.close_loops(state.with_scalars())  # type: ignore[arg-type]  # the point
    for what in (None, 5):
        with pytest.raises(ArgumentError, match="fixed must be a sequence of joints"):
            rbd.close_loops(state, fixed=what)  # type: ignore[arg-type]  # the point
    one = MechanismState(LINKAGE, state.q)
    rbd.close_loops(one, fixed="joint1")
    assert one.q[0] == 0.5


def test_every_run_finds_the_same_configuration() -> None:
    found = []
    for _ in range(2):
        state = MechanismState(LINKAGE, [2.0, 2.0, -3.0])
        rbd.close_loops(state)
        found.append(state.q.copy())
    np.testing.assert_array_equal(found[0], found[1])


def test_a_failure_between_configuration_and_velocity_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    state = MechanismState(four_bar(), [0.3, 0.5, 0.0], [1.0, 0.0, 0.0])
    q, v, set_velocity = state.q.copy(), state.v.copy(), MechanismState.set_velocity

    def interrupted(self: MechanismState, *args: object) -> None:
        if self is state and monkeypatched[0]:
            monkeypatched[0] = False
            raise KeyboardInterrupt
        set_velocity(self, *args)  # type: ignore[call-overload]  # as given

    monkeypatched = [True]
    monkeypatch.setattr(MechanismState, "set_velocity", interrupted)
    with pytest.raises(KeyboardInterrupt):
        rbd.close_loops(state)
    assert np.array_equal(state.q, q)
    assert np.array_equal(state.v, v)
