"""Memory check before LLVM runs, which aborts the process if an allocation fails."""

from __future__ import annotations

import mmap

from rbd.errors import WorkspaceError

LOADING = 256 << 20
"""Address space in bytes for loading LLVM, including its library."""
WORKING = 64 << 20
"""Memory of LLVM in bytes for the smallest module. Twice the measured value, as are the next two."""
PER_CHARACTER = 32
"""Bytes per character of LLVM IR that is compiled."""
PER_BYTE = 8
"""Bytes per byte of object code that is loaded."""


def check_available(size: int) -> None:
    """Raise WorkspaceError unless `size` bytes can be allocated within the limits of this process."""
    try:
        mmap.mmap(-1, size).close()
    except OSError:
        message = f"there is not enough memory to compile, which needs {size >> 20} MB"
        raise WorkspaceError(message, argument="machine code") from None
