"""`import rbd` is light and changes nothing of the process it comes into."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = ["scipy", "matplotlib", "sympy", "mpmath", "tqdm", "daqp", "viser", "trimesh", "dask", "hypothesis", "jax"]
HEAVY += ["torch", "gymnasium", "h5py", "pandas", "asyncio", "concurrent.futures.process", "multiprocessing"]

# What a library must leave alone. The core dependencies are imported first: what they do is theirs.
SNAPSHOT = """
import attrs, json, locale, logging, networkx, numpy, os, random, signal, sys, typing_extensions, warnings

def snapshot():
    return {
        "numpy errors": numpy.geterr(),
        "numpy printing": repr(sorted(numpy.get_printoptions().items(), key=repr)),
        "numpy random": repr(numpy.random.get_state()),
        "random": hash(random.getstate()),
        "warnings": repr(warnings.filters),
        "logging": [logging.root.level, len(logging.root.handlers), logging.raiseExceptions],
        "loggers": sorted(n for n in logging.root.manager.loggerDict if n.startswith("rbd")),
        "signals": repr([signal.getsignal(s) for s in sorted(signal.valid_signals())]),
        "hooks": repr([sys.excepthook, sys.displayhook, sys.unraisablehook, sys.path_hooks, sys.meta_path]),
        "recursion": sys.getrecursionlimit(),
        "environment": sorted(os.environ.items()),
        "path": list(sys.path),
        "locale": locale.setlocale(locale.LC_ALL),
        "directory": os.getcwd(),
    }

before = snapshot()
"""


def run(code: str) -> object:
    """Run a program in an interpreter of its own and return what it prints as JSON."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return json.loads(done.stdout)


def test_import_changes_no_global_state() -> None:
    report = "print(json.dumps([k for k, v in snapshot().items() if v != before[k]]))"
    assert run(f"{SNAPSHOT}\nimport rbd\n{report}") == []


def test_the_snapshot_sees_changes() -> None:
    meddle = "numpy.seterr(all='ignore'); warnings.simplefilter('error'); logging.getLogger('rbd'); numpy.random.rand()"
    report = "print(json.dumps([k for k, v in snapshot().items() if v != before[k]]))"
    assert run(f"{SNAPSHOT}\n{meddle}\n{report}") == ["numpy errors", "numpy random", "warnings", "loggers"]


def test_import_loads_nothing_heavy() -> None:
    core = "import attrs, networkx, numpy, typing_extensions; already = set(sys.modules)"
    code = f"import json, sys; {core}; import rbd; print(json.dumps(sorted(set(sys.modules) - already)))"
    loaded = run(code)
    assert isinstance(loaded, list)
    assert "rbd.errors" in loaded
    assert [name for name in HEAVY if name in loaded] == []


def test_import_starts_no_thread() -> None:
    code = "import json, rbd, threading; print(json.dumps(threading.active_count()))"
    assert run(code) == 1


@pytest.mark.bench
def test_import_time_is_that_of_the_dependencies() -> None:
    def seconds(what: str) -> float:
        code = f"import json, time; t = time.perf_counter(); import {what}; print(json.dumps(time.perf_counter() - t))"
        times = [run(code) for _ in range(7)]
        return min(t for t in times if isinstance(t, float))

    assert seconds("rbd") <= 1.25 * seconds("attrs, networkx, numpy, typing_extensions")
