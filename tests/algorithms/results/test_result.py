"""What `dynamics` leaves in its result: everything belongs to one solution, and stays."""

from __future__ import annotations

import copy
import inspect
import operator
import pickle
import sys
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given

import rbd
from rbd import DynamicsResult, MechanismState
from rbd.errors import ArgumentError, NotFiniteError, ShapeError, StaleStateError
from tests.simulation.contacts import block, floor

from ..helpers import (
    JOINT_TYPES,
    Case,
    armature,
    body_momentum,
    case,
    cases,
    close,
    examples,
    in_root,
    rate,
    six,
    weight,
)


def solved(a_case: Case, tau: np.ndarray, wrenches: dict | None = None) -> DynamicsResult:
    result = DynamicsResult(a_case.mechanism)
    assert rbd.dynamics(result, a_case.state, tau, wrenches) is result
    return result


def snapshot(result: DynamicsResult, a_case: Case) -> list[np.ndarray]:
    """Return copies of everything a result says."""
    arrays = [result.qd, result.vd, result.mass_matrix, result.dynamics_bias, result.passive_torques]
    for body in a_case.mechanism.bodies:
        arrays += [result.acceleration(body).vector, result.proper_acceleration(body).vector]
    arrays += [result.joint_wrench(joint).vector for joint in a_case.mechanism.tree_joints]
    return [np.array(array) for array in arrays]


@examples(0.5)
@given(cases(passive=True))
def test_arrays(a_case: Case) -> None:
    state, tau, wrenches = a_case.state, a_case.velocity(), a_case.wrenches()
    result = solved(a_case, tau, wrenches)
    assert np.array_equal(result.q, state.q)
    assert np.array_equal(result.v, state.v)
    close(result.qd, state.configuration_derivative(), 1e-15)
    close(result.mass_matrix, rbd.mass_matrix(state), 1e-13)
    close(result.dynamics_bias, rbd.dynamics_bias(state, wrenches), 1e-12)
    close(result.passive_torques, rbd.passive_torques(state), 1e-15)
    left = result.mass_matrix @ result.vd + result.dynamics_bias
    close(left, tau + result.passive_torques, scale=np.abs(result.dynamics_bias).max(initial=0))
    assert result.constraint_jacobian.shape == (0, a_case.mechanism.nv)
    assert result.multipliers.shape == result.constraint_bias.shape == (0,)
    assert result.constraint_rank == 0


@examples(0.5)
@given(cases())
def test_accelerations_are_derivatives_of_twists(a_case: Case) -> None:
    a_case.mechanism.gravity = a_case.rng.standard_normal(3) * 5
    result = solved(a_case, a_case.velocity(), a_case.wrenches())
    scale = 1 + np.abs(result.vd).max(initial=0)
    upward = -a_case.mechanism.gravity.xyz
    root = a_case.mechanism.root_frame
    for body in a_case.mechanism.bodies:
        acceleration, proper = result.acceleration(body), result.proper_acceleration(body)
        for value in (acceleration, proper):
            assert (value.body, value.base, value.frame) == (body.default_frame, root, root)
        expected = rate(a_case.state, lambda s, b=body: six(s.twist(b)), result.vd)
        close(acceleration.vector, expected, scale=scale)
        close(proper.vector, acceleration.vector + [0, 0, 0, *upward], 1e-12, scale=scale)


@pytest.mark.parametrize("kind", JOINT_TYPES)
def test_joint_wrenches_of_every_joint_type(kind: str) -> None:
    check_joint_wrenches(case(kind, seed=61, passive=True))


@examples(0.5)
@given(cases(passive=True))
def test_joint_wrenches_of_trees(a_case: Case) -> None:
    check_joint_wrenches(a_case)


