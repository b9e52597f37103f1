# pyright: basic
from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rbd
from rbd.errors import ArgumentError, MissingPackageError, NotFiniteError, ShapeError
from rbd.rollout import Rollouts, Worlds, rollout
from rbd.rollout.cases import CaseInputs, Cases
from tests.rollout.samples import LEGS, MECHANISM, STANCE, ground, servo

MODEL, CONTROL = ground(), servo()
FALLEN = rbd.record(lambda state: 0.15 - state.q[6], MECHANISM)
PENDULUM = rbd.robots.double_pendulum()


def start(rng: np.random.Generator) -> dict[str, Any]:
    q = STANCE.copy()
    q[6] += rng.uniform(0.0, 0.05)
    return {
        "q": q,
        "v": 0.3 * rng.standard_normal(18),
        "action": LEGS + 0.2 * rng.standard_normal(12),
        "contact_friction": rng.uniform(0.3, 1.0),
    }


def study(**settings: Any) -> Rollouts:
    defaults: dict[str, Any] = {"dt": 2e-3, "seed": 5, "cases": 20, "every": 0.02, "chunk": 6, "progress": False}
    defaults |= {"collision_model": MODEL, "friction": 0.7, "stop": FALLEN}
    return rollout(MECHANISM, start, CONTROL, 0.1, **defaults | settings)


@pytest.fixture(scope="module")
def reference() -> Rollouts:
    return study()


def require_equal(found: Rollouts, wanted: Rollouts) -> None:
    for name in ("t", "q", "v", "end_time", "status", "stopped"):
        assert np.array_equal(getattr(found, name), getattr(wanted, name)), name


def swings(**settings: Any) -> Rollouts:
    def draw(rng: np.random.Generator) -> dict[str, Any]:
        return {"q": rng.uniform(-3, 3, 2), "v": rng.standard_normal(2)}

    defaults: dict[str, Any] = {"dt": 1e-2, "seed": 0, "cases": 10, "chunk": 3, "progress": False}
    return rollout(PENDULUM, draw, None, 0.5, **defaults | settings)


def test_results_have_the_bits_of_worlds(reference: Rollouts) -> None:
    assert reference.q.shape == (20, 6, 19)
    assert not reference.status.any()
    worlds = Worlds(MECHANISM, MODEL, count=20, dt=2e-3, control=CONTROL, friction=0.7, parameters=["contact_friction"])
    starts = [reference.start(k) for k in range(20)]
    q, v, actions, friction = (np.array([x[name] for x in starts]) for name in starts[0])
    worlds.reset(None, q, v, contact_friction=friction)
    worlds.step(actions, 50)
    assert np.array_equal(reference.q[:, -1], worlds.q)
    assert np.array_equal(reference.v[:, -1], worlds.v)


@pytest.mark.parametrize("chunk", [1, 7, 64])
def test_results_do_not_depend_on_the_chunks(reference: Rollouts, chunk: int) -> None:
    require_equal(study(chunk=chunk), reference)


def test_threads_and_processes_have_the_same_bits(reference: Rollouts) -> None:
    with ThreadPoolExecutor(2) as threads:
        require_equal(study(executor=threads), reference)
    require_equal(study(executor="processes"), reference)


def test_any_case_is_replayed_with_the_same_bits(reference: Rollouts) -> None:
    for case in (0, 8, 19):
        trajectory = reference.replay(case)
        assert len(trajectory) == 51
        assert np.array_equal(trajectory.q[::10], reference.q[case])
        assert np.array_equal(trajectory.v[::10], reference.v[case])


def test_seeds_belong_to_cases() -> None:
    few, many = swings(cases=4), swings(cases=12)
    assert np.array_equal(few.q, many.q[:4])
    assert not np.array_equal(swings(seed=1).q, swings().q)
    assert len(np.unique(many.q[:, 0], axis=0)) == 12


def test_stopped_and_failed_cases() -> None:
    stop = rbd.record(lambda state: state.q[0] - 1.0, PENDULUM)
    v = np.array([[5.0, 0.0], [0.0, 0.0], [1e200, 0.0]])
    found = rollout(PENDULUM, {"v": v}, None, 1.0, dt=1e-2, seed=0, stop=stop, every=0.1, chunk=2, progress=False)
    assert found.stopped.tolist() == [True, False, False]
    assert (found.status != 0).tolist() == [False, False, True]
    assert found.explain(2).startswith("in step 0: ")
    assert found.explain(0) == "no error"
    assert found.end_time[1] == 1.0
    assert found.end_time[2] == 0.0
    assert 0.1 < found.end_time[0] < 0.5
    trajectory = found.replay(0)
    assert trajectory.t[-1] == found.end_time[0]
    assert trajectory.q[-1, 0] > 1.0 >= trajectory.q[-2, 0]
    assert np.array_equal(found.q[0, -1], trajectory.q[-1])
    assert np.isfinite(found.q).all()
    assert repr(found) == "<rollouts of 3 cases to t = 1 s, 1 failed>"


