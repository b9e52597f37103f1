"""Memory check before LLVM runs, which ends the process when it gets none."""

from __future__ import annotations

import mmap

from rbd.errors import WorkspaceError

LOADING = 256 << 20
"""Bytes of addresses that loading LLVM takes, its own library among them."""
WORKING = 64 << 20
"""Bytes LLVM takes for the smallest piece of code. Twice what was measured, as are the next two."""
PER_CHARACTER = 32
"""Bytes it takes for each character of text it compiles."""
PER_BYTE = 8
"""Bytes it takes for each byte of object code it loads."""


def check_available(size: int) -> None:
    """Raise WorkspaceError unless the system gives `size` bytes now, as far as limits of this process go."""
    try:
        mmap.mmap(-1, size).close()
    except OSError:
        message = f"there is no memory to compile, which takes {size >> 20} MB"
        raise WorkspaceError(message, argument="machine code") from None
