"""Controls of ContactSimulator are guarded as those of `simulate`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rbd
from rbd.contact import CollisionModel, ContactSimulator, HalfSpace, Sphere
from rbd.contact.simulation import native_loop, simulator
from rbd.errors import ArgumentError, NotFiniteError, ShapeError, SolverError

HAND, MODEL = rbd.robots.hand()


def test_a_control_may_not_change_the_state() -> None:
    state = rbd.MechanismState(HAND)
    simulator = ContactSimulator(HAND, MODEL, lambda t, s: s.set_velocity(np.ones(HAND.nv)), 1e-3)
    with pytest.raises(ArgumentError, match="control changed the state") as caught:
        simulator.run(state, 0.01)
    assert caught.value.__notes__ == ["raised by control(t, state) at t = 0.0"]
    assert not state.v.any()


def test_errors_of_a_control_are_annotated_with_the_time() -> None:
    def fail(t: float, state: rbd.MechanismState) -> None:
        if t > 0.0015:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as caught:
        ContactSimulator(HAND, MODEL, fail, 1e-3).run(rbd.MechanismState(HAND), 0.01)
    assert caught.value.__notes__ == ["raised by control(t, state) at t = 0.002"]
    with pytest.raises(ShapeError) as wrong:
        ContactSimulator(HAND, MODEL, lambda t, s: np.zeros(2), 1e-3).run(rbd.MechanismState(HAND), 0.01)
    assert "at t = 0.0" in wrong.value.__notes__[0]


def test_contradicting_contacts_name_the_time() -> None:
    """A ball is in a gap that is narrower than the ball: accelerations cannot close both overlaps."""
    mechanism = rbd.Mechanism()
    ball = rbd.RigidBody("ball", rbd.SpatialInertia(rbd.Frame("ball"), mass=1, moment_about_com=np.eye(3)))
    mechanism.attach("world", ball, rbd.Joint("rail", rbd.Prismatic([1, 0, 0])))
    model, root = CollisionModel(mechanism), mechanism.root_frame
    sphere = model.add(ball, Sphere(ball.default_frame, 0.1))
    for x in (-1.0, 1.0):
        wall = HalfSpace(rbd.Point(root, (0.05 * x, 0, 0)), rbd.FreeVector(root, (-x, 0, 0)))
        model.add_pair(sphere, model.add("world", wall))
    simulator = ContactSimulator(mechanism, model, None, 1e-3)
    with pytest.raises(SolverError, match=r"at t = 0$") as caught:
        simulator.run(rbd.MechanismState(mechanism), 0.01)
    assert caught.value.time == 0.0


# -- steps in machine code --------------------------------------------------------------------------------------------

Control = Callable[[float, rbd.MechanismState], object]


def both(
    monkeypatch: pytest.MonkeyPatch,
    control: Callable[[], Control | None],
    mechanism: rbd.Mechanism,
    model: Any,
    **how: Any,
) -> tuple[rbd.contact.ContactTrajectory, rbd.contact.ContactTrajectory]:
    """Run with one loop of machine code, and step by step."""
    found: list[rbd.contact.ContactTrajectory] = []
    for native in (True, False):
        if not native:
            monkeypatch.setattr(simulator, "can_be_native", lambda: False)
        state = rbd.MechanismState(mechanism)
        state.set_velocity(np.linspace(-1.0, 2.0, mechanism.nv))
        given: Any = control()
        found.append(ContactSimulator(mechanism, model, given, 1e-3, **how).run(state, 0.4))
        np.testing.assert_array_equal(state.q, found[-1].q[-1])
    monkeypatch.undo()
    return found[0], found[1]


def same(found: rbd.contact.ContactTrajectory, expected: rbd.contact.ContactTrajectory) -> None:
    np.testing.assert_array_equal(found.q, expected.q)
    np.testing.assert_array_equal(found.v, expected.v)
    np.testing.assert_array_equal(found.distances, expected.distances)
    np.testing.assert_array_equal(found.t, expected.t)
    assert found.events == expected.events


def closing(t: float, state: rbd.MechanismState) -> object:
    return 0.02 * np.cos(5 * t) - 0.01 * state.v


@pytest.mark.parametrize("friction", [None, 0.0, 0.6])
@pytest.mark.parametrize("size", [3, 4096])
@pytest.mark.optimised
def test_the_bits_are_those_of_single_steps(friction: float | None, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(native_loop, "_STEPS_PER_CALL", size)
        found, expected = both(monkeypatch, lambda: closing, HAND, MODEL, friction=friction, threshold=0.02)
    same(found, expected)
    assert expected.events


@pytest.mark.parametrize(
    "control", [None, lambda t, s: None, lambda t, s: [0.01] * 13, rbd.record(lambda s, t: -t * s.v, HAND, t=())]
)
def test_other_controls(control: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    same(*both(monkeypatch, lambda: control, HAND, MODEL))


def test_a_control_that_edits_the_mechanism(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism, model = rbd.robots.hand()

    def editing() -> Control:
        mechanism.tree_joints[-1].damping = 0.0

        def control(t: float, state: rbd.MechanismState) -> object:
            if t == 0.1:
                mechanism.tree_joints[-1].damping = 0.05
            return closing(t, state)

        return control

    same(*both(monkeypatch, editing, mechanism, model))


def test_progress_sees_every_step() -> None:
    told: list[float] = []
    simulator = ContactSimulator(HAND, MODEL, closing, 1e-3)
    simulator.run(rbd.MechanismState(HAND), 0.02, progress=lambda done, total: told.append(done))
    assert told == list(range(1, 21))


def test_torques_that_are_no_numbers_name_the_control() -> None:
    wild = ContactSimulator(HAND, MODEL, lambda t, s: np.full(13, np.nan if t > 0.004 else 0.0), 1e-3)
    with pytest.raises(NotFiniteError, match="control"):
        wild.run(rbd.MechanismState(HAND), 0.01)


# -- zero-order hold ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("friction", [None, 0.5])
def test_a_hold_is_sampled_at_its_instants(friction: float | None, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []

    def sampled(t: float, state: rbd.MechanismState) -> Any:
        asked.append(t)
        return closing(t, state)

    hold = rbd.ZeroOrderHold(sampled, period=0.1)
    same(*both(monkeypatch, lambda: hold, HAND, MODEL, friction=friction))
    np.testing.assert_allclose(asked, [0.0, 0.1, 0.2, 0.3] * 2, rtol=0, atol=1e-12)


def test_a_hold_of_one_step_is_the_control_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    held, _ = both(monkeypatch, lambda: rbd.ZeroOrderHold(closing, period=1e-3), HAND, MODEL)
    free, _ = both(monkeypatch, lambda: closing, HAND, MODEL)
    same(held, free)


@pytest.mark.parametrize(("period", "advice"), [(2.5e-3, "period=0.002"), (1e-4, "period=0.001")])
def test_a_period_between_steps_is_refused(period: float, advice: str) -> None:
    with pytest.raises(ArgumentError, match=f"no multiple of dt, 0.001 s.*{advice}") as caught:
        ContactSimulator(HAND, MODEL, rbd.ZeroOrderHold[Any](closing, period), 1e-3)
    assert caught.value.argument == "control"


def test_a_simulator_has_a_representation() -> None:
    assert repr(ContactSimulator(HAND, MODEL, None, 1e-3)) == "<contact simulator: 4 pairs, dt = 0.001 s>"
