"""How far along a long job is: one small protocol, shown by tqdm when installed and by a plain line otherwise.

May import: nothing of rbd but `errors`.
"""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol, final

_REDRAW_AFTER = 0.1  # seconds
_WIDTH = 30


class Progress(Protocol):
    """What a long job tells about itself."""

    def advance(self, steps: int = 1) -> None:
        """Report that `steps` more are done."""
        ...


@contextmanager
def progress_bar(total: int, label: str, enabled: bool = True) -> Iterator[Progress]:
    """Show a bar for `total` steps on the error stream while the block runs; nothing at all unless `enabled`.

    >>> from rbd.progress import progress_bar
    >>> with progress_bar(3, "count", enabled=False) as bar:
    ...     for _ in range(3):
    ...         bar.advance()
    """
    if not enabled:
        yield _Silent()
        return
    bar = _make_bar(total, label)
    try:
        yield bar
    finally:
        bar.close()


@final
class _Silent:
    """No bar."""

    def advance(self, steps: int = 1) -> None:
        """Report nothing."""


@final
class _Tqdm:
    """A bar of tqdm's."""

    def __init__(self, tqdm: Any, total: int, label: str) -> None:
        self._bar = tqdm(total=total, desc=label, file=sys.stderr, leave=True)

    def advance(self, steps: int = 1) -> None:
        self._bar.update(steps)

    def close(self) -> None:
        self._bar.close()


@final
class _Line:
    """One line of text, drawn again at most ten times a second."""

    def __init__(self, total: int, label: str) -> None:
        self._total = total
        self._label = label
        self._done = 0
        self._drawn = time.monotonic() - _REDRAW_AFTER

    def advance(self, steps: int = 1) -> None:
        self._done += steps
        if time.monotonic() - self._drawn >= _REDRAW_AFTER:
            self._draw()

    def close(self) -> None:
        self._draw()
        sys.stderr.write("\n")
        sys.stderr.flush()

    def _draw(self) -> None:
        share = self._done / self._total if self._total else 1.0
        filled = "#" * int(_WIDTH * share)
        sys.stderr.write(f"\r{self._label}: [{filled:<{_WIDTH}}] {self._done}/{self._total}")
        sys.stderr.flush()
        self._drawn = time.monotonic()


def _make_bar(total: int, label: str) -> _Tqdm | _Line:
    try:
        return _Tqdm(importlib.import_module("tqdm").tqdm, total, label)
    except ImportError:
        return _Line(total, label)
