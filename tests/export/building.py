"""C source made callable, for the tests of this folder."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import numpy as np


def compiler() -> str:
    """Return the path of the C compiler."""
    found = shutil.which("gcc") or shutil.which("cc")
    assert found, "the tests need a C compiler"
    return found


def compiled_c(source: str, folder: Path, name: str, *further: str) -> ctypes.CDLL:
    """Return the library that a C compiler makes of `source`, without warnings; `further` are options."""
    (folder / f"{name}.c").write_text(source, encoding="ascii")
    options = [
        "-std=c99",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-O1",
        "-ffp-contract=off",
        "-march=native",
        "-shared",
        "-fPIC",
        *further,
    ]
    library = folder / f"{name}.so"
    subprocess.run([compiler(), *options, str(folder / f"{name}.c"), "-o", str(library), "-lm"], check=True)
    return ctypes.CDLL(str(library))


def call(library: ctypes.CDLL, name: str, *arrays: np.ndarray) -> int:
    """Call a function of arrays; return its status."""
    return int(getattr(library, name)(*(ctypes.c_void_p(array.ctypes.data) for array in arrays)))
