"""`simulate`: its times, its callbacks, its failures."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

import rbd
from rbd.errors import (
    ArgumentError,
    DivergedError,
    NotFiniteError,
    ShapeError,
    SingularError,
    SolverError,
    StaleStateError,
    UnknownNameError,
)
from rbd.mechanism import Mechanism
from rbd.simulation import (
    RUNGE_KUTTA_4,
    EnergyMonitor,
    ForceElement,
    Integrator,
    LoopGapMonitor,
    Monitor,
    MuntheKaas,
    RightHandSide,
    Sink,
)
from rbd.simulation.time_grid import time_grid
from tests.simulation.contacts import block, floor

Build = Callable[..., Mechanism]


def fresh(state: rbd.MechanismState) -> rbd.MechanismState:
    return rbd.MechanismState(state.mechanism, state.q, state.v)


# --- times and results ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("final_time", "dt"), [(0.1, 0.01), (0.1, 0.03), (0.01, 1.0), (1 / 3, 0.1), (0.0, 0.01)])
def test_the_final_time_is_hit_exactly(pendulum: rbd.MechanismState, final_time: float, dt: float) -> None:
    trajectory = rbd.simulate(pendulum, final_time, dt=dt)
    assert trajectory.t[-1] == final_time
    assert np.array_equal(trajectory.t, time_grid(final_time, dt))


def test_a_shortened_last_step_is_as_accurate(pendulum: rbd.MechanismState) -> None:
    even, odd = fresh(pendulum), fresh(pendulum)
    rbd.simulate(even, 0.1, dt=1e-3)
    rbd.simulate(odd, 0.1, dt=0.7e-3)
    assert np.allclose(even.q, odd.q, rtol=0, atol=1e-10)


def test_the_state_ends_where_the_trajectory_does(pendulum: rbd.MechanismState) -> None:
    q, v = pendulum.q.copy(), pendulum.v.copy()
    trajectory = rbd.simulate(pendulum, 0.05, dt=0.01)
    assert np.array_equal(trajectory.q[0], q)
    assert np.array_equal(trajectory.v[0], v)
    assert np.array_equal(trajectory.q[-1], pendulum.q)
    assert np.array_equal(trajectory.v[-1], pendulum.v)
    assert trajectory.s.shape == (6, 0)


def test_runs_repeat_bit_for_bit(pendulum: rbd.MechanismState) -> None:
    runs = [rbd.simulate(fresh(pendulum), 0.05, lambda t, s: np.cos(t) - s.v, dt=0.01) for _ in range(2)]
    assert np.array_equal(runs[0].q, runs[1].q)
    assert np.array_equal(runs[0].v, runs[1].v)


def test_a_run_in_two_parts_is_the_same_motion(pendulum: rbd.MechanismState) -> None:
    whole, parts = fresh(pendulum), fresh(pendulum)
    rbd.simulate(whole, 0.0625, dt=1 / 128)
    rbd.simulate(parts, 0.03125, dt=1 / 128)
    rbd.simulate(parts, 0.03125, dt=1 / 128)
    assert np.allclose(whole.q, parts.q, rtol=0, atol=1e-15)


def test_a_mechanism_that_cannot_move(pendulum: rbd.MechanismState) -> None:
    trajectory = rbd.simulate(rbd.MechanismState(Mechanism()), 0.03, dt=0.01)
    assert trajectory.q.shape == (4, 0)


def test_progress_tells_of_all_steps_and_changes_nothing(
    pendulum: rbd.MechanismState, capfd: pytest.CaptureFixture[str]
) -> None:
    seen: list[tuple[float, float | None]] = []
    quiet = rbd.simulate(fresh(pendulum), 0.05, dt=0.01)
    told = rbd.simulate(fresh(pendulum), 0.05, dt=0.01, progress=lambda done, total: seen.append((done, total)))
    assert capfd.readouterr().err == ""
    shown = rbd.simulate(fresh(pendulum), 0.05, dt=0.01, progress=True)
    assert "5/5" in capfd.readouterr().err
    assert seen == sorted(set(seen))  # of steps in machine code together, of interpreted steps each
    assert seen[-1] == (5, 5)
    assert np.array_equal(quiet.q, told.q)
    assert np.array_equal(quiet.q, shown.q)


# --- control and external wrenches ------------------------------------------------------------------------------------


def test_control_is_asked_at_the_stages(pendulum: rbd.MechanismState) -> None:
    asked: list[float] = []

    def control(t: float, state: rbd.MechanismState) -> None:
        assert state is pendulum
        asked.append(t)

    rbd.simulate(pendulum, 0.3, control, dt=0.1)
    times = time_grid(0.3, 0.1)
    assert asked[0::4] == times[:-1].tolist()
    assert asked[3::4] == times[1:].tolist()
    assert asked[1::4] == asked[2::4]
    assert np.allclose(asked[1::4], [0.05, 0.15, 0.25])


def test_no_torque_in_three_spellings(pendulum: rbd.MechanismState) -> None:
    controls = (None, lambda t, s: None, lambda t, s: [0, 0])
    ends = [rbd.simulate(fresh(pendulum), 0.02, control, dt=0.01).q[-1] for control in controls]
    assert np.array_equal(ends[0], ends[1])
    assert np.array_equal(ends[0], ends[2])


def test_torques_may_be_a_view_of_a_longer_array(pendulum: rbd.MechanismState) -> None:
    buffer = np.array([7.0, 3.0, -2.0, 9.0, 5.0, 4.0])
    plain = rbd.simulate(fresh(pendulum), 0.05, lambda t, s: np.array([3.0, -2.0]), dt=0.01)
    for view in (buffer[1:3], buffer[[1, 2]], np.array([3.0, 0.0, -2.0, 0.0])[::2]):
        viewed = rbd.simulate(fresh(pendulum), 0.05, lambda t, s, view=view: view, dt=0.01)
        assert np.array_equal(plain.q, viewed.q)


def test_control_may_reuse_its_array(pendulum: rbd.MechanismState) -> None:
    buffer = np.zeros(2)

    def reusing(t: float, state: rbd.MechanismState) -> np.ndarray:
        buffer[:] = -np.cos(t) * state.v
        return buffer

    plain = rbd.simulate(fresh(pendulum), 0.05, lambda t, s: -np.cos(t) * s.v, dt=0.01)
    assert np.array_equal(plain.q, rbd.simulate(fresh(pendulum), 0.05, reusing, dt=0.01).q)


def test_external_wrench_that_carries_the_weight(single_body: Build) -> None:
    mechanism = single_body(rbd.QuaternionFloating())
    body = mechanism.body("body")
    state = rbd.MechanismState(mechanism, v=[0.1, 0.2, 0.3, 0.4, 0.5, 0.6])

    def lift(t: float, state: rbd.MechanismState) -> dict[rbd.RigidBody, rbd.Wrench]:
        force = rbd.FreeVector(mechanism.root_frame, (0, 0, 1.7 * 9.81))
        return {body: rbd.Wrench.of_force(rbd.center_of_mass(state), force)}

    before = rbd.momentum(state).vector
    rbd.simulate(state, 0.1, dt=0.01, external=lift)
    assert np.allclose(rbd.momentum(state).linear, before[3:], rtol=0, atol=1e-8)
    untouched = rbd.MechanismState(mechanism, v=[0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    rbd.simulate(untouched, 0.1, dt=0.01, external=lambda t, s: None)
    assert rbd.momentum(untouched).linear[2] < before[5] - 1.5


def test_viscous_control_takes_energy(pendulum: rbd.MechanismState) -> None:
    trajectory = rbd.simulate(pendulum, 0.2, lambda t, s: -2.0 * s.v, dt=0.01)
    total = trajectory.energies(pendulum.mechanism).total
    assert (np.diff(total) < 0).all()


# --- integrators ------------------------------------------------------------------------------------------------------


def test_integrator_by_name_or_object(pendulum: rbd.MechanismState) -> None:
    named = rbd.simulate(fresh(pendulum), 0.05, dt=0.01, integrator="munthe-kaas-rk4")
    given = rbd.simulate(fresh(pendulum), 0.05, dt=0.01, integrator=MuntheKaas(RUNGE_KUTTA_4))
    assert np.array_equal(named.q, given.q)


def test_unknown_integrator_suggests_one(pendulum: rbd.MechanismState) -> None:
    with pytest.raises(UnknownNameError, match="munthe-kaas-rk4") as caught:
        rbd.simulate(pendulum, 0.05, integrator="munthe-kas-rk4")
    assert caught.value.suggestion == "munthe-kaas-rk4"


class Frozen(Integrator):
    """An integrator of one's own: nothing moves."""

    def step(
        self, rhs: RightHandSide, state: rbd.MechanismState, s: np.ndarray, start: float, end: float
    ) -> np.ndarray:
        rhs(start, state, s)
        return s


