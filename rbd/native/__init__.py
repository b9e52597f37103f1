"""Machine code of programs: compiler, builtins, batches, disk cache.

A sub-package depends only on those above it.

Each of the sub-packages has a map of its own.

codegen/                   programs and intrinsics as LLVM IR
runtime/                   interfaces to the system: LLVM, the disk cache, threads, locks
batch/                     many rows at a time
cached_code.py             machine code in the disk cache
shared_functions.py        functions that all programs call: sines, access to rows
compiled_program.py        machine code of a program, for one state and for rows
repeat.py                  repeated calls, each on the results of the last
builtins/                  C functions that Python calls, made at run time
background_compilation.py  compilation of one program by the background thread
executable.py              a program that is interpreted, compiled, or called as a builtin
live_executable.py         that of a live state: when it is compiled

Importing this package is fast: llvmlite is loaded when the first program is compiled.

    RBD_NATIVE=0         no machine code: programs are interpreted
    RBD_NATIVE_ENTRY=0   no builtins: machine code is called through ctypes
    RBD_CACHE=0          machine code is not kept on disk
    RBD_CACHE_DIR        where it is kept
"""

from __future__ import annotations

import functools
import os
import sys
import warnings
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from rbd.native.runtime import cache
from rbd.native.runtime.background import background, in_background
from rbd.native.runtime.locks import Lock, compiler_unusable, once_under_compiler_lock, one_at_a_time

if TYPE_CHECKING:
    from rbd.native.compiled_program import CompiledProgram
    from rbd.program.lazy_program import LazyProgram
    from rbd.program.program import Program


class InterpretedWarning(RuntimeWarning):
    """Programs run in the interpreter, about ten thousand times slower than machine code."""


def available() -> bool:
    """Return whether this process can compile."""
    return _is_wanted() and not compiler_unusable()


@functools.cache
def _is_wanted() -> bool:
    return os.environ.get("RBD_NATIVE", "1") != "0" and find_spec("llvmlite") is not None


def is_loaded() -> bool:
    """Return whether the compiler is loaded, which takes tenths of a second."""
    return available() and "rbd.native.runtime.jit" in sys.modules


@functools.cache
def warn_interpreted() -> None:
    """Warn, once per process, that programs are interpreted, and why."""
    reason = "RBD_NATIVE is 0" if os.environ.get("RBD_NATIVE", "1") == "0" else "llvmlite is not installed"
    if compiler_unusable():
        reason = "this process was forked while another thread compiled"
    message = f"{reason}: rbd interprets its programs; results are the same, computing them takes far longer"
    warnings.warn(message, InterpretedWarning, stacklevel=4)


def keeps_outlines() -> bool:
    """Return whether outlines of programs are cached: there is a compiler and a cache folder."""
    return available() and cache.directory() is not None


def compile_program(program: Program | LazyProgram, *, lanes: int | None = None) -> CompiledProgram:
    """Return `program` as machine code; `lanes` None: those of the processor.

    Raises WorkspaceError if there is not enough memory to load the compiler: a failed attempt could not be repeated.
    """
    _load()
    from rbd.native import compiled_program

    return compiled_program.CompiledProgram(program, lanes)


def use_fused_builtins() -> None:
    """Let the interpreter call builtins for fused multiply-adds, a tenth of the time of calls through ctypes."""
    _load()
    from rbd.native.builtins import fused

    fused.use_fused_builtins()


@once_under_compiler_lock
def _load() -> None:
    """Import llvmlite and its callers, under the lock that forks wait for: else modules stay locked in a child."""
    from rbd.native.runtime import memory
    from rbd.native.runtime.llvm_library import open_library

    if not is_loaded():
        memory.check_available(memory.LOADING_BYTES)
        open_library()
    import_module("rbd.native.builtins.builtin")
    import_module("rbd.native.builtins.fused")
    import_module("rbd.native.repeat")


__all__ = [
    "InterpretedWarning",
    "Lock",
    "available",
    "background",
    "compile_program",
    "in_background",
    "is_loaded",
    "keeps_outlines",
    "one_at_a_time",
    "use_fused_builtins",
    "warn_interpreted",
]
