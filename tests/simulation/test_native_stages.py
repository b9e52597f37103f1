"""Controllers in Python between stages in machine code: the same motion, the same errors, the same calls."""

from __future__ import annotations

import gc
import pickle
import sys
from typing import Any

import numpy as np
import pytest

import rbd
from rbd.algorithms.time_steps.runge_kutta import ScalarTableau
from rbd.errors import ArgumentError, DivergedError, ShapeError
from rbd.scalars.arrays import Array
from rbd.simulation import (
    DORMAND_PRINCE,
    EULER,
    HEUN,
    RALSTON,
    AdaptiveMuntheKaas,
    ButcherTableau,
    EnergyMonitor,
    Event,
    MuntheKaas,
    RingBuffer,
)
from rbd.simulation.equations_of_motion import EquationsOfMotion
from rbd.simulation.programs import repeated_step as repeated_step_module
from rbd.simulation.programs.stage_loads import PythonForces

from .native_runs import DT, INTEGRATORS, STEPS, both, close, damping, run, started, tree

pytestmark = pytest.mark.optimised


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_the_motion_is_that_of_the_ordinary_method(compiled: list[object], integrator: str) -> None:
    mechanism = tree()
    found = run(damping, mechanism, integrator=integrator)
    assert compiled
    with rbd.interpreted():
        expected = run(damping, mechanism, integrator=integrator)
    np.testing.assert_allclose(found.q, expected.q, rtol=0, atol=1e-11)
    np.testing.assert_allclose(found.v, expected.v, rtol=0, atol=1e-10)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_constant_torques_give_the_bits_of_a_compiled_step(compiled: list[object], integrator: str) -> None:
    mechanism = tree()
    torques = np.linspace(-1.0, 1.0, mechanism.nv)
    found = run(lambda t, state: torques, mechanism, integrator=integrator)
    assert compiled
    q, v = started(mechanism).q, started(mechanism).v
    robot = rbd.compile(mechanism)
    for k, (start, end) in enumerate(zip(found.t, found.t[1:], strict=False), start=1):
        q, v = robot.step(q, v, torques, end - start, integrator=integrator)  # type: ignore[call-overload] # a str
        np.testing.assert_array_equal(found.q[k], q)
        np.testing.assert_array_equal(found.v[k], v)


@pytest.mark.parametrize(("integrator", "calls"), [("munthe-kaas-rk4", 4), ("semi-implicit-euler", 1)])
def test_the_control_is_called_as_often_and_at_the_same_times(
    compiled: list[object], integrator: str, calls: int
) -> None:
    asked: list[float] = []

    def control(t: float, state: rbd.MechanismState) -> None:
        asked.append(t)

    run(control, tree(), integrator=integrator)
    found = list(asked)
    asked.clear()
    with rbd.interpreted():
        run(control, tree(), integrator=integrator)
    assert found == asked
    assert len(found) == calls * STEPS


def test_the_control_sees_a_live_state(compiled: list[object]) -> None:
    mechanism = tree()
    energies: list[float] = []

    def control(t: float, state: rbd.MechanismState) -> None:
        fresh = rbd.MechanismState(mechanism, state.q, state.v)
        energies.append(rbd.kinetic_energy(state))
        assert energies[-1] == rbd.kinetic_energy(fresh)
        assert state.twist(mechanism.bodies[-1]).isclose(fresh.twist(mechanism.bodies[-1]))

    run(control, mechanism)
    assert len(set(energies)) > STEPS


@pytest.mark.parametrize("kind", [list, tuple, lambda x: np.repeat(x, 2)[::2], lambda x: x.astype(np.float32)])
def test_torques_of_other_kinds_are_converted(compiled: list[object], kind: type) -> None:
    mechanism = tree()
    torques = np.linspace(-1.0, 1.0, mechanism.nv).astype(np.float32).astype(np.float64)
    expected = run(lambda t, state: torques, mechanism)
    found = run(lambda t, state: kind(torques), mechanism)
    assert compiled
    np.testing.assert_array_equal(found.q, expected.q)