def test_an_integrator_of_ones_own(pendulum: rbd.MechanismState) -> None:
    trajectory = rbd.simulate(pendulum, 0.05, dt=0.01, integrator=Frozen())
    assert (trajectory.q == trajectory.q[0]).all()


# --- failures change nothing ------------------------------------------------------------------------------------------


class Complaint(Exception):
    """A controller's own exception."""


def failing_after(time: float, failure: Callable[[], object]) -> Callable[[float, rbd.MechanismState], object]:
    return lambda t, state: failure() if t > time else None


def complain() -> object:
    raise Complaint("no more")


def interrupt() -> object:
    raise KeyboardInterrupt


def refuse() -> object:
    raise NotFiniteError("my own numbers", argument="mine")


@pytest.mark.parametrize(
    ("failure", "error"),
    [
        (complain, Complaint),
        (interrupt, KeyboardInterrupt),
        (refuse, NotFiniteError),
        (lambda: [1.0, 2.0, 3.0], ShapeError),
        (lambda: [[1.0], [2.0]], ShapeError),
        (lambda: 1.0, ShapeError),
        (lambda: [1.0, float("nan")], NotFiniteError),
        (lambda: [1e300, 1e300], DivergedError),
    ],
)
def test_a_failed_run_changes_nothing(
    pendulum: rbd.MechanismState, failure: Callable[[], object], error: type[BaseException]
) -> None:
    q, v = pendulum.q.copy(), pendulum.v.copy()
    with pytest.raises(error):
        rbd.simulate(pendulum, 0.2, failing_after(0.05, failure), dt=0.01)
    assert np.array_equal(pendulum.q, q)
    assert np.array_equal(pendulum.v, v)


