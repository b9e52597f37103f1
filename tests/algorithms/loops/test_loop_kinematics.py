"""K, k and the errors of loops, for every type of loop joint, against derivatives and poses."""

from __future__ import annotations

import math

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rbd
from rbd import Baumgarte, Joint, MechanismState, Revolute, Transform
from rbd.errors import ArgumentError, FrameMismatchError, UnknownNameError
from tests.algorithms.helpers import JOINT_TYPES, close, columns, examples, rate, six
from tests.algorithms.loops.mechanisms import consistent, looped, shut

KINDS = sorted(JOINT_TYPES)
CONSTANT = [kind for kind in KINDS if not kind.startswith("universal")]  # those whose subspaces do not depend on q
seeds = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("kind", KINDS)
@examples(0.05)
@given(seed=seeds)
def test_loop_errors_vanish_when_closed_and_their_rate_is_k_v(kind: str, seed: int) -> None:
    case = looped(kind, seed)
    assert np.abs(rbd.constraint_error(case.state)).max(initial=0) < 1e-12
    assert float(rbd.loop_gap(case.state)) < 1e-12
    K, v = rbd.constraint_jacobian(case.state), case.velocity()
    close(rate(case.state, rbd.constraint_error, v=v), K @ v, scale=1.0)


@pytest.mark.parametrize("kind", KINDS)
@examples(0.05)
@given(seed=seeds)
def test_bias_is_the_rate_of_k_v_for_zero_acceleration(kind: str, seed: int) -> None:
    """Along motions that keep the loop, d/dt (K v) = K vd + k."""
    case = looped(kind, seed)
    vd, K = case.velocity(), rbd.constraint_jacobian(case.state)

    def opening(state: rbd.ScalarState) -> object:
        return rbd.constraint_jacobian(state) @ state.v

    expected = K @ vd + rbd.constraint_bias(case.state, stabilization=None)
    close(rate(case.state, opening, vd), expected, 1e-10, scale=1.0)


@pytest.mark.parametrize("kind", CONSTANT)
@examples(0.05)
@given(seed=seeds)
def test_bias_holds_for_open_loops_too(kind: str, seed: int) -> None:
    """Where the constraint wrenches do not depend on the joint's coordinates, the same is true anywhere."""
    case = looped(kind, seed, slack=True)
    k = rbd.constraint_bias(case.state, stabilization=None)
    close(rate(case.state, lambda s: rbd.constraint_jacobian(s) @ s.v), k, 1e-10, scale=1.0)


@pytest.mark.parametrize("kind", KINDS)
@examples(0.05)
@given(seed=seeds)
def test_rows_are_powers_of_the_constraint_wrenches(kind: str, seed: int) -> None:
    case = looped(kind, seed, slack=True)
    (loop,) = case.mechanism.loop_joints
    T = columns(case.state.constraint_wrench_subspace(loop)).real
    ends = (case.mechanism.successor(loop), case.mechanism.predecessor(loop))
    after, before = (six(case.state.twist(body)).real for body in ends)
    close(rbd.constraint_jacobian(case.state) @ case.state.v, T.T @ (after - before), scale=1.0)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("floating",) and "floating" not in kind])
@examples(0.05)
@given(seed=seeds)
def test_baumgarte_adds_terms_of_error_and_rate(kind: str, seed: int) -> None:
    """k grows by e / T² + 2 K v / T, whatever the gap."""
    case, T = looped(kind, seed, slack=True), 0.25
    state = case.state
    plain, drawn = (rbd.constraint_bias(state, stabilization=s) for s in (None, Baumgarte(T)))
    slip = rbd.constraint_jacobian(state) @ state.v
    close(drawn, plain + rbd.constraint_error(state) / T**2 + 2 / T * slip, 1e-10, scale=1.0)


@pytest.mark.parametrize("degrees", [0.0, 45.0, 90.0, 135.0, 179.0, 180.0, -179.5])
@pytest.mark.parametrize("kind", ["revolute oblique", "sin-cos", "screw oblique"])
def test_loop_errors_do_not_depend_on_the_angle(kind: str, degrees: float) -> None:
    """A misalignment across the axis counts in full at every angle of the joint: no factor cos(q/2) squared."""
    case = looped(kind, 5)
    (loop,) = case.mechanism.loop_joints
    angle = math.radians(degrees)
    q = (math.sin(angle), math.cos(angle)) if kind == "sin-cos" else (angle,)
    shut(case.state, loop, case.mechanism.tree_joints[-1], q)
    assert float(rbd.loop_gap(case.state)) < 1e-12
    K = rbd.constraint_jacobian(case.state)
    for opening in np.eye(5):
        phi = 1e-5 * np.linalg.lstsq(K, opening, rcond=None)[0]
        ajar = MechanismState(case.mechanism, case.state.q)
        ajar.global_coordinates(case.state.q, phi)
        np.testing.assert_allclose(rbd.constraint_error(ajar), 1e-5 * opening, rtol=0, atol=1e-8)