def test_errors_name_the_control_and_the_time(compiled: list[object]) -> None:
    mechanism = tree()
    state = started(mechanism)
    q = state.q.copy()
    with pytest.raises(ShapeError, match="control") as caught:
        rbd.simulate(state, DT * STEPS, lambda t, s: np.zeros(3) if t > DT else None, dt=DT)
    assert "raised by control(t, state) at t = 0.003" in caught.value.__notes__[0]
    np.testing.assert_array_equal(state.q, q)


def test_a_control_may_not_move_the_state(compiled: list[object]) -> None:
    with pytest.raises(ArgumentError, match="control changed the state"):
        run(lambda t, state: state.zero(), tree())


def test_a_motion_that_diverges_is_named_and_no_control_is_asked_twice(compiled: list[object]) -> None:
    pendulum = rbd.robots.double_pendulum()
    asked: list[float] = []

    def wild(t: float, state: rbd.MechanismState) -> Array:
        asked.append(t)
        return 1e5 * state.v

    state = rbd.MechanismState(pendulum, v=[1.0, 0.0])
    with pytest.raises(DivergedError) as caught:
        rbd.simulate(state, 1.0, wild, dt=0.05)
    assert compiled
    assert caught.value.joint == "elbow[0]"
    assert asked == sorted(asked)
    assert asked.count(0.0) == 1


def test_monitors_and_events_see_every_step(compiled: list[object]) -> None:
    pendulum = rbd.robots.double_pendulum()
    state = rbd.MechanismState(pendulum, q=[1.2, 0.4])
    monitor = EnergyMonitor()
    event = Event(lambda t, state: state.q[0], name="hangs")
    found = rbd.simulate(state, 1.0, lambda t, s: None, dt=5e-3, events=[event], monitors=[monitor])
    assert compiled
    assert [round(each.time, 3) for each in found.events] == [0.693]
    assert monitor.drift < 1e-5


def test_a_hold_takes_whole_periods(compiled: list[object]) -> None:
    mechanism = tree()
    asked: list[float] = []

    def control(t: float, state: rbd.MechanismState) -> Array:
        asked.append(t)
        return damping(t, state)

    hold = rbd.ZeroOrderHold(control, period=5.5 * DT)
    found = run(hold, mechanism)
    np.testing.assert_allclose(asked, [0.0, 5.5 * DT, 11 * DT], rtol=0, atol=1e-15)
    asked.clear()
    with rbd.interpreted():
        expected = run(hold, mechanism)
    assert len(asked) == 3
    np.testing.assert_allclose(found.q, expected.q, rtol=0, atol=1e-11)
    np.testing.assert_array_equal(found.t, expected.t)


def box_on_the_ground() -> rbd.MechanismState:
    world = rbd.Mechanism()
    box = rbd.RigidBody("box", rbd.SpatialInertia(rbd.Frame("box"), mass=1.0, moment_about_com=0.01 * np.eye(3)))
    world.attach("world", box, rbd.Joint("free", rbd.QuaternionFloating()))
    rubber = rbd.SoftContact(rbd.HuntCrossley(20e3, 60e3), rbd.ViscoelasticCoulomb(0.8, 20e3, 100.0))
    for x in (-0.1, 0.1):
        box.add_contact_point(rbd.Point(box.default_frame, (x, 0, -0.1)), rubber)
    ground = rbd.Point(world.root_frame, (0, 0, 0))
    world.add_half_space(rbd.contact.HalfSpace(ground, rbd.FreeVector(world.root_frame, (0, 0, 1))))
    return rbd.MechanismState(world, q=[1, 0, 0, 0, 0, 0, 0.0995], v=[0, 0, 0, 1.0, 0, 0.1])


@pytest.mark.parametrize("integrator", [*INTEGRATORS, MuntheKaas(HEUN), AdaptiveMuntheKaas(rtol=1e-9, atol=1e-11)])
def test_contact_states_go_along(compiled: list[object], integrator: Any) -> None:
    def moved() -> rbd.Trajectory:
        return rbd.simulate(
            box_on_the_ground(), 0.03, lambda t, s: [0, 0, 0, 0, 0, 0.3], dt=1e-3, integrator=integrator
        )

    found = moved()
    assert compiled
    with rbd.interpreted():
        expected = moved()
    assert found.s.any()
    np.testing.assert_allclose(found.s, expected.s, rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.q, expected.q, rtol=0, atol=1e-9)