def check_joint_wrenches(a_case: Case) -> None:
    """A joint's wrench is what its subtree needs beyond gravity and external wrenches; along S it is its torque."""
    state, tau, wrenches = a_case.state, a_case.velocity(), a_case.wrenches("body")
    result, mechanism = solved(a_case, tau, wrenches), a_case.mechanism
    needs = {}
    for body in mechanism.bodies[1:]:
        needs[body] = rate(state, lambda s, b=body: body_momentum(s, b), result.vd) - weight(state, body)
        if body in wrenches:
            needs[body] = needs[body] - in_root(state, wrenches[body])
    scale = max(1.0, *(np.abs(need).max() for need in needs.values()))
    for joint in mechanism.tree_joints:
        wrench, successor = result.joint_wrench(joint), mechanism.successor(joint)
        assert wrench.frame is mechanism.root_frame
        expected = sum(need for body, need in needs.items() if mechanism.supports(joint, body) or body is successor)
        close(wrench.vector, expected, 1e-10, scale=scale)
        v = state.v_slice(joint)
        rotor = armature(mechanism)[v] * result.vd[v]
        torque = state.motion_subspace(joint).matrix.T @ wrench.vector
        close(torque, tau[v] + result.passive_torques[v] - rotor, 1e-10, scale=scale)


def test_two_calls_give_the_same() -> None:
    a_case = case("tree", seed=67)
    tau, wrenches = a_case.velocity(), a_case.wrenches()
    result = solved(a_case, tau, wrenches)
    first = snapshot(result, a_case)
    rbd.dynamics(result, a_case.state, -3 * tau)
    rbd.dynamics(result, a_case.state, tau, wrenches)
    for before, after in zip(first, snapshot(result, a_case), strict=True):
        assert np.array_equal(before, after)


def test_a_result_does_not_follow_the_state_or_the_mechanism() -> None:
    a_case = case("floating tree", seed=71, passive=True)
    tau = a_case.velocity()
    result = solved(a_case, tau)
    first = snapshot(result, a_case)
    a_case.state.randomize(a_case.rng)
    tau *= 0
    for before, after in zip(first, snapshot(result, a_case), strict=True):
        assert np.array_equal(before, after)
    arrays = (result.q.copy(), result.v.copy(), result.vd.copy(), result.mass_matrix.copy())
    a_case.mechanism.gravity = (1.0, 2.0, 3.0)  # framed values are made on demand: with other parameters they would lie
    for before, after in zip(arrays, (result.q, result.v, result.vd, result.mass_matrix), strict=True):
        assert np.array_equal(before, after)
    with pytest.raises(StaleStateError):
        result.acceleration(a_case.mechanism.bodies[-1])
    with pytest.raises(StaleStateError):
        result.joint_wrench(a_case.mechanism.tree_joints[-1])


def test_two_results_of_one_state_are_independent() -> None:
    a_case = case("tree", seed=73)
    one = solved(a_case, a_case.velocity())
    first = snapshot(one, a_case)
    solved(a_case, a_case.velocity())
    for before, after in zip(first, snapshot(one, a_case), strict=True):
        assert np.array_equal(before, after)


def test_torques_may_be_a_strided_view_of_a_longer_array() -> None:
    a_case = case("tree", seed=79)
    nv = a_case.mechanism.nv
    tau = a_case.velocity()
    wide = np.full((nv, 3), 7.0)
    wide[:, 1] = tau
    expected = solved(a_case, tau).vd
    assert np.array_equal(solved(a_case, wide[:, 1]).vd, expected)
    assert np.array_equal(rbd.forward_dynamics(a_case.state, wide[:, 1]), rbd.forward_dynamics(a_case.state, tau))
    long = np.concatenate([[9.0, 9.0], tau, [9.0]])
    assert np.array_equal(solved(a_case, long[2:-1]).vd, expected)
    assert np.array_equal(solved(a_case, list(tau)).vd, expected)
    backwards = tau[::-1].copy()[::-1]
    assert np.array_equal(rbd.inverse_dynamics(a_case.state, backwards), rbd.inverse_dynamics(a_case.state, tau))


def test_no_torques_mean_zero() -> None:
    a_case = case("tree", seed=83)
    zero = np.zeros(a_case.mechanism.nv)
    result = rbd.dynamics(DynamicsResult(a_case.mechanism), a_case.state)
    assert np.array_equal(result.vd, solved(a_case, zero).vd)


