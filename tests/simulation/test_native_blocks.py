"""Long runs in machine code: the motion of the ordinary steps, the same errors, and only where nobody looks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rbd
from rbd.engine.interpreted import interpreted
from rbd.errors import ArgumentError, DivergedError, NotFiniteError, SingularError
from rbd.scalars import cos, less, sin, where
from rbd.simulation import Integrator, MuntheKaas, Trajectory
from rbd.simulation.npz_file import NpzFile
from rbd.simulation.programs import recorded_steps
from rbd.simulation.programs import repeated_step as repeated_step_module
from rbd.simulation.programs.repeated_step import RepeatedStep
from rbd.simulation.sinks import RingBuffer, Sink
from rbd.simulation.tableau import HEUN
from tests.algorithms.helpers import case

pytestmark = pytest.mark.optimised

INTEGRATORS = ("munthe-kaas-rk4", "semi-implicit-euler")
Start = tuple[rbd.MechanismState, np.ndarray[Any, Any], np.ndarray[Any, Any]]


@pytest.fixture(autouse=True)
def taken(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Run short simulations in machine code, too; return the list that gets the number of steps of every block."""
    counts = list[int]()
    original = RepeatedStep.advance

    def advance(self: RepeatedStep, *arguments: Any) -> Any:
        result = original(self, *arguments)
        counts.append(len(result[0]))
        return result

    monkeypatch.setattr(repeated_step_module, "_MIN_STEPS", 1)
    monkeypatch.setattr(repeated_step_module, "_STEPS_PER_CALL", 0)
    monkeypatch.setattr(recorded_steps, "COMPILING_COST", (0, 0))
    monkeypatch.setattr(RepeatedStep, "advance", advance)
    return counts


@pytest.fixture(scope="module")
def arm() -> rbd.Mechanism:
    mechanism = rbd.robots.arm7()
    for joint in mechanism.tree_joints:
        joint.damping = 0.5
    return mechanism


def state_of(mechanism: rbd.Mechanism, seed: int = 1) -> rbd.MechanismState:
    state, rng = rbd.MechanismState(mechanism), np.random.default_rng(seed)
    state.randomize(rng)
    state.set_velocity(0.3 * state.v)
    return state


def ordinary(monkeypatch: pytest.MonkeyPatch, run: Callable[[], Trajectory]) -> Trajectory:
    """Run the same without programs of steps."""
    with monkeypatch.context() as patch:
        patch.setattr(repeated_step_module, "_MAX_JOINTS", 0)
        return run()


