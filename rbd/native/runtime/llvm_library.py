"""Loading of LLVM's shared library without the interpreter's lock.

Loading takes tens of milliseconds, in which llvmlite would block all threads. `dlopen` called through ctypes releases
the lock; llvmlite then finds the library loaded.
"""

from __future__ import annotations

import ctypes
import os
from importlib.util import find_spec
from pathlib import Path


def open_library() -> bool:
    """Load the library of llvmlite; return whether that succeeded. If not, llvmlite raises the error later."""
    path, opened = _path(), getattr(ctypes.CDLL(None), "dlopen", None) if os.name == "posix" else None
    if path is None or opened is None:
        return False
    opened.argtypes, opened.restype = [ctypes.c_char_p, ctypes.c_int], ctypes.c_void_p
    return bool(opened(os.fsencode(path), os.RTLD_NOW | os.RTLD_LOCAL))


def _path() -> Path | None:
    """Return the path of the library, without importing llvmlite."""
    spec = find_spec("llvmlite")
    folders = [] if spec is None else spec.submodule_search_locations or []
    return next((path for each in folders for path in Path(each, "binding").glob("libllvmlite.*")), None)
