"""docs/api/names.md lists what completion shows of the package, of a state and of a robot, each with what it is for."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

import rbd
from tests.docs.examples import ROOT

PAGE = (ROOT / "docs" / "api" / "names.md").read_text(encoding="utf-8")
SHOWN: dict[str, Callable[[], object]] = {
    "rbd": lambda: rbd,
    "state": lambda: rbd.MechanismState(rbd.robots.double_pendulum()),
    "robot": lambda: rbd.compile(rbd.robots.double_pendulum()),
}


@pytest.mark.parametrize("name", SHOWN)
def test_the_page_lists_what_completion_shows(name: str) -> None:
    section = PAGE.split(f"## `dir({name})`\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| (.*) \|$", section, re.MULTILINE)
    shown = [each for each in dir(SHOWN[name]()) if not each.startswith("_")]
    assert [each for each, _ in rows] == shown
    assert all(len(reason) > 5 for _, reason in rows)


def test_every_name_shown_is_there() -> None:
    for thing in (make() for make in SHOWN.values()):
        assert all(hasattr(thing, name) for name in dir(thing) if name != "viz")


def test_scalar_states_show_no_engine_either() -> None:
    names = set(dir(rbd.MechanismState(rbd.robots.double_pendulum()).with_scalars()))
    assert {"twist", "q", "configuration"} <= names
    assert not names & {"engine", "layout", "lifted", "vector", "links"}