@pytest.mark.parametrize("tableau", [EULER, HEUN, RALSTON, DORMAND_PRINCE])
@pytest.mark.parametrize("control", [damping, None])
def test_other_tableaus(compiled: list[object], tableau: ButcherTableau, control: object) -> None:
    close(both(control, tree(), integrator=MuntheKaas(tableau)), compiled)


def test_unpickled_tableaus_take_the_same_program() -> None:
    method = pickle.loads(pickle.dumps(MuntheKaas()))
    assert repeated_step_module.step_name(method) == "munthe-kaas-rk4"
    found, expected = run(damping, tree(), integrator=method), run(damping, tree(), integrator=MuntheKaas())
    assert np.array_equal(found.q, expected.q)


def test_a_step_of_many_stages_that_python_repeats() -> None:
    state = rbd.MechanismState(rbd.robots.double_pendulum())
    equations = EquationsOfMotion(lambda t, s: [t, 0.0], lambda t, s: None)
    called = PythonForces(equations, state, 20)
    for k in range(45):
        called(float(k), state)
    assert [each[0] for each in called.torques] == list(range(25, 45))


def test_the_adaptive_method(compiled: list[object]) -> None:
    close(both(damping, tree(), integrator=AdaptiveMuntheKaas(rtol=1e-9, atol=1e-11)), compiled)


def test_the_adaptive_method_shortens_steps(compiled: list[object]) -> None:
    def moved() -> rbd.Trajectory:
        state = rbd.MechanismState(rbd.robots.double_pendulum(), q=[0.5, 0.2])
        stiff = lambda t, s: -200.0 * s.v  # noqa: E731 - short
        return rbd.simulate(state, 0.1, stiff, dt=0.1, integrator="dormand-prince")

    found = moved()
    with rbd.interpreted():
        close((found, moved()), compiled)


def test_gains_of_loops(compiled: list[object]) -> None:
    linkage = rbd.robots.four_bar()
    state = rbd.MechanismState(linkage)
    state.set_velocity(state.v + 0.3)
    moved: list[rbd.Trajectory] = []
    for options in ({}, {"stabilization": rbd.Baumgarte(0.02)}, {"stabilization": None}):
        copy = rbd.MechanismState(linkage, state.q, state.v)
        moved.append(rbd.simulate(copy, DT * STEPS, lambda t, s: -0.1 * s.v, dt=DT, **options))  # type: ignore[arg-type] # mixed
        with rbd.interpreted():
            copy = rbd.MechanismState(linkage, state.q, state.v)
            close((moved[-1], rbd.simulate(copy, DT * STEPS, lambda t, s: -0.1 * s.v, dt=DT, **options)), compiled)  # type: ignore[arg-type] # mixed
    assert not np.allclose(moved[0].q, moved[1].q, rtol=0, atol=1e-9)


def test_a_control_may_reuse_its_array_where_python_repeats_a_step(compiled: list[object]) -> None:
    buffer = np.zeros(tree().nv)

    def moved(reuses: bool) -> rbd.Trajectory:
        mechanism = tree()
        asked: list[float] = []

        def editing(t: float, state: rbd.MechanismState) -> Array:
            asked.append(t)
            if len(asked) == 7:  # the third stage of the second step
                mechanism.tree_joints[0].damping = 1.0
            torques = np.cos(3 * t) - 0.2 * state.v
            if reuses:
                buffer[:] = torques
            return buffer if reuses else torques

        found = run(editing, mechanism)
        assert len(asked) == 4 * STEPS
        return found

    expected = moved(False)
    np.testing.assert_array_equal(moved(True).q, expected.q)
    assert compiled