@pytest.mark.parametrize("callback", ["control", "external"])
def test_exceptions_of_callbacks_pass_unchanged_with_the_time(pendulum: rbd.MechanismState, callback: str) -> None:
    complaint = Complaint("no more")

    def failing(t: float, state: rbd.MechanismState) -> None:
        if t == 0.03:
            raise complaint

    with pytest.raises(Complaint) as caught:
        rbd.simulate(pendulum, 0.2, dt=0.01, **{callback: failing})
    assert caught.value is complaint
    assert complaint.__notes__ == [f"raised by {callback}(t, state) at t = 0.03"]


class Meddling(Monitor, Sink):
    """Changes what it is shown."""

    def __init__(self, change: Callable[[rbd.MechanismState | None, np.ndarray], object]) -> None:
        self.change = change

    def begin(self, sizes: Any = None) -> None:
        pass

    def observe(self, t: float, state: rbd.MechanismState, s: np.ndarray) -> None:
        self.change(state, s)

    def store(self, t: float, q: np.ndarray, v: np.ndarray, s: np.ndarray) -> None:
        self.change(None, s)

    def finish(self) -> Any:
        raise AssertionError


@pytest.mark.parametrize("change", ["set_velocity", "simulate"])
def test_monitors_may_not_change_the_state(pendulum: rbd.MechanismState, change: str) -> None:
    changes = {
        "set_velocity": lambda state, s: state.set_velocity([1.0, 2.0]),
        "simulate": lambda state, s: rbd.simulate(state, 0.01, dt=0.01),
    }
    q, v = pendulum.q.copy(), pendulum.v.copy()
    with pytest.raises(ArgumentError, match=r"monitor\.observe changed the state") as caught:
        rbd.simulate(pendulum, 0.2, dt=0.01, monitors=[Meddling(changes[change])])
    assert caught.value.__notes__ == ["raised by monitor.observe(t, state, s) at t = 0.0"]
    assert np.array_equal(pendulum.q, q)
    assert np.array_equal(pendulum.v, v)


