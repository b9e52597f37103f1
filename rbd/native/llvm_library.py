"""LLVM's shared library, opened without the interpreter's lock.

Opening it takes tens of milliseconds, for which llvmlite would hold up all threads. Called by way of ctypes the
system's `dlopen` holds up none, and llvmlite then finds the library open.
"""

from __future__ import annotations

import ctypes
import os
from importlib.util import find_spec
from pathlib import Path


def open_library() -> bool:
    """Open the library llvmlite comes with; return whether that worked. What is wrong with it, llvmlite says."""
    path, opened = _path(), getattr(ctypes.CDLL(None), "dlopen", None) if os.name == "posix" else None
    if path is None or opened is None:
        return False
    opened.argtypes, opened.restype = [ctypes.c_char_p, ctypes.c_int], ctypes.c_void_p
    return bool(opened(os.fsencode(path), os.RTLD_NOW | os.RTLD_LOCAL))


def _path() -> Path | None:
    """Return where the library is; llvmlite is not imported to find it."""
    found = find_spec("llvmlite")
    folders = [] if found is None else found.submodule_search_locations or []
    return next((path for each in folders for path in Path(each, "binding").glob("libllvmlite.*")), None)
