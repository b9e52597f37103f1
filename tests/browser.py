"""Headless Chromium, for tests of pages."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
CHROMIUM = next((found for name in _NAMES if (found := shutil.which(name)) is not None), None)
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")

_OPTIONS = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--allow-file-access-from-files")
_LONGEST = 120


def _run(*options: str) -> str:
    """Run Chromium with a profile of its own; return what it prints."""
    assert CHROMIUM is not None
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [CHROMIUM, *_OPTIONS, f"--user-data-dir={profile}", *options]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=_LONGEST).stdout


def dumped(address: str, milliseconds: int = 10_000) -> str:
    """Return the document of a page after its scripts have run for a time of their own clock."""
    return _run(f"--virtual-time-budget={milliseconds}", "--dump-dom", address)


def screenshot(address: str, target: Path, size: tuple[int, int], milliseconds: int = 10_000) -> None:
    """Write a picture of a page, as a PNG."""
    width, height = size
    window = f"--window-size={width},{height}"
    _run(window, f"--virtual-time-budget={milliseconds}", f"--screenshot={target}", address)
    assert target.exists(), "Chromium wrote no picture"
