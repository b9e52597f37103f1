"""Every test has a cache of its own: none reads what an earlier run has left in the user's."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def cache_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("RBD_CACHE_DIR", str(folder))
    monkeypatch.delenv("RBD_CACHE", raising=False)
    return folder
