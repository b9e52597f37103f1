"""What runs around the tests, and fixtures of several folders.

Tests run in random order, in several processes, and share what is costly. Each plugin of pytest in `tests/plugins` does
one thing, for one reason:

hypothesis_profiles  examples of property tests: the same ones in every run, so that a failure can be repeated
process_settings     what is set once per process: Ctrl-C, compilation in the background, garbage collection
disk_caches          rbd's cache is empty in every run, so that it is tested and the user's stays untouched
llvm_cache           LLVM's object code of earlier runs: LLVM takes most of the time of a first run
optimisation         LLVM's level: 0 is four times as fast; the marker `optimised` asks for 1, which users have
order                neighbouring tests stay together, since they share fixtures and compiled functions
few_cases            fewer cases, for runs that are traced (only with `-p tests.plugins.few_cases`)

Beside this file are modules that tests import:

counting             counts of calls, in the place of times
deep                 the length of long runs
marks, browser       marks of tests that need machine code or Chromium
background           stand-ins for the thread that compiles in the background
checkers             runs of mypy and pyright
collada_files        mesh files
architecture         rules of test_architecture
interrupted_calls    calls of test_interrupted_calls
mixed_calls          the process of test_mixed_calls
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests import checkers

if TYPE_CHECKING:
    from tests.algorithms.helpers import Case

pytest_plugins = [
    "tests.plugins.hypothesis_profiles",
    "tests.plugins.process_settings",
    "tests.plugins.disk_caches",
    "tests.plugins.llvm_cache",
    "tests.plugins.optimisation",
    "tests.plugins.order",
]


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
