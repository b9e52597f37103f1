"""Monte Carlo studies by executors of clusters: Ray's tasks and processes of MPI, two workers, one of which is killed.

Needs the dependency group `clusters`.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

import rbd

pytestmark = pytest.mark.peers

STUDY = """
import os, signal, sys, time
from concurrent.futures import Executor
import numpy as np, rbd

def draw(rng):
    return {"q": rng.uniform(-3, 3, 2), "v": rng.standard_normal(2)}

def study(**settings):
    defaults = {"dt": 1e-2, "seed": 0, "cases": 200, "chunk": 1, "progress": False}
    return rbd.rollout.rollout(rbd.robots.double_pendulum(), draw, None, 0.5, **defaults | settings)

def worker(delay):
    time.sleep(delay)
    return os.getpid()

def killer(pids):
    def progress(done, total):
        if done >= 100 and pids:
            os.kill(pids.pop(), signal.SIGKILL)
    return progress
"""
RAY = """
import ray

class RayExecutor(Executor):
    def __init__(self):
        self._call = ray.remote(lambda function, *arguments, **named: function(*arguments, **named))

    def submit(self, function, /, *arguments, **named):
        return self._call.remote(function, *arguments, **named).future()

ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, _temp_dir=sys.argv[1])
executor = RayExecutor()
pids = sorted({task.result() for task in [executor.submit(worker, 0.2) for _ in range(8)]})
assert len(pids) == 2, pids
found = study(executor=executor, progress=killer([pids[0]]))
np.savez(sys.argv[2], q=found.q, v=found.v)
after = {task.result() for task in [executor.submit(worker, 0.2) for _ in range(8)]}
assert pids[0] not in after and len(after) == 2, (pids, after)
"""
MPI = """
from mpi4py.futures import MPIPoolExecutor

if __name__ == "__main__":
    with MPIPoolExecutor() as executor:
        pids = sorted(set(executor.map(worker, [0.2] * 8)))
        assert len(pids) == 2, pids
        progress = killer([pids[0]]) if sys.argv[3:] == ["kill"] else False
        found = study(executor=executor, folder=sys.argv[1], progress=progress)
    np.savez(sys.argv[2], q=found.q, v=found.v)
"""


def native() -> rbd.rollout.Rollouts:
    names: dict[str, object] = {}
    exec(STUDY, names)
    found: rbd.rollout.Rollouts = names["study"]()  # type: ignore[operator]  # the function of the source
    return found


def require_results(path: Path) -> None:
    """Raise unless a file has the bits of threads of this process."""
    wanted = native()
    with np.load(path) as found:
        for name in ("q", "v"):
            np.testing.assert_array_equal(found[name], getattr(wanted, name))


@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="Ray is not installed")
def test_ray_has_the_same_bits_though_a_worker_is_killed(tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory() as sockets:  # whose names must be shorter than those of tmp_path
        command = [sys.executable, "-c", STUDY + RAY, sockets, str(tmp_path / "found.npz")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    require_results(tmp_path / "found.npz")


@pytest.mark.skipif(importlib.util.find_spec("mpi4py") is None, reason="mpi4py is not installed")
@pytest.mark.skipif(
    shutil.which("mpiexec", path=str(Path(sys.executable).parent)) is None, reason="there is no mpiexec"
)
def test_mpi_has_the_same_bits_after_a_kill_ended_all_its_processes(tmp_path: Path) -> None:
    script, results = tmp_path / "study.py", tmp_path / "found.npz"
    script.write_text(STUDY + MPI)
    command = [Path(sys.executable).parent / "mpiexec", "-n", "3", sys.executable, "-m", "mpi4py.futures", script]
    command += [tmp_path / "cases", results]
    killed = subprocess.run([*command, "kill"], capture_output=True, text=True, check=False)
    assert killed.returncode != 0
    written = len(list((tmp_path / "cases").glob("cases-*.h5")))
    assert 100 <= written < 200
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    require_results(results)
