"""Events happen where they happen, whatever the step, and may end the motion or change it."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import rbd
from rbd.errors import ArgumentError, NotFiniteError, ScalarError, SolverError
from rbd.joints import JointType
from rbd.mechanism import Mechanism
from rbd.simulation import Event
from rbd.simulation import run as running

Build = Callable[[JointType], Mechanism]
StateOf = Callable[[Mechanism], rbd.MechanismState]


def falling(height: float) -> rbd.MechanismState:
    mechanism = rbd.Mechanism()
    body = rbd.RigidBody("ball", rbd.SpatialInertia(rbd.Frame("ball"), mass=1.0, moment_about_com=np.eye(3)))
    mechanism.attach("world", body, rbd.Joint("height", rbd.Prismatic((0, 0, 1))))
    return rbd.MechanismState(mechanism, q=[height])


@pytest.mark.parametrize("dt", [0.3, 0.05, 1e-3])
def test_a_terminal_event_ends_the_motion_where_it_happens(dt: float) -> None:
    state = falling(1.0)
    ground = Event(lambda t, state: state.q[0], terminal=True, name="ground")
    trajectory = rbd.simulate(state, 10.0, dt=dt, events=[ground])
    due = math.sqrt(2 / 9.81)
    assert trajectory.t[-1] == pytest.approx(due, abs=1e-11)
    assert abs(float(state.q[0])) < 1e-11
    assert [(e.time, e.which, e.name) for e in trajectory.events] == [(trajectory.t[-1], 0, "ground")]
    assert np.array_equal(trajectory.q[-1], state.q)
    assert (np.diff(trajectory.t) > 0).all()


def test_fourth_order_with_an_event_on_every_joint_type(
    joint_type: JointType, two_bodies: Build, moving_state: StateOf
) -> None:
    """A jump of the velocity in the middle of the motion costs no order, because it is met exactly."""
    start = moving_state(two_bodies(joint_type))

    def final(dt: float) -> np.ndarray:
        state = rbd.MechanismState(start.mechanism, start.q, start.v)
        body = state.mechanism.bodies[2]
        height = float(state.transform_to_root(body).translation[2])
        kick = Event(
            lambda t, state: math.sin(9 * t) + 0.1 * (state.transform_to_root(body).translation[2] - height) - 0.5,
            effect=lambda t, state: state.set_velocity(-0.7 * state.v),
        )
        trajectory = rbd.simulate(state, 0.16, dt=dt, events=[kick])
        assert len(trajectory.events) == 1
        poses = [state.transform_to_root(body).matrix[:3].ravel() for body in state.mechanism.bodies[1:]]
        return np.concatenate((*poses, state.v))

    reference = final(0.004)
    errors = [np.linalg.norm(final(dt) - reference) for dt in (0.02, 0.01)]
    assert 3.3 < np.log2(errors[0] / errors[1]) < 5.5


def test_a_bouncing_ball_bounces_at_the_right_times() -> None:
    state = falling(1.0)

    def bounce(t: float, state: rbd.MechanismState) -> None:
        state.set_velocity(-0.5 * state.v)

    ground = Event(lambda t, state: state.q[0], direction=-1, effect=bounce)
    trajectory = rbd.simulate(state, 1.2, dt=0.01, events=[ground])
    fall = math.sqrt(2 / 9.81)
    due = [fall, 2 * fall, 2.5 * fall]
    assert [e.time for e in trajectory.events] == pytest.approx(due, abs=1e-9)
    at_first = np.flatnonzero(trajectory.t == trajectory.events[0].time)
    assert len(at_first) == 2  # before and after
    assert trajectory.v[at_first[1], 0] == -0.5 * trajectory.v[at_first[0], 0]
    assert trajectory.t[-1] == 1.2
    between = falling(0.0)
    trajectory.show_on(between, trajectory.events[0].time)
    assert float(between.v[0]) > 0


def test_events_that_pile_up_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "_MAX_EVENTS", 50)  # a thousand take seconds
    state = falling(0.01)

    def again(t: float, state: rbd.MechanismState) -> None:
        state.set_configuration([1e-9])
        state.set_velocity([-1.0])

    ground = Event(lambda t, state: state.q[0], direction=-1, effect=again)
    with pytest.raises(SolverError, match="too many events"):
        rbd.simulate(state, 1.0, dt=0.5, events=[ground])
    assert float(state.q[0]) == 0.01


@pytest.mark.parametrize(("direction", "times"), [(0, [0.25, 0.75]), (1, [0.75]), (-1, [0.25])])
def test_directions(direction: int, times: list[float]) -> None:
    state = falling(0.0)
    event = Event(lambda t, state: math.cos(2 * math.pi * t), direction=direction)  # type: ignore[arg-type]  # a test
    trajectory = rbd.simulate(state, 1.0, dt=0.1, events=[event])
    assert [e.time for e in trajectory.events] == pytest.approx(times, abs=1e-12)
    assert set(np.round(np.arange(11) * 0.1, 12)) <= set(np.round(trajectory.t, 12))


def test_two_events_in_one_step_happen_in_order() -> None:
    state = falling(0.0)
    late, early = (Event(lambda t, state, at=at: t - at, name=str(at)) for at in (0.37, 0.31))
    trajectory = rbd.simulate(state, 1.0, dt=1.0, events=[late, early])
    assert [e.name for e in trajectory.events] == ["0.31", "0.37"]
    assert [e.time for e in trajectory.events] == pytest.approx([0.31, 0.37], abs=1e-12)


def test_events_at_samples_are_not_shown_twice() -> None:
    state = falling(0.0)
    trajectory = rbd.simulate(state, 1.0, dt=0.25, events=[Event(lambda t, state: t - 0.5)])
    assert trajectory.t.tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert [e.time for e in trajectory.events] == [0.5]


def test_an_event_that_begins_at_zero_does_not_happen() -> None:
    trajectory = rbd.simulate(falling(0.0), 0.5, dt=0.1, events=[Event(lambda t, state: state.q[0])])
    assert trajectory.events == ()


def test_what_is_no_event_is_refused(pendulum: rbd.MechanismState) -> None:
    with pytest.raises(ArgumentError, match="events must be"):
        rbd.simulate(pendulum, 0.1, events=[lambda t, state: t])  # type: ignore[list-item]  # meant
    with pytest.raises(ArgumentError, match="function must be a function"):
        Event(3)  # type: ignore[arg-type]  # meant
    for direction in (2, True, 1.0):
        with pytest.raises(ArgumentError, match="direction"):
            Event(lambda t, state: t, direction=direction)  # type: ignore[arg-type]  # meant


def test_directions_may_be_integers_of_numpy() -> None:
    rising = Event(lambda t, state: t, direction=np.int64(1))  # type: ignore[arg-type]  # as indices of arrays are
    assert rising.passes(-1.0, 1.0)
    assert not rising.passes(1.0, -1.0)


def test_events_that_are_listed_twice_have_two_indices() -> None:
    half = Event(lambda t, state: t - 0.05, name="half")
    other = Event(lambda t, state: t - 0.07, name="other")
    found = rbd.simulate(falling(1.0), 0.1, dt=0.01, events=[half, other, half]).events
    assert [(event.which, event.name) for event in found] == [(0, "half"), (2, "half"), (1, "other")]


def test_events_without_a_value_are_named(pendulum: rbd.MechanismState) -> None:
    q = pendulum.q.copy()
    for function in (lambda t, state: math.nan, lambda t, state: math.nan if t > 0.05 else 1.0):
        with pytest.raises(NotFiniteError, match="'broken'"):
            rbd.simulate(pendulum, 0.1, events=[Event(function, name="broken")])
        assert np.array_equal(pendulum.q, q)


@pytest.mark.parametrize("value", ["x", None, [1.0], 1j, True])
def test_events_whose_value_is_no_number_are_named(pendulum: rbd.MechanismState, value: object) -> None:
    late = Event(lambda t, state: value if t > 0.05 else 1.0, name="late")  # type: ignore[arg-type, return-value]  # meant
    q = pendulum.q.copy()
    with pytest.raises(ScalarError, match=r"event 'late' must return a number, not .* at t = 0.0"):
        rbd.simulate(pendulum, 0.1, events=[late])
    assert np.array_equal(pendulum.q, q)


def test_instants_are_located_to_their_tolerance_in_machine_code() -> None:
    # A trial lands just before the crossing, and interpolation then guesses that instant again.
    state = rbd.MechanismState(rbd.robots.double_pendulum(), q=[0.5, 0.0])
    rbd.simulate(state, 10.0, dt=0.01, events=[Event(lambda t, state: state.q[0], terminal=True)])
    assert abs(state.q[0]) < 1e-12


def test_errors_of_effects_have_the_time(pendulum: rbd.MechanismState) -> None:
    def effect(t: float, state: rbd.MechanismState) -> None:
        raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken") as caught:
        rbd.simulate(pendulum, 0.1, events=[Event(lambda t, state: t - 0.0625, effect=effect)])
    assert caught.value.__notes__ == ["raised by event effect(t, state) at t = 0.0625"]
