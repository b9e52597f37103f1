"""LLVM's library is opened beside other threads, before llvmlite is imported."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rbd.native.runtime import llvm_library

posix = pytest.mark.skipif(os.name != "posix", reason="other systems have no dlopen")


@posix
def test_the_library_is_opened_without_llvmlite() -> None:
    imported = "import sys; from rbd.native.runtime.llvm_library import open_library"
    script = f"{imported}; print(open_library(), 'llvmlite' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "True False\n"


@posix
def test_llvmlite_finds_the_library_that_was_opened() -> None:
    path = llvm_library._path()
    assert path is not None
    assert llvm_library.open_library()
    opened = ctypes.CDLL(str(path), mode=getattr(os, "RTLD_NOLOAD", 0) | os.RTLD_NOW)
    assert opened.LLVMPY_GetVersionInfo is not None


@posix
def test_what_cannot_be_opened_is_left_to_llvmlite(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "libllvmlite.so"
    broken.write_text("no library")
    monkeypatch.setattr(llvm_library, "_path", lambda: broken)
    assert not llvm_library.open_library()
    monkeypatch.setattr(llvm_library, "_path", lambda: None)
    assert not llvm_library.open_library()
