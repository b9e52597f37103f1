"""Machine code in the disk cache, and its keys."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Final

import rbd
from rbd.native.runtime import cache
from rbd.native.runtime.jit import assemble, assemble_shared, host_processor
from rbd.native.runtime.sources import has_sources, sources_digest

CODEGEN_VERSION: Final = 3
"""Version of the interface of machine code; part of its keys in the disk cache."""
PACKAGES: Final = ("intrinsics", "native", "program", "recorded_arrays", "scalars", "solvers")
"""Packages of `rbd` whose sources determine machine code."""


@functools.cache
def codegen_digest() -> str | None:
    """Return a version and hash of the sources of code generation, part of keys in the disk cache.

    None if one has changed since this process started, see `sources_digest`. An installation without sources has the
    version of rbd for a hash.
    """
    folders = [Path(__file__).parents[1] / package for package in PACKAGES]
    known = [digest for digest in map(sources_digest, folders) if digest is not None]
    if len(known) < len(PACKAGES):
        return None if any(map(has_sources, folders)) else f"{CODEGEN_VERSION}-{rbd.__version__}"
    return f"{CODEGEN_VERSION}-{hashlib.sha256('|'.join(known).encode()).hexdigest()}"


def code_key(*parts: str) -> str | None:
    """Return the key of machine code for this processor in the disk cache; None if it cannot be cached."""
    sources = codegen_digest()
    return None if sources is None else "|".join((*parts, sources, host_processor().key))


def cached_code(key: str | None, text: Callable[[], str], *, shared: bool = False) -> bytes:
    """Return machine code, from the disk cache or compiled; `shared` if all programs of the process use it."""
    code = None if key is None else cache.load(key)
    if code is None:
        code = assemble_shared(text()) if shared else assemble(text())
        if key is not None:
            cache.store(key, code)
    return code
