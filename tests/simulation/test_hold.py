"""Zero-order holds are asked at their instants exactly, and integrators keep their order between them."""

from __future__ import annotations

import numpy as np
import pytest

import rbd
from rbd.errors import ArgumentError, ShapeError
from rbd.scalars import Array


@pytest.mark.parametrize(
    ("period", "dt", "final_time"),
    [
        (0.03, 0.01, 0.2),
        (0.1, 0.07, 1.0),
        (np.pi / 100, 0.01, 0.3),
        (0.0021, 0.01, 0.1),
        (0.1, 0.3, 0.9),
        (5.0, 0.1, 1),
    ],
)
def test_instants_are_exact(pendulum: rbd.MechanismState, period: float, dt: float, final_time: float) -> None:
    asked: list[float] = []

    def controller(t: float, state: rbd.MechanismState) -> Array:
        asked.append(t)
        return -state.v

    trajectory = rbd.simulate(pendulum, final_time, rbd.ZeroOrderHold(controller, period), dt=dt)
    count = int(np.ceil(round(final_time / period, 9)))
    assert asked == [k * period for k in range(count)]
    assert trajectory.t[-1] == final_time
    assert np.allclose(np.diff(trajectory.t)[:-1], dt)


def test_the_held_value_is_constant_in_between(pendulum: rbd.MechanismState) -> None:
    """As accurate as integrating from instant to instant by hand, to the last digit but a few."""
    by_hand = rbd.MechanismState(pendulum.mechanism, pendulum.q, pendulum.v)

    def controller(t: float, state: rbd.MechanismState) -> Array:
        return -20 * state.q - state.v

    rbd.simulate(pendulum, 0.5, rbd.ZeroOrderHold(controller, 0.025), dt=0.005)
    for k in range(20):
        torque = controller(0.025 * k, by_hand).copy()
        rbd.simulate(by_hand, 0.025, lambda t, state, torque=torque: torque, dt=0.005)
    assert np.allclose(pendulum.q, by_hand.q, rtol=0, atol=1e-12)


def test_order_four_with_a_period_that_is_no_multiple_of_dt(pendulum: rbd.MechanismState) -> None:
    def final(dt: float) -> Array:
        state = rbd.MechanismState(pendulum.mechanism, pendulum.q, pendulum.v)
        rbd.simulate(state, 0.4, rbd.ZeroOrderHold(lambda t, state: -3 * state.q, 0.0837), dt=dt)
        return np.concatenate((state.q, state.v))

    exact = final(0.001)
    errors = [np.linalg.norm(final(dt) - exact) for dt in (0.02, 0.005)]
    assert errors[1] < errors[0] / 100


def test_controllers_may_reuse_their_array(pendulum: rbd.MechanismState) -> None:
    buffer = np.zeros(2)
    fresh = rbd.MechanismState(pendulum.mechanism, pendulum.q, pendulum.v)

    def reusing(t: float, state: rbd.MechanismState) -> Array:
        buffer[:] = -state.v
        return buffer

    rbd.simulate(pendulum, 0.1, rbd.ZeroOrderHold(reusing, 0.02), dt=0.01)
    rbd.simulate(fresh, 0.1, rbd.ZeroOrderHold(lambda t, state: -state.v, 0.02), dt=0.01)
    assert np.array_equal(pendulum.q, fresh.q)


def test_external_wrenches_can_be_held(pendulum: rbd.MechanismState) -> None:
    asked: list[float] = []
    body = pendulum.mechanism.bodies[2]

    def wind(t: float, state: rbd.MechanismState) -> dict[rbd.RigidBody, rbd.Wrench]:
        asked.append(t)
        return {body: rbd.Wrench(state.mechanism.root_frame, (0, t, 0), (0, 0, 0))}

    rbd.simulate(pendulum, 0.05, external=rbd.ZeroOrderHold(wind, 0.02), dt=0.01)
    assert asked == [0.0, 0.02, 0.04]


def test_runs_begin_anew(pendulum: rbd.MechanismState) -> None:
    asked: list[float] = []
    hold = rbd.ZeroOrderHold(lambda t, state: asked.append(t), 0.02)
    rbd.simulate(pendulum, 0.03, hold, dt=0.01)
    rbd.simulate(pendulum, 0.03, hold, dt=0.01)
    assert asked == [0.0, 0.02, 0.0, 0.02]


def test_what_the_controller_returns_is_checked(pendulum: rbd.MechanismState) -> None:
    q = pendulum.q.copy()
    with pytest.raises(ShapeError, match="control") as caught:
        rbd.simulate(pendulum, 0.1, rbd.ZeroOrderHold(lambda t, state: [1.0, 2.0, 3.0], 0.02))
    assert any("control(t, state)" in note for note in caught.value.__notes__)
    assert np.array_equal(pendulum.q, q)


def test_other_solvers_must_stop_at_the_instants(pendulum: rbd.MechanismState) -> None:
    hold = rbd.ZeroOrderHold(lambda t, state: -state.v, 0.1)
    f = rbd.Dynamics(pendulum.mechanism, hold)
    x = f.x0(pendulum)
    with pytest.raises(ArgumentError, match="nothing is held"):
        f(0.0, x)
    hold.sample(0.0, pendulum)
    assert f(0.05, x).shape == (4,)
    assert f(0.1, x).shape == (4,)
    with pytest.raises(ArgumentError, match="multiple of the period"):
        f(0.11, x)


@pytest.mark.parametrize("period", [0.0, -1.0, float("nan"), float("inf"), "fast"])
def test_periods_are_positive(period: float) -> None:
    with pytest.raises(ArgumentError, match="period"):
        rbd.ZeroOrderHold(lambda t, state: None, period)


def test_controllers_are_functions() -> None:
    with pytest.raises(ArgumentError, match="controller"):
        rbd.ZeroOrderHold(3, 0.1)  # type: ignore[arg-type]  # meant


def test_a_recorded_function_is_refused_with_advice() -> None:
    pendulum = rbd.robots.double_pendulum()
    recorded = rbd.record(lambda state: [0 * x for x in state.v], pendulum)
    with pytest.raises(ArgumentError, match=r"lambda t, state: recorded\(state.q, state.v\)"):
        rbd.ZeroOrderHold(recorded, 0.1)
