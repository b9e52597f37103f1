"""Every test has a cache of its own, so that none reads what an earlier run has left, and threads for small batches."""

from __future__ import annotations

from pathlib import Path

import pytest

from rbd import native


@pytest.fixture(autouse=True)
def cache_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("RBD_CACHE_DIR", str(folder))
    monkeypatch.delenv("RBD_CACHE", raising=False)
    return folder


@pytest.fixture(autouse=True)
def _threads_for_small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask other threads whatever they have to do."""
    if native.available():
        monkeypatch.setattr("rbd.native.compiled_program.OPERATIONS_FOR_THREADS", 0)
