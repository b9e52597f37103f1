"""Wrong arguments of the viewer raise errors of rbd."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

import numpy as np
import pytest

import rbd
from rbd import FreeVector, Point
from rbd.viz import Force, Viewer

from ..arguments.making import Good, World, world
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
    "animate": lambda w: {"trajectory": _moving(w), "speed": 100.0, "forces": lambda t, state: ()},
}


def _moving(w: World) -> rbd.Trajectory:
    return rbd.simulate(w.state, 0.01, dt=0.01)


@pytest.mark.parametrize("name", METHODS)
def test_methods(name: str, shown: tuple[World, Viewer]) -> None:
    w, viewer = shown

    def probe(_: World) -> tuple[Callable[..., object], Good]:
        return getattr(viewer, name), METHODS[name](w)

    found = list(complaints(f"Viewer.{name}", probe, lambda: w))
    assert not found, "\n".join(found)
    np.testing.assert_array_equal(viewer.show(w.state).q, w.state.q)


def test_constructor(shown: tuple[World, Viewer]) -> None:
    w, _ = shown
    good: Good = {"shapes": None, "layers": ("skeleton",), "pixel_ratio": 0.5, "port": 0, "open_browser": False}
    found = [
        *complaints("Viewer", lambda _: (made, {"mechanism": w.m}), lambda: w),
        *complaints("Viewer", lambda _: (lambda **options: made(w.m, **options), good), lambda: w),
    ]
    assert not found, "\n".join(found)
