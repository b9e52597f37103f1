"""Interfaces to the system: LLVM, the disk cache, threads, locks, CPython's memory layout.

jit.py, llvm_library.py        LLVM: IR text to object code, object code to functions
cache.py, outline_cache.py     object code, and outlines of programs, on disk
sources.py                     digests of source files, which keys of the cache contain
locks.py                       locks that survive forks
thread_pool.py, tasks.py       thread pools, and the thread that compiles in the background; tasks of several threads
function_caches.py             caches of compiled functions, which are emptied together
background.py                  `background`: blocks in which compiled functions do not wait for that thread
switch_interval.py             switch interval of the interpreter while a thread compiles
memory.py                      free memory, checked before LLVM is loaded
abi.py                         layout of objects of CPython and NumPy, addresses of their functions
"""

from __future__ import annotations

import time
from typing import Final

IMPORT_TIME: Final = time.time()
"""Time of the import of this package; sources that changed later may differ from the running code."""
