"""Memory check before LLVM runs, which aborts the process if an allocation fails."""

from __future__ import annotations

import mmap

from rbd.errors import WorkspaceError

LOADING_BYTES = 256 << 20
"""Address space for loading LLVM, including its library."""
WORKING_BYTES = 64 << 20
"""Memory of LLVM for the smallest module. Twice the measured value, as are the next two."""
BYTES_PER_CHARACTER = 32
"""Memory per character of LLVM IR that is compiled."""
BYTES_PER_CODE_BYTE = 8
"""Memory per byte of object code that is loaded."""


def check_available(size: int) -> None:
    """Raise WorkspaceError unless `size` bytes can be allocated within the limits of this process."""
    try:
        mmap.mmap(-1, size).close()
    except OSError:
        message = f"there is not enough memory to compile, which needs {size >> 20} MB"
        raise WorkspaceError(message, argument="machine code") from None