def test_progress_counts_cases() -> None:
    seen: list[tuple[float, float | None]] = []
    swings(progress=lambda done, total: seen.append((done, total)))
    assert seen == [(0, 10), (3, 10), (6, 10), (9, 10), (10, 10)]


def test_changes_of_chunks_do_not_change_the_results() -> None:
    found = swings(progress=False)
    next(found.chunks())["q"][:] = 7.0
    assert not (found.q == 7.0).any()


def test_a_folder_has_the_same_results(tmp_path: Path, reference: Rollouts) -> None:
    found = study(folder=tmp_path / "study")
    require_equal(found, reference)
    assert sorted(path.name for path in (tmp_path / "study").iterdir()) == [
        *(f"cases-{k:06d}.h5" for k in range(4)),
        "study.json",
    ]
    stamps = {path: path.stat().st_mtime_ns for path in (tmp_path / "study").iterdir()}
    require_equal(study(folder=tmp_path / "study"), reference)
    assert stamps == {path: path.stat().st_mtime_ns for path in (tmp_path / "study").iterdir()}
    (tmp_path / "study" / "cases-000002.h5").unlink()
    require_equal(study(folder=tmp_path / "study"), reference)
    assert [len(chunk["q"]) for chunk in found.chunks()] == [6, 6, 6, 2]
    trajectory = found.replay(13)
    assert np.array_equal(trajectory.q[-1], reference.q[13, -1])


@pytest.mark.parametrize("folder", [False, True])
def test_a_run_draws_each_case_once(tmp_path: Path, folder: bool) -> None:
    drawn = list[float]()

    def counted(rng: np.random.Generator) -> dict[str, Any]:
        drawn.append(rng.uniform(-1.0, 1.0))
        return {"q": [drawn[-1], 0.0]}

    path = tmp_path if folder else None
    found = rollout(PENDULUM, counted, None, 0.1, dt=1e-2, seed=0, cases=4, folder=path, progress=False)
    assert len(drawn) == 1 + 4  # the first one for the names
    assert found.q[:, 0, 0].tolist() == drawn[1:]


def test_a_folder_refuses_another_study(tmp_path: Path) -> None:
    swings(folder=tmp_path)
    for settings, name in (({"dt": 2e-2}, "dt, every, step, steps"), ({"seed": 3}, "seed"), ({"cases": 12}, "cases")):
        with pytest.raises(ArgumentError, match=f"differs in .*{name}"):
            swings(folder=tmp_path, **settings)
    with pytest.raises(ArgumentError, match="differs in"):
        rollout(PENDULUM, {"q": np.zeros((10, 2))}, None, 0.5, dt=1e-2, seed=7, folder=tmp_path, progress=False)
    with pytest.raises(ArgumentError, match="other initial states"):
        rollout(
            PENDULUM, {"q": np.zeros((10, 2))}, None, 0.5, dt=1e-2, seed=0, chunk=3, folder=tmp_path, progress=False
        )


KILLED = """
import os, sys
import numpy as np, rbd

def draw(rng):
    return {"q": rng.uniform(-3, 3, 2), "v": rng.standard_normal(2)}

def stop_half_way(done, total):
    if done >= 5:
        os.kill(os.getpid(), 9)

rbd.rollout.rollout(rbd.robots.double_pendulum(), draw, None, 0.5, dt=1e-2, seed=0, cases=10, chunk=3,
                    folder=sys.argv[1], progress=stop_half_way)
"""


