"""Set-up of all tests: hypothesis profiles, caches, fixtures and the order of tests.

`quick` (the default) draws the same examples in every run, so that a failure in one place can be repeated in
another; `deep` draws new ones, many more: `HYPOTHESIS_PROFILE=deep pytest -m deep`; `few` is for runs that are traced.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Generator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from rbd import native
from rbd.native import executable
from tests import checkers, llvm_cache, optimisation

if TYPE_CHECKING:
    from tests.algorithms.helpers import Case

_COMMON = {"deadline": None, "suppress_health_check": (HealthCheck.too_slow, HealthCheck.data_too_large)}

settings.register_profile("quick", max_examples=50, derandomize=True, database=None, **_COMMON)
settings.register_profile("few", max_examples=5, derandomize=True, database=None, **_COMMON)
settings.register_profile("deep", max_examples=5000, derandomize=False, print_blob=True, **_COMMON)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))

_UNOPTIMISED = (
    *("tests/algorithms/", "tests/arguments/", "tests/cli/", "tests/compiled/", "tests/contact/", "tests/docs/"),
    *("tests/engine/", "tests/files/", "tests/gym/", "tests/mjcf/", "tests/native/codegen/", "tests/robots/"),
    *("tests/rollout/", "tests/simulation/"),
)
"""Tests of algorithms, and of what is done before LLVM or beside it. The marker `optimised` excepts a test, or
the tests of a file without `optimised(False)`."""

# Machine code made by tests stays out of the user's cache; the processes of one run share it.
if not os.environ.get("RBD_CACHE_DIR"):
    os.environ["RBD_CACHE_DIR"] = tempfile.mkdtemp(prefix="rbd-tests-")
    atexit.register(shutil.rmtree, os.environ["RBD_CACHE_DIR"], ignore_errors=True)

_CACHE = Path(os.environ["RBD_CACHE_DIR"])
_ROOT = Path(__file__).resolve().parents[1]
_WRITES_BYTECODE = not os.environ.pop("PYTHONDONTWRITEBYTECODE", "")
"""Whether byte code may be written beside the sources."""


def pytest_configure(config: pytest.Config) -> None:
    """Keep LLVM's output and byte code in pytest's cache directory; raise KeyboardInterrupt at SIGINT in any case."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # shells start processes in the background that way
        signal.signal(signal.SIGINT, signal.default_int_handler)
    cache = getattr(config, "cache", None)
    if not _WRITES_BYTECODE:  # processes that tests start would compile rbd, each time
        folder = _CACHE / "bytecode" if cache is None else cache.mkdir("bytecode")
        os.environ["PYTHONPYCACHEPREFIX"] = str(folder)
    if cache is not None:
        folder = cache.mkdir("llvm")
        llvm_cache.keep_in(folder)
        if not hasattr(config, "workerinput"):  # one process tidies up
            llvm_cache.forget_old(folder)


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Import a share of all test files: the other processes find its byte code, and need not rewrite its assertions."""
    number, count = (os.environ.get(f"PYTEST_XDIST_WORKER{name}", "").removeprefix("gw") for name in ("", "_COUNT"))
    if number and session.config.args_source is pytest.Config.ArgsSource.TESTPATHS:
        for path in sorted(_ROOT.glob("tests/**/test_*.py"))[int(number) :: int(count)]:
            with suppress(Exception, pytest.skip.Exception):  # collection reports it
                importlib.import_module(".".join(path.relative_to(_ROOT).with_suffix("").parts))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the type checkers first: they take longest, in one process; in each file, tests of optimised code first.

    Tests share compiled functions with the tests of their file that want the same level of optimisation.
    """
    places = {file: place for place, file in enumerate(dict.fromkeys(map(_file, items)))}

    def order(item: pytest.Item) -> tuple[bool, int, bool]:
        return "type_report" not in getattr(item, "fixturenames", ()), places[_file(item)], _is_unoptimised(item)

    items.sort(key=order)


def _file(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]


def _is_unoptimised(item: pytest.Item) -> bool:
    marker = item.get_closest_marker("optimised")
    return item.nodeid.startswith(_UNOPTIMISED) and (marker is None or marker.args == (False,))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Compile without LLVM's optimisation, except where machine code is tested, or runs for long.

    Each folder of tests has a cache of its own: to store an entry, rbd lists all.
    """
    os.environ["RBD_CACHE_DIR"] = str(_CACHE / item.path.parent.name)
    with optimisation.unoptimised() if _is_unoptimised(item) else optimisation.optimised():
        return (yield)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """Give each process neighbouring tests, which share fixtures of modules."""
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log) if config.getoption("dist") == "load" else None


@pytest.fixture(scope="session", params=[checkers.mypy, checkers.pyright], ids=["mypy", "pyright"])
def type_report(request: pytest.FixtureRequest) -> checkers.Report:
    """Report of a type checker on all files that tests check."""
    report: checkers.Report = request.param()
    return report


@pytest.fixture
def a_case() -> Case:
    """A state of a random tree of six joints, with passive torques."""
    from tests.algorithms.helpers import case  # takes a while, and most tests need no cases

    return case("tree", 1157, 6, True)


@pytest.fixture(autouse=True, scope="session")
def _live_states_compile_late() -> None:
    """Interpret programs of live states for longer, and faster: the processes of a test run share the processor."""
    executable.OPERATIONS_BEFORE_COMPILING = 250_000
    if native.available():
        native.use_fused_builtins()


@pytest.fixture(autouse=True, scope="module")
def _collector_skips_old_objects() -> None:
    """Exclude the objects of earlier modules from garbage collection, and collect less often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000)  # a recording makes thousands of objects that live on


@pytest.fixture(autouse=True, scope="module")
def _mpmath_precision_is_restored() -> Iterator[None]:
    """Check that a module restores the precision of mpmath, which is global."""
    yield
    mpmath = sys.modules.get("mpmath")
    assert mpmath is None or (mpmath.mp.prec, mpmath.iv.prec) == (53, 53)