@pytest.mark.parametrize("argument", ["monitors", "sink"])
def test_contact_states_that_are_shown_cannot_be_written(argument: str) -> None:
    mechanism = block(rbd.SoftContact(rbd.HuntCrossley.hertz(), rbd.ViscoelasticCoulomb(0.5, 2e4, 200.0)), points=1)
    floor(mechanism)
    meddling = Meddling(lambda state, s: s.fill(1e3))
    output: Any = {"monitors": [meddling], "sink": meddling}[argument]
    with pytest.raises(ValueError, match="read-only"):
        rbd.simulate(rbd.MechanismState(mechanism), 0.1, dt=0.01, **{argument: output})


class Fragile(Monitor, ForceElement, Sink):
    """Raises an error that also a step may raise."""

    def begin(self, *_: object) -> None:
        pass

    def observe(self, *_: object) -> None:
        raise OverflowError("mine")

    store = act = energy = finish = observe


@pytest.mark.parametrize("options", [{"monitors": [Fragile()]}, {"forces": [Fragile()]}, {"sink": Fragile()}])
def test_errors_of_outputs_and_forces_are_no_divergence(pendulum: rbd.MechanismState, options: dict[str, Any]) -> None:
    with pytest.raises(OverflowError, match="mine"):
        rbd.simulate(pendulum, 0.1, dt=0.01, **options)


@pytest.mark.parametrize("interpreted", [False, True])
def test_adaptive_steps_pass_the_error_of_a_control(pendulum: rbd.MechanismState, interpreted: bool) -> None:
    with rbd.interpreted() if interpreted else nullcontext(), pytest.raises(NotFiniteError, match="control") as caught:
        rbd.simulate(
            pendulum, 0.1, lambda t, s: [np.nan if t > 0.05 else 0.0, 0.0], dt=0.01, integrator="dormand-prince"
        )
    assert caught.value.argument == "control"


def test_the_exception_of_a_control_that_edits_the_mechanism_passes(pendulum: rbd.MechanismState) -> None:
    def edits(t: float, state: rbd.MechanismState) -> None:
        state.mechanism.attach("lower_link", rbd.RigidBody("tool"), rbd.Joint("tool", rbd.Fixed()))
        raise Complaint("mine")

    with pytest.raises(Complaint, match="mine") as caught:
        rbd.simulate(pendulum, 0.1, edits, dt=0.01)
    assert "could not be restored" in caught.value.__notes__[-1]


@pytest.mark.parametrize("torques", [[1.0, 2.0, 3.0], [[1.0], [2.0]], 1.0, []])
def test_torques_of_the_wrong_shape_name_the_control(pendulum: rbd.MechanismState, torques: object) -> None:
    with pytest.raises(ShapeError, match="control") as caught:
        rbd.simulate(pendulum, 0.2, lambda t, s: torques)
    assert caught.value.argument == "control"
    assert caught.value.expected == (2,)
    assert caught.value.actual == np.shape(torques)