def close(a: Trajectory, b: Trajectory) -> None:
    assert (a.t == b.t).all()
    np.testing.assert_allclose(a.q, b.q, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(a.v, b.v, rtol=1e-8, atol=1e-9)


# -- the same motion --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_free_motion(arm: rbd.Mechanism, integrator: Any, taken: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    def run() -> Trajectory:
        state = state_of(arm)
        trajectory = rbd.simulate(state, 0.0335, integrator=integrator)
        assert (state.q == trajectory.q[-1]).all()
        assert (state.v == trajectory.v[-1]).all()
        return trajectory

    fast = run()
    assert sum(taken) == 34
    assert fast.t[-1] == 0.0335
    close(fast, ordinary(monkeypatch, run))
    assert sum(taken) == 34


@pytest.mark.parametrize("kind", ["tree", "floating tree"])
def test_all_joint_types(kind: str, taken: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism = case(kind, seed=5, bodies=8, passive=True).mechanism
    run = lambda: rbd.simulate(state_of(mechanism), 0.02)  # noqa: E731 - short
    fast = run()
    assert sum(taken) == 20
    close(fast, ordinary(monkeypatch, run))


def test_blocks_change_no_bit(arm: rbd.Mechanism, taken: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    floating = case("floating tree", seed=3, bodies=3).mechanism
    for mechanism in (arm, floating):
        runs = list[Trajectory]()
        for size in (0, 20, 10_000):
            monkeypatch.setattr(repeated_step_module, "_STEPS_PER_CALL", size)
            runs.append(rbd.simulate(state_of(mechanism), 0.02))
        assert len({(run.q[:-1].tobytes(), run.v.tobytes()) for run in runs}) == 1
    assert {1, 20} <= set(taken)


def test_quaternions_stay_normalised(taken: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repeated_step_module, "_STEPS_PER_CALL", 10**9)
    mechanism = rbd.Mechanism(gravity=(0, 0, 0))
    body = rbd.RigidBody(
        "top", rbd.SpatialInertia(rbd.Frame("top"), mass=1.0, moment_about_com=np.diag([1.0, 2.0, 2.5]))
    )
    mechanism.attach("world", body, rbd.Joint("free", rbd.QuaternionFloating()))
    state = rbd.MechanismState(mechanism)
    state.set_velocity([1.0, 5.0, -3.0, 0, 0, 0])
    trajectory = rbd.simulate(state, 20.0)
    assert taken == [20_000]
    assert np.abs(np.linalg.norm(trajectory.q[:, :4], axis=1) - 1).max() < 1e-15


# -- recorded controllers ---------------------------------------------------------------------------------------------


def damped(state: Any) -> object:
    return [-0.1 * rate - 0.2 * sin(angle) for angle, rate in zip(state.q, state.v, strict=True)]


def timed(state: Any, t: Any) -> object:
    push = where(less(t, 0.0125), 0.3, -0.1)
    return [push * cos(20 * t) - 0.1 * rate for rate in state.v]


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("function", [damped, timed])
def test_recorded_controllers(
    arm: rbd.Mechanism,
    function: Callable[..., object],
    integrator: Any,
    taken: list[int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    control = rbd.record(function, arm) if function is damped else rbd.record(function, arm, t=())
    run = lambda: rbd.simulate(state_of(arm), 0.03, control, integrator=integrator)  # noqa: E731 - short
    fast = run()
    assert sum(taken) == 30
    slow = ordinary(monkeypatch, run)
    close(fast, slow)
    assert sum(taken) == 30
    plain = (lambda t, state: function(state)) if function is damped else (lambda t, state: function(state, t))
    close(
        fast,
        rbd.simulate(state_of(arm), 0.03, lambda t, state: np.array(plain(t, state), float), integrator=integrator),
    )


def test_functions_that_are_no_controllers_raise(arm: rbd.Mechanism) -> None:
    for recorded, words in (
        (
            rbd.record(lambda state, u: state.v * u, arm, u=()),
            r"u \(\) to result \(7,\), must map q \(7,\), v \(7,\), and",
        ),
        (rbd.record(lambda state: state.v[:2], arm), r"to result \(2,\)"),
        (rbd.record(lambda state: state.v, rbd.robots.double_pendulum()), r"control maps q \(2,\), v \(2,\)"),
    ):
        with pytest.raises(ArgumentError, match=words) as caught:
            rbd.simulate(state_of(arm), 0.01, recorded)
        assert caught.value.argument == "control"


def test_controllers_are_told_apart(arm: rbd.Mechanism) -> None:
    results = [
        rbd.simulate(state_of(arm), 0.02, rbd.record(lambda state, k=gain: [-k * x for x in state.v], arm)).q.tobytes()
        for gain in (0.1, 0.2, 0.1)
    ]
    assert results[0] == results[2] != results[1]


def test_edits_are_honoured(arm: rbd.Mechanism, taken: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism, _ = arm.copy()
    before = rbd.simulate(state_of(mechanism), 0.02)
    mechanism.gravity = (0, 0, 1.5)
    run = lambda: rbd.simulate(state_of(mechanism), 0.02)  # noqa: E731 - short
    after = run()
    assert np.abs(before.q[-1] - after.q[-1]).max() > 1e-5
    close(after, ordinary(monkeypatch, run))


@pytest.mark.parametrize(
    "make",
    [
        lambda m: rbd.record(lambda state, tau: list(tau), m, tau=m.nv),
        lambda m: rbd.record(lambda state: state.v[:2], m),
        lambda m: rbd.record(lambda state: {"a": state.v, "b": state.v}, m),
        lambda m: rbd.record(lambda state: state.v, rbd.robots.double_pendulum()),
    ],
    ids=["other inputs", "too few torques", "two outputs", "another robot"],
)
def test_other_recordings_are_no_controllers(arm: rbd.Mechanism, make: Callable[[rbd.Mechanism], Any]) -> None:
    state = state_of(arm)
    with pytest.raises(ArgumentError, match="control"):
        rbd.simulate(state, 0.02, make(arm))


# -- where it is not done ---------------------------------------------------------------------------------------------


class Plain(Integrator):
    def step(self, rhs: Any, state: Any, s: Any, start: float, end: float) -> Any:
        return MuntheKaas().step(rhs, state, s, start, end)


@pytest.mark.parametrize(
    "options",
    [
        {"control": lambda t, state: None},
        {"external": lambda t, state: None},
        {"integrator": MuntheKaas(HEUN)},
        {"integrator": Plain()},
        {"integrator": "dormand-prince"},
        {"realtime": 1000.0},
    ],
    ids=lambda options: "-".join(f"{name} {type(value).__name__}" for name, value in options.items()),
)
def test_who_must_be_asked_is_asked(arm: rbd.Mechanism, options: dict[str, Any], taken: list[int]) -> None:
    rbd.simulate(state_of(arm), 0.003, **options)
    assert taken == []


def test_short_runs_and_large_robots_are_not_worth_it(
    arm: rbd.Mechanism, taken: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repeated_step_module, "_MIN_STEPS", 3)
    rbd.simulate(state_of(arm), 0.002)
    monkeypatch.setattr(repeated_step_module, "_MAX_JOINTS", 6)
    rbd.simulate(state_of(arm), 0.003)
    assert taken == []
    monkeypatch.setattr(repeated_step_module, "_MAX_JOINTS", 7)
    rbd.simulate(state_of(arm), 0.003)
    assert sum(taken) == 3


def test_not_when_interpreted(arm: rbd.Mechanism, taken: list[int]) -> None:
    with interpreted():
        rbd.simulate(state_of(arm), 0.002)
    assert taken == []


# -- errors, progress, sinks ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("gain", "speed"), [(1e4, 1.0), (0.0, 1e100), (3.0, 1.0)])
def test_divergence_is_told_as_ever(
    arm: rbd.Mechanism, gain: float, speed: float, taken: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    control = rbd.record(lambda state: [gain * rate * rate for rate in state.v], arm) if gain else None

    def failure() -> DivergedError | NotFiniteError:
        state = state_of(arm)
        state.set_velocity(speed * state.v)
        before = state.q.copy(), state.v.copy()
        with pytest.raises((DivergedError, NotFiniteError)) as caught:
            rbd.simulate(state, 1.0, control)
        assert (state.q == before[0]).all()
        assert (state.v == before[1]).all()
        return caught.value

    fast, blocks = failure(), len(taken)
    with monkeypatch.context() as patch:
        patch.setattr(repeated_step_module, "_MAX_JOINTS", 0)
        slow = failure()
    assert len(taken) == blocks > 0
    assert type(fast) is type(slow)
    assert (str(fast), getattr(fast, "__notes__", [])) == (str(slow), getattr(slow, "__notes__", []))
    assert fast.fields.get("time") == slow.fields.get("time")


def test_joints_without_inertia_are_named(taken: list[int]) -> None:
    mechanism = rbd.Mechanism()
    mechanism.attach("world", rbd.RigidBody("leaf"), rbd.Joint("weightless", rbd.Revolute((0, 0, 1))))
    with pytest.raises(SingularError, match="weightless"):
        rbd.simulate(rbd.MechanismState(mechanism), 0.01)


def test_progress_is_told(arm: rbd.Mechanism, taken: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repeated_step_module, "_STEPS_PER_CALL", 70)
    seen = list[tuple[float, float | None]]()
    rbd.simulate(state_of(arm), 0.025, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(10, 25), (20, 25), (25, 25)]


def test_every_sink_gets_every_sample(arm: rbd.Mechanism, taken: list[int], tmp_path: Any) -> None:
    whole = rbd.simulate(state_of(arm), 0.3)
    assert len(whole) == 301
    sinks: list[Sink] = [RingBuffer(4), NpzFile(tmp_path / "run.npz")]
    ring, last = (rbd.simulate(state_of(arm), 0.3, sink=sink) for sink in sinks)
    assert ring.q.tobytes() == whole.q[-4:].tobytes()
    assert last.q[-1].tobytes() == whole.q[-1].tobytes()
    stored = Trajectory.load(tmp_path / "run.npz")
    assert stored.q.tobytes() == whole.q.tobytes()
    assert stored.t.tobytes() == whole.t.tobytes()
    assert sum(taken) == 900
