"""Steps that choose themselves keep to the tolerance on every joint type, and know when to give up."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import rbd
from rbd.errors import ArgumentError, ShapeError, SolverError
from rbd.joints import JointType
from rbd.mechanism import Mechanism
from rbd.scalars.arrays import Array
from rbd.simulation import (
    DORMAND_PRINCE,
    RUNGE_KUTTA_4,
    AdaptiveMuntheKaas,
    ButcherTableau,
    Event,
    Integrator,
    MuntheKaas,
)
from rbd.simulation.equations_of_motion import EquationsOfMotion

Build = Callable[[JointType], Mechanism]
StateOf = Callable[[Mechanism], rbd.MechanismState]
FINAL_TIME = 0.2


def end_of(start: rbd.MechanismState, dt: float, integrator: object) -> np.ndarray:
    state = rbd.MechanismState(start.mechanism, start.q, start.v)
    rbd.simulate(state, FINAL_TIME, dt=dt, integrator=integrator)
    poses = [state.transform_to_root(body).matrix[:3].ravel() for body in state.mechanism.bodies[1:]]
    return np.concatenate((*poses, state.v))


def test_the_error_follows_the_tolerance_on_every_joint_type(
    joint_type: JointType, two_bodies: Build, moving_state: StateOf
) -> None:
    start = moving_state(two_bodies(joint_type))
    exact = end_of(start, FINAL_TIME, AdaptiveMuntheKaas(1e-11, 1e-12))
    for tolerance in (1e-4, 1e-7):
        error = np.abs(end_of(start, FINAL_TIME, AdaptiveMuntheKaas(tolerance, tolerance)) - exact).max()
        assert error < 10 * tolerance


def test_the_pair_has_order_five_with_an_embedded_four(two_bodies: Build, moving_state: StateOf) -> None:
    start = moving_state(two_bodies(rbd.QuaternionFloating()))
    exact = end_of(start, FINAL_TIME, AdaptiveMuntheKaas(1e-12, 1e-13))
    errors = [np.linalg.norm(end_of(start, dt, MuntheKaas(DORMAND_PRINCE)) - exact) for dt in (0.04, 0.02)]
    assert 4.7 < np.log2(errors[0] / errors[1]) < 5.5
    assert DORMAND_PRINCE.order == 4  # as far as the conditions are checked
    assert DORMAND_PRINCE.b_hat is not None
    assert ButcherTableau(DORMAND_PRINCE.a, DORMAND_PRINCE.b_hat).order == 4


def test_the_size_of_steps_follows_the_lower_order_of_the_pair(pendulum: rbd.MechanismState) -> None:
    """Bogacki and Shampine's pair has orders three and two: a step whose error is 8 is halved, but for the safety."""
    a = [[0, 0, 0, 0], [1 / 2, 0, 0, 0], [0, 3 / 4, 0, 0], [2 / 9, 1 / 3, 4 / 9, 0]]
    third, second = [2 / 9, 1 / 3, 4 / 9, 0], [7 / 24, 1 / 4, 1 / 3, 1 / 8]
    tableaus = ButcherTableau(a, third, second), ButcherTableau(a, second, third)
    assert [tableau.order for tableau in tableaus] == [3, 2]
    for tableau in tableaus:
        lengths = list[float]()

        def attempt(
            rhs: object, state: object, s: Array, t: float, t_next: float, lengths: list[float] = lengths
        ) -> tuple[Array, float]:
            lengths.append(t_next - t)
            return s, 8.0 if len(lengths) == 1 else 0.0

        nothing: Any = None
        AdaptiveMuntheKaas(tableau=tableau).controlling(attempt).step(nothing, pendulum, np.zeros(0), 0.0, 1.0)
        np.testing.assert_allclose(lengths[:2], [1.0, 0.9 / 2], rtol=1e-12)


def test_samples_do_not_depend_on_how_often_they_are_taken(pendulum: rbd.MechanismState) -> None:
    coarse = rbd.MechanismState(pendulum.mechanism, pendulum.q, pendulum.v)
    method = AdaptiveMuntheKaas(1e-9, 1e-11)
    rbd.simulate(pendulum, 1.0, dt=0.01, integrator=method)
    rbd.simulate(coarse, 1.0, dt=0.5, integrator=method)
    assert np.allclose(pendulum.q, coarse.q, rtol=0, atol=1e-6)


def test_it_saves_evaluations_where_little_happens() -> None:
    """A ball that falls for a second and then meets a stiff floor: short steps there and only there."""
    asked = 0

    def counting(t: float, state: rbd.MechanismState) -> None:
        nonlocal asked
        asked += 1

    mechanism = rbd.Mechanism()
    body = rbd.RigidBody("ball", rbd.SpatialInertia(rbd.Frame("ball"), mass=1.0, moment_about_com=0.01 * np.eye(3)))
    mechanism.attach("world", body, rbd.Joint("height", rbd.Prismatic((0, 0, 1))))
    body.add_contact_point(rbd.Point(body.default_frame, (0, 0, 0)), rbd.SoftContact(rbd.HuntCrossley(1e5, 0.0)))
    root = mechanism.root_frame
    mechanism.add_half_space(rbd.contact.HalfSpace(rbd.Point(root, (0, 0, 0)), rbd.FreeVector(root, (0, 0, 1))))
    state = rbd.MechanismState(mechanism, q=[4.9])
    trajectory = rbd.simulate(state, 1.5, counting, dt=0.5, integrator="dormand-prince")
    assert abs(4.9 - trajectory.q[1, 0] - 9.81 / 8) < 1e-9
    energy = 9.81 * trajectory.q[-1, 0] + trajectory.v[-1, 0] ** 2 / 2
    assert energy == pytest.approx(9.81 * 4.9, rel=1e-4)
    assert asked < 1500


