"""The trajectory that a viewer plays, if there is one."""

from __future__ import annotations

from collections.abc import Callable
from typing import final

from rbd.viz.player import Player


@final
class Playback:
    """Playback of trajectories: the player behind buttons and methods of a viewer; before the first one, nothing."""

    def __init__(self) -> None:
        """Begin without a player."""
        self.player: Player | None = None

    def begin(self, start: float, end: float, draw: Callable[[float, bool], None], speed: float) -> None:
        """Play from `start` to `end`, instead of the last trajectory."""
        self.close()
        self.player = Player(start, end, draw, speed)
        self.player.start()

    def halt(self) -> bool:
        """Stop without drawing; return whether there is a player."""
        if self.player is None:
            return False
        self.player.halt()
        return True

    def play(self, playing: bool) -> None:
        """Run, or stop."""
        if self.player is not None:
            self.player.play(playing)

    def scrub(self, t: float) -> None:
        """Stop at a time."""
        if self.player is not None:
            self.player.scrub(t)

    def set_speed(self, speed: float) -> None:
        """Run `speed` times as fast as real time."""
        if self.player is not None:
            self.player.set_speed(speed)

    def set_repeat(self, repeat: bool) -> None:
        """Begin again at the end."""
        if self.player is not None:
            self.player.set_repeat(repeat)

    def wait(self) -> None:
        """Wait until the player stands; raise what drawing has raised."""
        if self.player is not None:
            self.player.wait()
            if self.player.error is not None:
                raise self.player.error

    def close(self) -> None:
        """End the player."""
        if self.player is not None:
            self.player.close()
