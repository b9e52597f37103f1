"""Machine code links in processes whose free memory lies far apart, as that of one that has loaded PyTorch does."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent


@pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() not in ("x86_64", "AMD64"),
    reason="the script lays out the memory of Linux on x86-64",
)
def test_scattered_memory(tmp_path: Path) -> None:
    """LLVM's older linker asks for code and constants page by page, and aborts when they land 2 GB apart."""
    here = dict(os.environ) | {"RBD_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(FOLDER.parents[2])}
    script = [sys.executable, "-W", "error", str(FOLDER / "scattered.py")]
    done = subprocess.run(script, env=here, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    found = re.fullmatch(r"linked and run; pieces land (\d+) bytes apart\n", done.stdout)
    assert found is not None
    assert int(found[1]) > 2**31
