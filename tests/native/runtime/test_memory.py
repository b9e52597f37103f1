"""What is dropped gives its memory back."""

from __future__ import annotations

import ctypes
import os
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

from rbd.native.runtime.jit import Library, assemble

FOLDER = Path(__file__).parent
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="resident memory is read as Linux shows it")


def growth(folder: Path, count: int, distinct: int, way: str) -> float:
    """Return how many bytes a process grew while it made and dropped robots, the first hundred apart.

    What is kept of every robot grows each hundred alike; a new arena of Python's allocator, of 1 MiB, grows one
    of them, whenever fragmentation asks for it. So the median of the hundreds stands for all of them.
    """
    here = dict(os.environ) | {"RBD_CACHE_DIR": str(folder), "PYTHONPATH": str(FOLDER.parents[2])}
    script = [sys.executable, "-W", "error", str(FOLDER / "dropping.py"), str(count), str(distinct), way]
    done = subprocess.run(script, env=here, stdout=subprocess.PIPE, text=True, timeout=1200, check=True)
    hundreds = [int(word) for word in done.stdout.split()]
    print("growth of each hundred, in bytes:", *hundreds)
    return statistics.median(hundreds) * len(hundreds)


@on_linux
def test_machine_code_that_is_dropped_leaves_nothing(tmp_path: Path) -> None:
    assert growth(tmp_path, 700, 1, "library") < 500_000


@on_linux
@pytest.mark.parametrize("way", ["live", "compile"])
def test_robots_that_are_dropped_leave_nothing(tmp_path: Path, way: str) -> None:
    """Their machine code is found on disk, which takes as much memory as making it and less time."""
    assert growth(tmp_path, 500, 4, way) < 1_000_000


@on_linux
@pytest.mark.deep
@pytest.mark.parametrize("way", ["live", "compile"])
def test_a_thousand_robots_compiled_and_dropped_leave_nothing(tmp_path: Path, way: str) -> None:
    assert growth(tmp_path, 1000, 1000, way) < 2_000_000


def test_libraries_outlive_each_other_in_any_order() -> None:
    """They share linkers, which end when the last library they have linked does."""
    libraries = {k: Library(assemble(f"define i64 @f() {{\n  ret i64 {k}\n}}\n"), ("f",)) for k in range(50)}
    for k in (*range(0, 50, 3), *range(49, 0, -2)):
        libraries.pop(k, None)
        for number, library in libraries.items():
            assert ctypes.CFUNCTYPE(ctypes.c_int64)(library.address("f"))() == number


@on_linux
@pytest.mark.parametrize("room", ["none", "thread"])
@pytest.mark.parametrize("way", ["loaded", "bare"])
def test_without_memory_to_compile_states_go_on_and_functions_say_so(way: str, room: str) -> None:
    """LLVM would end the process."""
    here = dict(os.environ) | {"RBD_CACHE": "0", "PYTHONPATH": str(FOLDER.parents[2])}
    script = [sys.executable, "-W", "error", str(FOLDER / "without_memory.py"), way, room]
    done = subprocess.run(script, env=here, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert done.stdout == "WorkspaceError\ncompiled\n"