def test_torques_that_are_not_finite_name_the_joint(pendulum: rbd.MechanismState) -> None:
    with pytest.raises(NotFiniteError, match="control") as caught:
        rbd.simulate(pendulum, 0.2, lambda t, s: [0.0, np.inf])
    assert caught.value.argument == "control"
    assert caught.value.index == (1,)


def test_divergence_says_when_where_and_from_what(pendulum: rbd.MechanismState) -> None:
    recorded: list[tuple[float, list[float]]] = []

    def too_stiff(t: float, state: rbd.MechanismState) -> np.ndarray:
        recorded.append((t, state.v.tolist()))
        return np.clip(-1e4 * state.v, -1e306, 1e306)

    with pytest.raises(DivergedError, match="diverged") as caught:
        rbd.simulate(pendulum, 10.0, too_stiff, dt=0.01)
    error = caught.value
    assert 0 < error.time < 10
    assert error.joint is None or error.joint.startswith(("shoulder", "elbow"))
    assert (error.time, error.v.tolist()) in recorded
    assert np.isfinite(error.q).all()
    assert np.isfinite(error.v).all()
    again = pickle.loads(pickle.dumps(error))
    assert again.time == error.time
    assert isinstance(error.__cause__, NotFiniteError)
    assert error.__cause__.__context__ is None  # clusters pickle errors with their contexts


@pytest.mark.parametrize(("final_time", "dt"), [(-1.0, 0.1), (1.0, 0.0), (float("nan"), 0.1)])
def test_bad_times_are_refused_before_anything_runs(pendulum: rbd.MechanismState, final_time: float, dt: float) -> None:
    with pytest.raises(ArgumentError):
        rbd.simulate(pendulum, final_time, lambda t, s: complain(), dt=dt)


@pytest.mark.parametrize("callback", ["control", "external"])
def test_callbacks_that_move_the_state_are_refused(pendulum: rbd.MechanismState, callback: str) -> None:
    q = pendulum.q.copy()

    def meddling(t: float, state: rbd.MechanismState) -> None:
        if t > 0.03:
            state.set_configuration([9.0, 9.0])

    with pytest.raises(ArgumentError, match="changed the state") as caught:
        rbd.simulate(pendulum, 0.2, dt=0.01, **{callback: meddling})
    assert caught.value.argument == callback
    assert np.array_equal(pendulum.q, q)


def test_callbacks_may_change_parameters(pendulum: rbd.MechanismState) -> None:
    """Gravity that vanishes half-way is the user's business, and is honoured at once."""

    def vanishing(t: float, state: rbd.MechanismState) -> None:
        if t >= 0.05:
            state.mechanism.gravity = (0, 0, 0)

    trajectory = rbd.simulate(pendulum, 0.1, vanishing, dt=0.01)
    kinetic = trajectory.energies(pendulum.mechanism).kinetic
    assert np.ptp(kinetic[5:]) < 1e-6
    assert np.ptp(kinetic[:5]) > 0.03


def test_loops_stay_closed() -> None:
    """Upstream's four-bar linkage: without stabilisation, the gap stays below 1e-10 and the energy within 1e-8."""
    linkage = rbd.robots.four_bar()
    state = rbd.MechanismState(linkage, q=rbd.robots.four_bar_configuration(0.3))
    monitors = EnergyMonitor(limit=1e-8), LoopGapMonitor(limit=1e-10)
    rbd.simulate(state, 1.0, dt=5e-4, stabilization=None, monitors=monitors)
    assert np.abs(state.q - rbd.robots.four_bar_configuration(0.3)).max() > 0.1
    assert len(monitors[1].gap) == 2001


def test_a_joint_that_moves_no_mass_is_named() -> None:
    mechanism = Mechanism()
    joint = rbd.Joint("light", rbd.Revolute((0, 0, 1)))
    mechanism.attach(mechanism.root_body, rbd.RigidBody("nothing"), joint)
    with pytest.raises(SingularError, match="light"):
        rbd.simulate(rbd.MechanismState(mechanism), 0.1)


