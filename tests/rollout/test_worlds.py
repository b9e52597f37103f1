# pyright: basic
from __future__ import annotations

import os
import sys
import tracemalloc
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rbd
from rbd.errors import ArgumentError, InertiaError, NotFiniteError, RotationError, ShapeError, TopologyError
from rbd.rollout import Worlds, batch
from rbd.testing import random_tree
from tests.deep import share
from tests.mechanism.interrupts import count_lines, raise_at
from tests.rollout.samples import LEGS, MECHANISM, STANCE, ground, quadrupeds, servo, sliding_worlds, starts
from tests.simulation.contacts import ball, block, floor

STEPS = 40


def run(count: int, q: Any, v: Any, *, steps: int = STEPS, **settings: Any) -> Worlds:
    worlds = quadrupeds(count, **settings)
    worlds.reset(q=q, v=v)
    worlds.step(LEGS, steps)
    return worlds


@pytest.mark.optimised
def test_worlds_have_the_bits_they_have_alone() -> None:
    q, v = starts(11)
    together = run(11, q, v)
    threads = run(11, q, v, threads=3)
    assert (together.status == 0).all()
    assert together.contact_forces.any()
    for name in ("q", "v", "contact_forces", "t"):
        assert np.array_equal(getattr(together, name), getattr(threads, name)), name
    for k in (0, 7, 10):
        alone = run(1, q[k], v[k])
        for name in ("q", "v", "contact_forces"):
            assert np.array_equal(getattr(alone, name)[0], getattr(together, name)[k]), name


def test_steps_are_those_of_the_contact_simulator() -> None:
    def hold(state: Any) -> list[Any]:
        return [0] * 6 + [60 * (a - x) - 2 * w for a, x, w in zip(LEGS, state.q[7:], state.v[6:], strict=True)]

    q, v = starts(1)
    control = rbd.record(hold, MECHANISM)
    simulator = rbd.contact.ContactSimulator(MECHANISM, ground(), control, 2e-3, friction=0.7)
    trajectory = simulator.run(rbd.MechanismState(MECHANISM, q[0], v[0]), STEPS * 2e-3)
    worlds = run(1, trajectory.q[0], trajectory.v[0])
    assert np.allclose(worlds.q[0], trajectory.q[-1], rtol=0, atol=1e-9)
    assert np.allclose(worlds.v[0], trajectory.v[-1], rtol=0, atol=1e-7)


@pytest.mark.parametrize("integrator", ["munthe-kaas-rk4", "semi-implicit-euler"])
def test_steps_without_contact_are_those_of_compiled_robots(integrator: Any) -> None:
    mechanism = rbd.robots.arm7()
    rng = np.random.default_rng(1)
    q, v, tau = rng.standard_normal((3, 5, 7))
    worlds = Worlds(mechanism, count=5, dt=1e-3, integrator=integrator, threads=1)
    worlds.reset(None, q, v)
    worlds.step(tau, 20)
    histories = rbd.compile(mechanism).rollout(q, v, tau, 1e-3, 20, integrator=integrator)
    assert np.allclose(worlds.q, histories[0][:, -1], rtol=0, atol=1e-13)  # there dt is no constant
    assert np.allclose(worlds.v, histories[1][:, -1], rtol=0, atol=1e-12)


def test_contact_forces_carry_a_standing_robot() -> None:
    worlds = run(2, STANCE, None, steps=1500)
    weight = 13.6 * 9.81
    assert np.allclose(worlds.contact_forces.sum(axis=1), [0, 0, weight], rtol=0, atol=1e-3 * weight)


def test_joints_have_stops_and_implicit_gains_as_in_the_contact_simulator() -> None:
    def hold(state: Any) -> list[Any]:
        return [0] * 6 + [900 * (a - x) - 30 * w for a, x, w in zip(LEGS, state.q[7:], state.v[6:], strict=True)]

    q, v = starts(1)
    control, joints = rbd.record(hold, MECHANISM), rbd.contact.JointOptions(stiffness=900.0, damping=30.0)
    simulator = rbd.contact.ContactSimulator(MECHANISM, ground(), control, 2e-3, friction=0.7, joints=joints)
    trajectory = simulator.run(rbd.MechanismState(MECHANISM, q[0], v[0]), STEPS * 2e-3)
    worlds = quadrupeds(2, control=control, joints=joints)
    worlds.reset(None, trajectory.q[0], trajectory.v[0])
    worlds.step(steps=STEPS)
    assert np.allclose(worlds.q[1], trajectory.q[-1], rtol=0, atol=1e-9)
    assert np.abs(worlds.q[1, 7:] - LEGS).max() < 0.05
    explicit = quadrupeds(1, control=control)
    explicit.reset(None, trajectory.q[0], trajectory.v[0])
    explicit.step(steps=STEPS)
    assert explicit.status[0] != 0 or np.abs(explicit.q[0, 7:] - LEGS).max() > 0.1


