"""`Dynamics` as the right-hand side of other people's solvers."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import rbd
from rbd.errors import ArgumentError, NotFiniteError, RotationError, ShapeError, WrongThreadError
from rbd.joints import JointType
from rbd.mechanism import Mechanism

Build = Callable[[JointType], Mechanism]
StateOf = Callable[..., rbd.MechanismState]
SOLVERS = ("RK45", "DOP853", "LSODA", "Radau")


def damping(t: float, state: rbd.MechanismState) -> np.ndarray:
    return -0.3 * state.v + np.sin(t)


@pytest.mark.parametrize("method", SOLVERS)
def test_solvers_agree_bit_for_bit_with_a_copying_wrapper(pendulum: rbd.MechanismState, method: str) -> None:
    """Solvers keep the arrays they are handed: one that is written to later would change their history."""
    f = rbd.Dynamics(pendulum.mechanism, damping)

    def copying(t: float, x: np.ndarray) -> np.ndarray:
        return f(t, x.copy()).copy()

    span, x0 = (0.0, 0.2), f.x0(pendulum)
    plain = solve_ivp(f, span, x0, method=method)
    copied = solve_ivp(copying, span, x0, method=method)
    assert plain.status == 0
    assert np.array_equal(plain.t, copied.t)
    assert np.array_equal(plain.y, copied.y)


@pytest.mark.parametrize("method", SOLVERS)
def test_solvers_agree_with_simulate(pendulum: rbd.MechanismState, method: str) -> None:
    f = rbd.Dynamics(pendulum.mechanism, damping)
    solution = solve_ivp(f, (0.0, 0.1), f.x0(pendulum), method=method, rtol=1e-7, atol=1e-9)
    rbd.simulate(pendulum, 0.1, damping, dt=2e-3)
    assert np.allclose(solution.y[:, -1], np.concatenate((pendulum.q, pendulum.v)), rtol=0, atol=1e-5)


def test_derivative_is_that_of_the_state(joint_type: JointType, two_bodies: Build, moving_state: StateOf) -> None:
    state = moving_state(two_bodies(joint_type))
    f = rbd.Dynamics(state.mechanism)
    result = rbd.dynamics(rbd.DynamicsResult(state.mechanism), state)
    expected = np.concatenate((result.qd, result.vd))
    assert np.allclose(f(0.0, f.x0(state)), expected, rtol=0, atol=1e-12 * np.abs(expected).max())
    assert f.nx == state.mechanism.nq + state.mechanism.nv


def test_every_call_returns_a_new_array(pendulum: rbd.MechanismState) -> None:
    f = rbd.Dynamics(pendulum.mechanism)
    first = f(0.0, f.x0(pendulum))
    kept = first.copy()
    second = f(0.0, np.zeros(4))
    assert not np.shares_memory(first, second)
    assert np.array_equal(first, kept)
    assert not np.array_equal(first, second)


def test_in_place(pendulum: rbd.MechanismState) -> None:
    f = rbd.Dynamics(pendulum.mechanism, damping)
    x, out = f.x0(pendulum), np.full(4, np.nan)
    before = x.copy()
    assert f(0.3, x, out=out) is out
    assert np.array_equal(out, f(0.3, x))
    assert np.array_equal(x, before)


def test_in_place_over_the_input(pendulum: rbd.MechanismState) -> None:
    f = rbd.Dynamics(pendulum.mechanism)
    x = f.x0(pendulum)
    expected = f(0.0, x)
    assert np.array_equal(f(0.0, x, out=x), expected)


def test_x_may_be_read_only_a_list_or_a_view(pendulum: rbd.MechanismState) -> None:
    f = rbd.Dynamics(pendulum.mechanism)
    x = f.x0(pendulum)
    expected = f(0.0, x)
    longer = np.concatenate(([9.0], x, [9.0]))
    locked = x.copy()
    locked.flags.writeable = False
    for spelled in (x.tolist(), longer[1:-1], np.repeat(x, 2)[::2], locked):
        assert np.array_equal(f(0.0, spelled), expected)


def test_torques_as_a_view_of_a_longer_array(pendulum: rbd.MechanismState) -> None:
    longer = np.array([9.0, 3.0, -2.0, 9.0])
    viewed = rbd.Dynamics(pendulum.mechanism, lambda t, s: longer[1:3])
    plain = rbd.Dynamics(pendulum.mechanism, lambda t, s: [3.0, -2.0])
    x = plain.x0(pendulum)
    assert np.array_equal(viewed(0.0, x), plain(0.0, x))


# --- off the manifold -------------------------------------------------------------------------------------------------

NORMALISED = (rbd.QuaternionSpherical(), rbd.QuaternionFloating(), rbd.SinCosRevolute((0, 0, 1)))


def scaled(f: rbd.Dynamics, x: np.ndarray, factor: float) -> np.ndarray:
    """Scale the unit vector the tested joint's coordinates begin with."""
    joint = f.mechanism.tree_joints[0]
    x = x.copy()
    x[: min(joint.nq, 4)] *= factor
    return x


