"""Player: waiting includes the last frame, errors end with the playback that met them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing

import pytest

from rbd.viz.player import Player

LONG = 60.0
"""Time after which something that should have happened has not (s)."""


def test_a_player_stands_until_it_is_started() -> None:
    player = Player(0.0, 1.0, lambda t, runs: None, 1.0)
    player.halt()
    player.wait()
    player.close()
    assert player.frames == 0


@pytest.fixture
def release() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


def test_waiting_includes_the_last_frame(release: threading.Event) -> None:
    drawing, has_waited = threading.Event(), threading.Event()

    def draw(t: float, runs: bool) -> None:
        if not runs:
            drawing.set()
            assert release.wait(LONG)

    def wait() -> None:
        player.wait()
        has_waited.set()

    player = Player(0.0, 0.01, draw, 1.0)
    with closing(player):
        player.start()
        assert drawing.wait(LONG)
        threading.Thread(target=wait, daemon=True).start()
        assert not has_waited.wait(0.3)
        release.set()
        assert has_waited.wait(LONG)


def test_a_new_playback_forgets_the_error_of_the_last_one() -> None:
    broken = [True]

    def draw(t: float, runs: bool) -> None:
        if broken:
            raise ValueError("no picture")

    player = Player(0.0, 0.01, draw, 1.0)
    with closing(player):
        player.start()
        with pytest.raises(ValueError, match="no picture"):
            player.wait()
        broken.clear()
        player.play()
        player.wait()
        assert player.error is None
