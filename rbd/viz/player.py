"""Playback of a trajectory in real time, in a thread."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final, final

FRAME: Final = 1 / 60
"""Time between two frames (s)."""
_CATCH_UP: Final = 0.1
"""Largest delay of a frame that is not left out (s)."""


@final
class Player:
    """Clock from `start` to `end`, which calls `draw(t, playing)` sixty times a second while it runs.

    When drawing takes longer than that, frames are left out; the clock stays right.
    """

    def __init__(self, start: float, end: float, draw: Callable[[float, bool], None], speed: float) -> None:
        """Make a stopped clock; it draws nothing until `start`."""
        self._start, self._end, self._draw, self._speed = start, end, draw, speed
        self._t, self._t_set_at = start, time.perf_counter()
        self._playing, self._closed, self._frame_is_due, self._repeat = False, False, False, False
        self._is_drawing = False
        self.halted = False
        """Whether `halt` was the last call: then something else is shown."""
        self._lock = threading.RLock()
        self._change = threading.Condition(self._lock)
        """Entered by its lock: Ctrl-C inside `Condition.__enter__`, which is Python code, would leave that held."""
        self.frames = 0
        """Number of frames drawn."""
        self.error: Exception | None = None
        self._thread = threading.Thread(target=self._run, name="rbd player", daemon=True)

    def start(self) -> None:
        """Run, in a thread that ends with `close`."""
        with self._lock:
            self._set(self._start, True)
        self._thread.start()

    def halt(self) -> None:
        """Stop without drawing."""
        with self._lock:
            self._set(self._now(), False)
            self._frame_is_due, self.halted = False, True

    def play(self) -> None:
        """Run; from the start if it is at its end."""
        with self._lock:
            self.error = None
            self._set(self._start if self._now() >= self._end else self._now(), True)

    def pause(self) -> None:
        """Stop, and draw the frame of this time."""
        with self._lock:
            self._set(self._now(), False)

    def scrub(self, t: float) -> None:
        """Stop at a time, and draw its frame."""
        with self._lock:
            self._set(min(max(t, self._start), self._end), False)

    def set_speed(self, speed: float) -> None:
        """Run `speed` times as fast as real time."""
        with self._lock:
            self._set(self._now(), self._playing)
            self._speed = speed

    def set_repeat(self, repeat: bool) -> None:
        """Begin again at the end."""
        with self._lock:
            self._repeat = repeat

    def wait(self) -> None:
        """Wait until it has stopped and its last frame is drawn; raise what drawing has raised."""
        with self._lock:
            self._change.wait_for(lambda: self._closed or not (self._playing or self._frame_is_due or self._is_drawing))
        if self.error is not None:
            raise self.error

    def close(self) -> None:
        """End the thread."""
        with self._lock:
            self._closed = True
            self._change.notify_all()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(timeout=5.0)

    def _set(self, t: float, playing: bool) -> None:
        self._t, self._t_set_at, self._playing, self._frame_is_due = t, time.perf_counter(), playing, True
        self.halted = False
        self._change.notify_all()

    def _now(self) -> float:
        run = (time.perf_counter() - self._t_set_at) * self._speed if self._playing else 0.0
        return min(self._t + run, self._end)

    def _next(self) -> tuple[float, bool] | None:
        """Wait until there is something to draw; return the time and whether it runs on, None after `close`."""
        with self._lock:
            self._change.wait_for(lambda: self._closed or self._playing or self._frame_is_due)
            if self._closed:
                return None
            t = self._now()
            if self._playing and t >= self._end:
                self._set(self._start if self._repeat else self._end, self._repeat)
            self._frame_is_due, self._is_drawing = False, True
            return t, self._playing

    def _run(self) -> None:
        deadline = time.perf_counter()
        while (due := self._next()) is not None:
            try:
                self._draw(*due)
            except Exception as error:  # raised by `wait`
                self.error = error
                self.halt()
            self.frames += 1
            with self._lock:
                self._is_drawing = False
                self._change.notify_all()
            now = time.perf_counter()
            deadline = max(deadline + FRAME, now - _CATCH_UP)
            time.sleep(max(deadline - now, 0.0))