@pytest.mark.parametrize(("rtol", "atol"), [(0.0, 1e-9), (1e-6, -1.0), (float("nan"), 1e-9)])
def test_tolerances_are_positive(rtol: float, atol: float) -> None:
    with pytest.raises(ArgumentError, match="must be a finite number above 0"):
        AdaptiveMuntheKaas(rtol, atol)


def test_tableaus_need_an_embedded_method() -> None:
    with pytest.raises(ArgumentError, match="b_hat"):
        AdaptiveMuntheKaas(tableau=RUNGE_KUTTA_4)
    with pytest.raises(ArgumentError, match="b_hat sums"):
        ButcherTableau(a=((0, 0), (1, 0)), b=(0.5, 0.5), b_hat=(1, 1))
    with pytest.raises(ShapeError, match="b_hat has 1"):
        ButcherTableau(a=((0, 0), (1, 0)), b=(0.5, 0.5), b_hat=(1,))


def test_a_motion_that_cannot_be_followed_is_given_up(pendulum: rbd.MechanismState) -> None:
    q, v = pendulum.q.copy(), pendulum.v.copy()

    rng = np.random.default_rng(0)
    with pytest.raises(SolverError, match="more than 300 steps"):
        rbd.simulate(
            pendulum,
            0.1,
            lambda t, state: 1e6 * rng.standard_normal(2),
            dt=0.1,
            integrator=AdaptiveMuntheKaas(most_steps=300),
        )
    assert np.array_equal(pendulum.q, q)
    assert np.array_equal(pendulum.v, v)


def test_a_tolerance_that_no_step_keeps_is_given_up(pendulum: rbd.MechanismState) -> None:
    q, v, count = pendulum.q.copy(), pendulum.v.copy(), iter(range(10**6))
    with pytest.raises(
        SolverError, match=r"the tolerance cannot be kept at t = 0\.0: steps would be shorter"
    ) as caught:
        rbd.simulate(
            pendulum,
            0.1,
            lambda t, state: [1e6 * (-1) ** next(count), 0],  # another torque at each call, however short the step
            integrator=AdaptiveMuntheKaas(rtol=1e-14, atol=1e-300),
        )
    assert (caught.value.status, caught.value.time) == ("step too short", 0)
    assert np.array_equal(pendulum.q, q)
    assert np.array_equal(pendulum.v, v)


def test_events_are_met_to_the_accuracy_of_the_steps(pendulum: rbd.MechanismState) -> None:
    again = rbd.MechanismState(pendulum.mechanism, pendulum.q, pendulum.v)
    crossing = Event(lambda t, state: state.q[0] + state.q[1], terminal=True)
    fine = rbd.simulate(pendulum, 2.0, dt=1e-3, events=[crossing]).events[0].time
    found = rbd.simulate(again, 2.0, dt=0.1, integrator=AdaptiveMuntheKaas(1e-10, 1e-12), events=[crossing])
    assert found.events[0].time == pytest.approx(fine, abs=1e-8)
    assert found.t[-1] == found.events[0].time


def lengths_of_steps(state: rbd.MechanismState, ends: list[float], largest: Callable[[float], float]) -> list[float]:
    """Return the lengths of the steps tried through `ends`, where a step of the length `largest(t)` has the error 1."""
    tried: list[float] = []

    def attempt(rhs: object, state: rbd.MechanismState, s: Array, t: float, t_next: float) -> tuple[Array, float]:
        tried.append(t_next - t)
        return s, ((t_next - t) / largest(t)) ** 5

    control = AdaptiveMuntheKaas().controlling(attempt)
    for start, end in pairwise([0.0, *ends]):
        control.step(EquationsOfMotion(), state, np.zeros(0), start, end)
    return tried


def test_a_step_cut_short_by_a_sample_does_not_shorten_the_next(pendulum: rbd.MechanismState) -> None:
    tried = lengths_of_steps(pendulum, [1.0, 1.0 + 1e-6, 1.5], lambda t: 0.01)
    cut = next(i for i, length in enumerate(tried) if length < 2e-6)
    assert tried[cut + 1] == pytest.approx(0.009, rel=1e-6)


def test_a_step_cut_short_by_a_sample_shortens_the_next_where_its_error_says_so(pendulum: rbd.MechanismState) -> None:
    tried = lengths_of_steps(pendulum, [1.0, 1.002, 1.5], lambda t: 0.01 if t < 1.0 else 0.003)
    cut = next(i for i, length in enumerate(tried) if length == pytest.approx(0.002))
    assert tried[cut + 1] == pytest.approx(0.0027)


class _Adaptive(Integrator):
    """Another integrator, which takes its steps by the adaptive method."""

    def step(self, rhs: Any, state: Any, s: Any, start: float, end: float) -> Any:
        return AdaptiveMuntheKaas(rtol=1e-10).step(rhs, state, s, start, end)


def test_other_integrators_may_take_adaptive_steps(pendulum: rbd.MechanismState) -> None:
    other = rbd.MechanismState(pendulum.mechanism, pendulum.q, pendulum.v)
    rbd.simulate(pendulum, 0.1, dt=0.05, integrator=_Adaptive())
    rbd.simulate(other, 0.1, dt=0.05, integrator=AdaptiveMuntheKaas(rtol=1e-10))
    np.testing.assert_allclose(pendulum.q, other.q, rtol=1e-8)
