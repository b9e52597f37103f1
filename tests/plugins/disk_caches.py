"""Caches of a test run on disk: rbd's own, which begins empty, and Python's byte code.

RBD_CACHE_DIR names the cache of the run, which its processes share; the first of them makes and removes it. Each folder
of tests has a cache of its own in it, since rbd lists all entries of a cache to store one.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path

import pytest

if not os.environ.get("RBD_CACHE_DIR"):
    os.environ["RBD_CACHE_DIR"] = tempfile.mkdtemp(prefix="rbd-tests-")
    atexit.register(shutil.rmtree, os.environ["RBD_CACHE_DIR"], ignore_errors=True)

_CACHE_OF_RUN = Path(os.environ["RBD_CACHE_DIR"])


def use_cache(name: str) -> None:
    """Let rbd use this cache of the run from now on."""
    os.environ["RBD_CACHE_DIR"] = str(_CACHE_OF_RUN / name)


def pytest_configure(config: pytest.Config) -> None:
    """Where byte code may not be beside the sources, keep it between runs: processes that tests start import rbd."""
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
        cache = getattr(config, "cache", None)
        folder = _CACHE_OF_RUN / "bytecode" if cache is None else cache.mkdir("bytecode")
        os.environ["PYTHONPYCACHEPREFIX"] = str(folder)
