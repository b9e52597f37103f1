"""Cache of LLVM's object code between test runs, in `.pytest_cache`: the same module gives the same code.

Every test still records, writes its module and loads the code; only LLVM's work on the same text is not repeated.
`pytest --cache-clear` empties the cache.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from rbd import native

_AGE = 7 * 24 * 3600.0
"""Seconds after which unused code is deleted."""
Compile = Callable[[str, int], bytes]
"""compile(text of a module, level of optimisation) -> object code."""


def pytest_configure(config: pytest.Config) -> None:
    """Keep object code in pytest's cache; one process of a run deletes old code."""
    cache = getattr(config, "cache", None)
    if cache is not None and native.available():
        folder = cache.mkdir("llvm")
        keep_in(folder)
        if not hasattr(config, "workerinput"):
            forget_old(folder)


def keep_in(folder: Path) -> None:
    """Make rbd load object code from `folder`, and store new code there."""
    from rbd.native.runtime import jit

    folder.mkdir(parents=True, exist_ok=True)
    jit.native_code = _kept(jit.native_code, folder, "native")
    jit.webassembly_code = _kept(jit.webassembly_code, folder, "WebAssembly")


def _kept(compile_module: Compile, folder: Path, target: str) -> Compile:
    """Return `compile_module` with its results in files, whose names are hashes of all that they depend on."""
    from rbd.native.runtime import jit

    def load_or_compile(text: str, level: int) -> bytes:
        key = "\n".join((target, jit.host_processor().key, str(level), text))
        place = folder / hashlib.sha256(key.encode()).hexdigest()
        try:
            code = place.read_bytes()
        except FileNotFoundError:
            code = compile_module(text, level)
            _write(place, code)
        else:
            os.utime(place)
        return code

    return load_or_compile


def _write(place: Path, code: bytes) -> None:
    unfinished = place.with_suffix(f".{secrets.token_hex(8)}")
    unfinished.write_bytes(code)
    unfinished.replace(place)


def forget_old(folder: Path) -> None:
    """Delete code that was not used for a week."""
    for place in list(folder.iterdir()):
        if time.time() - place.stat().st_mtime > _AGE:
            place.unlink(missing_ok=True)
