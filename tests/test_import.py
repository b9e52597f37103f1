"""`import rbd` is fast and changes no global state of the process."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import rbd

HEAVY = ["scipy", "matplotlib", "sympy", "mpmath", "tqdm", "daqp", "viser", "trimesh", "dask", "hypothesis", "jax"]
HEAVY += ["torch", "gymnasium", "h5py", "pandas", "asyncio", "concurrent.futures.process", "multiprocessing"]
HEAVY += ["numpy.ma", "difflib"]

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


def test_the_snapshot_of_global_state_detects_changes() -> None:
    meddle = "numpy.seterr(all='ignore'); warnings.simplefilter('error'); logging.getLogger('rbd'); numpy.random.rand()"
    report = "print(json.dumps([k for k, v in snapshot().items() if v != before[k]]))"
    assert run(f"{SNAPSHOT}\n{meddle}\n{report}") == ["numpy errors", "numpy random", "warnings", "loggers"]


def test_import_loads_no_large_packages() -> None:
    core = "import attrs, networkx, numpy, typing_extensions; already = set(sys.modules)"
    code = f"import json, sys; {core}; import rbd; print(json.dumps(sorted(set(sys.modules) - already)))"
    loaded = run(code)
    assert isinstance(loaded, list)
    assert "rbd.errors" in loaded
    assert [name for name in HEAVY if name in loaded] == []


LATER = [
    "algorithms",
    "compiled",
    "intrinsics",
    "program",
    "simulation",
    "solvers",
    "state",
    "urdf",
    "robots",
    "contact",
]


def test_import_loads_only_modules_of_mechanisms() -> None:
    modules = "sorted(name for name in sys.modules if name.startswith('rbd.'))"
    loaded = run(f"import json, sys, rbd; print(json.dumps({modules}))")
    assert isinstance(loaded, list)
    assert [name for name in loaded if name.split(".")[1] in LATER] == []
    assert {
        "rbd.native.runtime.jit",
        "rbd.native.runtime.outline_cache",
        "rbd.joints.revolute",
        "rbd.joints.screw",
    }.isdisjoint(loaded)
    assert len(loaded) <= 81


def test_live_states_import_their_modules_without_the_compiler() -> None:
    make = "rbd.MechanismState(rbd.Mechanism())"
    code = f"import json, sys, rbd; {make}; print(json.dumps(sorted(n for n in sys.modules if n.startswith('rbd.'))))"
    loaded = run(code)
    assert isinstance(loaded, list)
    assert "rbd.recorder.kernel_cache" in loaded
    assert [name for name in loaded if name.split(".")[1] in ("algorithms", "compiled", "simulation", "urdf")] == []
    assert "rbd.native.runtime.jit" not in loaded


def test_control_laws_import_no_simulation() -> None:
    code = "import json, sys, rbd; rbd.pd, rbd.PDGains, rbd.SE3PDGains; print(json.dumps(sorted(sys.modules)))"
    loaded = run(code)
    assert isinstance(loaded, list)
    assert "rbd.control.pd" in loaded
    assert [name for name in loaded if name.startswith("rbd.simulation")] == []


INSIDE = {"compiled", "intrinsics", "program", "state"}
"""Packages whose names for users are all in `rbd` itself: completion leaves them out."""


@pytest.mark.parametrize("name", [*rbd.__all__, *LATER, "compile"])
def test_every_lazy_name_is_listed_and_importable(name: str) -> None:
    assert name in dir(rbd) or name in INSIDE
    found = getattr(rbd, name)
    module = sys.modules[f"rbd.{name}" if f"rbd.{name}" in sys.modules else getattr(found, "__module__", "rbd")]
    assert found is module or found is getattr(module, name)


def test_names_can_be_imported_in_any_order_in_new_processes() -> None:
    names = [*rbd.__all__, *LATER, "compile"]
    for order in (names, names[::-1]):
        lines = "; ".join(f"from rbd import {name}" for name in order)
        assert run(f"import json; {lines}; from rbd import *; print(json.dumps(callable(dynamics)))") is True


def test_unknown_names_are_refused_without_importing() -> None:
    asked = "[hasattr(rbd, 'nothing'), 'rbd.algorithms' in sys.modules]"
    assert run(f"import json, sys, rbd; print(json.dumps({asked}))") == [False, False]


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