def test_a_killed_study_is_resumed(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL
    assert len(list(tmp_path.glob("cases-*.h5"))) == 2
    counted: list[float] = []
    found = swings(folder=tmp_path, progress=lambda done, total: counted.append(done))
    assert counted == [6, 9, 10]
    require_equal(found, swings())


def test_a_study_goes_on_after_an_interrupt(tmp_path: Path) -> None:
    def interrupt(done: float, total: float | None) -> None:
        if done >= 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        swings(folder=tmp_path, progress=interrupt)
    require_equal(swings(folder=tmp_path), swings())


def test_worker_processes_that_die_are_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    pools: list[ProcessPoolExecutor] = []
    killed: list[int] = []

    def pool(*arguments: Any) -> ProcessPoolExecutor:
        pools.append(ProcessPoolExecutor(*arguments))
        return pools[-1]

    def kill_one(done: float, total: float | None) -> None:
        if done and not killed:  # once: the pool may take a while to see it
            killed.append(next(iter(pools[0]._processes)))
            os.kill(killed[0], signal.SIGKILL)

    monkeypatch.setattr("rbd.rollout.chunks.ProcessPoolExecutor", pool)
    found = swings(executor="processes", cases=400, chunk=1, progress=kill_one)
    assert len(pools) == 2
    monkeypatch.undo()
    require_equal(found, swings(cases=400, chunk=64))


@pytest.mark.filterwarnings("ignore")  # distributed warns of ports and of the worker that is killed
def test_a_cluster_has_the_same_bits_though_a_worker_is_killed(reference: Rollouts, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed", reason="the cluster is the one of dask")
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    killed: list[int] = []
    with distributed.LocalCluster(**options, local_directory=str(tmp_path)) as cluster:
        pids = [worker.pid for worker in cluster.workers.values()]

        def kill_one(done: float, total: float | None) -> None:
            if done >= 10 and not killed:
                os.kill(pids[0], signal.SIGKILL)
                killed.append(pids[0])
                time.sleep(0.1)

        with distributed.Client(cluster) as client:
            found = study(executor=client.get_executor(), chunk=1, progress=kill_one)
        require_equal(found, reference)
        require_equal(study(executor=cluster.scheduler_address), reference)
    assert len(killed) == 1


def test_exceptions_of_executors_are_not_lost() -> None:
    class Broken(ThreadPoolExecutor):
        def submit(self, *arguments: Any, **named: Any) -> Any:
            return super().submit(lambda: 1 / 0)

    with Broken(1) as pool, pytest.raises(ZeroDivisionError):
        swings(executor=pool)


def test_without_cases() -> None:
    found = rollout(PENDULUM, (np.zeros((0, 2)), np.zeros((0, 2))), None, 0.1, dt=1e-2, seed=0, progress=False)
    assert (len(found), found.q.shape, found.status.shape) == (0, (0, 2, 2), (0,))


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "h5py", None)
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingPackageError, match=r"rbd\[data\]"):
        swings(folder=tmp_path)
    with pytest.raises(MissingPackageError, match=r"rbd\[cluster\]"):
        swings(executor="tcp://127.0.0.1:1")


def test_arguments_are_checked() -> None:
    zeros = np.zeros((3, 2))
    wrong: list[tuple[type[Exception], str, Any, dict[str, Any]]] = [
        (ArgumentError, "cases must be", lambda rng: {}, {}),
        (ArgumentError, "no use for 'speed'", {"speed": zeros}, {}),
        (ArgumentError, "initial_states must be", 3.0, {}),
        (ShapeError, "v of initial_states has 2 rows", (zeros, zeros[:2]), {}),
        (ShapeError, "q of initial_states has 3 rows", (zeros, zeros), {"cases": 4}),
        (ShapeError, "q has shape", {"q": np.zeros((3, 5))}, {}),
        (NotFiniteError, r"q\[1, 0\]", {"q": [[0, 0], [np.nan, 0]]}, {}),
        (ArgumentError, "executor must be", {"q": zeros}, {"executor": "threads"}),
        (ArgumentError, "chunk", {"q": zeros}, {"chunk": 0}),
        (ArgumentError, "every", {"q": zeros}, {"every": 0.0}),
        (ArgumentError, "final_time", {"q": zeros}, {"final_time": -1.0}),
        (ArgumentError, "seed", {"q": zeros}, {"seed": -1}),
        (ArgumentError, "contact_friction", {"q": zeros, "contact_friction": [1.0] * 3}, {}),
    ]
    defaults: dict[str, Any] = {"final_time": 0.1, "dt": 1e-2, "seed": 0, "progress": False}
    for error, message, initial, settings in wrong:
        with pytest.raises(error, match=message):
            rollout(PENDULUM, initial, None, **defaults | settings)
    control = rbd.record(lambda state: [0, 0], PENDULUM)
    with pytest.raises(ArgumentError, match="takes none"):
        rollout(PENDULUM, {"action": zeros}, control, **defaults)
    draws = iter([{"q": zeros[0], "v": zeros[0]}] * 3 + [{"q": zeros[0]}])
    with pytest.raises(ArgumentError, match=r"contact_friction is 1e\+300, .* 0 to 100"):
        rollout(MECHANISM, {"contact_friction": [1.0, 1e300]}, None, **defaults, collision_model=MODEL, friction=0.7)
    with pytest.raises(ArgumentError, match="draws q for case 2"):
        rollout(PENDULUM, lambda rng: next(draws), None, **defaults, cases=3)


def test_errors_of_drawn_parameters_name_the_case() -> None:
    robot = rbd.compile(MECHANISM, ["damping"])
    ports, nominal = robot.function("forward_dynamics").outline.inputs, robot.parameters["damping"]
    drawn = CaseInputs(Cases(lambda rng: {"damping": nominal + rng.uniform()}, 9, 1), ports, MECHANISM)
    assert len(drawn.rows(4, 3)["damping"]) == 3
    signs = iter([1, 1, 1, -1, 1])  # the first draw is a look at the names
    wrong = CaseInputs(Cases(lambda _: {"damping": nominal + next(signs)}, 9, 1), ports, MECHANISM)
    with pytest.raises(ArgumentError, match="in row 6 of the batch") as caught:
        wrong.rows(4, 3)
    assert caught.value.row == 6