def test_half_a_turn_is_not_singular() -> None:
    """A revolute loop joint at exactly 180 degrees, off by a tilt across its axis."""
    joint, flip = Joint("loop", Revolute((0, 0, 1))), np.diag([-1.0, -1.0, 1.0])
    c, s = math.cos(1e-3), math.sin(1e-3)
    tilt = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    mechanism = rbd.Mechanism()
    a = rbd.RigidBody("a", rbd.SpatialInertia(rbd.Frame("a"), mass=1.0, moment_about_com=np.eye(3)))
    mechanism.attach("world", a, Joint("free", rbd.QuaternionFloating()))
    mechanism.attach("world", a, joint)
    pose = Transform(joint.frame_after, joint.frame_before, rotation=flip @ tilt)
    state = MechanismState(mechanism)
    shut(state, joint, mechanism.tree_joints[0], (math.pi,))
    assert float(rbd.loop_gap(state)) < 1e-12
    state.set_configuration(mechanism.tree_joints[0], _free(mechanism, pose))
    assert float(rbd.loop_gap(state)) == pytest.approx(1e-3, rel=1e-9)


def _free(mechanism: rbd.Mechanism, pose: Transform) -> Transform:
    """Return the pose of the floating joint that gives the loop joint `pose`: all frames coincide at zero."""
    free = mechanism.tree_joints[0]
    return Transform(free.frame_after, free.frame_before, pose.rotation, pose.translation)


def test_a_fixed_loop_joint_is_a_full_closure() -> None:
    case = looped("fixed", 3)
    assert case.mechanism.nc == 6
    assert np.linalg.matrix_rank(rbd.constraint_jacobian(case.state)) == 6


def test_a_floating_loop_joint_has_no_constraints() -> None:
    case = looped("floating", 3)
    assert rbd.constraint_jacobian(case.state).shape == (0, case.mechanism.nv)
    assert rbd.constraint_bias(case.state).shape == (0,)
    assert float(rbd.loop_gap(case.state)) == 0


def test_a_tree_has_no_constraints() -> None:
    state = MechanismState(rbd.robots.double_pendulum())
    assert rbd.constraint_jacobian(state).shape == (0, 2)
    assert rbd.constraint_bias(state).shape == rbd.constraint_error(state).shape == (0,)
    assert float(rbd.loop_gap(state)) == 0


def test_far_from_the_root_both_directions_of_a_loop_agree() -> None:
    """What carries the loop as a whole does not enter: errors stay exact 1e8 m away."""
    case = looped("revolute oblique", 11)
    trunk = case.mechanism.tree_joints[0]
    v = case.state.v.copy()
    q = case.state.configuration(trunk)
    near = rbd.constraint_jacobian(case.state), rbd.constraint_bias(case.state, stabilization=None)
    case.state.set_configuration(trunk, [*q[:4], 1e8, -2e8, 3e8])
    assert float(rbd.loop_gap(case.state)) < 1e-12
    np.testing.assert_array_equal(rbd.constraint_jacobian(case.state), near[0])
    case.state.set_velocity(trunk, [1e3, 2e3, -1e3, 1e5, 0, 0])
    moved = case.state.v.copy()
    moved[:6] = v[:6]
    np.testing.assert_array_equal(rbd.constraint_bias(case.state, stabilization=None), near[1])


def test_rows_come_in_the_order_of_the_loop_joints() -> None:
    case = looped("spherical", 2)
    mechanism = case.mechanism
    second = Joint("second loop", Revolute((0, 1, 0)))
    mechanism.attach(mechanism.bodies[2], "world", second)
    state = MechanismState(mechanism, case.state.q, case.state.v)
    alone = rbd.constraint_jacobian(case.state.__class__(looped("spherical", 2).mechanism, case.state.q))
    both = rbd.constraint_jacobian(state)
    assert both.shape == (8, mechanism.nv)
    np.testing.assert_array_equal(both[:3], alone)
    pose = mechanism.successor(second).default_frame
    assert pose == mechanism.root_frame
    assert not both[3:, state.v_slice(mechanism.tree_joints[-1])].any()


def test_bodies_may_come_after_loops() -> None:
    """A tree joint attached after a loop joint finds its own coordinates."""
    case = looped("revolute z", 8)
    extra = rbd.RigidBody("late", rbd.SpatialInertia(rbd.Frame("late"), mass=1.0, moment_about_com=np.eye(3)))
    case.mechanism.attach(case.mechanism.bodies[2], extra, Joint("late joint", Revolute((1, 0, 0))))
    state = MechanismState(case.mechanism)
    state.randomize(1)
    K = rbd.constraint_jacobian(state)
    assert K.shape == (5, case.mechanism.nv)
    assert not K[:, state.v_slice(case.mechanism.joint("late joint"))].any()


# --- gains ------------------------------------------------------------------------------------------------------------


