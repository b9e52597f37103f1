"""Scripts in processes of their own: a crash or a hang there does not end the tests."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]


def run(script: str, arguments: Sequence[object], cache: Path, limit: float = 120) -> str:
    """Return what a script prints; fail with its errors when it crashes, or takes longer than `limit` seconds."""
    environment = os.environ | {"RBD_CACHE_DIR": str(cache), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", script, *map(str, arguments)]
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False, env=environment)
    except subprocess.TimeoutExpired as error:
        raise AssertionError(f"hangs; it has printed {error.stdout!r} and {error.stderr!r}") from None
    assert (ended.returncode, ended.stderr) == (0, ""), (ended.returncode, ended.stderr)
    return ended.stdout
