"""The exceptions that tests raise at lines of rbd arrive where signals and failing allocations can."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from tests.mechanism import interrupts

lock = threading.RLock()


def locked() -> int:
    """Leave `with` blocks in every way."""
    with lock:
        total = 1
    with lock, Path(__file__).open(encoding="utf-8"):
        total += 1
    for k in range(2):
        with lock:
            if k:
                continue
            total += 1
    try:
        with lock:
            raise ValueError
    except ValueError:
        total += 1
    with lock:
        return total


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_no_line_leaves_a_lock_held(error: type[BaseException], monkeypatch: pytest.MonkeyPatch) -> None:
    """Tracing has a line at the end of a `with` block, before `__exit__` is called."""
    monkeypatch.setattr(interrupts, "_HERE", __file__)
    lines = interrupts.count_lines(locked)
    assert 15 <= lines <= 25
    for line in range(1, lines + 1):
        assert interrupts.raise_at(line, error, locked)
        assert held_by_no_thread()
    assert not interrupts.raise_at(lines + 1, error, locked)


def held_by_no_thread() -> bool:
    """Return whether another thread can take the lock: this one could take it once more."""
    free = list[bool]()

    def take() -> None:
        free.append(lock.acquire(blocking=False))
        if free[0]:
            lock.release()

    thread = threading.Thread(target=take)
    thread.start()
    thread.join()
    return free[0]