def test_failing_calls_leave_the_result_alone() -> None:
    a_case = case("tree", seed=89)
    nv = a_case.mechanism.nv
    result = solved(a_case, a_case.velocity())
    first = snapshot(result, a_case)
    for bad, error in ((np.zeros(nv + 1), ShapeError), (np.full(nv, np.nan), NotFiniteError)):
        with pytest.raises(error) as caught:
            rbd.dynamics(result, a_case.state, bad)
        assert "torque" in str(caught.value)
    other = case("chain", seed=1)
    with pytest.raises(ArgumentError):
        rbd.dynamics(result, other.state)
    a_case.state.set_velocity(np.full(nv, 1e200))  # its squares overflow: found out only when everything is computed
    with pytest.raises(NotFiniteError):
        rbd.dynamics(result, a_case.state)
    for before, after in zip(first, snapshot(result, a_case), strict=True):
        assert np.array_equal(before, after)


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda r: pickle.loads(pickle.dumps(r))])
def test_copies_are_equal(duplicate: object) -> None:
    a_case = case("tree", seed=97)
    result = solved(a_case, a_case.velocity())
    last, body = a_case.mechanism.tree_joints[-1], a_case.mechanism.bodies[-1]
    first = (result.joint_wrench(last).vector, result.acceleration(body).vector)  # remembered from now on
    twin = duplicate(result)
    assert np.array_equal(twin.vd, result.vd)
    assert np.array_equal(twin.mass_matrix, result.mass_matrix)
    assert twin.mechanism is not result.mechanism
    assert np.array_equal(twin.joint_wrench(twin.mechanism.tree_joints[-1]).vector, first[0])
    assert np.array_equal(twin.acceleration(twin.mechanism.bodies[-1]).vector, first[1])
    with pytest.raises(rbd.errors.UnknownNameError):
        twin.joint_wrench(last)


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))])
def test_copies_of_scalar_states_are_equal(duplicate: object) -> None:
    state = case("tree", seed=98).state.with_scalars()
    body, matrix = state.mechanism.bodies[-1], rbd.mass_matrix(state)
    twin = duplicate(state)
    assert np.array_equal(rbd.mass_matrix(twin), matrix)
    assert np.array_equal(twin.twist(twin.mechanism.bodies[-1]).vector, state.twist(body).vector)
    fresh = MechanismState(twin.mechanism, twin.q, twin.v)
    assert rbd.centroidal_momentum_matrix(fresh).frame is rbd.centroidal_momentum_matrix(twin).frame


ARRAYS = {name for name, member in vars(DynamicsResult).items() if isinstance(member, property)} - {"mechanism"}
QUERIES: dict[str, Callable[[DynamicsResult], object]] = {
    **{name: operator.attrgetter(name) for name in sorted(ARRAYS)},
    "acceleration": lambda result: result.acceleration("rocker"),
    "proper_acceleration": lambda result: result.proper_acceleration("rocker"),
    "relative_acceleration": lambda result: result.relative_acceleration("rocker", "coupler"),
    "joint_wrench": lambda result: result.joint_wrench("joint1"),
    "contact_wrench": lambda result: result.contact_wrench("coupler"),
    "loop_wrench": lambda result: result.loop_wrench("joint4"),
    "coupling_torque": lambda result: result.coupling_torque("gear"),
}
"""Everything that a result says: arrays, and methods that return framed values."""


def test_every_query_of_a_result_is_listed() -> None:
    methods = {name for name, _ in inspect.getmembers(DynamicsResult, inspect.isfunction) if not name.startswith("_")}
    assert QUERIES.keys() == ARRAYS | methods - {"by_joint", "require_mechanism", "store"}


