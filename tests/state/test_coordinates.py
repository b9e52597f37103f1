"""Setting and reading coordinates: views, per-joint setters, norms, charts."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given

import rbd
from rbd import Mechanism, MechanismState, Transform, Twist
from rbd.errors import (
    ArgumentError,
    FrameMismatchError,
    NotFiniteError,
    RbdError,
    RotationError,
    ShapeError,
    UnknownNameError,
)

from ..algorithms.helpers import JOINT_TYPES, RANDOM, Case, case, cases, close, columns, examples, rate

UNIT = ("spherical", "floating", "sin-cos", "sin-cos oblique")


def everything() -> Case:
    """Return a chain with every joint type once."""
    rng = np.random.default_rng(7)
    mechanism = RANDOM["chain"](JOINT_TYPES.values(), rng)
    state = MechanismState(mechanism)
    state.randomize(rng)
    return Case(mechanism, state, rng)


def test_a_new_state_is_at_zero_and_at_rest() -> None:
    state = MechanismState(everything().mechanism)
    for joint in state.mechanism.tree_joints:
        close(state.joint_transform(joint).matrix, np.eye(4), 1e-15)
    assert not state.v.any()
    assert state.q.dtype == state.v.dtype == np.float64


def test_given_coordinates_are_copied() -> None:
    a_case = everything()
    q, v = a_case.state.q.copy(), a_case.state.v.copy()
    state = MechanismState(a_case.mechanism, q, v)
    expected_q, expected_v = q.copy(), v.copy()
    q[:], v[:] = np.nan, np.nan
    assert np.array_equal(state.q, expected_q)
    assert np.array_equal(state.v, expected_v)
    state.set_velocity(v := expected_v * 2)
    v[:] = 0
    assert state.v.any()


@pytest.mark.parametrize("name", ["q", "v"])
def test_coordinates_of_scalar_states_are_not_assigned(name: str) -> None:
    state = MechanismState(rbd.robots.double_pendulum()).with_scalars([1j, 0.0])
    with pytest.raises(
        ArgumentError, match=rf"state\.{name} is read-only; write state\.with_scalars\({name}="
    ) as caught:
        setattr(state, name, [0.0, 0.0])
    assert caught.value.argument == name
    assert state.q[0] == 1j


@pytest.mark.parametrize("name", ["q", "v"])
def test_views_are_read_only_and_follow_the_state(name: str) -> None:
    state = everything().state
    view = getattr(state, name)
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        view += 1.0
    with pytest.raises(ArgumentError, match=rf"state\.{name} is read-only; write state\.set_"):
        setattr(state, name, np.zeros(len(view)))
    before = view.copy()
    state.randomize(np.random.default_rng(8))
    assert not np.array_equal(view, before)
    assert np.array_equal(view, getattr(state, name))


def test_coordinates_of_a_joint_are_its_slices() -> None:
    state = everything().state
    for joint in state.mechanism.tree_joints:
        assert np.array_equal(state.configuration(joint), state.q[state.q_slice(joint)])
        assert np.array_equal(state.velocity(joint), state.v[state.v_slice(joint)])


def test_setting_joints_equals_setting_all_coordinates() -> None:
    a_case = everything()
    other = MechanismState(a_case.mechanism)
    for joint in a_case.mechanism.tree_joints:
        other.set_configuration(joint, a_case.state.configuration(joint))
        other.set_velocity(joint, a_case.state.velocity(joint))
    close(other.q, a_case.state.q, 1e-15)
    assert np.array_equal(other.v, a_case.state.v)
    other.set_configuration(a_case.mechanism.tree_joints[0], 0.25)  # a number does for one coordinate
    assert other.configuration(a_case.mechanism.tree_joints[0]) == [0.25]


@pytest.mark.parametrize("kind", JOINT_TYPES)
def test_transform_and_twist_set_a_joint(kind: str) -> None:
    a_case = case(kind, seed=9)
    state = a_case.state
    other = MechanismState(a_case.mechanism)
    for joint in a_case.mechanism.tree_joints:
        pose = state.joint_transform(joint)
        other.set_configuration(joint, pose)
        close(other.joint_transform(joint).matrix, pose.matrix, 1e-12)
        twist = joint.type.twist(
            tuple(other.configuration(joint)), tuple(state.velocity(joint)), joint.frame_after, joint.frame_before
        )
        other.set_velocity(joint, twist)
        close(other.velocity(joint), state.velocity(joint), 1e-12)


@pytest.mark.parametrize("kind", UNIT)
def test_norms(kind: str) -> None:
    a_case = case(kind, seed=10)
    state, joint = a_case.state, a_case.mechanism.tree_joints[1]
    exact, at = state.configuration(joint), slice(0, 4 if kind in ("spherical", "floating") else 2)
    for factor, tolerated in ((1 + 5e-7, True), (1 - 5e-7, True), (1 + 3e-6, False), (0.5, False), (-2, False)):
        q = exact.copy()
        q[at] *= factor
        if tolerated:
            state.set_configuration(joint, q)
            assert abs(np.linalg.norm(state.configuration(joint)[at]) - 1) < 1e-15
        else:
            before = state.q.copy()
            with pytest.raises(RotationError) as caught:
                state.set_configuration(joint, q)
            assert joint.name in str(caught.value)
            assert np.array_equal(state.q, before)
            state.set_configuration(joint, q, normalize=True)
            assert abs(np.linalg.norm(state.configuration(joint)[at]) - 1) < 1e-15
    for zero in (np.zeros(len(exact)), np.full(len(exact), 1e-200)):
        for normalize in (False, True):
            if normalize and zero.any():
                continue  # tiny, but it has a direction
            with pytest.raises(RotationError):
                state.set_configuration(joint, zero, normalize=normalize)


@examples(1)
@given(cases())
def test_normalize_changes_rounding_only(a_case: Case) -> None:
    before = a_case.state.q.copy()
    a_case.state.normalize()
    close(a_case.state.q, before, 4e-16)


@pytest.mark.parametrize("name", ["q", "v"])
def test_wrong_vectors(name: str) -> None:
    state = everything().state
    setter = state.set_configuration if name == "q" else state.set_velocity
    good = getattr(state, name).copy()
    before = good.copy()
    wrong = [good[:-1], np.append(good, 0.0), good[None], 1.0, [], np.zeros((len(good), 2))]
    for bad in wrong:
        with pytest.raises(ShapeError) as caught:
            setter(bad)
        assert caught.value.argument == name
    for value in (np.nan, np.inf, -np.inf):
        bad = good.copy()
        bad[0] = value
        with pytest.raises(NotFiniteError) as caught:
            setter(bad)
        assert caught.value.argument == name
        assert state.mechanism.tree_joints[0].name in str(caught.value)
    with pytest.raises((RbdError, TypeError, ValueError)):
        setter(["a"] * len(good))
    with pytest.raises((RbdError, TypeError, ValueError)):
        setter(None)
    assert np.array_equal(getattr(state, name), before)
    setter(list(good))
    setter(good.astype(np.float32)) if name == "v" else setter(tuple(good))
    with pytest.raises(ShapeError):
        MechanismState(state.mechanism, **{name: good[:-1]})


@pytest.mark.parametrize("name", ["q", "v"])
def test_wrong_joint_values(name: str) -> None:
    a_case = everything()
    state, joint = a_case.state, a_case.mechanism.joint("joint1")
    setter = state.set_configuration if name == "q" else state.set_velocity
    before = (state.q.copy(), state.v.copy())
    wrong = [([1.0, 2.0], ShapeError), ([], ShapeError), (np.nan, NotFiniteError), ([np.inf], NotFiniteError)]
    for bad, error in wrong:
        with pytest.raises(error) as caught:
            setter(joint, bad)
        assert joint.name in str(caught.value)
    stranger = case("chain", seed=1).mechanism.tree_joints[0]
    with pytest.raises(UnknownNameError) as caught:
        setter(stranger, 0.1)
    assert stranger.name in str(caught.value)
    with pytest.raises(ArgumentError, match=joint.name):
        setter(joint)
    with pytest.raises(ArgumentError, match="Joint"):
        setter(before[name == "v"], 0.1)
    with pytest.raises(UnknownNameError, match=f"did you mean '{joint.name}'"):
        setter(joint.name + "x", 0.1)
    assert np.array_equal(before[0], state.q)
    assert np.array_equal(before[1], state.v)


def test_wrong_frames_of_joint_values() -> None:
    a_case = everything()
    state, (one, two) = a_case.state, a_case.mechanism.tree_joints[:2]
    with pytest.raises(FrameMismatchError):
        state.set_configuration(one, Transform(two.frame_after, two.frame_before))
    with pytest.raises(FrameMismatchError):
        state.set_configuration(one, Transform(one.frame_before, one.frame_after))
    with pytest.raises(FrameMismatchError):
        state.set_velocity(one, Twist(one.frame_after, one.frame_before, one.frame_before, (0, 0, 1), (0, 0, 0)))


@pytest.mark.parametrize("query", ["q_slice", "v_slice", "configuration", "velocity", "joint_transform"])
def test_unknown_joints(query: str) -> None:
    stranger = case("chain", seed=1).mechanism.tree_joints[0]
    with pytest.raises(UnknownNameError):
        getattr(everything().state, query)(stranger)


def test_loop_joints_have_no_coordinates() -> None:
    mechanism = rbd.robots.four_bar()
    state, loop = MechanismState(mechanism), mechanism.loop_joints[0]
    for query in (state.q_slice, state.v_slice, state.configuration, state.velocity):
        with pytest.raises(UnknownNameError) as caught:
            query(loop)
        assert loop.name in str(caught.value)
    assert state.joint_transform(loop).from_frame == loop.frame_after


# --- charts ---------------------------------------------------------------------------------------------------------


@examples(1)
@given(cases(bodies=9))
def test_local_and_global_coordinates_are_inverse(a_case: Case) -> None:
    state, mechanism = a_case.state, a_case.mechanism
    q0 = state.q.copy()
    phi0, _ = state.local_coordinates(q0)
    close(phi0, np.zeros(mechanism.nv), 1e-14, scale=1)
    step = 0.4 * a_case.rng.uniform(-1, 1, mechanism.nv)
    state.global_coordinates(q0, step)
    phi, _ = state.local_coordinates(q0)
    close(phi, step, 1e-11, scale=1)


@examples(1)
@given(cases(bodies=6))
def test_rates_of_local_coordinates(a_case: Case) -> None:
    state = a_case.state
    q0 = state.q.copy()
    state.global_coordinates(q0, 0.4 * a_case.rng.uniform(-1, 1, a_case.mechanism.nv))
    _, phi_rate = state.local_coordinates(q0)
    expected = rate(state, lambda s: np.array(s.local_coordinates(list(q0))[0], dtype=complex))
    close(phi_rate, expected, 1e-10, scale=1)
    same = MechanismState(a_case.mechanism, q0, state.v)
    _, at_zero = same.local_coordinates(q0)
    assert at_zero.shape == (a_case.mechanism.nv,)


@examples(1)
@given(cases())
def test_configuration_derivative_stays_on_the_manifold(a_case: Case) -> None:
    state = a_case.state
    qd = state.configuration_derivative()
    for joint in a_case.mechanism.tree_joints:
        q, dq = state.configuration(joint), qd[state.q_slice(joint)]
        close(joint.type.velocity(tuple(q), tuple(dq)), state.velocity(joint), 1e-13, scale=1)
        if joint.nq > joint.nv:
            unit = slice(0, 4 if joint.nq >= 4 else 2)
            assert abs(q[unit] @ dq[unit]) < 1e-14 * (1 + np.abs(dq).max())


def test_charts_check_their_arguments() -> None:
    state = everything().state
    nq, nv = state.mechanism.nq, state.mechanism.nv
    before = state.q.copy()
    with pytest.raises(ShapeError):
        state.local_coordinates(np.zeros(nq + 1))
    with pytest.raises(ShapeError):
        state.global_coordinates(state.q, np.zeros(nv + 1))
    with pytest.raises(NotFiniteError):
        state.global_coordinates(state.q, np.full(nv, np.nan))
    assert np.array_equal(state.q, before)
    state.global_coordinates(state.q, np.zeros(nv))  # a view of its own buffer
    close(state.q, before, 1e-15)


@pytest.mark.parametrize(
    "way", ["local", "local of a scalar state", "local of complex numbers", "local of fractions", "global"]
)
@pytest.mark.parametrize(
    "joint_type", [rbd.QuaternionFloating(), rbd.QuaternionSpherical(), rbd.SinCosRevolute((0, 0, 1))], ids=repr
)
def test_charts_around_no_rotation_are_refused(joint_type: rbd.JointType, way: str) -> None:
    mechanism = rbd.Mechanism()
    mechanism.attach("world", rbd.RigidBody("body"), rbd.Joint("joint", joint_type))
    state = MechanismState(mechanism)
    before, zero = state.q.copy(), np.zeros(mechanism.nq)
    exact = state.with_scalars([Fraction(x) for x in state.q.tolist()])
    ways = {
        "local": lambda: state.local_coordinates(zero),
        "local of a scalar state": lambda: state.with_scalars().local_coordinates(zero),
        "local of complex numbers": lambda: state.with_scalars().local_coordinates([0j] * mechanism.nq),
        "local of fractions": lambda: exact.local_coordinates([Fraction(0)] * mechanism.nq),
        "global": lambda: state.global_coordinates(zero, np.zeros(mechanism.nv)),
    }
    with pytest.raises(RotationError, match="q0 has zeros for the rotation of joint 'joint'") as caught:
        ways[way]()
    assert (caught.value.fields["argument"], caught.value.fields["joint"]) == ("q0", "joint")
    assert np.array_equal(state.q, before)


@pytest.mark.parametrize(
    "integrator", ["munthe-kaas-rk4", "dormand-prince", "semi-implicit-euler", "variational-midpoint"]
)
def test_almost_no_rotation_beyond_a_revolution_is_finite(integrator: str) -> None:
    """The other parameters of that rotation, -r / |r|², overflow."""
    mechanism = rbd.Mechanism(gravity=(0.0, 0.0, 0.0))
    body = rbd.RigidBody("body", rbd.SpatialInertia.sphere(rbd.Frame("body"), mass=1.0, radius=0.5))
    mechanism.attach("world", body, rbd.Joint("joint", rbd.MRPFloating()))
    state = MechanismState(mechanism, [1e200, 0, 0, 0, 0, 0], [-1e-200, 0, 0, 0, 0, 0])
    found = rbd.simulate(state, 0.02, dt=0.01, integrator=integrator)
    assert np.isfinite([*found.q.flat, *found.v.flat]).all()
    for step in (1e-155, 1e-170):
        state.global_coordinates([1e200, 0, 0, 0, 0, 0], [-step, 0, 0, 0, 0, 0])
        np.testing.assert_allclose(state.q, [-step / 4, 0, 0, 0, 0, 0], rtol=1e-3, atol=0)


def test_states_without_coordinates_are_zeroed_and_randomized() -> None:
    state = MechanismState(Mechanism())
    state.randomize(1)
    state.zero()
    assert state.q.shape == state.v.shape == (0,)


def test_randomize_is_reproducible_and_valid() -> None:
    mechanism = everything().mechanism
    one, two = MechanismState(mechanism), MechanismState(mechanism)
    one.randomize(np.random.default_rng(5))
    two.randomize(np.random.default_rng(5))
    assert np.array_equal(one.q, two.q)
    assert np.array_equal(one.v, two.v)
    MechanismState(mechanism, one.q, one.v)
    one.zero()
    assert np.array_equal(one.q, MechanismState(mechanism).q)
    assert not one.v.any()


def test_states_require_a_mechanism() -> None:
    with pytest.raises((RbdError, TypeError)):
        MechanismState("arm")
    assert MechanismState(Mechanism()).q.shape == (0,)


def test_subspaces_and_constraint_wrenches_of_all_joints() -> None:
    state = everything().state
    for joint in state.mechanism.tree_joints:
        S, T = columns(state.motion_subspace(joint)).real, columns(state.constraint_wrench_subspace(joint)).real
        assert S.shape == (6, joint.nv)
        assert T.shape == (6, 6 - joint.nv)
        size = np.abs(S).max(initial=1) * np.abs(T).max(initial=1)
        close(T.T @ S, np.zeros((6 - joint.nv, joint.nv)), 1e-12, scale=size)
        for matrix in (S, T):  # older releases of NumPy have no rank of empty matrices
            assert matrix.size == 0 or np.linalg.matrix_rank(matrix) == matrix.shape[1]
