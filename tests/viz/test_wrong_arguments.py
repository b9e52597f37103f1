"""Wrong arguments of the viewer raise errors of rbd."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest

import rbd
from rbd import FreeVector, Point
from rbd.viz import Force, Viewer

from ..arguments.making import Good, World, world
from ..arguments.of_commands import command
from ..arguments.wrong import complaints

pytest.importorskip("viser", reason="the extra `viz` is not installed")


@pytest.fixture(scope="module")
def shown() -> Iterator[tuple[World, Viewer]]:
    w = world()
    with Viewer(w.m, port=0) as viewer:
        yield w, viewer


def made(mechanism: rbd.Mechanism, **options: Any) -> None:
    """Open a viewer, and close it."""
    with mock.patch("webbrowser.open"):
        Viewer(mechanism, **options).close()


def _push(w: World) -> list[Force]:
    return [Force(Point(w.m.root_frame, (0, 0, 1)), FreeVector(w.m.root_frame, (1, 0, 0)))]


METHODS: dict[str, Callable[[World], Good]] = {
    "show": lambda w: {"state": w.state, "forces": _push(w)},
    "layer": lambda w: {"name": "skeleton", "visible": False},
    "look": lambda w: {"position": (1, 1, 1), "target": (0, 0, 0)},
    "screenshot": lambda w: {"path": "a.png", "size": (4, 3), "timeout": 1.0},
    "record": lambda w: {
        "path": "a.gif",
        "trajectory": _moving(w),
        "rate": 100.0,
        "speed": 1.0,
        "forces": lambda t, state: (),
        "size": (4, 3),
        "timeout": 1.0,
    },
    "animate": lambda w: {"trajectory": _moving(w), "speed": 100.0, "forces": lambda t, state: ()},
}


def _moving(w: World) -> rbd.Trajectory:
    return rbd.simulate(w.state, 0.01, dt=0.01)


@pytest.mark.parametrize("name", METHODS)
def test_methods(name: str, shown: tuple[World, Viewer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures are drawn by nobody, but written."""
    w, viewer = shown
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Viewer, "_pixels", lambda *_, **__: np.zeros((3, 4, 3), dtype=np.uint8))

    def probe(_: World) -> tuple[Callable[..., object], Good]:
        return getattr(viewer, name), METHODS[name](w)

    found = list(complaints(f"Viewer.{name}", probe, lambda: w))
    assert not found, "\n".join(found)
    np.testing.assert_array_equal(viewer.show(w.state).q, w.state.q)


def test_wait_for_page(shown: tuple[World, Viewer], monkeypatch: pytest.MonkeyPatch) -> None:
    """With a page that is open, so that nothing waits."""
    w, viewer = shown
    monkeypatch.setattr(viewer._server, "get_clients", lambda: {0: None})
    found = list(complaints("Viewer.wait_for_page", lambda _: (viewer.wait_for_page, {"timeout": 1.0}), lambda: w))
    assert not found, "\n".join(found)


def test_every_parameter_is_spoiled(shown: tuple[World, Viewer]) -> None:
    spoiled = {name: set(good(shown[0])) for name, good in METHODS.items()} | {"wait_for_page": {"timeout"}}
    for name, method in inspect.getmembers(Viewer, inspect.isfunction):
        if not name.startswith("_"):
            assert set(inspect.signature(method).parameters) - {"self"} == spoiled.get(name, set())


def test_constructor(shown: tuple[World, Viewer]) -> None:
    w, _ = shown
    good: Good = {"shapes": None, "layers": ("skeleton",), "pixel_ratio": 0.5, "port": 0, "open_browser": False}
    found = [
        *complaints("Viewer", lambda _: (made, {"mechanism": w.m}), lambda: w),
        *complaints("Viewer", lambda _: (lambda **options: made(w.m, **options), good), lambda: w),
    ]
    assert not found, "\n".join(found)


VIEWED: Good = {
    "file": "arm.urdf",
    "package": "arm=.",
    "set": "shoulder=0.1",
    "trajectory": "none.npz",
    "rate": 2.0,
    "layers": "shapes",
    "pixel_ratio": 0.5,
    "port": 0,
    "duration": 0.01,
}


def sleep(seconds: float) -> None:
    """Raise what `time.sleep` does for what is no time, and return at once."""
    if not seconds <= threading.TIMEOUT_MAX:
        raise OverflowError("timestamp too large to convert to C PyTime_t")


@pytest.mark.parametrize("option", VIEWED)
def test_command(option: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wrong values of one option beside a file, of which the command shows a robot."""
    monkeypatch.setattr("webbrowser.open", lambda *_: True)
    monkeypatch.setattr("time.sleep", sleep)
    needed = {name: VIEWED[name] for name in ("file", "port", "duration")}
    view = partial(command, "view", **needed)
    found = list(complaints("rbd view", lambda _: (view, {option: VIEWED[option]}), world))
    assert not found, "\n".join(found)