@pytest.mark.parametrize("fails", [KeyboardInterrupt, ZeroDivisionError])
@pytest.mark.parametrize("k", [0, 1, 2, 3, 4, 18])
def test_exceptions_pass_with_the_time_and_the_state_goes_back(
    compiled: list[object], fails: type[BaseException], k: int
) -> None:
    state, asked = started(tree()), list[float]()
    q, v = state.q.copy(), state.v.copy()

    def failing(t: float, state: rbd.MechanismState) -> None:
        asked.append(t)
        if len(asked) == k + 1:
            raise fails("here")

    with pytest.raises(fails, match="here") as caught:
        rbd.simulate(state, DT * STEPS, failing, dt=DT)
    assert caught.value.__notes__ == [f"raised by control(t, state) at t = {asked[-1]!r}"]
    assert len(asked) == k + 1
    np.testing.assert_array_equal(state.q, q)
    np.testing.assert_array_equal(state.v, v)
    assert compiled


def test_blocks_samples_and_sinks_change_no_bit(compiled: list[object], monkeypatch: pytest.MonkeyPatch) -> None:
    found = [run(damping, tree())]
    monkeypatch.setattr(repeated_step_module, "_STEPS_PER_CALL", 15)
    found.append(run(damping, tree()))
    monkeypatch.setattr(repeated_step_module, "_STEPS_PER_CALL", 0)
    found.append(run(damping, tree()))
    found.append(run(damping, tree(), sink=RingBuffer(STEPS + 1)))
    found.append(run(damping, tree(), progress=lambda done, total: None))
    found.append(run(damping, tree(), monitors=[EnergyMonitor()]))
    assert len(compiled) == len(found)
    assert len({(each.t.tobytes(), each.q.tobytes(), each.v.tobytes()) for each in found}) == 1


def test_progress_and_ring_buffers_see_every_step(compiled: list[object]) -> None:
    ring, told, seen = RingBuffer(3), list[float](), list[int]()

    def looking(t: float, state: rbd.MechanismState) -> None:
        seen.append(round(ring.trajectory().t[-1] / DT))

    run(looking, tree(), sink=ring, progress=lambda done, total: told.append(done))
    assert told == list(range(1, STEPS + 1))
    assert seen == [k for k in range(STEPS) for _ in range(4)]


def test_samples_before_a_failure_are_those_of_the_steps_taken(compiled: list[object]) -> None:
    pendulum = rbd.robots.double_pendulum()
    state = rbd.MechanismState(pendulum, v=[1.0, 0.0])
    found: list[DivergedError] = []
    for sink in (None, RingBuffer(100)):
        with pytest.raises(DivergedError) as caught:
            rbd.simulate(state, 1.0, lambda t, s: 1e5 * s.v, dt=0.05, sink=sink)
        found.append(caught.value)
    assert found[0].time == found[1].time > 0
    np.testing.assert_array_equal(found[0].q, found[1].q)
    np.testing.assert_array_equal(found[0].v, found[1].v)


def test_controls_returning_a_view_of_the_state(compiled: list[object]) -> None:
    found = run(lambda t, state: state.v, tree())
    expected = run(lambda t, state: state.v.copy(), tree())
    np.testing.assert_array_equal(found.q, expected.q)


def test_loops_leak_no_reference(compiled: list[object]) -> None:
    mechanism, torques = tree(), np.zeros(tree().nv)

    def references() -> tuple[int, int]:
        run(lambda t, state: torques, mechanism)
        run(lambda t, state: None, mechanism)
        compiled.clear()  # they hold references of their own
        gc.collect()
        return sys.getrefcount(torques), sys.getrefcount(None)

    references()
    before, after = references(), references()
    assert after[0] == before[0]
    assert abs(after[1] - before[1]) < STEPS


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("periods", [0.3, 1.0, 1.5, 2.0, 5.5, 100.0])
def test_holds_are_sampled_in_the_loop(
    compiled: list[object], integrator: str, periods: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repeated_step_module, "_STEPS_PER_CALL", 0)
    asked: list[float] = []

    def control(t: float, state: rbd.MechanismState) -> Array:
        asked.append(t)
        return damping(t, state)

    hold = rbd.ZeroOrderHold(control, period=periods * DT)
    found, instants = run(hold, tree(), integrator=integrator), list(asked)
    assert getattr(compiled[0], "sampled_hold", None) is hold
    asked.clear()
    expected = run(hold, tree(), integrator=integrator, progress=lambda done, total: None)
    assert getattr(compiled[-1], "sampled_hold", hold) is None
    assert instants == asked
    np.testing.assert_array_equal(found.t, expected.t)
    np.testing.assert_allclose(found.q, expected.q, rtol=0, atol=1e-14)
    np.testing.assert_allclose(found.v, expected.v, rtol=0, atol=1e-14)


