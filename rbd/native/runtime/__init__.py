"""Runtime of machine code: LLVM, caches on disk, threads, locks, objects of CPython."""

from __future__ import annotations

import time
from typing import Final

LOADED: Final = time.time()
"""Time of the import of this package; sources that changed later may differ from the running code."""