@pytest.mark.parametrize("joint_type", NORMALISED)
@pytest.mark.parametrize("factor", [0.2, 0.999, 1.7])
def test_lengths_do_not_matter(joint_type: JointType, factor: float, two_bodies: Build, moving_state: StateOf) -> None:
    """The scaled coordinates describe the same pose, move it alike, and keep their length."""
    state = moving_state(two_bodies(joint_type))
    f = rbd.Dynamics(state.mechanism, lambda t, s: -s.v)
    x = f.x0(state)
    xs = scaled(f, x, factor)
    assert np.allclose(f(0.0, xs), scaled(f, f(0.0, x), factor), rtol=1e-13, atol=1e-13)
    assert np.allclose(f.project(xs), x, rtol=0, atol=1e-15)
    unit = min(joint_type.nq, 4)
    assert abs(xs[:unit] @ f(0.0, xs)[:unit]) < 1e-14


def test_a_drifted_start_gives_the_same_motion(two_bodies: Build, moving_state: StateOf) -> None:
    state = moving_state(two_bodies(rbd.QuaternionFloating()))
    f = rbd.Dynamics(state.mechanism)
    x0 = f.x0(state)
    ends = [
        solve_ivp(f, (0.0, 0.1), start, method="DOP853", rtol=1e-10, atol=1e-12).y[:, -1]
        for start in (x0, scaled(f, x0, 1.3))
    ]
    assert np.allclose(f.project(ends[0]), f.project(ends[1]), rtol=0, atol=1e-8)
    rbd.simulate(state, 0.1, dt=2e-3)
    assert np.allclose(f.project(ends[0]), f.x0(state), rtol=0, atol=1e-8)


@pytest.mark.parametrize("joint_type", NORMALISED)
def test_length_zero_is_refused(joint_type: JointType, two_bodies: Build) -> None:
    f = rbd.Dynamics(two_bodies(joint_type))
    with pytest.raises(RotationError):
        f(0.0, np.zeros(f.nx))


# --- the rest ---------------------------------------------------------------------------------------------------------


def test_state_and_x0_are_inverse(joint_type: JointType, two_bodies: Build, moving_state: StateOf) -> None:
    state = moving_state(two_bodies(joint_type))
    f = rbd.Dynamics(state.mechanism)
    x = f.x0(state)
    back = f.state(x)
    assert back is not state
    assert np.allclose(f.x0(back), x, rtol=0, atol=1e-15)


def test_x_is_checked(pendulum: rbd.MechanismState) -> None:
    f = rbd.Dynamics(pendulum.mechanism)
    for call in (lambda x: f(0.0, x), f.state, f.project):
        with pytest.raises(ShapeError) as caught:
            call(np.zeros(5))
        assert caught.value.argument == "x"
        with pytest.raises(NotFiniteError):
            call(np.array([0.0, np.nan, 0.0, 0.0]))


@pytest.mark.parametrize("out", [np.zeros(3), np.zeros((4, 1)), np.zeros(4, dtype=np.float32)])
def test_out_is_checked(pendulum: rbd.MechanismState, out: np.ndarray) -> None:
    f = rbd.Dynamics(pendulum.mechanism)
    with pytest.raises(ShapeError):
        f(0.0, np.zeros(4), out=out)


def test_out_is_untouched_when_the_control_fails(pendulum: rbd.MechanismState) -> None:
    f = rbd.Dynamics(pendulum.mechanism, lambda t, s: [1.0])
    out = np.full(4, 5.0)
    with pytest.raises(ShapeError, match="control"):
        f(0.0, np.zeros(4), out=out)
    assert (out == 5).all()


def test_states_of_other_mechanisms_are_refused(pendulum: rbd.MechanismState) -> None:
    f = rbd.Dynamics(rbd.robots.double_pendulum())
    with pytest.raises(ArgumentError, match="another mechanism"):
        f.x0(pendulum)


def test_it_belongs_to_one_thread(pendulum: rbd.MechanismState) -> None:
    f = rbd.Dynamics(pendulum.mechanism)
    caught: list[BaseException] = []

    def call() -> None:
        try:
            f(0.0, np.zeros(4))
        except WrongThreadError as error:
            caught.append(error)

    thread = threading.Thread(target=call)
    thread.start()
    thread.join()
    assert len(caught) == 1


def test_it_can_be_sent_to_another_process(two_bodies: Build, moving_state: StateOf) -> None:
    state = moving_state(two_bodies(rbd.QuaternionFloating()))
    f = rbd.Dynamics(state.mechanism, damping)
    again = pickle.loads(pickle.dumps(f))
    x = scaled(f, f.x0(state), 1.1)
    assert np.array_equal(again(0.2, x), f(0.2, x))


def test_recorded_controllers_are_those_of_simulate() -> None:
    pendulum = rbd.robots.double_pendulum()
    recorded = rbd.record(lambda state: [-0.3 * x for x in state.v], pendulum)
    x = np.array([0.3, -0.2, 1.0, 0.5])
    found = rbd.Dynamics(pendulum, recorded)(0.0, x)
    expected = rbd.Dynamics(pendulum, lambda t, state: -0.3 * state.v)(0.0, x)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-14)
