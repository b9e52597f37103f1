"""Order of the tests, and their distribution to processes."""

from __future__ import annotations

import importlib
import os
from contextlib import suppress
from pathlib import Path

import pytest

from tests.plugins.optimisation import level_of

_ROOT = Path(__file__).resolve().parents[2]


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Import a share of all test files: the other processes find its byte code, and need not rewrite its assertions."""
    number, count = (os.environ.get(f"PYTEST_XDIST_WORKER{name}", "").removeprefix("gw") for name in ("", "_COUNT"))
    if number and session.config.args_source is pytest.Config.ArgsSource.TESTPATHS:
        for path in sorted(_ROOT.glob("tests/**/test_*.py"))[int(number) :: int(count)]:
            with suppress(Exception, pytest.skip.Exception):  # collection reports it
                importlib.import_module(".".join(path.relative_to(_ROOT).with_suffix("").parts))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the type checkers first, which take longest in one process; group each file's tests by level.

    Tests of a file that have one level of optimisation share compiled functions.
    """
    places = {file: place for place, file in enumerate(dict.fromkeys(map(_file, items)))}

    def order(item: pytest.Item) -> tuple[bool, int, int]:
        return "type_report" not in getattr(item, "fixturenames", ()), places[_file(item)], -level_of(item)

    items.sort(key=order)


def _file(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """Give each process neighbouring tests, which share fixtures of modules."""
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log) if config.getoption("dist") == "load" else None