def test_compliant_contact_has_states_and_forces() -> None:
    soft = rbd.SoftContact(rbd.HuntCrossley.hertz(), rbd.ViscoelasticCoulomb(0.5, 20e3, 200.0))
    mechanism = block(soft, 8)
    floor(mechanism)
    worlds = Worlds(mechanism, count=3, dt=1e-3, threads=1)
    q = np.array([1, 0, 0, 0, 0, 0, 1e-4])
    worlds.reset(None, q, [[0, 0, 0, x, 0, 0] for x in (0.0, 0.1, 0.2)])
    worlds.step(steps=10)
    robot = rbd.compile(mechanism)
    expected = robot.rollout(q, [0, 0, 0, 0.2, 0, 0], None, 1e-3, 10, s=np.zeros(24))
    for found, wanted in zip((worlds.q, worlds.v, worlds.s), expected, strict=True):
        assert np.allclose(found[2], wanted[-1], rtol=0, atol=1e-12)
    assert worlds.contact_forces.shape == (3, 8, 3)
    assert worlds.contact_forces[1:, :, 0].any()  # friction


def test_compliant_contact_carries_the_weight_at_rest() -> None:
    worlds = Worlds(ball(rbd.SoftContact(rbd.HuntCrossley(5e3, 50e3))), count=2, dt=1e-3, threads=1)
    worlds.step(steps=3000)
    assert np.allclose(worlds.contact_forces, [0, 0, 9.81], rtol=0, atol=1e-6)