@pytest.mark.parametrize("name", QUERIES)
def test_an_empty_result_raises(name: str) -> None:
    """Before anything was solved there is nothing physical to hand out, whatever is asked for."""
    mechanism = rbd.robots.four_bar()
    mechanism.couple("joint3", "joint1", name="gear")
    result = DynamicsResult(mechanism)
    with pytest.raises(ArgumentError, match="this result is empty; call dynamics") as caught:
        QUERIES[name](result)
    assert caught.value.argument == "result"
    QUERIES[name](rbd.dynamics(result, MechanismState(mechanism)))


def test_foreign_bodies_and_joints_are_refused() -> None:
    a_case, other = case("tree", seed=103), case("tree", seed=107)
    result = solved(a_case, a_case.velocity())
    with pytest.raises(rbd.errors.UnknownNameError):
        result.acceleration(other.mechanism.bodies[-1])
    with pytest.raises(rbd.errors.UnknownNameError):
        result.joint_wrench(other.mechanism.tree_joints[-1])


def test_inverse_dynamics_fills_a_result_with_its_motion() -> None:
    a_case = case("tree", seed=113, passive=True)
    state, vd, wrenches = a_case.state, a_case.velocity(), a_case.wrenches()
    result = DynamicsResult(a_case.mechanism)
    tau = rbd.inverse_dynamics(state, vd, wrenches, result=result)
    expected = solved(a_case, tau, wrenches)
    assert np.array_equal(result.vd, vd)
    close(result.qd, expected.qd, 1e-15)
    for body in a_case.mechanism.bodies:
        close(result.acceleration(body).vector, expected.acceleration(body).vector, 1e-9, scale=1)
    for joint in a_case.mechanism.tree_joints:
        close(result.joint_wrench(joint).vector, expected.joint_wrench(joint).vector, 1e-9, scale=1)


def test_inverse_dynamics_refuses_the_result_of_another_mechanism() -> None:
    a_case, other = case("tree", seed=131), case("tree", seed=137)
    result = solved(other, other.velocity())
    first = snapshot(result, other)
    with pytest.raises(ArgumentError) as caught:
        rbd.inverse_dynamics(a_case.state, a_case.velocity(), result=result)
    assert caught.value.argument == "result"
    for before, after in zip(first, snapshot(result, other), strict=True):
        assert np.array_equal(before, after)


def test_every_joint_of_a_tree_must_be_actuated() -> None:
    a_case = case("tree", seed=127)
    zero, joints = np.zeros(a_case.mechanism.nv), a_case.mechanism.tree_joints
    moving = [joint for joint in joints if joint.nv]
    tau = rbd.inverse_dynamics(a_case.state, zero, actuated=moving)
    assert np.array_equal(tau, rbd.inverse_dynamics(a_case.state, zero, actuated=joints))
    with pytest.raises(ArgumentError) as caught:
        rbd.inverse_dynamics(a_case.state, zero, actuated=moving[1:])
    assert moving[0].name in str(caught.value)


def test_buffers_have_room_for_every_velocity_and_constraint() -> None:
    mechanism = rbd.robots.four_bar()
    result = rbd.dynamics(MechanismState(mechanism))
    assert mechanism.nc == sum(6 - joint.nv for joint in mechanism.loop_joints) > 0
    assert result.constraint_jacobian.shape == (mechanism.nc, mechanism.nv)
    assert result.multipliers.shape == result.constraint_bias.shape == (mechanism.nc,)
    assert result.mass_matrix.shape == (mechanism.nv, mechanism.nv)
    assert result.q.shape == result.qd.shape == (mechanism.nq,)


def test_state_made_for_the_same_mechanism_may_fill_it() -> None:
    a_case = case("tree", seed=109)
    result = solved(a_case, a_case.velocity())
    other = MechanismState(a_case.mechanism)
    rbd.dynamics(result, other)
    close(result.qd, other.configuration_derivative(), 1e-15)


