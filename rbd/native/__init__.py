"""Programs as machine code; knows nothing of robots.

Importing this package is light: llvmlite is loaded when the first kernel is compiled.

    RBD_NATIVE=0         no machine code: programs are interpreted
    RBD_NATIVE_ENTRY=0   machine code is called through ctypes only
    RBD_CACHE=0          machine code is not kept on disk
    RBD_CACHE_DIR        where it is kept
"""

from __future__ import annotations

import functools
import os
import sys
import warnings
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from rbd.native import cache, memory
from rbd.native.background import background, in_background
from rbd.native.index import find as find_outline
from rbd.native.index import keep as keep_outline
from rbd.native.index import platform_key, sources_digest
from rbd.native.locks import Lock, is_lost, once, one_at_a_time

if TYPE_CHECKING:
    from rbd.native.entry import Guard
    from rbd.native.kernel import NativeKernel
    from rbd.program.outline import Source
    from rbd.program.program import Program


class InterpretedWarning(RuntimeWarning):
    """Programs run in the interpreter, some ten thousand times slower than machine code."""


def available() -> bool:
    """Return whether machine code can be made in this process."""
    return _is_wanted() and not is_lost()


@functools.cache
def _is_wanted() -> bool:
    return os.environ.get("RBD_NATIVE", "1") != "0" and find_spec("llvmlite") is not None


def is_loaded() -> bool:
    """Return whether the compiler has been loaded already, which takes tenths of a second."""
    return available() and "rbd.native.jit" in sys.modules


@functools.cache
def warn_interpreted() -> None:
    """Warn, once per process, that programs are interpreted, and why."""
    reason = "RBD_NATIVE is 0" if os.environ.get("RBD_NATIVE", "1") == "0" else "llvmlite is not installed"
    if is_lost():
        reason = "this process was forked while another thread compiled"
    message = f"{reason}: rbd interprets its programs; results are the same, computing them takes far longer"
    warnings.warn(message, InterpretedWarning, stacklevel=4)


def keeps_outlines() -> bool:
    """Return whether outlines of programs are worth looking for: there is machine code, and a folder for it."""
    return available() and cache.directory() is not None


def compile_program(program: Program | Source, *, lanes: int | None = None) -> NativeKernel:
    """Return `program` as machine code; `lanes` None takes what the processor has.

    Raises WorkspaceError when there is no memory to load the compiler, which could not be loaded again.
    """
    _load()
    from rbd.native.kernel import compile_program as compile_now

    return compile_now(program, lanes=lanes)


@once
def _load() -> None:
    """Import llvmlite and all that calls it; no fork cuts that short, which would leave modules locked in the child."""
    if not is_loaded():
        memory.require(memory.LOADING)
    import_module("rbd.native.entry")
    import_module("rbd.native.bound")
    import_module("rbd.native.repeat")


def has_code(kernel: NativeKernel) -> bool:
    """Return whether the code of a kernel for one state is there, loading it if it was made before."""
    return kernel.load_single()


def make_entry(
    kernel: NativeKernel,
    fallback: Callable[..., object],
    *,
    name: str = "",
    documentation: str = "",
    guard: Guard | None = None,
) -> Callable[..., Any]:
    """Return a kernel as a builtin function of arrays, or `fallback` where that is not possible."""
    from rbd.native.entry import make_entry as make_now

    return make_now(kernel, fallback, name=name, documentation=documentation, guard=guard)


__all__ = [
    "InterpretedWarning",
    "Lock",
    "available",
    "background",
    "compile_program",
    "find_outline",
    "has_code",
    "in_background",
    "is_loaded",
    "keep_outline",
    "keeps_outlines",
    "make_entry",
    "one_at_a_time",
    "platform_key",
    "sources_digest",
    "warn_interpreted",
]
