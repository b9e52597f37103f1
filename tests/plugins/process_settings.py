"""Settings of each process of a test run: Ctrl-C, compilation in the background, garbage collection, mpmath."""

from __future__ import annotations

import gc
import signal
import sys
from collections.abc import Iterator

import pytest

from rbd import native
from rbd.native import live_executable


def pytest_configure() -> None:
    """Raise KeyboardInterrupt at SIGINT, which shells ignore in processes of the background."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True, scope="session")
def _live_states_compile_late() -> None:
    """Interpret programs of live states for longer, and faster: the processes of a test run share the processor."""
    live_executable.OPERATIONS_BEFORE_COMPILING = 250_000
    if native.available():
        native.use_fused_builtins()


@pytest.fixture(autouse=True, scope="module")
def _collector_skips_old_objects() -> None:
    """Exclude the objects of earlier modules from garbage collection, and collect less often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000)  # a recording makes thousands of objects that live on


@pytest.fixture(autouse=True, scope="module")
def _mpmath_precision_is_restored() -> Iterator[None]:
    """Check that a module restores the precision of mpmath, which is global."""
    yield
    mpmath = sys.modules.get("mpmath")
    assert mpmath is None or (mpmath.mp.prec, mpmath.iv.prec) == (53, 53)