@attrs.frozen
class Gains:
    k: object
    d: object


@attrs.frozen
class Pose:
    angular: Gains
    linear: Gains


@examples(0.1)
@given(seeds)
def test_gains_of_rotation_and_translation(seed: int) -> None:
    """Separate gains act on the separate parts of the error; a matrix acts as the number it is a multiple of."""
    case = looped("fixed", seed, slack=True)
    state, K = case.state, rbd.constraint_jacobian(case.state)
    e, slip = rbd.constraint_error(state), K @ state.v
    plain = rbd.constraint_bias(state, stabilization=None)
    turning = np.array([1, 1, 1, 0, 0, 0]) if _angular_first(case) else np.array([0, 0, 0, 1, 1, 1])
    stiff, damp = 7 * turning + 3 * (1 - turning), 2 * turning + 5 * (1 - turning)
    numbers = Pose(Gains(7, 2), Gains(3.0, 5.0))
    matrices = Pose(Gains(7 * np.eye(3), 2 * np.eye(3)), Gains(np.diag([3.0] * 3), 5.0))
    for gains in (numbers, matrices):
        got = rbd.constraint_bias(state, stabilization=gains)
        close(got, plain + stiff * e + damp * slip, 1e-10, scale=1.0)


def _angular_first(case: object) -> bool:
    joint = case.mechanism.loop_joints[0]  # type: ignore[attr-defined]  # a Case
    return bool(joint.type.constraint_wrench_subspace((), joint.frame_after).angular[:, 0].any())


def test_gains_per_joint() -> None:
    case = looped("spherical", 4, slack=True)
    mechanism = case.mechanism
    second = Joint("second loop", Revolute((0, 1, 0)))
    mechanism.attach(mechanism.bodies[2], "world", second)
    state = MechanismState(mechanism, case.state.q, case.state.v)
    plain = rbd.constraint_bias(state, stabilization=None)
    some = rbd.constraint_bias(state, stabilization={second: Baumgarte(0.5)})
    full = rbd.constraint_bias(state, stabilization=Baumgarte(0.5))
    np.testing.assert_array_equal(some[:3], plain[:3])
    np.testing.assert_array_equal(some[3:], full[3:])
    assert (some[3:] != plain[3:]).any()
    np.testing.assert_array_equal(rbd.constraint_bias(state, stabilization={}), plain)


def test_gains_with_a_frame_must_name_the_joints_own() -> None:
    case = looped("fixed", 4, slack=True)
    (loop,) = case.mechanism.loop_joints
    after, before = loop.frame_after, loop.frame_before
    framed = rbd.SE3PDGains(rbd.PDGains(7, 2, frame=after), rbd.PDGains(3, 5, frame=after))
    bare = Pose(Gains(7, 2), Gains(3, 5))
    got, expected = (rbd.constraint_bias(case.state, stabilization=g) for g in (framed, bare))
    np.testing.assert_array_equal(got, expected)
    wrong = rbd.SE3PDGains(rbd.PDGains(7, 2, frame=before), rbd.PDGains(3, 5))
    with pytest.raises(FrameMismatchError, match="gains"):
        rbd.constraint_bias(case.state, stabilization=wrong)


@pytest.mark.parametrize("time", [0.0, -1.0, math.inf, math.nan, "soon", 5e-324, 1e-155])
def test_time_constants_are_positive_with_finite_gains(time: object) -> None:
    with pytest.raises(ArgumentError) as caught:
        Baumgarte(time)  # type: ignore[arg-type]  # the point
    assert caught.value.argument == "time_constant"


def test_other_values_are_refused_as_stabilisation() -> None:
    case = looped("fixed", 4)
    for wrong in (0.1, "soft", Pose(Gains("a lot", 1), Gains(1, 1)), Pose(1, 1)):  # type: ignore[arg-type]  # wrong on purpose
        with pytest.raises((ArgumentError, ValueError)):
            rbd.constraint_bias(case.state, stabilization=wrong)  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(UnknownNameError, match=case.mechanism.tree_joints[0].name):
        rbd.constraint_bias(case.state, stabilization={case.mechanism.tree_joints[0]: Baumgarte()})
    with pytest.raises(ArgumentError):
        rbd.constraint_bias(case.state, stabilization={3: Baumgarte()})  # type: ignore[dict-item]  # wrong on purpose


def test_baumgarte_is_critically_damped() -> None:
    gains = Baumgarte(0.1)
    assert gains.damping**2 == pytest.approx(4 * gains.stiffness)
    assert gains == Baumgarte(0.1) != Baumgarte(0.2)


def test_consistent_velocities_stay_consistent() -> None:
    """The helper the other tests lean on keeps its promise."""
    case = looped("universal oblique", 6, slack=True)
    case.state.set_velocity(consistent(case.state))
    assert np.abs(rbd.constraint_jacobian(case.state) @ case.state.v).max() < 1e-12