def test_a_failed_world_is_frozen_and_the_others_finish() -> None:
    q, v = starts(9)
    v[4, 0] = 1e200
    worlds, clean = quadrupeds(9), run(9, *starts(9))
    worlds.reset(None, q, v)
    worlds.step(LEGS, STEPS // 2)
    assert np.flatnonzero(worlds.status).tolist() == [4]
    frozen = worlds.q[4].copy(), worlds.v[4].copy()
    assert np.isfinite(worlds.q).all()
    worlds.step(2 * LEGS, 1)
    worlds.reset([False] * 4 + [True] * 5, *(x[4:] for x in starts(9)))
    assert not worlds.status.any()
    assert worlds.explain(4) == "no error"
    worlds.reset(None, q, v)
    worlds.step(LEGS, STEPS)
    others = [k for k in range(9) if k != 4]
    assert np.array_equal(worlds.q[others], clean.q[others])
    assert np.array_equal(worlds.q[4], frozen[0])
    assert np.array_equal(worlds.v[4], frozen[1])
    assert worlds.explain(4).startswith("in step 0: ")
    assert worlds.t[4] == 0


def test_actions_that_are_not_finite_fail_their_world_only() -> None:
    worlds = quadrupeds(3)
    worlds.reset(None, STANCE)
    worlds.step(LEGS, 5)
    worlds.step(np.array([LEGS, [*LEGS[:3], np.inf, *LEGS[4:]], LEGS]), 5)
    assert (worlds.status != 0).tolist() == [False, True, False]
    assert worlds.explain(1) == "in step 5: action[3] is not finite"
    assert worlds.t.tolist() == [10 * 2e-3, 5 * 2e-3, 10 * 2e-3]


def test_controls_see_the_time_since_the_reset_and_hold_for_substeps() -> None:
    mechanism = rbd.robots.double_pendulum()
    control = rbd.record(lambda state, t, action: [t, action * state.q[0]], mechanism, t=(), action=())
    q, v, h = np.array([0.3, 0.1]), np.array([0.2, -0.1]), 1e-2 / 4
    worlds = Worlds(mechanism, count=2, dt=1e-2, control=control, substeps=4, integrator="semi-implicit-euler")
    worlds.reset(None, q, v)
    worlds.step(2.0, 3)
    worlds.reset([1], q, v)
    worlds.step(2.0, 3)
    robot = rbd.compile(mechanism)
    for k in range(6):
        tau = [k * 1e-2, 2 * q[0]]
        for _ in range(4):
            q, v = robot.step(q, v, tau, h, integrator="semi-implicit-euler")
        if k == 2:
            assert np.allclose(worlds.q[1], q, rtol=0, atol=1e-14)
    assert np.allclose(worlds.q[0], q, rtol=0, atol=1e-14)
    assert worlds.t.tolist() == [6e-2, 3e-2]


@pytest.mark.parametrize("substeps", [1, 3])
def test_episodes_end_after_the_step_that_stops_them(substeps: int) -> None:
    mechanism = rbd.robots.double_pendulum()
    stop = rbd.record(lambda state, t: t - 0.0445 + 0 * state.q[0], mechanism, t=())
    worlds = Worlds(mechanism, count=2, dt=1e-2, stop=stop, substeps=substeps)
    free = Worlds(mechanism, count=2, dt=1e-2, substeps=substeps)
    for each in (worlds, free):
        each.reset(None, [[0.3, 0.1], [1.0, 0.0]])
    free.step(steps=5)
    worlds.step(steps=20)
    assert worlds.stopped.all()
    assert worlds.t.tolist() == [0.05, 0.05]
    assert np.array_equal(worlds.q, free.q)
    assert np.array_equal(worlds.v, free.v)
    worlds.reset([True, False])
    assert worlds.stopped.tolist() == [False, True]
    assert not worlds.status.any()


@pytest.mark.parametrize("substeps", [1, 3])
def test_a_rule_that_is_no_number_fails_its_world(substeps: int) -> None:
    mechanism = rbd.robots.double_pendulum()
    rule = rbd.record(lambda state: np.sqrt(state.q[0]) - 1.0, mechanism)  # NaN for negative angles
    worlds = Worlds(mechanism, count=3, dt=1e-2, substeps=substeps, stop=rule)
    worlds.reset(q=[[-0.3, 0.0], [0.3, 0.0], [1.2, 0.0]])
    worlds.step(steps=2)
    assert (worlds.status != 0).tolist() == [True, False, False]
    assert worlds.stopped.tolist() == [False, False, True]
    assert worlds.explain(0) == "in step 0: world_step left the range of float64"


def test_parameters_have_a_row_per_world() -> None:
    masses = np.array([0.5, 1.0, 2.0])
    inertia = _inertias(MECHANISM)
    names = ["inertia", "contact_friction", "gravity"]
    worlds = quadrupeds(3, parameters=names)
    assert np.allclose(worlds.parameters["inertia"], inertia, rtol=0, atol=0)
    assert worlds.parameters["contact_friction"].tolist() == [0.7] * 3
    q, v = starts(3)
    v[:] = [0, 0, 0, 1.5, 0, 0, *[0] * 12]
    rows = {"inertia": masses[:, None, None] * inertia, "contact_friction": [0.1, 0.5, 1.0]}
    worlds.reset(None, q, v, **rows)
    worlds.step(LEGS, STEPS)
    for k in range(3):
        alone = quadrupeds(1, parameters=names)
        alone.reset(None, q[k], v[k], inertia=rows["inertia"][k], contact_friction=rows["contact_friction"][k])
        alone.step(LEGS, STEPS)
        assert np.array_equal(alone.q[0], worlds.q[k])
    assert not np.array_equal(worlds.q[0], worlds.q[1])
    plain = quadrupeds(1, friction=1.0, parameters=["inertia"])
    plain.reset(None, q[2], v[2], inertia=rows["inertia"][2])
    plain.step(LEGS, STEPS)
    assert np.allclose(plain.q[0], worlds.q[2], rtol=0, atol=1e-9)


def _inertias(mechanism: rbd.Mechanism) -> np.ndarray:
    from rbd.scalar_states.parameter_arrays import parameter_value

    return np.array(parameter_value(mechanism, "inertia"), dtype=np.float64)


@cache
def some_tree(seed: int) -> rbd.Mechanism:
    joint_types = [rbd.QuaternionFloating(), rbd.Revolute((1, 0, 0)), rbd.Planar((1, 0, 0), (0, 1, 0))]
    return random_tree(joint_types, np.random.default_rng(seed))


@cache
def one_tree(seed: int) -> Worlds:
    return Worlds(some_tree(seed), count=1, dt=1e-4)


@pytest.mark.optimised
@given(seed=st.integers(0, 2**32 - 1), count=st.integers(1, 20), threads=st.integers(1, 3))
def test_any_tree_in_any_batch(seed: int, count: int, threads: int) -> None:
    rng, mechanism = np.random.default_rng(seed), some_tree(seed % 4)
    states = [rbd.MechanismState(mechanism) for _ in range(count)]
    for state in states:
        state.randomize(rng)
    q, v = (np.array([getattr(state, name) for state in states]) for name in "qv")
    worlds = Worlds(mechanism, count=count, dt=1e-4, threads=threads)
    worlds.reset(None, q, v)
    worlds.step(steps=3)
    k = int(rng.integers(count))
    alone = one_tree(seed % 4)
    alone.reset(None, q[k], v[k])
    alone.step(steps=3)
    assert np.array_equal(alone.q[0], worlds.q[k])
    assert alone.status[0] == worlds.status[k]


@pytest.mark.optimised
def test_without_a_compiler_the_bits_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def final() -> np.ndarray:
        worlds = Worlds(rbd.robots.double_pendulum(), count=3, dt=1e-2)
        worlds.reset(None, [[0.1, 0.2], [1.0, 1e300], [2.0, 0.5]])
        worlds.step([0.3, -0.1], 4)
        return np.column_stack((worlds.q, worlds.v, worlds.status))

    compiled = final()
    monkeypatch.setattr("rbd.native.executable.ArrayExecutable.compile", lambda self, rows=False: None)
    assert np.array_equal(final(), compiled)


def test_memory_does_not_grow_with_the_number_of_steps() -> None:
    worlds = Worlds(rbd.robots.double_pendulum(), count=100, dt=1e-6, threads=1)
    worlds.step(steps=2)
    tracemalloc.start()
    try:
        worlds.step(steps=10)
        few = tracemalloc.get_traced_memory()[1]
        tracemalloc.reset_peak()
        worlds.step(steps=3000)
        assert tracemalloc.get_traced_memory()[1] < few + 20_000
    finally:
        tracemalloc.stop()


def resident() -> int:
    """Return the memory that this process has now, in kB."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024


LINUX = pytest.mark.skipif(sys.platform != "linux", reason="resident memory is read as Linux shows it")


@LINUX
@pytest.mark.deep
def test_a_thousand_worlds_take_a_million_steps_in_constant_memory(record_property: Any) -> None:
    worlds = Worlds(rbd.robots.double_pendulum(), count=1000, dt=1e-4, integrator="semi-implicit-euler")
    worlds.reset(None, np.random.default_rng(0).uniform(-1, 1, (1000, 2)))
    worlds.step(steps=10_000)
    held = [resident()]
    for _ in range(99):
        worlds.step(steps=10_000)
        held.append(resident())
    grown = max(held) - held[0]
    record_property("count", f"10⁹ steps: memory {held[0]:,} kB after 10⁷ of them, {grown:,} kB more at most later")
    assert grown < 1024  # kB
    assert not worlds.status.any()
    assert np.allclose(worlds.t, 100.0, rtol=1e-12, atol=0)


@LINUX
@pytest.mark.deep
def test_a_thousand_quadrupeds_take_many_steps_on_the_ground_in_constant_memory(record_property: Any) -> None:
    """They crouch and jump once a second."""
    worlds = quadrupeds(1000, threads=2, joints=rbd.contact.JointOptions(stiffness=60.0, damping=2.0))
    worlds.reset(None, *starts(1000))
    worlds.step(LEGS, 500)
    held, parts, loaded = [resident()], share(2000), list[float]()
    for k in range(parts):
        worlds.step(LEGS + 0.15 * (-1) ** (k // 5) * np.tile([0, 1, -2], 4), 50)
        loaded.append(float((worlds.contact_forces[:, :, 2] > 0).mean()))
        held.append(resident())
    grown = max(held) - held[0]
    record_property("what", "a thousand quadrupeds crouch and jump on the ground in constant memory")
    steps = f"{50_000 * parts:,} steps, {100 * np.mean(loaded):.0f} % of feet loaded"
    record_property("count", f"{steps}: memory {held[0]:,} kB after 500,000 steps, {grown:,} kB more at most later")
    assert grown < 1024  # kB
    assert not worlds.status.any()
    assert np.allclose(worlds.t, 1.0 + 0.1 * parts, rtol=1e-12, atol=0)
    assert (worlds.q[:, 6] > 0.15).all()
    assert min(loaded) < 0.5 < max(loaded)


def test_interrupted_worlds_know_their_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Worlds that move at 1 m/s, but for one that fails: q is the time, and failures are noted in later steps."""
    monkeypatch.setattr(batch, "_ROW_STEPS_PER_CALL", 100)
    worlds = sliding_worlds(dt=0.5)
    worlds.step([[np.nan if k == 7 else 0.0] for k in range(20)])
    for line in range(1, 1 + count_lines(lambda: worlds.step(None, 30))):
        worlds.reset(None, v=[1.0])
        assert raise_at(line, KeyboardInterrupt, lambda: worlds.step(None, 30))
        np.testing.assert_array_equal(worlds.t, worlds.q[:, 0])
        worlds.step(None, 1)
        assert worlds.t[7] == 0
        assert (worlds.explain(7), worlds.explain(8)) == ("in step 0: action[0] is not finite", "no error")


def test_interrupted_worlds_have_taken_whole_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five integration steps of twenty rows fit into a call, and three make a step."""
    monkeypatch.setattr(batch, "_ROW_STEPS_PER_CALL", 100)
    worlds, times = sliding_worlds(dt=0.75, substeps=3), set[float]()
    worlds.step()
    for line in range(1, 1 + count_lines(lambda: worlds.step(None, 4))):
        worlds.reset(None, v=[1.0])
        assert raise_at(line, KeyboardInterrupt, lambda: worlds.step(None, 4))
        np.testing.assert_array_equal(worlds.q[:, 0], worlds.t)
        times |= set(worlds.t.tolist())
    assert len(times) > 2


def test_worlds_whose_failure_is_known_stay_as_they_are() -> None:
    worlds, known = sliding_worlds(dt=0.5), set[bool]()
    actions = [[np.nan if k == 7 else 0.0] for k in range(20)]
    worlds.step(actions)
    for line in range(1, 1 + count_lines(lambda: (worlds.reset(), worlds.step(actions)))):
        worlds.reset(None, v=[1.0])
        raise_at(line, KeyboardInterrupt, lambda: worlds.step(actions))
        known.add(failed := bool(worlds.status[7]))
        worlds.step(np.zeros(1))
        assert (worlds.q[7, 0] == 0) == failed
        assert worlds.explain(7).startswith("in step 0: action" if failed else "no error")
    assert known == {False, True}


def test_views_cannot_be_written() -> None:
    worlds = quadrupeds(2, parameters=["gravity"])
    for array in (worlds.q, worlds.v, worlds.contact_forces, worlds.parameters["gravity"]):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    assert repr(worlds) == "<2 worlds, nq = 19, dt = 0.002 s, 0 failed>"


def test_a_refused_reset_changes_nothing() -> None:
    worlds = run(3, STANCE, None, parameters=["inertia", "contact_friction"])
    before = worlds.q.copy(), worlds.t.copy()
    inertia = worlds.parameters["inertia"][0].copy()
    inertia[0, 9] = -1.0
    refused: list[tuple[type[Exception], str, Any]] = [
        (ShapeError, "q has shape", lambda: worlds.reset(None, np.zeros(3))),
        (ShapeError, "v has shape", lambda: worlds.reset([0, 1], None, np.zeros((3, 18)))),
        (NotFiniteError, r"q\[0, 2\]", lambda: worlds.reset([1], [0, 0, np.nan, *[0] * 16])),
        (ArgumentError, "mask must be None, 3 truth values", lambda: worlds.reset([True, False])),
        (ArgumentError, "mask must be", lambda: worlds.reset([0, 3])),
        (ArgumentError, "mask must be", lambda: worlds.reset([True, 0, 1])),
        (
            ArgumentError,
            "no parameter is called 'gravity'; there are contact_friction",
            lambda: worlds.reset(None, gravity=[0] * 3),
        ),
        (ArgumentError, "called 'gravity'; there are none$", lambda: quadrupeds(1).reset(None, gravity=[0, 0, 0])),
        (InertiaError, "negative mass", lambda: worlds.reset(None, inertia=inertia)),
        (ArgumentError, "contact_friction", lambda: worlds.reset(None, contact_friction=-0.1)),
        (ArgumentError, "friction is 101, .* 0 to 100", lambda: worlds.reset(None, contact_friction=[1.0, 101.0, 2.0])),
    ]
    for error, message, attempt in refused:
        with pytest.raises(error, match=message):
            attempt()
    assert np.array_equal(worlds.q, before[0])
    assert np.array_equal(worlds.t, before[1])
    with pytest.raises(ShapeError, match="actions has shape"):
        worlds.step(np.zeros(5))
    with pytest.raises(ArgumentError, match="steps"):
        worlds.step(steps=-1)


def test_settings_are_checked() -> None:
    other = rbd.robots.quadruped()
    pendulum, four_bar = rbd.robots.double_pendulum(), rbd.robots.four_bar()
    scalar = rbd.record(lambda state: state.q[0], MECHANISM)
    wrong: list[tuple[type[Exception], str, dict[str, Any]]] = [
        (ArgumentError, "another mechanism", {"collision_model": ground(other)}),
        (ArgumentError, "count", {"count": -1}),
        (ArgumentError, "dt", {"dt": 0.0}),
        (ArgumentError, "substeps", {"substeps": 0}),
        (ArgumentError, "threads", {"threads": 0}),
        (ArgumentError, "integrator", {"integrator": "euler"}),
        (ArgumentError, "semi-implicit", {"collision_model": ground(), "integrator": "munthe-kaas-rk4"}),
        (ArgumentError, "collision model", {"friction": 0.5}),
        (ArgumentError, "joints", {"joints": rbd.contact.JointOptions()}),
        (ArgumentError, "no parameter is called 'mass'", {"parameters": ["mass"]}),
        (ArgumentError, "contact_friction", {"collision_model": ground(), "parameters": ["contact_friction"]}),
        (ArgumentError, "and an action to torques", {"control": scalar}),
        (ArgumentError, "returns one number", {"stop": servo()}),
        (ArgumentError, "control", {"control": lambda state: [0] * 18}),
    ]
    defaults: dict[str, Any] = {"mechanism": MECHANISM, "count": 1, "dt": 1e-3}
    for error, message, settings in wrong:
        with pytest.raises(error, match=message):
            Worlds(**defaults | settings)
    model = rbd.contact.CollisionModel(four_bar)
    with pytest.raises(TopologyError, match="works on trees"):
        Worlds(four_bar, model, count=1, dt=1e-3)
    control = rbd.record(lambda state: [0, 0], pendulum)
    with pytest.raises(ArgumentError, match="takes no action"):
        Worlds(pendulum, count=1, dt=1e-3, control=control).step([1.0, 2.0])


def test_loops_are_stabilised_as_in_compiled_robots() -> None:
    mechanism = rbd.robots.four_bar()
    state = rbd.MechanismState(mechanism)
    worlds = Worlds(mechanism, count=2, dt=1e-3)
    worlds.reset(None, state.q, [1.0, 0, 0])
    worlds.step(steps=10)
    q, _ = rbd.compile(mechanism).rollout(state.q, [1.0, 0, 0], None, 1e-3, 10)
    assert np.allclose(worlds.q[1], q[-1], rtol=0, atol=1e-13)


def test_quaternions_of_zeros_are_refused() -> None:
    worlds = quadrupeds(3)
    worlds.reset(q=STANCE)
    wrong = np.array([STANCE, STANCE, np.zeros_like(STANCE)])
    text = r"q: the configuration of joint 'floating_base' has norm 0 in row 2.*has 1, 0, 0, 0, 0, 0, 0"
    with pytest.raises(RotationError, match=text) as caught:
        worlds.reset(q=wrong)
    assert (caught.value.argument, caught.value.joint) == ("q", "floating_base")
    assert np.array_equal(worlds.q, [STANCE] * 3)
    wrong[2, 0] = 3.0  # any other length will do
    worlds.reset(q=wrong)
    with pytest.raises(RotationError, match="floating_base"):
        rbd.rollout.rollout(MECHANISM, {"q": np.zeros((2, MECHANISM.nq))}, None, 0.1, dt=1e-2, seed=1, progress=False)
