"""Stand-ins for the thread that compiles in the background."""

from __future__ import annotations

import threading
from collections.abc import Callable


def run_here(task: Callable[[], object]) -> bool:
    """Run a task in the thread that submits it; return that it was begun, as `ThreadPool.submit` does."""
    task()
    return True


def run_before_return(task: Callable[[], object]) -> bool:
    """Run a task in another thread, which is done before `ThreadPool.submit` would return."""
    thread = threading.Thread(target=task)
    thread.start()
    thread.join()
    return True
