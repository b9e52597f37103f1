"""Elements of playback on the panel, without a browser: button, time slider, speed, repetition."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import rbd
from rbd.viz import Viewer
from rbd.viz.player import Player
from tests.viz.chromium import eventually
from tests.viz.pages import uniform_motion

pytest.importorskip("viser", reason="the extra `viz` is not installed")

LONG = 60.0
"""Time after which something that should have happened has not (s)."""
SLOW = 1e-6
"""Speed of a playback that a test does not see move."""


@pytest.fixture
def arm() -> rbd.Mechanism:
    return rbd.robots.arm7()


@pytest.fixture
def viewer(arm: rbd.Mechanism) -> Iterator[Viewer]:
    with Viewer(arm, port=0) as made:
        yield made.animate(uniform_motion(arm), speed=SLOW)


def element(viewer: Viewer, name: str) -> Any:
    """Return an element of the viewer's playback."""
    return getattr(viewer._panel._playback, name)  # pyright: ignore[reportPrivateUsage]


def change(viewer: Viewer, name: str, value: object = None) -> None:
    """Set an element of the viewer's playback as a browser does."""
    from viser import GuiEvent

    changed = element(viewer, name)
    if value is not None:
        changed._impl.value = value
    for act in changed._impl.update_cb:
        act(GuiEvent(client=None, client_id=1, target=changed))


def wait_until_it_stands(viewer: Viewer) -> None:
    player = viewer._player  # pyright: ignore[reportPrivateUsage]
    assert eventually(lambda: not player._playing)  # pyright: ignore[reportPrivateUsage]
    viewer.wait_for_motion()


@pytest.mark.parametrize(("t", "shown"), [(0.25, 0.25), (1.0, 1.0), (-3.0, 0.0), (7.0, 1.0)])
def test_the_time_slider_stops_at_a_time_and_shows_it(
    viewer: Viewer, arm: rbd.Mechanism, t: float, shown: float
) -> None:
    change(viewer, "time", t)
    wait_until_it_stands(viewer)
    np.testing.assert_allclose(viewer.q, [shown] * 7, rtol=0, atol=1e-15)
    state = rbd.MechanismState(arm, viewer.q)
    drawn: Any = viewer._scene._bodies[arm.bodies.index(arm.body("link7"))].position  # pyright: ignore[reportPrivateUsage]
    np.testing.assert_allclose(drawn, state.transform_to_root("link7").translation, rtol=0, atol=1e-12)
    assert element(viewer, "button").label == "Play"
    assert element(viewer, "time").value == shown
    assert [slider.value for _, slider in viewer._panel._sliders] == viewer.q.tolist()  # pyright: ignore[reportPrivateUsage]


def test_the_button_plays_on_from_where_the_slider_is(viewer: Viewer) -> None:
    change(viewer, "time", 0.5)
    wait_until_it_stands(viewer)
    change(viewer, "speed", "4")
    change(viewer, "button")
    wait_until_it_stands(viewer)
    np.testing.assert_array_equal(viewer.q, [1.0] * 7)
    assert element(viewer, "button").label == "Play"


def test_a_new_speed_begins_where_the_playback_is() -> None:
    """A clock of a large speed that had begun at zero would be behind the end."""
    drawn, moved = list[float](), threading.Event()

    def draw(t: float, playing: bool) -> None:
        drawn.append(t)
        moved.set()

    player = Player(0.0, 1.0, draw, 1e-9)
    with closing(player):
        player.start()
        assert moved.wait(LONG)
        player.scrub(0.5)
        player.play()
        player.set_speed(1e-6)
        moved.clear()
        assert moved.wait(LONG)
        assert 0.5 <= drawn[-1] < 0.51
        player.set_speed(1e6)
        player.wait()
        assert drawn[-1] == 1.0


def test_repetition_begins_again_until_it_is_switched_off(viewer: Viewer) -> None:
    player = viewer._player  # pyright: ignore[reportPrivateUsage]
    times, again, draw = list[float](), threading.Event(), player._draw  # pyright: ignore[reportPrivateUsage]

    def told(t: float, playing: bool) -> None:
        times.append(t)
        draw(t, playing)
        if sum(later < earlier for earlier, later in pairwise(times)) >= 2:
            again.set()

    player._draw = told  # pyright: ignore[reportPrivateUsage]
    change(viewer, "repeat", True)
    change(viewer, "speed", "4")
    assert again.wait(LONG)
    change(viewer, "repeat", False)
    wait_until_it_stands(viewer)
    np.testing.assert_array_equal(viewer.q, [1.0] * 7)


def test_values_that_the_program_sets_call_no_action(viewer: Viewer) -> None:
    player = viewer._player  # pyright: ignore[reportPrivateUsage]
    element(viewer, "time").value = 0.75
    element(viewer, "speed").value = "4"
    element(viewer, "repeat").value = True
    assert (player._playing, player._speed, player._repeat) == (True, SLOW, False)  # pyright: ignore[reportPrivateUsage]
    assert viewer.q[0] < 0.5


def test_a_second_playback_has_elements_of_its_own(viewer: Viewer, arm: rbd.Mechanism) -> None:
    first = element(viewer, "time")
    motion = uniform_motion(arm)
    viewer.animate(rbd.Trajectory(motion.t + 5.0, motion.q, motion.v), speed=SLOW)
    second = element(viewer, "time")
    assert first._impl.removed
    assert (second.min, second.max) == (5.0, 6.0)
    change(viewer, "time", 5.5)
    wait_until_it_stands(viewer)
    np.testing.assert_allclose(viewer.q, [0.5] * 7, rtol=0, atol=1e-15)