def test_a_stale_state_is_refused(pendulum: rbd.MechanismState) -> None:
    mechanism = pendulum.mechanism
    mechanism.attach(mechanism.body("lower_link"), rbd.RigidBody("more"), rbd.Joint("third", rbd.Fixed()))
    with pytest.raises(StaleStateError):
        rbd.simulate(pendulum, 0.1)


def test_a_humanoid_tumbles_without_losing_energy() -> None:
    state = rbd.MechanismState(rbd.robots.humanoid())
    state.randomize(np.random.default_rng(5))
    trajectory = rbd.simulate(state, 0.01)
    total = trajectory.energies(state.mechanism).total
    assert np.ptp(total) < 1e-6 * abs(total[0])


def test_only_a_live_state_is_simulated() -> None:
    mechanism = rbd.robots.double_pendulum()
    for bad in (mechanism, rbd.MechanismState(mechanism).with_scalars(), None):
        with pytest.raises(ArgumentError, match="MechanismState"):
            rbd.simulate(bad, 0.1)


@pytest.mark.parametrize(
    "integrator", ["munthe-kaas-rk4", "semi-implicit-euler", "variational-midpoint", "dormand-prince"]
)
@pytest.mark.parametrize("steps", [10, 600])
def test_a_mechanism_without_joints_stays_where_it_is(integrator: Any, steps: int) -> None:
    empty = rbd.Mechanism()
    trajectory = rbd.simulate(rbd.MechanismState(empty), steps / 100, dt=0.01, integrator=integrator)
    assert trajectory.q.shape == trajectory.v.shape == (steps + 1, 0)
    assert trajectory.t[-1] == steps / 100
    with pytest.raises(ShapeError, match="control"):
        rbd.simulate(rbd.MechanismState(empty), 0.1, lambda t, state: [1.0], dt=0.01, integrator=integrator)
    assert rbd.Dynamics(empty)(0.0, []).shape == (0,)


@pytest.mark.parametrize("name", ["control", "external"])
def test_callbacks_are_functions(pendulum: rbd.MechanismState, name: str) -> None:
    for run in (
        lambda **named: rbd.simulate(pendulum, 0.1, **named),
        lambda **named: rbd.Dynamics(pendulum.mechanism, **named),
    ):
        with pytest.raises(ArgumentError, match=f"{name} must be a function") as caught:
            run(**{name: 3})
        assert caught.value.argument == name


@pytest.mark.parametrize("name", ["control", "external", "progress"])
@pytest.mark.parametrize("kind", [float, int, np.ndarray])
def test_types_are_no_callbacks(pendulum: rbd.MechanismState, name: str, kind: type) -> None:
    q = pendulum.q.copy()
    with pytest.raises(ArgumentError, match=f"^{name} must be .*function.*, not a type$") as caught:
        rbd.simulate(pendulum, 0.1, **{name: kind})
    assert (caught.value.argument, caught.value.value) == (name, kind)
    assert (pendulum.q == q).all()


def test_a_singular_configuration_is_noticed() -> None:
    """A parallelogram laid flat, driven where neither of its two ways leads: monitors stop it, nothing has changed."""
    mechanism = rbd.robots.four_bar(lengths=(1.0, 0.5, 1.0, 0.5))
    state = rbd.MechanismState(mechanism, [np.pi / 2, 0.0, np.pi / 2], [5.0, -8.0, 2.0])
    closure = rbd.close_loops(state)  # keeps the loop to first order
    assert closure.mobility == 2  # one more than anywhere else
    q, v = state.q.copy(), state.v.copy()
    with pytest.raises((SolverError, DivergedError)):
        rbd.simulate(state, 1.0, monitors=[LoopGapMonitor(limit=1e-4)])
    assert np.array_equal(state.q, q)
    assert np.array_equal(state.v, v)
