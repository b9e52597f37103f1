"""Progress reporting: the protocol `Progress` and progress bars."""

from __future__ import annotations

import importlib
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Any, Protocol, Self, TypeAlias, final, runtime_checkable

from typing_extensions import override

from rbd.arguments import require_callable

_INTERVAL = 0.1
_WIDTH = 30
_BROKEN = OSError, ValueError, AttributeError
"""Errors of streams that are full, or closed, or None, which Python has for those closed before its start."""


@runtime_checkable
class Progress(Protocol):
    """Protocol of progress reporters, which are context managers."""

    def update(self, n: float = 1) -> object:
        """Report that `n` more units are done."""
        ...

    def close(self) -> object:
        """Finish."""
        ...

    def __enter__(self) -> Progress:
        """Return self."""
        ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> bool | None:
        """Close."""
        ...


Listener: TypeAlias = Callable[[float, float | None], object]
"""A callback with the units done and the total (None if it is unknown)."""


def progress_bar(total: float | None, label: str, progress: bool | Listener | Progress) -> Progress:
    """Return a progress reporter for `total` units of work.

    `progress` is the argument `progress=` of public functions: False shows nothing, True shows a bar on standard error
    (that of tqdm if it is installed), a function is called with (done, total), and a `Progress` is returned as it is.

    >>> seen = []
    >>> with progress_bar(2, "steps", lambda done, total: seen.append((done, total))) as bar:
    ...     for _ in range(2):
    ...         _ = bar.update()
    >>> seen
    [(1, 2), (2, 2)]
    """
    require_progress(progress)
    if isinstance(progress, bool):
        return _bar(total, label) if progress else NoProgress()
    return progress if isinstance(progress, Progress) else CallbackProgress(progress, total)


def require_progress(progress: object) -> None:
    """Raise ArgumentError unless `progress` is valid for `progress_bar`."""
    if not isinstance(progress, (bool, Progress)):
        require_callable(progress, "progress", "True, False or a function")


def _bar(total: float | None, label: str) -> Progress:
    try:
        tqdm: Any = importlib.import_module("tqdm").tqdm
    except ImportError:
        return TextBar(total, label)
    bar: Progress = tqdm(total=total, desc=label, mininterval=_INTERVAL, file=_StandardError(), dynamic_ncols=True)
    return bar


@final
class _StandardError:
    """Standard error as a file without errors: a closed or broken one must not interrupt the work.

    It equals standard error, by which `tqdm.write` knows the bars that it has to clear.
    """

    @override
    def __eq__(self, other: object) -> bool:
        return other is sys.stderr or isinstance(other, _StandardError)

    @override
    def __hash__(self) -> int:
        return hash(_StandardError)

    @property
    def encoding(self) -> str:
        return getattr(sys.stderr, "encoding", None) or "ascii"

    def write(self, text: str) -> None:
        with suppress(*_BROKEN):
            sys.stderr.write(text)

    def flush(self) -> None:
        with suppress(*_BROKEN):
            sys.stderr.flush()

    def isatty(self) -> bool:
        try:
            return sys.stderr.isatty()
        except _BROKEN:
            return False

    def fileno(self) -> int:
        return sys.stderr.fileno()


class _ProgressReporter(ABC):
    """Base class of reporters: `with` closes them."""

    @abstractmethod
    def update(self, n: float = 1) -> None:
        """Report that `n` more units are done."""

    @abstractmethod
    def close(self) -> None:
        """Finish."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        self.close()


@final
class NoProgress(_ProgressReporter):
    """Reporter without output."""

    @override
    def update(self, n: float = 1) -> None:
        pass

    @override
    def close(self) -> None:
        pass


@final
class CallbackProgress(_ProgressReporter):
    """Reporter that calls a function with the units done and the total."""

    def __init__(self, listener: Listener, total: float | None) -> None:
        self._listener = listener
        self._total = total
        self._done: float = 0

    @override
    def update(self, n: float = 1) -> None:
        self._done += n
        self._listener(self._done, self._total)

    @override
    def close(self) -> None:
        pass


@final
class TextBar(_ProgressReporter):
    """Progress bar on standard error, redrawn at most ten times a second; without a terminal, only at the end."""

    def __init__(self, total: float | None, label: str) -> None:
        self._total = total
        self._label = label
        self._done: float = 0
        self._drawn_at = -_INTERVAL
        self._closed = False
        self._stream = _StandardError()

    @override
    def update(self, n: float = 1) -> None:
        self._done += n
        now = time.monotonic()
        if now - self._drawn_at >= _INTERVAL and self._stream.isatty():
            self._drawn_at = now
            self._write("\r" + self._line())

    @override
    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._write(("\r" if self._stream.isatty() else "") + self._line() + "\n")

    def _line(self) -> str:
        if not self._total:
            return f"{self._label}: {self._done:g}"
        part = min(max(self._done / self._total, 0.0), 1.0)
        filled = "#" * round(part * _WIDTH)
        return f"{self._label}: {part:4.0%} [{filled:<{_WIDTH}}] {self._done:g}/{self._total:g}"

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()