def test_holds_in_the_loop_convert_and_check_as_others(compiled: list[object]) -> None:
    mechanism, period = tree(), 2 * DT
    zero = run(rbd.ZeroOrderHold(lambda t, s: None, period), mechanism)
    listed = run(rbd.ZeroOrderHold(lambda t, s: [0.0] * mechanism.nv, period), mechanism)
    np.testing.assert_array_equal(zero.q, listed.q)

    def failing(t: float, state: rbd.MechanismState) -> None:
        if t > 3 * DT:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as caught:
        run(rbd.ZeroOrderHold(failing, period), mechanism)
    assert caught.value.__notes__ == [f"raised by control(t, state) at t = {4 * DT!r}"]
    with pytest.raises(ArgumentError, match="control changed the state"):
        run(rbd.ZeroOrderHold(lambda t, s: s.zero(), period), mechanism)
    with pytest.raises(ShapeError, match="control"):
        run(rbd.ZeroOrderHold(lambda t, s: [1.0], period), mechanism)
    assert compiled
    assert all(getattr(each, "sampled_hold", None) for each in compiled)


def test_a_step_of_a_hold_that_machine_code_refuses(compiled: list[object]) -> None:
    mechanism, asked = tree(), list[float]()

    def editing(t: float, state: rbd.MechanismState) -> Array:
        asked.append(t)
        if len(asked) == 3:
            mechanism.tree_joints[0].damping = 0.0
        return damping(t, state)

    expected = run(rbd.ZeroOrderHold(damping, 2 * DT), tree())
    found = run(rbd.ZeroOrderHold(editing, 2 * DT), mechanism)
    assert len(asked) == STEPS // 2
    np.testing.assert_allclose(found.q, expected.q, rtol=0, atol=1e-10)


@pytest.mark.parametrize("integrator", ["munthe-kaas-rk4", "semi-implicit-euler", "dormand-prince"])
def test_later_runs_of_a_state_have_the_bits_of_first_runs(
    compiled: list[object], integrator: rbd.simulation.IntegratorName
) -> None:
    mechanism, zeros = rbd.robots.double_pendulum(), np.zeros(2)
    used = rbd.MechanismState(mechanism)
    controls: tuple[Any, ...] = (lambda t, state: zeros + 1, None, lambda t, state: -0.1 * state.v)
    for control in controls:
        ends = list[bytes]()
        for state in (used, rbd.MechanismState(mechanism)):
            state.set_configuration([0.3, 0.1])
            state.set_velocity(zeros)
            found = rbd.simulate(state, 0.05, control, dt=0.01, integrator=integrator, events=[Event(lambda t, s: 1.0)])
            ends.append(found.q.tobytes() + found.v.tobytes())
        assert ends[0] == ends[1]
    assert compiled


def test_a_run_within_another_of_the_same_state_has_memory_of_its_own(compiled: list[object]) -> None:
    state, nests = box_on_the_ground(), list[bool]()

    def control(t: float, state: rbd.MechanismState) -> None:
        if nests:
            rbd.simulate(state, 0.0, lambda t, state: None)  # takes no step

    ends = list[bytes]()
    q, v = state.q.copy(), state.v.copy()
    for _ in range(2):
        state.set_configuration(q)
        state.set_velocity(v)
        ends.append(rbd.simulate(state, 0.05, control, dt=DT).s.tobytes())
        nests.append(True)
    assert ends[0] == ends[1]
    assert np.frombuffer(ends[0]).any()
    assert compiled


def test_a_method_is_named_once(compiled: list[object], monkeypatch: pytest.MonkeyPatch) -> None:
    named, method = list[object](), MuntheKaas(ButcherTableau(a=((0, 0), (0.625, 0)), b=(0.2, 0.8)))

    def key(tableau: ScalarTableau) -> str:
        named.append(tableau)
        return "a tableau of a test"

    monkeypatch.setattr(ScalarTableau, "key", property(key))
    for _ in range(3):
        run(damping, tree(), integrator=method)
    assert len(named) == 1
    assert compiled
