"""Samples go where they should, whole and in order; the clock on the wall is kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rbd
from rbd.errors import ArgumentError, NotFiniteError, ShapeError
from rbd.scalars.arrays import Array
from rbd.simulation import InMemory, NpzFile, RingBuffer, Sink, Sizes, Throttle
from rbd.simulation import trajectory as trajectory_module
from rbd.simulation.trajectory import Trajectory
from tests.simulation.contacts import block, floor

FIELDS = ("t", "q", "v", "s")


def touching() -> rbd.MechanismState:
    mechanism = block(rbd.SoftContact(friction=rbd.ViscoelasticCoulomb(0.5, 1e3, 10.0)), 2)
    floor(mechanism)
    return rbd.MechanismState(mechanism, q=[1, 0, 0, 0, 0, 0, -1e-3], v=[0, 0, 0, 0.1, 0, 0])


def run(sink: Sink | None = None) -> Trajectory:
    return rbd.simulate(touching(), 0.15, dt=1e-3, sink=sink)


def assert_same(a: Trajectory, b: Trajectory) -> None:
    for name in FIELDS:
        assert np.array_equal(getattr(a, name), getattr(b, name)), name


def test_memory_keeps_everything() -> None:
    sink = InMemory()
    whole = run(sink)
    assert len(whole) == 151
    assert whole.s.shape == (151, 6)
    assert whole.s.any()
    assert_same(whole, run())
    assert_same(run(sink), whole)  # a sink can be used again


@pytest.mark.parametrize("size", [1, 7, 151, 400])
def test_a_ring_buffer_keeps_the_last_samples(size: int) -> None:
    whole, ring = run(), RingBuffer(size)
    last = run(ring)
    assert len(last) == min(size, 151)
    for name in FIELDS:
        assert np.array_equal(getattr(last, name), getattr(whole, name)[-size:])
    assert_same(ring.trajectory(), last)


def test_samples_of_a_run_are_checked_once_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    checked, original = list[str](), trajectory_module.check_finite

    def check(array: Array, name: str) -> None:
        checked.append(name)
        original(array, name)

    monkeypatch.setattr(trajectory_module, "check_finite", check)
    found = run()
    assert checked == []
    for name in FIELDS:
        array = getattr(found, name)
        assert array.flags.c_contiguous
        assert array.flags.owndata
        assert not array.flags.writeable
    assert found.events == ()
    assert_same(Trajectory(found.t, found.q, found.v, found.s), found)
    assert checked == list(FIELDS)


@pytest.mark.parametrize("sink", [InMemory(), RingBuffer(3)], ids=["memory", "ring"])
def test_other_samples_are_refused(sink: Sink) -> None:
    one = np.ones(1)
    for error, times, value in ((NotFiniteError, (0.0, 1.0), np.nan), (ArgumentError, (1.0, 0.0), 1.0)):
        sink.begin(Sizes(1, 1, 0))
        for t in times:
            sink.store(t, one, value * one, one[:0])
        with pytest.raises(error):
            sink.finish()
    sink.begin(Sizes(1, 1, 0))
    with pytest.raises(ShapeError):
        sink.finish()


class Forgetful(Sink):
    """Returns something else than a trajectory."""

    def __init__(self, result: Any) -> None:
        self._result = result

    def begin(self, sizes: Sizes) -> None:
        """Do nothing."""

    def store(self, *_: object) -> None:
        """Do nothing."""

    def finish(self) -> Trajectory:
        return self._result  # type: ignore[no-any-return]  # meant


@pytest.mark.parametrize(("result", "shown"), [(None, "None"), (3.0, "3.0")])
def test_sinks_return_a_trajectory(result: object, shown: str) -> None:
    state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4])
    sink = Forgetful(result)
    with pytest.raises(ArgumentError, match=f"finish.. of the sink must return a Trajectory, not .*{shown}") as caught:
        rbd.simulate(state, 0.1, dt=0.01, sink=sink)
    assert caught.value.argument == "sink"
    assert caught.value.value is sink
    assert state.q.tolist() == [0.3, 0.4]
    assert not state.v.any()


@pytest.mark.parametrize("size", [0, -1, 1.5])
def test_ring_buffers_hold_something(size: int) -> None:
    with pytest.raises(ArgumentError, match="size"):
        RingBuffer(size)


def test_files_hold_everything(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    last = run(NpzFile(path))
    whole = Trajectory.load(path)
    assert_same(whole, run())
    assert len(last) == 1
    for name in FIELDS:
        assert np.array_equal(getattr(last, name)[0], getattr(whole, name)[-1])
    assert [p.name for p in tmp_path.iterdir()] == ["run.npz"]


def test_files_store_rows(tmp_path: Path) -> None:
    sinks, whole = (NpzFile(tmp_path / "rows.npz"), NpzFile(tmp_path / "one.npz")), run()
    for sink in sinks:
        sink.begin(Sizes(7, 6, 6))
    sinks[0].store_rows(whole.t[:100].tolist(), whole.q[:100], whole.v[:100], whole.s[:100])
    sinks[0].store_rows(whole.t[100:].tolist(), whole.q[100:], whole.v[100:], whole.s[100:])
    for t, q, v, s in zip(whole.t, whole.q, whole.v, whole.s, strict=True):
        sinks[1].store(float(t), q, v, s)
    assert_same(*(sink.finish() for sink in sinks))
    for name in ("rows.npz", "one.npz"):
        assert_same(Trajectory.load(tmp_path / name), whole)


@pytest.mark.parametrize("begun", [False, True])
def test_files_of_no_samples_are_not_written(begun: bool, tmp_path: Path) -> None:
    sink = NpzFile(tmp_path / "none.npz")
    if begun:
        sink.begin(Sizes(7, 6, 6))
    with pytest.raises(ArgumentError, match="the sink was given no samples"):
        sink.finish()
    assert list(tmp_path.iterdir()) == []


def test_failed_runs_leave_files_alone(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    sink = NpzFile(path)
    run(sink)
    before = path.read_bytes()

    def broken(t: float, state: rbd.MechanismState) -> None:
        if t > 0.01:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        rbd.simulate(touching(), 0.05, broken, sink=sink)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["run.npz"]
    run(sink)
    assert len(Trajectory.load(path)) == 151


def test_a_mechanism_without_coordinates(tmp_path: Path) -> None:
    sink = NpzFile(tmp_path / "empty.npz")
    rbd.simulate(rbd.MechanismState(rbd.Mechanism()), 0.03, dt=0.01, sink=sink)
    assert Trajectory.load(tmp_path / "empty.npz").q.shape == (4, 0)
    for integrator in ("munthe-kaas-rk4", "dormand-prince", "variational-midpoint", "semi-implicit-euler"):
        state = rbd.MechanismState(rbd.Mechanism())
        assert len(rbd.simulate(state, 0.02, dt=0.01, integrator=integrator)) == 3


def test_a_sink_of_ones_own() -> None:
    class Last(Sink):
        sizes = Sizes(0, 0, 0)
        seen = 0

        def begin(self, sizes: Sizes) -> None:
            self.sizes = sizes

        def store(self, t: float, q: np.ndarray, v: np.ndarray, s: np.ndarray) -> None:
            self.seen += 1
            self.last = Trajectory([t], q[None].copy(), v[None].copy(), s[None].copy())

        def finish(self) -> Trajectory:
            return self.last

    sink = Last()
    assert run(sink).t.tolist() == [0.15]
    assert (sink.seen, sink.sizes) == (151, Sizes(7, 6, 6))
    with pytest.raises(ArgumentError, match="sink"):
        rbd.simulate(touching(), 0.01, sink=[])  # type: ignore[arg-type]  # meant


class Wall:
    """A clock that only sleeping and working move."""

    def __init__(self, work: float = 0.0) -> None:
        self.now, self.work, self.naps = 100.0, work, 0

    def clock(self) -> float:
        self.now += self.work
        return self.now

    def sleep(self, seconds: float) -> None:
        self.naps += 1
        self.now += seconds


@pytest.mark.parametrize("rate", [1.0, 2.0, 0.25])
def test_the_wall_clock_is_kept(pendulum: rbd.MechanismState, rate: float) -> None:
    wall = Wall()
    rbd.simulate(pendulum, 0.5, dt=0.05, realtime=Throttle(rate, clock=wall.clock, sleep=wall.sleep))
    assert wall.now - 100.0 == pytest.approx(0.5 / rate)
    assert wall.naps >= 0.5 / rate * 60


def test_slow_simulations_are_not_waited_for_and_do_not_hurry(pendulum: rbd.MechanismState) -> None:
    wall = Wall(work=0.3)
    rbd.simulate(pendulum, 1.0, dt=0.1, realtime=Throttle(clock=wall.clock, sleep=wall.sleep))
    assert wall.naps == 0


@pytest.mark.parametrize("rate", [0.0, -1.0, float("nan")])
def test_rates_are_positive(pendulum: rbd.MechanismState, rate: float) -> None:
    with pytest.raises(ArgumentError, match="realtime"):
        rbd.simulate(pendulum, 0.1, realtime=rate)
