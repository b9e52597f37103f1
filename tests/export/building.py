"""C source made callable, for the tests of this folder."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

COMPILERS = [
    pytest.param(name, marks=pytest.mark.skipif(shutil.which(name) is None, reason=f"{name} is not installed"))
    for name in ("gcc", "clang")
]
LIBM = {"acos", "asin", "atan2", "cos", "exp", "fabs", "fma", "log", "pow", "sin", "sqrt", "tan", "tanh"}
"""Functions of the mathematics library that exported functions may call."""
WARNINGS = ("-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror")


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


def built(compiler: str, sources: list[Path], folder: Path, *options: str) -> ctypes.CDLL:
    """Return the library that `compiler` makes of several files, without warnings."""
    return linked(compiler, objects(compiler, sources, folder, *options), folder)


def objects(compiler: str, sources: list[Path], folder: Path, *options: str) -> list[Path]:
    """Return the object files that `compiler` makes of several files, without warnings."""
    made = [folder / f"{source.stem}.o" for source in sources]
    for source, target in zip(sources, made, strict=True):
        command = [compiler, *WARNINGS, *options, "-fPIC", "-c", str(source), "-o", str(target)]
        subprocess.run(command, check=True)
    return made


def linked(compiler: str, objects: list[Path], folder: Path) -> ctypes.CDLL:
    """Return the library of object files.

    Options are for compiling alone: linked with options for fast arithmetic, a library would switch subnormal numbers
    off in this process.
    """
    library = folder / f"{compiler}.so"
    subprocess.run([compiler, "-shared", *map(str, objects), "-o", str(library), "-lm"], check=True)
    return ctypes.CDLL(str(library))


def symbols(file: Path) -> dict[str, str]:
    """Return the symbols of an object file: their kind in the listing of nm, by name."""
    listed = subprocess.run(["nm", "-P", str(file)], check=True, capture_output=True, text=True).stdout
    return {line.split()[0]: line.split()[1] for line in listed.splitlines()}