@pytest.mark.parametrize("model", ["double_pendulum", "four_bar"])
def test_a_wrong_array_of_torques_leaves_the_result_alone(model: str) -> None:
    state = MechanismState(getattr(rbd.robots, model)())
    result = rbd.dynamics(state)
    first = result.vd.copy()
    for a_state, dtype in ((state, np.float32), (state.with_scalars(), np.int64)):
        with pytest.raises(ShapeError, match="torques"):
            rbd.inverse_dynamics(a_state, first + 1.0, out=np.zeros(len(first), dtype), result=result)
        assert np.array_equal(result.vd, first)


@pytest.mark.parametrize("model", ["double_pendulum", "four_bar"])
def test_torques_and_a_result_in_one_call(model: str) -> None:
    mechanism = getattr(rbd.robots, model)()
    state, vd = MechanismState(mechanism), np.arange(1.0, mechanism.nv + 1)
    out, result = np.zeros(mechanism.nv), DynamicsResult(mechanism)
    assert rbd.inverse_dynamics(state, vd, out=out, result=result) is out
    assert np.array_equal(out, rbd.inverse_dynamics(state, vd))
    assert np.array_equal(result.vd, vd)


def test_inverse_dynamics_fills_a_result_whole() -> None:
    """Nothing of an earlier solution stays in a result that inverse dynamics fills."""
    mechanism = rbd.robots.double_pendulum()
    mechanism.joint("elbow").damping = 0.3
    state, result = rbd.MechanismState(mechanism, [0.3, 0.4], [1.0, 2.0]), rbd.DynamicsResult(mechanism)
    rbd.dynamics(result, state)
    state.set_configuration([1.0, -2.0])
    state.set_velocity([3.0, 0.5])
    vd = np.array([0.7, -0.2])
    tau = rbd.inverse_dynamics(state, vd, result=result)
    assert (result.q == state.q).all()
    assert (result.vd == vd).all()
    assert (result.mass_matrix == rbd.mass_matrix(state)).all()
    np.testing.assert_allclose(
        result.mass_matrix @ vd + result.dynamics_bias, tau + result.passive_torques, rtol=0, atol=1e-12
    )


def test_inverse_dynamics_leaves_no_rates_of_contact_states() -> None:
    mechanism = block(rbd.SoftContact(friction=rbd.ViscoelasticCoulomb(0.5, 1e3, 10.0)), 2)
    floor(mechanism)
    state = MechanismState(mechanism, q=[1, 0, 0, 0, 0, 0, -1e-3], v=[0, 0, 0, 0.1, 0, 0])
    result = rbd.dynamics(state)
    assert result.sd.any()
    rbd.inverse_dynamics(state, np.zeros(6), result=result)
    assert not result.sd.any()


def test_inverse_dynamics_that_fails_writes_neither_torques_nor_result(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism = rbd.robots.double_pendulum()
    state, out = MechanismState(mechanism, [0.3, 0.4]), np.full(2, 7.0)
    result = rbd.dynamics(state)
    before = result.vd.copy()
    with pytest.raises(ShapeError, match="out"):
        rbd.inverse_dynamics(state, [1.0, 2.0], out=np.zeros(3), result=result)
    assert np.array_equal(result.vd, before)

    def failing(*_: object) -> None:
        raise NotFiniteError("too large", argument="q")

    monkeypatch.setattr(sys.modules["rbd.algorithms.inverse_dynamics"], "mass_matrix_kernel", failing)
    with pytest.raises(NotFiniteError, match="too large"):
        rbd.inverse_dynamics(state, [1.0, 2.0], out=out, result=result)
    assert (out == 7.0).all()
    assert np.array_equal(result.vd, before)


def test_results_may_be_given_by_name() -> None:
    state = MechanismState(rbd.robots.double_pendulum(), [0.1, 0.2])
    result = rbd.DynamicsResult(state.mechanism)
    assert rbd.dynamics(result=result, state=state, torques=[1.0, 2.0]) is result
    np.testing.assert_array_equal(result.vd, rbd.dynamics(state, [1.0, 2.0]).vd)
    with pytest.raises(TypeError, match="multiple values for argument 'result'"):
        rbd.dynamics(state, result=result)  # type: ignore[call-overload]  # the point
